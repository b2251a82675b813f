//! # irq/tick - How often the timer interrupts a CPU
//!
//! How often does the kernel's tick interrupt a CPU that works and one that rests,
//! and is that the rate which the kernel was built with?
//!
//! ## Counts
//! A period: the time of a window divided by what came in it on the measuring CPU,
//! one window a sample. With `source=interrupts` what came are the interrupts of the
//! CPU's own timer, from /proc/interrupts (LOC on x86, arch_timer on ARM). With
//! `source=trace` a sample is the time from one expiry of the tick's own timer to the
//! next, from the kernel's hrtimer_expire_entry events. `rate` is ticks, or
//! interrupts, by second: where the tick is switched off for a while its periods have
//! gaps, and the rate is not the inverse of the median one. The CPU is kept busy by a spinning thread, or left to
//! itself by a sleeping one. `not_ticks` is how many timer interrupts a second
//! brought no tick, `stopped` how often a second the tick was switched off (both
//! traced).
//!
//! ## Does not count
//! Interrupts of devices, and what the tick does. A resting CPU may still be woken
//! by others' work: it rests only as far as the machine lets it.
//!
//! ## Origin
//! The timer interrupt chapter of the ARM-Linux course of NCKU, 2015, which read
//! /proc/interrupts twice a second apart (302 interrupts on one machine, from 21 to
//! 500 on another) and measured 3.984 ms between interrupts in a trace. The kernel's
//! Documentation/timers/no_hz.rst.
//!
//! ## Theory
//! A kernel built with CONFIG_HZ=250 wants a tick every 4 ms: to account time, to
//! take the CPU from a task whose slice is over, to look for work elsewhere. The
//! counter of timer interrupts is not that rate. The same timer serves every sleeping
//! thread with a fine timer (a wake-up is an interrupt that is no tick: more than
//! HZ), and on a CPU that rests the tick is switched off (CONFIG_NO_HZ_IDLE: far
//! fewer than HZ; one that runs a single task may do without as well under
//! nohz_full). So a count over a second says HZ on a busy and otherwise quiet CPU
//! only; the tick's own expiries say it wherever there are any. That is why the 2015
//! laboratory saw 21 Hz and 500 Hz on a board built for 250.

use super::WINDOWS;
use catalogue::{AxisSpec, Experiment, Figure, Grid, MILLISECOND, Preset, Tally};
use engines::reading::of_events;
use engines::scheduler::replay::{Recorded, Replay};
use harness::ticks::{configured_hz, pass_time, timer_interrupts};
use harness::tracing::Tracing;
use harness::{Context, Point, Reading, SetupError, Subject};
use record::{FigureHead, MachineCard};
use std::io;
use std::path::Path;
use trace::analyse::ticks::{CpuTicks, TickCount};
use trace::analyse::{Known, Pass, Symbols};

const STATES: &[&str] = &["busy", "idle"];
const SOURCES: &[&str] = &["interrupts", "trace"];
/// The timer is a vector of its own on x86 and a device's interrupt elsewhere.
const EVENTS: [&str; 4] = [
    "timer:hrtimer_expire_entry",
    "timer:tick_stop",
    "sched:sched_switch",
    if cfg!(target_arch = "x86_64") {
        "irq_vectors:local_timer_*"
    } else {
        "irq:irq_handler_*"
    },
];

const AXES: &[AxisSpec] = &[
    AxisSpec::word(
        "state",
        "busy: a thread spins on the CPU; idle: it sleeps",
        STATES,
    ),
    AxisSpec::word(
        "source",
        "interrupts: /proc/interrupts; trace: the tick's own expiries",
        SOURCES,
    ),
    AxisSpec::time("window", "time that is counted in"),
];

const TALLIES: &[Tally] = &[
    Tally::time("configured", "period according to CONFIG_HZ"),
    Tally::count(
        "rate",
        "ticks, or interrupts, per second: of the window; if traced, of all windows together",
    ),
    Tally::count("not_ticks", "timer interrupts per second without a tick"),
    Tally::count("stopped", "how often per second the tick was switched off"),
];
const CONFIGURED: u16 = EXPERIMENT.metric("configured");
const RATE: u16 = EXPERIMENT.metric("rate");
const NOT_TICKS: u16 = EXPERIMENT.metric("not_ticks");

