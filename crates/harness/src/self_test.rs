//! How good the instrument is: measured at the start of each run, kept in its
//! record.

use crate::clock::{Clock, ClockSpec, Rate, measure_rate};
use crate::sampler::time_batch;
use crate::subject::Subject;
use record::Instrument;

/// Start/stop pairs behind the floor.
const PAIRS: usize = 4001;
/// Readings from which the step of the clock is found ...
const STEPS: usize = 400;
/// ... and more, where it stands between readings, until it has advanced so often ...
const ADVANCES: usize = 4;
/// ... or was read so often: 50 ms and more, in which the slowest kernel's tick (10 ms) comes
/// as often.
const MOST_READINGS: usize = 1 << 21;
/// Turns of the empty batch loop, and how often they are timed.
const TURNS: u64 = 100_000;
const TURN_BATCHES: usize = 31;

/// An operation that does nothing: its batch is the loop alone.
struct Empty;

impl Subject for Empty {
    fn batch(&mut self, _part: u16, ops: u64) {
        for turn in 0..ops {
            // Keeps the loop: the counter must be in a register each turn.
            std::hint::black_box(turn);
        }
    }
}

/// A subject without even a loop.
struct Nothing;

impl Subject for Nothing {
    fn batch(&mut self, _part: u16, _ops: u64) {}
}

/// An empty batch, with the clock read around it as around a sample.
pub(crate) fn nothing(clock: &dyn Clock) {
    let _ = time_batch(clock, &mut Nothing, 0, 0);
}

/// Cost of one start/stop pair around an empty batch, ns: what is taken off every
/// sample. Under a millisecond of work.
///
/// The mean of the middle half: the median lies on a step of the clock, and was 40.0 ns
/// in one process and 49.8 in the next where the cost is between.
pub fn floor_ns(clock: &dyn Clock) -> f64 {
    let mut costs: Vec<f64> = (0..PAIRS)
        .map(|_| time_batch(clock, &mut Nothing, 0, 0))
        .collect();
    costs.sort_unstable_by(f64::total_cmp);
    stats::mean(&costs[PAIRS / 4..PAIRS - PAIRS / 4]).unwrap_or(f64::NAN)
}

/// Median cost of one turn of the empty batch loop, ns, through the same call
/// that every subject is called through.
pub fn empty_loop_ns(clock: &dyn Clock, floor_ns: f64) -> f64 {
    let costs: Vec<f64> = (0..TURN_BATCHES)
        .map(|_| (time_batch(clock, &mut Empty, 0, TURNS) - floor_ns) / TURNS as f64)
        .collect();
    stats::median(&costs).unwrap_or(f64::NAN)
}

/// By how much the clock advances at least, ns: not what a reading costs, which is several
/// steps where a hypervisor or the hardware scales a slower counter. Read with work of
/// many lengths between, so that the readings fall on all steps. NaN of a clock that never
/// advanced: any step is then too small.
pub fn resolution_ns(clock: &dyn Clock) -> f64 {
    let differences = differences(clock);
    match differences.iter().any(|passed| *passed > 0) {
        true => stats::step_of_differences(&differences) * clock.tick_ns(),
        false => f64::NAN,
    }
}

/// Ticks between readings with work of many lengths between them; of a clock that stands
/// between readings, further advances.
fn differences(clock: &dyn Clock) -> Vec<u64> {
    let mut length = 1u64;
    let mut last = clock.stop();
    let mut passed = || {
        let now = clock.stop();
        now.saturating_sub(std::mem::replace(&mut last, now))
    };
    let mut differences: Vec<u64> = (0..STEPS)
        .map(|_| {
            // A linear congruential generator (Knuth): lengths without a common factor.
            length = length
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            for turn in 0..length >> 57 {
                std::hint::black_box(turn);
            }
            passed()
        })
        .collect();
    let advances = differences.iter().filter(|passed| **passed > 0).count();
    let more = (STEPS..MOST_READINGS).map(|_| passed()).filter(|p| *p > 0);
    differences.extend(more.take(ADVANCES.saturating_sub(advances)));
    differences
}

/// What a step that was not found means.
fn step_note(resolution_ns: f64) -> Option<String> {
    resolution_ns.is_nan().then(|| {
        format!(
            "the clock did not advance in {MOST_READINGS} readings: its step is unknown, and its \
             times say nothing"
        )
    })
}

/// How many of so many readings lay before the one that came first, and of how many: a clock
/// that runs back gives batches of no time.
pub fn runs_back(clock: &dyn Clock) -> (usize, usize) {
    let stamps: Vec<u64> = (0..PAIRS).map(|_| clock.stop()).collect();
    let back = stamps.windows(2).filter(|pair| pair[1] < pair[0]);
    (back.count(), PAIRS - 1)
}

/// The whole self-test, about 40 ms; run it on the CPU that will measure.
pub fn self_test(spec: &ClockSpec) -> Instrument {
    let clock = spec.build();
    let floor = floor_ns(&*clock);
    let (drift_ppm, drift_note) = drift(spec);
    let mut notes = spec.notes.clone();
    notes.extend(drift_note);
    if let (back @ 1.., of) = runs_back(&*clock) {
        notes.push(format!("the clock ran back in {back} of {of} readings"));
    }
    let resolution_ns = resolution_ns(&*clock);
    notes.extend(step_note(resolution_ns));
    let yardstick = crate::yardstick::test(&*clock, resolution_ns);
    if yardstick.is_none() {
        notes.push(
            "how fast the CPU is is not looked at: no known work for this instruction set"
                .to_owned(),
        );
    }
    Instrument {
        clock: spec.kind.name().to_owned(),
        clock_hz: spec.hz,
        resolution_ns,
        read_cost_ns: floor,
        empty_loop_ns: empty_loop_ns(&*clock, floor),
        drift_ppm,
        invariant: spec.invariant,
        yardstick,
        self_test: None,
        notes,
    }
}

