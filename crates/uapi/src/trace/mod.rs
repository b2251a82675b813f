//! The recorder: one capture at a time for the machine.

mod bucket;
mod capture;
mod ring;
mod sequence;
mod state;

pub use bucket::{BUCKETS, bucket_floor, bucket_of};
pub use capture::{Capture, CaptureSettings};
pub use ring::{RecordRing, Taken};
pub use sequence::Sequences;
pub use state::{Probe, State};

use crate::kinds::{Engine, Operation};

/// One recorded copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Of this CPU and operation; dropped copies used their numbers up.
    pub sequence: u64,
    pub operation: Operation,
    /// `Policy` for DMA.
    pub engine: Engine,
    /// CLOCK_MONOTONIC.
    pub start_ns: u64,
    pub end_ns: u64,
    /// Return address in the routine that called the copy.
    pub caller: u64,
    /// Whether it lies in the copy routine itself: who called is not known.
    pub near_caller: bool,
    pub length_bytes: u64,
    pub not_copied_bytes: u64,
    pub cpu_start: u16,
    pub cpu_end: u16,
    pub process: u32,
}

/// One cell of size x latency x caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    pub operation: Operation,
    pub engine: Engine,
    pub caller: u64,
    /// Of bytes; see [`bucket_floor`].
    pub length_bucket: u16,
    /// Of nanoseconds.
    pub latency_bucket: u16,
    pub count: u64,
    /// Really copied.
    pub bytes: u64,
    pub sum_ns: u64,
    pub max_ns: u64,
}