fn grids(preset: Preset, _card: &MachineCard) -> Vec<Grid> {
    let grid = |states: &[&str], sources: &[&str], window_ms: i64| {
        Grid::new(10)
            .words("state", states)
            .words("source", sources)
            .ints("window", [window_ms * MILLISECOND])
    };
    match preset {
        Preset::Quick => vec![
            grid(STATES, &SOURCES[..1], 20),
            grid(&STATES[..1], &SOURCES[1..], 20),
        ],
        Preset::Full => vec![grid(STATES, SOURCES, 1_000)],
    }
}

/// What came in a window, or from one tick to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Came {
    elapsed_ns: f64,
    /// Ticks, or interrupts.
    count: u64,
    /// By second.
    rate: f64,
    /// By second; traced only.
    not_ticks: f64,
    stopped: f64,
}

/// Something that came, on which CPU, with the period that was configured.
struct OnCpu {
    came: Came,
    cpu: u32,
    configured_ns: f64,
}

impl Recorded for OnCpu {
    fn reading(&self) -> Reading {
        // A window without any says that the period is at least that long.
        let ops = self.came.count.max(1);
        of_events(ops, self.came.elapsed_ns, Some(self.cpu))
    }

    fn tally(&self) -> Vec<f64> {
        let came = &self.came;
        // Tallies are divided by the operations, which these are not meant for.
        let ops = came.count.max(1) as f64;
        [self.configured_ns, came.rate, came.not_ticks, came.stopped]
            .map(|v| v * ops)
            .to_vec()
    }
}

/// The counter of interrupts, window by window.
#[expect(clippy::disallowed_methods, reason = "see `clock` in the form")]
fn counted(busy: bool, window_ns: u64, cpu: u32) -> io::Result<Vec<Came>> {
    let mut all = Vec::new();
    let mut before = timer_interrupts(Path::new("/"), cpu)?;
    for _ in 0..WINDOWS {
        let elapsed_ns = pass_time(busy, window_ns) as f64;
        let now = timer_interrupts(Path::new("/"), cpu)?;
        let count = now.saturating_sub(before);
        all.push(Came {
            elapsed_ns,
            count,
            rate: count as f64 / elapsed_ns * 1e9,
            not_ticks: f64::NAN,
            stopped: f64::NAN,
        });
        before = now;
    }
    Ok(all)
}

/// The tick's expiries in all windows, one sample from each to the next.
#[expect(clippy::disallowed_methods, reason = "see `clock` in the form")]
fn traced(busy: bool, window_ns: u64, context: &Context) -> Result<Vec<Came>, SetupError> {
    let tracing = Tracing::start(&EVENTS, &context.scratch)?;
    let elapsed_ns = pass_time(busy, window_ns * u64::from(WINDOWS)) as f64;
    let capture = tracing.stop()?;
    let known = Known::of(&capture);
    let mut count = TickCount::new(&known);
    Pass::over(&capture, &known, &mut [&mut count]);
    let ticks = count.finish(&known, &Symbols::parse(&capture.head.kallsyms));
    let none = CpuTicks::default();
    let on = ticks.cpus.iter().find(|c| c.cpu == context.test_cpu);
    Ok(from_trace(on.unwrap_or(&none), elapsed_ns))
}

fn from_trace(on: &CpuTicks, elapsed_ns: f64) -> Vec<Came> {
    let by_second = |count: u64| count as f64 / elapsed_ns * 1e9;
    let one = Came {
        elapsed_ns,
        count: on.ticks,
        rate: by_second(on.ticks),
        not_ticks: by_second(on.not_ticks),
        stopped: by_second(on.stopped),
    };
    if on.gaps_ns.is_empty() {
        return vec![one];
    }
    let gap = |ns: &u32| Came {
        elapsed_ns: f64::from(*ns),
        count: 1,
        ..one
    };
    on.gaps_ns.iter().map(gap).collect()
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let busy = point.word("state") == "busy";
    let window_ns = point.size("window") as u64;
    let cpu = context.test_cpu;
    let came = match point.word("source") {
        "trace" => traced(busy, window_ns, context)?,
        _ => counted(busy, window_ns, cpu).map_err(super::uncounted)?,
    };
    let (configured_ns, note) = match configured_hz(Path::new("/")) {
        Some((hz, by)) => (1e9 / f64::from(hz), format!("CONFIG_HZ is {hz} ({by})")),
        None => (f64::NAN, "no configuration has CONFIG_HZ".to_owned()),
    };
    let on_cpu = |came| OnCpu {
        came,
        cpu,
        configured_ns,
    };
    let all = came.into_iter().map(on_cpu).collect();
    Ok(Box::new(Replay::of(all, vec![note])))
}

