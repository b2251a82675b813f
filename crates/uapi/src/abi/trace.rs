//! `cftu_trace.h`: the recorder.

use super::copies::Name;
use super::describe::{define_constants, define_structures};
use crate::ioctl::{Number, iowr};

define_constants! {
    TRACE_OPERATIONS: usize = "CFTU_TRACE_OPERATIONS" 6;
    TRACE_RECORD_NEAR_CALLER: u16 = "CFTU_TRACE_RECORD_NEAR_CALLER" 1 << 0;
    TRACE_PROBES_MAX: usize = "CFTU_TRACE_PROBES_MAX" 16;
    TRACE_RECORDS: u32 = "CFTU_TRACE_RECORDS" 1 << 0;
    TRACE_HISTOGRAM: u32 = "CFTU_TRACE_HISTOGRAM" 1 << 1;
    PROBE_OPTIMISED: u32 = "CFTU_PROBE_OPTIMISED" 1 << 0;
    TRACE_STATE_ENTRY_POINTS: u32 = "CFTU_TRACE_STATE_ENTRY_POINTS" 1 << 0;
    TRACE_STATE_RAW_MERGED: u32 = "CFTU_TRACE_STATE_RAW_MERGED" 1 << 1;
    TRACE_MMAP_BASE: u64 = "CFTU_TRACE_MMAP_BASE" 1 << 40;
    TRACE_START: Number = "CFTU_TRACE_START" iowr::<TraceStart>(0x20);
    TRACE_STOP: Number = "CFTU_TRACE_STOP" iowr::<TraceState>(0x21);
    TRACE_STATE: Number = "CFTU_TRACE_STATE" iowr::<TraceState>(0x22);
    TRACE_CONSUME: Number = "CFTU_TRACE_CONSUME" iowr::<TraceConsume>(0x23);
    TRACE_HISTOGRAM_READ: Number = "CFTU_TRACE_HISTOGRAM_READ" iowr::<TraceHistogram>(0x24);
}

/// Where the ring of a CPU is mapped.
pub const fn trace_mmap_offset(cpu: u32) -> u64 {
    TRACE_MMAP_BASE + ((cpu as u64) << 32)
}

define_structures! {
    /// One recorded copy.
    TraceRecord = "cftu_trace_record" {
        sequence: u64,
        start_ns: u64,
        end_ns: u64,
        caller: u64,
        length_bytes: u64,
        not_copied_bytes: u64,
        cpu_start: u16,
        cpu_end: u16,
        operation: u8,
        engine: u8,
        flags: u16,
        pid: u32,
        reserved: u32,
    }
    TraceStart = "cftu_trace_start" {
        size: u32,
        flags: u32,
        operations: u32,
        records_per_cpu: u32,
        slots_per_cpu: u32,
        reason: u32,
        length_min_bytes: u64,
        length_max_bytes: u64,
        cpus_addr: u64,
        cpus_words: u32,
        not_pid: u32,
        reserved: [u64; 4],
    }
    TraceProbe = "cftu_trace_probe" {
        symbol: Name,
        flags: u32,
        error: i32,
        hits: u64,
        missed: u64,
    }
    TraceState = "cftu_trace_state" {
        size: u32,
        active: u32,
        active_elsewhere: u32,
        flags: u32,
        probes: u32,
        records_per_cpu: u32,
        slots_per_cpu: u32,
        covered: u32,
        started_ns: u64,
        stopped_ns: u64,
        copies: [u64; TRACE_OPERATIONS],
        dropped_records: u64,
        dropped_slots: u64,
        probe: [TraceProbe; TRACE_PROBES_MAX],
        reserved: [u64; 4],
    }
    TraceConsume = "cftu_trace_consume" {
        size: u32,
        cpu: u32,
        tail: u64,
        head: u64,
        dropped: u64,
        sequence: [u64; TRACE_OPERATIONS],
        reserved: [u64; 2],
    }
    /// One cell of size x latency x caller.
    TraceSlot = "cftu_trace_slot" {
        caller: u64,
        length_bucket: u16,
        latency_bucket: u16,
        operation: u8,
        engine: u8,
        reserved: u16,
        count: u64,
        bytes: u64,
        sum_ns: u64,
        max_ns: u64,
    }
    TraceHistogram = "cftu_trace_histogram" {
        size: u32,
        cpu: u32,
        slots_addr: u64,
        capacity: u32,
        count: u32,
        reserved: [u64; 2],
    }
}
