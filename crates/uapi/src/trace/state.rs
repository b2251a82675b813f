//! What the recorder does, and what it cannot see on this kernel.

use crate::abi;
use crate::kinds::Operation;

/// A probed routine of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    pub symbol: String,
    /// A jump instead of a breakpoint.
    pub optimised: bool,
    /// errno of registering; 0 where it is attached.
    pub errno: i32,
    /// In this capture, before the filters.
    pub hits: u64,
    /// Instances ran out, or recursion: copies that were not recorded.
    pub missed: u64,
}

/// The recorder as it stands, also where no capture runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// This file's capture runs.
    pub active: bool,
    /// Another file's does.
    pub active_elsewhere: bool,
    /// The CPU copies inline and the entry points are probed: raw copies are
    /// not seen, an iov_iter copy is one record whatever its segments.
    pub entry_points: bool,
    /// copy_*_user() is inlined: raw copies stand among the plain ones.
    pub raw_merged: bool,
    /// Operations that a probe stands for.
    pub covered: Vec<Operation>,
    pub probes: Vec<Probe>,
    pub records_per_cpu: u32,
    pub slots_per_cpu: u32,
    /// CLOCK_MONOTONIC, as the end.
    pub started_ns: u64,
    pub stopped_ns: u64,
    /// Copies that passed the filters, dropped ones too.
    pub copies: Vec<(Operation, u64)>,
    pub dropped_records: u64,
    /// Copies that found no slot of the histogram.
    pub dropped_slots: u64,
}

impl From<&abi::TraceState> for State {
    fn from(raw: &abi::TraceState) -> State {
        let has = |flag: u32| raw.flags & flag != 0;
        let probes = raw.probe.iter().take(raw.probes as usize);
        let operations = Operation::ALL.iter().copied();
        State {
            active: raw.active != 0,
            active_elsewhere: raw.active_elsewhere != 0,
            entry_points: has(abi::TRACE_STATE_ENTRY_POINTS),
            raw_merged: has(abi::TRACE_STATE_RAW_MERGED),
            covered: operations
                .clone()
                .filter(|o| raw.covered & 1 << o.number() != 0)
                .collect(),
            probes: probes.map(Probe::from).collect(),
            records_per_cpu: raw.records_per_cpu,
            slots_per_cpu: raw.slots_per_cpu,
            started_ns: raw.started_ns,
            stopped_ns: raw.stopped_ns,
            copies: operations.zip(raw.copies).collect(),
            dropped_records: raw.dropped_records,
            dropped_slots: raw.dropped_slots,
        }
    }
}

impl From<&abi::TraceProbe> for Probe {
    fn from(raw: &abi::TraceProbe) -> Probe {
        Probe {
            symbol: crate::name_text(&raw.symbol),
            optimised: raw.flags & abi::PROBE_OPTIMISED != 0,
            errno: raw.error,
            hits: raw.hits,
            missed: raw.missed,
        }
    }
}

impl State {
    /// Operations that this kernel's copies cannot be seen as.
    pub fn uncovered(&self) -> Vec<Operation> {
        let all = Operation::ALL.iter().copied();
        all.filter(|o| !self.covered.contains(o)).collect()
    }

    /// Copies that ran through a probe that was not ready for them.
    pub fn missed(&self) -> u64 {
        self.probes.iter().map(|p| p.missed).sum()
    }
}