fn figures() -> Vec<FigureHead> {
    let figure = Figure::of("From one tick to the next", "state", "period").log_y();
    let reading = "A long period on an idle CPU means that the tick was switched off.";
    vec![figure.series(&["source"]).reading(reading)]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[("period", "from one tick, or timer interrupt, to the next")],
    tallies: TALLIES,
    shape: super::in_windows,
    grids,
    setup,
    describes: true,
    figures,
    claims: findings::CLAIMS,
    findings: |table, _| findings::findings(table),
    clock: Some("interrupts of a CPU are counted over a period of time, busy or asleep"),
    ..Experiment::EMPTY
};

mod findings;

#[cfg(test)]
mod tests {
    use super::findings::findings;
    use super::{EXPERIMENT, from_trace};
    use crate::testing::table;
    use analysis::PointView;
    use record::Verdict;
    use testbed::{context, int, measured, point, word};
    use trace::analyse::ticks::CpuTicks;

    const ID: &str = "irq/tick";

    fn at(state: &str, source: &str, hz: f64, not_ticks: f64) -> PointView {
        let settings = [
            word("state", state),
            word("source", source),
            int("window", 1),
        ];
        measured(ID, &settings, &[1e9 / hz, 4e6, hz, not_ticks])
    }

    #[test]
    fn both_counts_are_separated_and_the_tick_held_against_the_configuration() {
        let points = vec![
            at("busy", "interrupts", 360.0, 110.0),
            at("busy", "trace", 250.0, 110.0),
            at("idle", "trace", 21.0, 3.0),
        ];
        let all = findings(&table(ID, points));
        assert_eq!(all[0].verdict, Verdict::Agree, "{}", all[0].sentence);
        assert!(all[0].sentence.ends_with("every 4.000 ms: HZ=250"));
        assert!(all[1].sentence.contains("counts 360 timer interrupts"));
        assert!(all[1].sentence.contains("110 per second were traced"));
        assert!(
            all[2]
                .sentence
                .contains("21 times per second instead of 250")
        );
    }

    #[test]
    fn a_rate_that_was_not_configured_disagrees() {
        let all = findings(&table(ID, vec![at("busy", "trace", 300.0, 0.0)]));
        assert_eq!(all[0].verdict, Verdict::Disagree);
        assert!(all[0].sentence.ends_with("HZ=300"), "{}", all[0].sentence);
    }

    #[test]
    fn a_count_of_interrupts_says_nothing_of_the_tick() {
        let all = findings(&table(ID, vec![at("busy", "interrupts", 272.0, 0.0)]));
        assert_eq!(all[0].verdict, Verdict::Undecided, "{}", all[0].sentence);
        assert!(
            all[0].sentence.contains("not traced"),
            "{}",
            all[0].sentence
        );
    }

    #[test]
    fn each_window_is_a_sample() {
        let (context, _keep) = context();
        let settings = [
            word("state", "busy"),
            word("source", "interrupts"),
            int("window", 10_000_000),
        ];
        let mut subject = (EXPERIMENT.setup)(&point(ID, &settings), &context).unwrap();
        assert_eq!(subject.recorded(), Some(5));
        subject.sampling_begins();
        subject.batch(0, 1);
        let reading = subject.reading(0).unwrap();
        assert!(reading.ops >= 1 && reading.elapsed_ns >= 10e6);
        assert_eq!(subject.tally(0).len(), 4);
    }

    #[test]
    fn a_traced_sample_is_from_tick_to_tick_and_a_rest_without_any_is_one() {
        let mut on = CpuTicks {
            ticks: 3,
            not_ticks: 5,
            gaps_ns: vec![4_000_000, 4_100_000],
            ..CpuTicks::default()
        };
        let came = from_trace(&on, 5e8);
        assert_eq!(came.len(), 2);
        assert_eq!((came[1].elapsed_ns, came[1].count), (4_100_000.0, 1));
        assert_eq!((came[1].rate, came[1].not_ticks), (6.0, 10.0));
        on.gaps_ns.clear();
        let came = from_trace(&on, 5e8);
        assert_eq!((came.len(), came[0].elapsed_ns, came[0].count), (1, 5e8, 3));
    }
}