/// The self-test on the CPU that will measure, from a thread that may be
/// elsewhere. A CPU that cannot be pinned to is named in the notes.
pub fn self_test_on(cpu: u32, spec: &ClockSpec) -> Instrument {
    let tested = |cause: Option<String>| {
        let mut instrument = self_test(spec);
        let noted = cause.map(|cause| format!("self-test not made on CPU {cpu}: {cause}"));
        instrument.notes.extend(noted);
        instrument
    };
    let pinned = || {
        let refused = crate::affinity::pin(&[cpu]).err();
        tested(refused.map(|e| format!("cannot pin to it: {e}")))
    };
    std::thread::scope(
        |scope| match std::thread::Builder::new().spawn_scoped(scope, pinned) {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(e) => tested(Some(format!("cannot start a thread: {e}"))),
        },
    )
}

/// The rate a second time, against the one in use.
fn drift(spec: &ClockSpec) -> (f64, Option<String>) {
    let again = measure_rate(spec.kind);
    again.map_or((0.0, None), |again| {
        drift_of(spec.hz, spec.uncertainty_ppm, &again)
    })
}

/// How far a rate measured again is from the one in use, parts per million, with a note where
/// that is more than both are uncertain by.
pub fn drift_of(hz: f64, uncertainty_ppm: f64, again: &Rate) -> (f64, Option<String>) {
    let drift_ppm = (again.hz / hz - 1.0) * 1e6;
    let doubt_ppm = uncertainty_ppm + again.uncertainty_ppm;
    let note = (drift_ppm.abs() > doubt_ppm).then(|| {
        format!(
            "a second calibration differs by {drift_ppm:+.1} ppm, \
             more than the uncertainty of {doubt_ppm:.1} ppm"
        )
    });
    (drift_ppm, note)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cpu_that_does_not_exist_is_noted() {
        let instrument = self_test_on(8191, &ClockSpec::posix(None));
        let notes = instrument.notes.join("; ");
        assert!(notes.contains("cannot pin"), "{notes}");
    }

    /// Every tenth reading lies before the one that came first.
    struct RunsBack(std::cell::Cell<u64>);

    impl Clock for RunsBack {
        fn start(&self) -> u64 {
            self.stop()
        }
        fn stop(&self) -> u64 {
            let reading = self.0.get() + 1;
            self.0.set(reading);
            match reading % 10 {
                0 => reading - 5,
                _ => reading,
            }
        }
        fn tick_ns(&self) -> f64 {
            1.0
        }
    }

    #[test]
    fn a_clock_that_runs_back_and_one_that_is_off_are_seen() {
        let (back, of) = runs_back(&RunsBack(std::cell::Cell::new(0)));
        assert_eq!((back, of), (400, 4000));
        let rate = |hz| Rate {
            hz,
            uncertainty_ppm: 5.0,
        };
        assert_eq!(drift_of(1e9, 2.0, &rate(1e9 + 6000.0)).1, None);
        let (drift_ppm, note) = drift_of(1e9, 2.0, &rate(1.02e9));
        assert!((drift_ppm - 20_000.0).abs() < 1e-6 && note.is_some());
    }

    /// A reading takes 25 ns, and the clock shows whole steps.
    struct Steps {
        step_ns: u64,
        now_ns: std::cell::Cell<u64>,
    }

    impl Clock for Steps {
        fn start(&self) -> u64 {
            self.stop()
        }
        fn stop(&self) -> u64 {
            self.now_ns.set(self.now_ns.get() + 25);
            self.now_ns.get() / self.step_ns * self.step_ns
        }
        fn tick_ns(&self) -> f64 {
            1.0
        }
    }

    fn resolution_of(step_ns: u64) -> f64 {
        let now_ns = std::cell::Cell::new(1);
        resolution_ns(&Steps { step_ns, now_ns })
    }

    #[test]
    fn the_step_of_a_clock_that_stands_for_long_is_found() {
        // 400 readings take 10 us.
        for step_ns in [1000, 26_000, 1_000_000, 10_000_000] {
            assert_eq!(resolution_of(step_ns), step_ns as f64);
        }
    }

    #[test]
    fn a_clock_that_never_advances_has_no_known_step() {
        let step = resolution_of(u64::MAX);
        assert!(step.is_nan(), "{step}");
        let note = step_note(step).expect("a note");
        assert!(note.contains("its step is unknown"), "{note}");
        assert_eq!(step_note(4.0), None);
    }

    #[test]
    fn the_instrument_knows_itself() {
        let spec = ClockSpec::choose(std::path::Path::new("/"));
        let cpu = crate::affinity::allowed_cpus().unwrap()[0];
        let instrument = self_test_on(cpu, &spec);
        assert!(!instrument.notes.iter().any(|n| n.contains("cannot pin")));
        assert!(instrument.resolution_ns > 0.0);
        assert!(instrument.read_cost_ns > 0.0);
        assert!(instrument.clock_hz > 0.0);
        assert!(instrument.drift_ppm.abs() < 10_000.0, "{instrument:?}");
    }
}
