//! Clocks with a fault, which the instrument's test of itself has to name, and one without.

use super::bench::Tools;
use super::clocks::{Broken, Fault};
use super::tally::{FALSELY_SEEN, Plan, Trial, reading_of};
use harness::Clock;
use harness::clock::{Rate, rate_against};
use harness::self_test::{drift_of, runs_back};
use record::SelfTestUnit;

/// A drift is found where it is read to this share of itself.
const DRIFT_OFF: f64 = 0.1;
/// What a clock gains each second.
const GAINS: f64 = 0.01;

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
        row(
            "clock_gains",
            "a clock that gains 1 % a second",
            Some(GAINS * 1e6),
            SelfTestUnit::Ppm,
            Fault::Gains(GAINS),
        ),
    ]
}

/// A sound clock under the same tests.
pub fn nothing() -> Plan {
    Plan {
        id: "nothing_wrong_with_clock",
        planted: "a sound clock".to_owned(),
        value: None,
        unit: SelfTestUnit::Ppm,
        bears: 0.0,
        noise_of: "samples",
        misses: FALSELY_SEEN,
    }
}

/// One trial of it.
pub fn sound(tools: &Tools<'_>) -> Trial {
    let (gained_ppm, found) = gains(tools, tools.clock);
    let (back, _) = runs_back(tools.clock);
    Trial {
        found: found || back > 0,
        read: Some(reading_of(gained_ppm)),
        ..Trial::default()
    }
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
            Fault::Gains(_) => gains(tools, &broken),
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
    let (drift_ppm, note) = drift_of(1e9 / tools.clock.tick_ns(), 0.0, &rate(tools, broken));
    (drift_ppm, note.is_some())
}

/// The same of a clock that was calibrated just before: parts per million each second.
fn gains(tools: &Tools<'_>, clock: &dyn Clock) -> (f64, bool) {
    let began_ns = tools.machine.reference_ns();
    let first = rate(tools, clock);
    let again = rate(tools, clock);
    // Each rate is that of the middle of its time.
    let apart_ns = tools.machine.reference_ns().saturating_sub(began_ns) / 2;
    let (drift_ppm, note) = drift_of(first.hz, first.uncertainty_ppm, &again);
    (drift_ppm * 1e9 / apart_ns as f64, note.is_some())
}

fn rate(tools: &Tools<'_>, clock: &dyn Clock) -> Rate {
    let machine = tools.machine;
    rate_against(&|| clock.stop(), &|| machine.reference_ns(), &|ns| {
        machine.wait(ns);
    })
}
