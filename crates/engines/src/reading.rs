//! Readings of subjects that know their own time.

use harness::Reading;

/// A time that is all the operations' own: an event of its own, read without a floor.
pub fn of_events(ops: u64, elapsed_ns: f64, cpu: Option<u32>) -> Reading {
    Reading {
        ops,
        elapsed_ns,
        floor_ns: 0.0,
        cpu: cpu.and_then(|cpu| u16::try_from(cpu).ok()),
        turn: None,
    }
}
