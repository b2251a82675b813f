//! The messages of Perfetto that are written, with its field numbers:
//! protos/perfetto/trace/trace_packet.proto there, where each field is described.
//! Stamps are in ns; fields are left out where an event lacks them.

use super::event::Ftrace;
use prost::{Message, Oneof};

/// A file is these, each behind its tag and length.
#[derive(Clone, PartialEq, Message)]
pub struct Trace {
    #[prost(message, repeated, tag = "1")]
    pub packet: Vec<Packet>,
}

/// `TracePacket`.
#[derive(Clone, PartialEq, Message)]
pub struct Packet {
    #[prost(uint64, optional, tag = "8")]
    pub timestamp: Option<u64>,
    #[prost(uint32, optional, tag = "10")]
    pub sequence: Option<u32>,
    #[prost(oneof = "Data", tags = "1, 2, 6, 34, 45")]
    pub data: Option<Data>,
}

/// What a packet holds.
#[derive(Clone, PartialEq, Oneof)]
pub enum Data {
    #[prost(message, tag = "1")]
    Bundle(Bundle),
    #[prost(message, tag = "2")]
    ProcessTree(ProcessTree),
    #[prost(message, tag = "6")]
    ClockSnapshot(ClockSnapshot),
    #[prost(message, tag = "34")]
    FtraceStats(FtraceStats),
    #[prost(message, tag = "45")]
    SystemInfo(SystemInfo),
}

/// `ClockSnapshot`: clocks read at one moment.
#[derive(Clone, PartialEq, Message)]
pub struct ClockSnapshot {
    #[prost(message, repeated, tag = "1")]
    pub clocks: Vec<Clock>,
    #[prost(uint32, optional, tag = "2")]
    pub primary: Option<u32>,
}

/// `ClockSnapshot.Clock`.
#[derive(Clone, PartialEq, Message)]
pub struct Clock {
    #[prost(uint32, optional, tag = "1")]
    pub id: Option<u32>,
    #[prost(uint64, optional, tag = "2")]
    pub timestamp: Option<u64>,
}

/// `SystemInfo`.
#[derive(Clone, PartialEq, Message)]
pub struct SystemInfo {
    #[prost(message, optional, tag = "1")]
    pub utsname: Option<Utsname>,
}

/// `Utsname`.
#[derive(Clone, PartialEq, Message)]
pub struct Utsname {
    #[prost(string, optional, tag = "1")]
    pub sysname: Option<String>,
    #[prost(string, optional, tag = "3")]
    pub release: Option<String>,
}

/// `ProcessTree`.
#[derive(Clone, PartialEq, Message)]
pub struct ProcessTree {
    #[prost(message, repeated, tag = "1")]
    pub processes: Vec<Process>,
}

/// `ProcessTree.Process`.
#[derive(Clone, PartialEq, Message)]
pub struct Process {
    #[prost(int32, optional, tag = "1")]
    pub pid: Option<i32>,
    #[prost(string, repeated, tag = "3")]
    pub cmdline: Vec<String>,
    #[prost(bool, optional, tag = "9")]
    pub cmdline_is_comm: Option<bool>,
}

/// `FtraceStats`.
#[derive(Clone, PartialEq, Message)]
pub struct FtraceStats {
    /// 2: the end of the trace.
    #[prost(uint32, optional, tag = "1")]
    pub phase: Option<u32>,
    #[prost(message, repeated, tag = "2")]
    pub cpus: Vec<CpuStats>,
}

/// `FtraceCpuStats`: what a CPU's ring lost.
#[derive(Clone, PartialEq, Message)]
pub struct CpuStats {
    #[prost(uint64, optional, tag = "1")]
    pub cpu: Option<u64>,
    #[prost(uint64, optional, tag = "2")]
    pub entries: Option<u64>,
    #[prost(uint64, optional, tag = "3")]
    pub overrun: Option<u64>,
    #[prost(uint64, optional, tag = "4")]
    pub commit_overrun: Option<u64>,
    #[prost(uint64, optional, tag = "8")]
    pub dropped_events: Option<u64>,
    #[prost(uint64, optional, tag = "9")]
    pub read_events: Option<u64>,
}

/// `FtraceEventBundle`: events of one CPU.
#[derive(Clone, PartialEq, Message)]
pub struct Bundle {
    #[prost(uint32, optional, tag = "1")]
    pub cpu: Option<u32>,
    #[prost(message, repeated, tag = "2")]
    pub event: Vec<Ftrace>,
    /// Before the first of these.
    #[prost(bool, optional, tag = "3")]
    pub lost_events: Option<bool>,
}
