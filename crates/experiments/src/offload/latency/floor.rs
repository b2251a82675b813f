//! What the module's readings show around nothing.

use engines::offload::ends::{Ends, Manner};
use uapi::{Engine, Error, Measured, Measuring};

/// Empty operations whose median is the floor.
const FLOOR_REPETITIONS: u32 = 101;
const CPU_FLOOR_CALLS: usize = 21;

/// One sample of so many copies, as they come.
pub fn once(copies_per_sample: u32) -> Measuring {
    Measuring {
        repetitions: 1,
        copies_per_sample,
        begin_at_ns: None,
        flush: false,
        phases: false,
    }
}

/// What the module's clock reads around nothing, ns.
pub fn of_clock(ends: &mut Ends, manner: Manner) -> Result<f64, Error> {
    let measuring = Measuring {
        repetitions: FLOOR_REPETITIONS,
        ..once(1)
    };
    let measured = ends.measure(nothing(manner), measuring)?;
    let times = measured.samples.iter();
    let times = times.map(|s| s.end_ns.saturating_sub(s.start_ns));
    Ok(median(times.collect()))
}

/// The same around nothing.
fn nothing(manner: Manner) -> Manner {
    Manner {
        engine: Engine::None,
        ..manner
    }
}

/// CPU time of a call that copies nothing, ns.
pub fn of_cpu_time(ends: &mut Ends, manner: Manner, copies: u32) -> Result<f64, Error> {
    let calls = (0..CPU_FLOOR_CALLS).map(|_| ends.measure(nothing(manner), once(copies)));
    let measured: Vec<Measured> = calls.collect::<Result<_, _>>()?;
    Ok(median(measured.iter().map(|m| m.thread_cpu_ns).collect()))
}

/// Of an odd number of values.
fn median(mut values: Vec<u64>) -> f64 {
    values.sort_unstable();
    let middle = values.get(values.len() / 2);
    middle.map_or(0.0, |middle| *middle as f64)
}
