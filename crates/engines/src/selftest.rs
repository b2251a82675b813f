//! The instrument, tested with what is known: costs, modes, changes of level and broken clocks
//! of known size are planted, measured by the sampler of every run, and read by the analysis
//! of every report.
//!
//! The work is a chain of additions in registers, so that nothing but the CPU decides what it
//! costs; in tests it moves a simulated clock. Operations with and without what is planted
//! are sampled in alternation, so that the size of the effect is known exactly, however fast
//! the CPU is meanwhile.

mod bench;
mod clocks;
mod costs;
#[cfg(test)]
mod fake;
mod impaired;
mod levels;
mod machine;
mod modes;
mod planted;
mod reading;
mod tally;
#[cfg(test)]
mod tests;
mod ticks;

pub use bench::Stopped;
pub use machine::{Here, Machine};

use bench::Tools;
use record::{SelfTestRow, SelfTestUnit};
use std::sync::atomic::{AtomicBool, Ordering};
use tally::Trial;

/// Trials of each row, unless asked otherwise.
pub const TRIALS: u32 = 20;
/// Rows that are run, for those who show how far it is.
pub const ROWS: usize = 18;

/// Plants everything so many times; `done` is given each row that is finished.
///
/// # Errors
/// `stop` was set.
pub fn run(
    machine: &dyn Machine,
    trials: u32,
    stop: &AtomicBool,
    done: &mut dyn FnMut(&SelfTestRow),
) -> Result<Vec<SelfTestRow>, Stopped> {
    let mut tools = Tools::of(machine, stop);
    let mut rows = Rows {
        trials,
        stop,
        rows: Vec::new(),
        done,
    };
    for cost in costs::rows(tools.turn_ns) {
        rows.of(&cost.plan, |_| cost.trial(&mut tools))?;
    }
    let mut plain = Vec::new();
    for modes in modes::rows() {
        rows.of(&modes.plan, |at| {
            let (trial, nothing) = modes.trial(&mut tools, u64::from(at))?;
            plain.push(nothing);
            Ok(trial)
        })?;
    }
    rows.push(tally::row(&modes::nothing(), &plain));
    plain.clear();
    for level in levels::rows() {
        rows.of(&level.plan, |_| {
            let (trial, nothing) = level.trial(&mut tools)?;
            plain.push(nothing);
            Ok(trial)
        })?;
    }
    rows.push(tally::row(&levels::nothing(), &plain));
    for ticks in ticks::rows() {
        let last = f64::from(trials.saturating_sub(1)).max(1.0);
        rows.of(&ticks.plan, |at| ticks.trial(&tools, f64::from(at) / last))?;
    }
    for impaired in impaired::rows() {
        rows.of(&impaired.plan, |_| Ok(impaired.trial(&tools)))?;
    }
    rows.push(counters());
    Ok(rows.rows)
}

/// Dead slots of counters are planted where the kernel is simulated, not here.
fn counters() -> SelfTestRow {
    tally::not_run(
        "dead_counters",
        "a dead counter",
        SelfTestUnit::Share,
        "none can be planted in a processor; pontage doctor tests each counter of this one",
    )
}

struct Rows<'a> {
    trials: u32,
    stop: &'a AtomicBool,
    rows: Vec<SelfTestRow>,
    done: &'a mut dyn FnMut(&SelfTestRow),
}

impl Rows<'_> {
    fn of(
        &mut self,
        plan: &tally::Plan,
        mut trial: impl FnMut(u32) -> Result<Trial, Stopped>,
    ) -> Result<(), Stopped> {
        let mut trials = Vec::new();
        for at in 0..self.trials {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Stopped);
            }
            trials.push(trial(at)?);
        }
        self.push(tally::row(plan, &trials));
        Ok(())
    }

    fn push(&mut self, row: SelfTestRow) {
        (self.done)(&row);
        self.rows.push(row);
    }
}
