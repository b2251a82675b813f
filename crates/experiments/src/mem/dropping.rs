//! The instruction by which a user program drops a line from all caches.

use engines::loops::writeback::{Instruction, Writeback};
use harness::{Context, SetupError};

/// Instructions that drop a line from all caches, the best first.
const DROPPING: [Instruction; 3] = [
    Instruction::Clflush,
    Instruction::Clflushopt,
    Instruction::DcCivac,
];

/// The instruction that drops a line; None where a simulated machine does it.
///
/// # Errors
/// `Skip` where there is none.
pub fn way(context: &Context) -> Result<Option<Writeback>, SetupError> {
    let missing = || {
        SetupError::skip(
            "user programs of this processor cannot drop a line from the caches",
            "none: other methods say the same, or it is left undecided",
        )
    };
    if let Some(machine) = context.measured.in_numbers() {
        return machine.flush_bytes().map(|_| None).ok_or_else(missing);
    }
    let found = DROPPING.iter().find_map(|i| Writeback::find(*i).ok());
    found.map(Some).ok_or_else(missing)
}

/// The same, for loads that are timed one by one.
///
/// # Errors
/// As of `way`; `Skip` where single loads cannot be timed.
pub fn timed_way(context: &Context) -> Result<Option<Writeback>, SetupError> {
    let way = way(context)?;
    match way.is_none() || harness::loads::is_available() {
        true => Ok(way),
        false => Err(SetupError::skip(
            "single loads cannot be timed: no RDTSCP",
            "none: it needs a newer processor, or a hypervisor that exposes it",
        )),
    }
}

/// A note on the instruction.
pub fn dropped_by(way: Writeback) -> String {
    format!("dropped by {}", way.instruction())
}
