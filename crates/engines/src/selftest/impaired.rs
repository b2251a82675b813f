//! Clocks with a fault, which the instrument's test of itself has to name.

use super::bench::Tools;
use super::clocks::{Broken, Fault};
use super::tally::{Plan, Trial, reading_of};
use harness::Clock;
use harness::clock::rate_against;
use harness::self_test::{drift_of, runs_back};
use record::SelfTestUnit;

/// A drift is found where it is read to this share of itself.
const DRIFT_OFF: f64 = 0.1;

/// A row of this kind.
pub struct Impaired {
    pub plan: Plan,
    fault: Fault,
}

/// All of them.
pub fn rows() -> Vec<Impaired> {
    let row = |id, planted: &str, value, unit, fault| Impaired {
        plan: Plan {
            id,
            planted: planted.to_owned(),
            value,
            unit,
            // Clocks are held against clocks: no work, no noise.
            bears: f64::INFINITY,
            noise_of: "samples",
            misses: 0.0,
        },
        fault,
    };
    let jump = Fault::Jumps {
        after_ns: 10e6,
        by_ns: 1e6,
    };
    let back = Fault::RunsBack {
        one_of: 100,
        by_ns: 1e3,
    };
    vec![
        row(
            "clock_fast",
            "a clock 2 % fast",
            Some(20_000.0),
            SelfTestUnit::Ppm,
            Fault::Fast(0.02),
        ),
        row(
            "clock_jumps",
            "a clock that jumps ahead by 1 ms",
            None,
            SelfTestUnit::Ppm,
            jump,
        ),
        row(
            "clock_runs_back",
            "a clock that runs back by 1 us in 1 % of readings",
            Some(0.01),
            SelfTestUnit::Share,
            back,
        ),
    ]
}

impl Impaired {
    /// One trial.
    pub fn trial(&self, tools: &Tools<'_>) -> Trial {
        let broken = Broken::new(tools.clock, self.fault);
        let (read, found) = match self.fault {
            Fault::RunsBack { .. } => {
                let (back, of) = runs_back(&broken);
                (back as f64 / of as f64, back > 0)
            }
            Fault::Fast(_) | Fault::Jumps { .. } => drift(tools, &broken),
        };
        let near = |planted: f64| (read / planted - 1.0).abs() <= DRIFT_OFF;
        Trial {
            found: found && self.plan.value.is_none_or(near),
            read: Some(reading_of(read)),
            ..Trial::default()
        }
    }
}

/// As the self-test of a run: parts per million, and whether it has a note of it.
fn drift(tools: &Tools<'_>, broken: &Broken<'_>) -> (f64, bool) {
    let machine = tools.machine;
    let again = rate_against(&|| broken.stop(), &|| machine.reference_ns(), &|ns| {
        machine.wait(ns)
    });
    let (drift_ppm, note) = drift_of(1e9 / tools.clock.tick_ns(), 0.0, &again);
    (drift_ppm, note.is_some())
}
