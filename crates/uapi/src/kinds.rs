//! The enumerations of the interface.

use crate::abi::define_enumeration;

/// A number that came back and that this program has no name for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the module gave {number} as {what}, which this program does not know")]
pub struct UnknownNumber {
    pub what: &'static str,
    pub number: u32,
}

define_enumeration! {
    Direction("a direction") {
        FromUser = 0 "CFTU_FROM_USER",
        ToUser = 1 "CFTU_TO_USER",
        /// From, then to, as one operation; only measured.
        Both = 2 "CFTU_BOTH",
    }
}
define_enumeration! {
    Engine("an engine") {
        Cpu = 0 "CFTU_ENGINE_CPU",
        /// DMA, as the started policy says.
        Policy = 1 "CFTU_ENGINE_POLICY",
        /// The empty operation; only measured.
        None = 2 "CFTU_ENGINE_NONE",
    }
}
define_enumeration! {
    /// How the end of a DMA copy is waited for.
    Wait("a way to wait") {
        Interrupt = 0 "CFTU_WAIT_IRQ",
        Poll = 1 "CFTU_WAIT_POLL",
        Hybrid = 2 "CFTU_WAIT_HYBRID",
    }
}
define_enumeration! {
    Class("a class") {
        Low = 0 "CFTU_CLASS_LOW",
        High = 1 "CFTU_CLASS_HIGH",
    }
}
define_enumeration! {
    PolicyKind("a policy")
    /// As it is typed and printed.
    word {
        None = 0 "CFTU_POLICY_NONE" "none",
        Exclusive = 1 "CFTU_POLICY_EXCLUSIVE" "exclusive",
        Shared = 2 "CFTU_POLICY_SHARED" "shared",
        Priority = 3 "CFTU_POLICY_PRIORITY" "priority",
    }
}
define_enumeration! {
    Chooser("a chooser")
    /// As it is typed and printed.
    word {
        RoundRobin = 0 "CFTU_CHOOSE_ROUND_ROBIN" "round-robin",
        LeastOutstanding = 1 "CFTU_CHOOSE_LEAST_OUTSTANDING" "least-outstanding",
    }
}
define_enumeration! {
    /// The copies that the recorder distinguishes.
    Operation("an operation")
    /// The routine's name in the kernel.
    word {
        CopyFromUser = 0 "CFTU_TRACE_COPY_FROM_USER" "copy_from_user",
        CopyToUser = 1 "CFTU_TRACE_COPY_TO_USER" "copy_to_user",
        RawCopyFromUser = 2 "CFTU_TRACE_RAW_COPY_FROM_USER" "__copy_from_user",
        RawCopyToUser = 3 "CFTU_TRACE_RAW_COPY_TO_USER" "__copy_to_user",
        IterFromUser = 4 "CFTU_TRACE_ITER_FROM_USER" "copy_from_iter",
        IterToUser = 5 "CFTU_TRACE_ITER_TO_USER" "copy_to_iter",
    }
}
