//! The messages of Perfetto that are written, with its field numbers:
//! protos/perfetto/trace/trace_packet.proto and ftrace/*.proto there, where each
//! field is described. Stamps are in ns; fields are left out where an event lacks
//! them.

use prost::{Message, Oneof};

/// A file is these, each behind its tag and length.
#[derive(Clone, PartialEq, Message)]
pub struct Trace {
    #[prost(message, repeated, tag = "1")]
    pub packet: Vec<Packet>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Packet {
    #[prost(uint64, optional, tag = "8")]
    pub timestamp: Option<u64>,
    #[prost(uint32, optional, tag = "10")]
    pub sequence: Option<u32>,
    #[prost(oneof = "Data", tags = "1, 2, 6, 34, 45")]
    pub data: Option<Data>,
}

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

#[derive(Clone, PartialEq, Message)]
pub struct ClockSnapshot {
    #[prost(message, repeated, tag = "1")]
    pub clocks: Vec<Clock>,
    #[prost(uint32, optional, tag = "2")]
    pub primary: Option<u32>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Clock {
    #[prost(uint32, optional, tag = "1")]
    pub id: Option<u32>,
    #[prost(uint64, optional, tag = "2")]
    pub timestamp: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct SystemInfo {
    #[prost(message, optional, tag = "1")]
    pub utsname: Option<Utsname>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Utsname {
    #[prost(string, optional, tag = "1")]
    pub sysname: Option<String>,
    #[prost(string, optional, tag = "3")]
    pub release: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ProcessTree {
    #[prost(message, repeated, tag = "1")]
    pub processes: Vec<Process>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Process {
    #[prost(int32, optional, tag = "1")]
    pub pid: Option<i32>,
    #[prost(string, repeated, tag = "3")]
    pub cmdline: Vec<String>,
    #[prost(bool, optional, tag = "9")]
    pub cmdline_is_comm: Option<bool>,
}

#[derive(Clone, PartialEq, Message)]
pub struct FtraceStats {
    /// 2: the end of the trace.
    #[prost(uint32, optional, tag = "1")]
    pub phase: Option<u32>,
    #[prost(message, repeated, tag = "2")]
    pub cpus: Vec<CpuStats>,
}

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

#[derive(Clone, PartialEq, Message)]
pub struct Ftrace {
    #[prost(uint64, optional, tag = "1")]
    pub timestamp: Option<u64>,
    #[prost(uint32, optional, tag = "2")]
    pub pid: Option<u32>,
    #[prost(uint32, optional, tag = "5")]
    pub common_flags: Option<u32>,
    #[prost(
        oneof = "What",
        tags = "4, 11, 13, 17, 20, 24, 25, 26, 36, 37, 114, 327, 551, 552, 553, 554, 555, 556, 557, 558, 559, 560"
    )]
    pub what: Option<What>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum What {
    #[prost(message, tag = "4")]
    SchedSwitch(SchedSwitch),
    #[prost(message, tag = "11")]
    CpuFrequency(CpuState),
    #[prost(message, tag = "13")]
    CpuIdle(CpuState),
    #[prost(message, tag = "17")]
    SchedWakeup(Wakeup),
    #[prost(message, tag = "20")]
    SchedWaking(Wakeup),
    #[prost(message, tag = "24")]
    SoftirqEntry(Softirq),
    #[prost(message, tag = "25")]
    SoftirqExit(Softirq),
    #[prost(message, tag = "26")]
    SoftirqRaise(Softirq),
    #[prost(message, tag = "36")]
    IrqHandlerEntry(IrqEntry),
    #[prost(message, tag = "37")]
    IrqHandlerExit(IrqExit),
    #[prost(message, tag = "114")]
    SchedWakeupNew(Wakeup),
    #[prost(message, tag = "327")]
    Generic(Generic),
    #[prost(message, tag = "551")]
    HrtimerStart(HrtimerStart),
    #[prost(message, tag = "552")]
    HrtimerCancel(Timer),
    #[prost(message, tag = "553")]
    HrtimerExpireEntry(HrtimerExpireEntry),
    #[prost(message, tag = "554")]
    HrtimerExpireExit(Timer),
    #[prost(message, tag = "555")]
    TimerStart(TimerStart),
    #[prost(message, tag = "556")]
    TimerCancel(Timer),
    #[prost(message, tag = "557")]
    TimerExpireEntry(TimerExpireEntry),
    #[prost(message, tag = "558")]
    TimerExpireExit(Timer),
    #[prost(message, tag = "559")]
    LocalTimerEntry(LocalTimer),
    #[prost(message, tag = "560")]
    LocalTimerExit(LocalTimer),
}

#[derive(Clone, PartialEq, Message)]
pub struct SchedSwitch {
    #[prost(string, optional, tag = "1")]
    pub prev_comm: Option<String>,
    #[prost(int32, optional, tag = "2")]
    pub prev_pid: Option<i32>,
    #[prost(int32, optional, tag = "3")]
    pub prev_prio: Option<i32>,
    #[prost(int64, optional, tag = "4")]
    pub prev_state: Option<i64>,
    #[prost(string, optional, tag = "5")]
    pub next_comm: Option<String>,
    #[prost(int32, optional, tag = "6")]
    pub next_pid: Option<i32>,
    #[prost(int32, optional, tag = "7")]
    pub next_prio: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Wakeup {
    #[prost(string, optional, tag = "1")]
    pub comm: Option<String>,
    #[prost(int32, optional, tag = "2")]
    pub pid: Option<i32>,
    #[prost(int32, optional, tag = "3")]
    pub prio: Option<i32>,
    #[prost(int32, optional, tag = "4")]
    pub success: Option<i32>,
    #[prost(int32, optional, tag = "5")]
    pub target_cpu: Option<i32>,
}

/// Of `cpu_idle` and `cpu_frequency`.
#[derive(Clone, PartialEq, Message)]
pub struct CpuState {
    #[prost(uint32, optional, tag = "1")]
    pub state: Option<u32>,
    #[prost(uint32, optional, tag = "2")]
    pub cpu_id: Option<u32>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Softirq {
    #[prost(uint32, optional, tag = "1")]
    pub vec: Option<u32>,
}

#[derive(Clone, PartialEq, Message)]
pub struct IrqEntry {
    #[prost(int32, optional, tag = "1")]
    pub irq: Option<i32>,
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
pub struct IrqExit {
    #[prost(int32, optional, tag = "1")]
    pub irq: Option<i32>,
    #[prost(int32, optional, tag = "2")]
    pub ret: Option<i32>,
}

/// Of events that say only which timer.
#[derive(Clone, PartialEq, Message)]
pub struct Timer {
    #[prost(uint64, optional, tag = "1")]
    pub timer: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct HrtimerStart {
    #[prost(uint64, optional, tag = "1")]
    pub hrtimer: Option<u64>,
    #[prost(uint64, optional, tag = "2")]
    pub function: Option<u64>,
    #[prost(int64, optional, tag = "3")]
    pub expires: Option<i64>,
    #[prost(int64, optional, tag = "4")]
    pub softexpires: Option<i64>,
    #[prost(uint32, optional, tag = "5")]
    pub mode: Option<u32>,
}

#[derive(Clone, PartialEq, Message)]
pub struct HrtimerExpireEntry {
    #[prost(uint64, optional, tag = "1")]
    pub hrtimer: Option<u64>,
    #[prost(int64, optional, tag = "2")]
    pub now: Option<i64>,
    #[prost(uint64, optional, tag = "3")]
    pub function: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct TimerStart {
    #[prost(uint64, optional, tag = "1")]
    pub timer: Option<u64>,
    #[prost(uint64, optional, tag = "2")]
    pub function: Option<u64>,
    #[prost(uint64, optional, tag = "3")]
    pub expires: Option<u64>,
    #[prost(uint64, optional, tag = "4")]
    pub now: Option<u64>,
    #[prost(uint32, optional, tag = "6")]
    pub flags: Option<u32>,
    #[prost(uint64, optional, tag = "7")]
    pub bucket_expiry: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct TimerExpireEntry {
    #[prost(uint64, optional, tag = "1")]
    pub timer: Option<u64>,
    #[prost(uint64, optional, tag = "2")]
    pub now: Option<u64>,
    #[prost(uint64, optional, tag = "3")]
    pub function: Option<u64>,
    #[prost(uint64, optional, tag = "4")]
    pub baseclk: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct LocalTimer {
    #[prost(int32, optional, tag = "1")]
    pub vector: Option<i32>,
}

/// Any other event.
#[derive(Clone, PartialEq, Message)]
pub struct Generic {
    #[prost(string, optional, tag = "1")]
    pub event_name: Option<String>,
    #[prost(message, repeated, tag = "2")]
    pub field: Vec<GenericField>,
}

#[derive(Clone, PartialEq, Message)]
pub struct GenericField {
    #[prost(string, optional, tag = "1")]
    pub name: Option<String>,
    #[prost(oneof = "GenericValue", tags = "3, 4, 5")]
    pub value: Option<GenericValue>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum GenericValue {
    #[prost(string, tag = "3")]
    Text(String),
    #[prost(int64, tag = "4")]
    Signed(i64),
    #[prost(uint64, tag = "5")]
    Unsigned(u64),
}
