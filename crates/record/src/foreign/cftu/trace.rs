//! `mem_trace_from.dat` and its like: one copy a line.

use super::fields::{Layout, Malformed, doubted_difference};
use crate::copies::{CopyOperation, Engine, RecordedCopy};
use std::fmt;

const LAYOUT: Layout = Layout {
    kind: "a trace",
    fields: &[
        "per-CPU index",
        "event counter",
        "size",
        "CPU",
        "t0",
        "t1",
        "dt",
        "return address",
        "hardware (CPU or DMA)",
    ],
    example: "0\t1102\t8\t0\t613326537662\t613326537755\t93\t0xffffffff8144c129\tCPU",
};

/// A line: one copy as the kernel recorded it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceRecord {
    pub ring: u32,
    pub sequence: u64,
    pub size_bytes: u64,
    pub cpu_start: u32,
    pub t0_ns: u64,
    pub t1_ns: u64,
    pub dt_ns: u64,
    /// As printed, which may be a digit more than an address has.
    pub caller: u128,
    pub engine: Engine,
}

impl TraceRecord {
    pub(super) fn parse(fields: &[&str]) -> Result<Self, Malformed> {
        let [ring, sequence, size, cpu, t0, t1, dt, caller, engine] = LAYOUT.of(fields)?;
        Ok(TraceRecord {
            ring: LAYOUT.whole(0, ring)?,
            sequence: LAYOUT.whole(1, sequence)?,
            size_bytes: LAYOUT.exact(2, size)?,
            cpu_start: LAYOUT.whole(3, cpu)?,
            t0_ns: LAYOUT.whole(4, t0)?,
            t1_ns: LAYOUT.whole(5, t1)?,
            dt_ns: LAYOUT.exact(6, dt)?,
            caller: address(caller).ok_or_else(|| LAYOUT.odd(7, caller, "no address"))?,
            engine: Engine::named(&engine.to_ascii_lowercase())
                .ok_or_else(|| LAYOUT.odd(8, engine, "neither CPU nor DMA"))?,
        })
    }

    /// What does not fit together, in words.
    pub(super) fn doubts(&self) -> Vec<String> {
        let mut doubts = doubted_difference(self.t0_ns, self.t1_ns, self.dt_ns);
        if u64::try_from(self.caller).is_err() {
            doubts.push(format!(
                "its address {:#x} has more than 16 digits; {:#x} is kept",
                self.caller, self.caller as u64
            ));
        }
        doubts
    }

    /// The line of a recorded copy.
    pub fn of(copy: &RecordedCopy) -> Self {
        TraceRecord {
            ring: copy.ring,
            sequence: copy.sequence,
            size_bytes: copy.size_bytes,
            cpu_start: copy.cpu_start,
            t0_ns: copy.t0_ns,
            t1_ns: copy.t1_ns,
            dt_ns: copy.t1_ns.saturating_sub(copy.t0_ns),
            caller: u128::from(copy.caller),
            engine: copy.engine,
        }
    }

    /// The copy; of an address the low 64 bits.
    pub fn copy(&self, operation: CopyOperation) -> RecordedCopy {
        RecordedCopy {
            operation,
            ring: self.ring,
            sequence: self.sequence,
            size_bytes: self.size_bytes,
            cpu_start: self.cpu_start,
            t0_ns: self.t0_ns,
            t1_ns: self.t1_ns,
            caller: self.caller as u64,
            engine: self.engine,
            ..RecordedCopy::default()
        }
    }
}

fn address(word: &str) -> Option<u128> {
    let digits = word.strip_prefix("0x").or(word.strip_prefix("0X"));
    let digits = digits.unwrap_or(word);
    let hex = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit());
    hex.then(|| u128::from_str_radix(digits, 16).ok())?
}

impl fmt::Display for TraceRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:#018x}\t{}",
            self.ring,
            self.sequence,
            self.size_bytes,
            self.cpu_start,
            self.t0_ns,
            self.t1_ns,
            self.dt_ns,
            self.caller,
            self.engine.name().to_ascii_uppercase()
        )
    }
}
