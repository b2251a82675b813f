//! The enumerations of the interface.

use crate::abi::define_enumerations;

/// A number that came back and that this program has no name for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the module gave {number} as {what}, which this program does not know")]
pub struct UnknownNumber {
    pub what: &'static str,
    pub number: u32,
}

define_enumerations! {
    Direction("a direction") {
        FromUser = 0 "CFTU_FROM_USER",
        ToUser = 1 "CFTU_TO_USER",
        /// From, then to, as one operation; only measured.
        Both = 2 "CFTU_BOTH",
    }
    Engine("an engine") {
        Cpu = 0 "CFTU_ENGINE_CPU",
        /// DMA, as the started policy says.
        Policy = 1 "CFTU_ENGINE_POLICY",
        /// The empty operation; only measured.
        None = 2 "CFTU_ENGINE_NONE",
    }
    /// How the end of a DMA copy is waited for.
    Wait("a way to wait") {
        Interrupt = 0 "CFTU_WAIT_IRQ",
        Poll = 1 "CFTU_WAIT_POLL",
        Hybrid = 2 "CFTU_WAIT_HYBRID",
    }
    Class("a class") {
        Low = 0 "CFTU_CLASS_LOW",
        High = 1 "CFTU_CLASS_HIGH",
    }
    PolicyKind("a policy") {
        None = 0 "CFTU_POLICY_NONE",
        Exclusive = 1 "CFTU_POLICY_EXCLUSIVE",
        Shared = 2 "CFTU_POLICY_SHARED",
        Priority = 3 "CFTU_POLICY_PRIORITY",
    }
    Chooser("a chooser") {
        RoundRobin = 0 "CFTU_CHOOSE_ROUND_ROBIN",
        LeastOutstanding = 1 "CFTU_CHOOSE_LEAST_OUTSTANDING",
    }
    /// The copies that the recorder distinguishes.
    Operation("an operation") {
        CopyFromUser = 0 "CFTU_TRACE_COPY_FROM_USER",
        CopyToUser = 1 "CFTU_TRACE_COPY_TO_USER",
        RawCopyFromUser = 2 "CFTU_TRACE_RAW_COPY_FROM_USER",
        RawCopyToUser = 3 "CFTU_TRACE_RAW_COPY_TO_USER",
        IterFromUser = 4 "CFTU_TRACE_ITER_FROM_USER",
        IterToUser = 5 "CFTU_TRACE_ITER_TO_USER",
    }
}

impl PolicyKind {
    /// As it is typed and printed.
    pub fn word(self) -> &'static str {
        match self {
            PolicyKind::None => "none",
            PolicyKind::Exclusive => "exclusive",
            PolicyKind::Shared => "shared",
            PolicyKind::Priority => "priority",
        }
    }
}

impl Chooser {
    /// As it is typed and printed.
    pub fn word(self) -> &'static str {
        match self {
            Chooser::RoundRobin => "round-robin",
            Chooser::LeastOutstanding => "least-outstanding",
        }
    }
}

impl Operation {
    /// The routine's name in the kernel.
    pub fn word(self) -> &'static str {
        match self {
            Operation::CopyFromUser => "copy_from_user",
            Operation::CopyToUser => "copy_to_user",
            Operation::RawCopyFromUser => "__copy_from_user",
            Operation::RawCopyToUser => "__copy_to_user",
            Operation::IterFromUser => "copy_from_iter",
            Operation::IterToUser => "copy_to_iter",
        }
    }
}
