//! How good the instrument is: measured at the start of each run, kept in its
//! record.

use crate::clock::{Clock, ClockSpec, measure_rate};
use crate::sampler::time_batch;
use crate::subject::Subject;
use record::Instrument;

/// Start/stop pairs behind the floor.
const PAIRS: usize = 4001;
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

/// Median cost of one start/stop pair around an empty batch, ns: what is
/// taken off every sample. Under a millisecond of work.
pub fn floor_ns(clock: &dyn Clock) -> f64 {
    let costs: Vec<f64> = (0..PAIRS)
        .map(|_| time_batch(clock, &mut Nothing, 0, 0))
        .collect();
    stats::median(&costs).unwrap_or(f64::NAN)
}

/// Median cost of one turn of the empty batch loop, ns, through the same call
/// that every subject is called through.
pub fn empty_loop_ns(clock: &dyn Clock, floor_ns: f64) -> f64 {
    let costs: Vec<f64> = (0..TURN_BATCHES)
        .map(|_| (time_batch(clock, &mut Empty, 0, TURNS) - floor_ns) / TURNS as f64)
        .collect();
    stats::median(&costs).unwrap_or(f64::NAN)
}

/// Smallest step between reads of the clock that is not 0, ns.
pub fn resolution_ns(clock: &dyn Clock) -> f64 {
    let mut smallest = f64::INFINITY;
    let mut last = clock.stop();
    for _ in 0..PAIRS {
        let now = clock.stop();
        if now > last {
            smallest = smallest.min(clock.elapsed_ns(last, now));
        }
        last = now;
    }
    // A clock that never moved still has a known tick.
    if smallest.is_finite() {
        smallest
    } else {
        clock.tick_ns()
    }
}

/// The whole self-test, about 30 ms; run it on the CPU that will measure.
pub fn self_test(spec: &ClockSpec) -> Instrument {
    let clock = spec.build();
    let floor = floor_ns(&*clock);
    let (drift_ppm, drift_note) = drift(spec);
    let mut notes = spec.notes.clone();
    notes.extend(drift_note);
    Instrument {
        clock: spec.kind.name().to_owned(),
        clock_hz: spec.hz,
        resolution_ns: resolution_ns(&*clock),
        read_cost_ns: floor,
        empty_loop_ns: empty_loop_ns(&*clock, floor),
        drift_ppm,
        invariant: spec.invariant,
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
    let Some(again) = measure_rate(spec.kind) else {
        return (0.0, None);
    };
    let drift_ppm = (again.hz / spec.hz - 1.0) * 1e6;
    let doubt_ppm = spec.uncertainty_ppm + again.uncertainty_ppm;
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
