//! `mem_trace_from.dat` and its like: one copy a line.

use super::fields::{Field, Layout, Line, doubted_difference, field};
use crate::copies::{CopyOperation, Engine, RecordedCopy};
use std::fmt;

/// A line: one copy as the kernel recorded it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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

impl Line for TraceRecord {
    const LAYOUT: &'static Layout<Self> = &Layout {
        kind: "a trace",
        fields: &[
            ("per-CPU index", field!(U32, ring)),
            ("event counter", field!(U64, sequence)),
            ("size", field!(Exact, size_bytes)),
            ("CPU", field!(U32, cpu_start)),
            ("t0", field!(U64, t0_ns)),
            ("t1", field!(U64, t1_ns)),
            ("dt", field!(Exact, dt_ns)),
            ("return address", Field::Other(address_text, put_address)),
            (
                "hardware (CPU or DMA)",
                Field::Other(engine_text, put_engine),
            ),
        ],
        example: "0\t1102\t8\t0\t613326537662\t613326537755\t93\t0xffffffff8144c129\tCPU",
    };

    fn doubts(&self) -> Vec<String> {
        let mut doubts = doubted_difference(self.t0_ns, self.t1_ns, self.dt_ns);
        if u64::try_from(self.caller).is_err() {
            doubts.push(format!(
                "its address {:#x} has more than 16 digits; {:#x} is kept",
                self.caller,
                self.kept_caller()
            ));
        }
        doubts
    }
}

impl TraceRecord {
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

    #[expect(clippy::cast_possible_truncation, reason = "longer ones are doubted")]
    fn kept_caller(&self) -> u64 {
        self.caller as u64
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
            caller: self.kept_caller(),
            engine: self.engine,
            ..RecordedCopy::default()
        }
    }
}

fn address_text(record: &TraceRecord) -> String {
    format!("{:#018x}", record.caller)
}

fn put_address(record: &mut TraceRecord, word: &str) -> Result<(), &'static str> {
    let digits = word.strip_prefix("0x").or(word.strip_prefix("0X"));
    let digits = digits.unwrap_or(word);
    let hex = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit());
    let address = u128::from_str_radix(digits, 16).ok().filter(|_| hex);
    record.caller = address.ok_or("no address")?;
    Ok(())
}

fn engine_text(record: &TraceRecord) -> String {
    record.engine.name().to_ascii_uppercase()
}

fn put_engine(record: &mut TraceRecord, word: &str) -> Result<(), &'static str> {
    let engine = Engine::named(&word.to_ascii_lowercase());
    record.engine = engine.ok_or("neither CPU nor DMA")?;
    Ok(())
}

impl fmt::Display for TraceRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Self::LAYOUT.print(self, f)
    }
}
