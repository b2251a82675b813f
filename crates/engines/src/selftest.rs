//! The instrument, tested with what is known: costs, modes, changes of level, broken clocks and
//! broken counters of known size are planted, measured by the sampler of every run, and read by
//! the analysis of every report.
//!
//! The work is a chain of additions in registers, so that nothing but the CPU decides what it
//! costs; in tests it moves a simulated clock. Operations with and without what is planted
//! are sampled in alternation, so that the size of the effect is known exactly, however fast
//! the CPU is meanwhile.

mod bench;
mod clocks;
mod costs;
mod counters;
mod counters_here;
pub mod fake;
mod impaired;
mod kinds;
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
use record::SelfTestRow;
use std::sync::atomic::{AtomicBool, Ordering};
use tally::Trial;

/// Trials of each row, unless asked otherwise.
pub const TRIALS: u32 = 20;
/// Rows that are run, for those who show how far it is.
pub const ROWS: usize = 31;

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
    rows.of(&kinds::plan(), |_| {
        let (trial, nothing) = kinds::trial(&mut tools)?;
        plain.push(nothing);
        Ok(trial)
    })?;
    rows.push(tally::row(&kinds::nothing(), &plain));
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
    rows.of(&impaired::nothing(), |_| Ok(impaired::sound(&tools)))?;
    rows.counters()?;
    rows.push(counters_here::row(&machine.counters()));
    Ok(rows.rows)
}

struct Rows<'a> {
    trials: u32,
    stop: &'a AtomicBool,
    rows: Vec<SelfTestRow>,
    done: &'a mut dyn FnMut(&SelfTestRow),
}

impl Rows<'_> {
    /// Faults of counters, each with what was said of it: in the first trial that missed it, or in
    /// the last.
    fn counters(&mut self) -> Result<(), Stopped> {
        let table = counters::table();
        for counters in counters::rows() {
            let mut last = String::new();
            let mut missed = None;
            let trials = self.trials(|at| {
                let (trial, said) = counters.trial(&table, u64::from(at));
                let wrong = trial.found == counters.plants_nothing();
                missed = missed.take().or_else(|| wrong.then(|| said.clone()));
                last = said;
                Ok(trial)
            })?;
            let note = match missed {
                Some(said) => format!("missed, it said: {said}"),
                None => format!("it said: {last}"),
            };
            // A count has no noise to remark on.
            let row = tally::row(&counters.plan, &trials);
            self.push(SelfTestRow { note, ..row });
        }
        Ok(())
    }

    fn of(
        &mut self,
        plan: &tally::Plan,
        trial: impl FnMut(u32) -> Result<Trial, Stopped>,
    ) -> Result<(), Stopped> {
        let trials = self.trials(trial)?;
        self.push(tally::row(plan, &trials));
        Ok(())
    }

    fn trials(
        &self,
        mut trial: impl FnMut(u32) -> Result<Trial, Stopped>,
    ) -> Result<Vec<Trial>, Stopped> {
        let mut trials = Vec::new();
        for at in 0..self.trials {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Stopped);
            }
            trials.push(trial(at)?);
        }
        Ok(trials)
    }

    fn push(&mut self, row: SelfTestRow) {
        (self.done)(&row);
        self.rows.push(row);
    }
}
