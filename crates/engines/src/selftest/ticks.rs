//! Clocks that advance in large steps, and single operations about as long as one.

use super::bench::{Stopped, Tools, cost_ns};
use super::clocks::Coarse;
use super::planted::{Effect, Planted};
use super::reading;
use super::tally::{INTERVAL_MISSES, Plan, Trial, reading_of};
use record::SelfTestUnit;
use stats::whole;

const SAMPLES: u32 = 100;
/// Operations from this share of a step to that one, one after the other over the trials.
const SHORTEST: f64 = 0.8;
const LONGEST: f64 = 2.2;
/// The step of the clock is found where it is read to this share.
const STEP_OFF: f64 = 0.02;

/// A row of this kind.
pub struct Ticks {
    pub plan: Plan,
    step_ns: f64,
}

/// All of them.
pub fn rows() -> Vec<Ticks> {
    let row = |id, words: &str, step_ns: f64| Ticks {
        plan: Plan {
            id,
            planted: format!("a clock of {words} steps"),
            value: Some(step_ns),
            unit: SelfTestUnit::Nanoseconds,
            // The step is planted, and no noise hides it.
            bears: f64::INFINITY,
            noise_of: "samples",
            misses: INTERVAL_MISSES,
        },
        step_ns,
    };
    vec![
        row("ticks_100_ns", "100 ns", 100.0),
        row("ticks_1_us", "1 us", 1000.0),
        // The readings that find a finer step take less time than this one.
        row("ticks_50_us", "50 us", 50_000.0),
    ]
}

impl Ticks {
    /// One trial; `at` of all trials, 0..=1. Found: the step of the clock. Held: the interval
    /// of a single operation holds what it costs by the machine's own clock.
    ///
    /// # Errors
    /// The self-test is to end.
    pub fn trial(&self, tools: &Tools<'_>, at: f64) -> Result<Trial, Stopped> {
        let coarse = Coarse::new(tools.clock, self.step_ns);
        let long_ns = self.step_ns * (SHORTEST + (LONGEST - SHORTEST) * at);
        let turns = whole((long_ns / tools.turn_ns).round()).max(1);
        let truth_ns = cost_ns(tools.machine, turns);
        let mut with_it = tools.with_clock(&coarse);
        let mut operation = [Planted::new(tools.machine, turns, Effect::Nothing)];
        let sampled = with_it.singles(&mut operation, SAMPLES)?;
        let step_ns = with_it.resolution_ns;
        let summary = reading::summary(&sampled[0], step_ns);
        // The truth is read by a clock with a step as well.
        let doubt_ns = tools.resolution_ns / 2.0;
        let holds = summary.as_ref().map(|summary| {
            let median = &summary.median;
            median.low - doubt_ns <= truth_ns && truth_ns <= median.high + doubt_ns
        });
        Ok(Trial {
            found: (step_ns / coarse.step_ns() - 1.0).abs() <= STEP_OFF,
            held: Some(holds.unwrap_or(false)),
            read: Some(reading_of(step_ns)),
            set_aside: summary.is_none(),
            noise: 0.0,
        })
    }
}
