//! What each event must count over known work, and how exactly.

use super::work::{JUMPS, Loop};
use crate::counters::table::{Event, EventKind};

/// What an event counts of a loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expectation {
    pub work: Loop,
    /// In a turn, at least and at most.
    pub low: f64,
    pub high: f64,
    /// By how much the counts of N and of 3 N turns may miss the ratio 3.
    pub tolerance: f64,
}

/// By how much two counts of the same instructions may differ: interrupts add one each
/// (Weaver and others, ISPASS 2013), some tens in a million.
pub const INSTRUCTIONS: f64 = 0.01;
/// Speculated events: replays and what was begun at a loop's end.
const SPECULATED: f64 = 0.05;
/// Cycles: the memory and the core's own clock domain do not scale with the work.
const CYCLES: f64 = 0.10;
/// Caches, translations and predictors have a state that the turns before have left.
const STATE: f64 = 0.25;

/// What the alias of an event must count; the reason where no work makes a number of it that is
/// known.
///
/// # Errors
/// The reason.
pub fn expected(event: &Event) -> Result<Expectation, &'static str> {
    use Loop::{Calls, Code, Lines, Loads, Multiply, Random, Stores, SystemCalls};
    let of = |work, (low, high), tolerance| {
        Ok(Expectation {
            work,
            low,
            high,
            tolerance,
        })
    };
    let lines = JUMPS as f64;
    let by_kernel = event.kind == EventKind::Hardware;
    match event.alias.as_str() {
        "INST_RETIRED" => of(Multiply, (5.94, 6.06), INSTRUCTIONS),
        // No core retires ten instructions a cycle, or takes 20 cycles for a multiplication.
        "CPU_CYCLES" => of(Multiply, (0.6, 120.0), CYCLES),
        "BR_PRED" => of(Multiply, (0.99, 1.5), SPECULATED),
        "BR_RETURN_SPEC" => of(Calls, (0.99, 1.5), SPECULATED),
        "LD_SPEC" | "MEM_ACCESS" => of(Loads, (3.9, 8.0), SPECULATED),
        "ST_SPEC" => of(Stores, (3.9, 8.0), SPECULATED),
        "L1D_CACHE" => of(Loads, (2.0, 12.0), SPECULATED),
        "EXC_RETURN" => of(SystemCalls, (0.5, 6.0), SPECULATED),
        "L1D_CACHE_REFILL" => of(Lines, (0.3, 8.0), STATE),
        "L2D_CACHE" | "L2D_CACHE_REFILL" | "BUS_ACCESS" if by_kernel => {
            Err("the kernel chose the cache it is of, which may hold all memory of the test")
        }
        "L2D_CACHE" => of(Lines, (0.3, 16.0), STATE),
        "L2D_CACHE_REFILL" => of(Lines, (0.1, 16.0), STATE),
        "L1D_TLB_REFILL" => of(Lines, (0.1, 8.0), STATE),
        "L1I_CACHE" => of(Code, (0.2 * lines, 8.0 * lines), STATE),
        "L1I_CACHE_REFILL" => of(Code, (0.02 * lines, 8.0 * lines), STATE),
        // Half of the random bits; where branches are counted that never retired, more.
        "BR_MIS_PRED" => of(Random, (0.25, 1.0), STATE),
        "L1I_TLB_REFILL" => {
            Err("code of the test has fewer pages than the translation buffers hold")
        }
        "BUS_ACCESS" => Err("the last-level cache may hold all memory of the test"),
        _ => Err("no work is known that makes a certain number of it"),
    }
}
