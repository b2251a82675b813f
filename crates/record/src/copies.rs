//! Recorded copies between user and kernel memory: not samples of a batch but
//! single events, each with its place in the ring that recorded it. They have a
//! table of their own next to the samples of an experiment.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One copy as the kernel's recorder saw it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RecordedCopy {
    pub operation: CopyOperation,
    /// The per-CPU ring that kept it.
    pub ring: u32,
    /// Counted in the ring; what is missing in between was not recorded.
    pub sequence: u64,
    pub size_bytes: u64,
    pub cpu_start: u32,
    /// None where the recorder did not keep it.
    pub cpu_end: Option<u32>,
    /// Clock of the recorder, ns; the run says which clock it is.
    pub t0_ns: u64,
    pub t1_ns: u64,
    /// Return address of the copy routine.
    pub caller: u64,
    /// Name of the calling function, where it was resolved.
    pub symbol: Option<String>,
    pub engine: Engine,
    /// None where the recorder did not keep it.
    pub not_copied_bytes: Option<u64>,
    /// Number of the process that copied; None where the recorder did not keep it.
    pub process: Option<u32>,
}

/// The operations that are recorded. Their order is that of the stream: new ones
/// come last.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub enum CopyOperation {
    #[default]
    FromUser,
    ToUser,
    /// `__copy_from_user`: the caller has checked the address.
    UncheckedFromUser,
    UncheckedToUser,
    /// Through an iov_iter: data of pipes, sockets and files.
    IterFromUser,
    IterToUser,
}

impl CopyOperation {
    /// Every operation, in the order of tables.
    pub const ALL: [CopyOperation; 6] = [
        CopyOperation::FromUser,
        CopyOperation::ToUser,
        CopyOperation::UncheckedFromUser,
        CopyOperation::UncheckedToUser,
        CopyOperation::IterFromUser,
        CopyOperation::IterToUser,
    ];

    /// Name of the function: the word in the table.
    pub fn name(self) -> &'static str {
        match self {
            CopyOperation::FromUser => "copy_from_user",
            CopyOperation::ToUser => "copy_to_user",
            CopyOperation::UncheckedFromUser => "__copy_from_user",
            CopyOperation::UncheckedToUser => "__copy_to_user",
            CopyOperation::IterFromUser => "copy_from_iter",
            CopyOperation::IterToUser => "copy_to_iter",
        }
    }

    /// The inverse of `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|o| o.name() == name)
    }
}

impl fmt::Display for CopyOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What did the copying.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub enum Engine {
    #[default]
    Cpu,
    Dma,
}

impl Engine {
    /// The word in the table.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Cpu => "cpu",
            Engine::Dma => "dma",
        }
    }

    /// The inverse of `name`.
    pub fn named(name: &str) -> Option<Self> {
        [Engine::Cpu, Engine::Dma]
            .into_iter()
            .find(|e| e.name() == name)
    }
}
