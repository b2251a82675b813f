//! # irq/tick - How often the timer interrupts a CPU
//!
//! How often does the kernel's tick interrupt a CPU that works and one that rests,
//! and is that the rate which the kernel was built with?
//!
//! ## Counts
//! A period, in one of five ways. `source=statement`: the step of
//! CLOCK_MONOTONIC_COARSE as the kernel states it (clock_getres(2)), which is its
//! tick. `source=coarse`: a loop looks at that clock and at the counter, and a sample is
//! the time from one move of the clock to the next, of those that were seen at once.
//! `source=gaps`: a loop reads the counter alone; where a reading comes late something
//! interrupted it. Gaps are folded onto each rate that kernels are built with, and a
//! sample is the time from one gap on the found rate to the next, by period.
//! `source=trace`: a sample is the time from one expiry of the tick's own timer to the
//! next, from the kernel's hrtimer_expire_entry events. `source=interrupts` counts: the
//! time of a window divided by the interrupts that the CPU's own timer had in it, from
//! /proc/interrupts (LOC on x86, arch_timer on ARM), one window a sample. That is no
//! measure of the tick.
//!
//! `rate` is ticks, or interrupts, by second: where the tick is switched off for a while
//! its periods have gaps, and the rate is not the inverse of the median one. `explained`
//! is how far the samples bear their period out: of the ticks that were due while the
//! loop looked, the share that has a gap; of the moves of the coarse clock, the share
//! within 10 % of the middle one; 0 where no period was found, and the one sample is then
//! the mean time between what was seen. The CPU is kept busy by a spinning thread, or left
//! to itself by a sleeping one; a loop that looks is busy itself. `not_ticks` is how many
//! timer interrupts a second brought no tick, `stopped` how often a second the tick was
//! switched off (both traced).
//!
//! ## Does not count
//! Interrupts of devices, and what the tick does. A resting CPU may still be woken
//! by others' work: it rests only as far as the machine lets it.
//!
//! ## Origin
//! The timer interrupt chapter of the ARM-Linux course of NCKU, 2015, which read
//! /proc/interrupts twice a second apart (302 interrupts on one machine, from 21 to
//! 500 on another) and measured 3.984 ms between interrupts in a trace. The kernel's
//! Documentation/timers/no_hz.rst. Gaps in a loop: the selfish detour benchmark of
//! Beckman et al. (CLUSTER 2006), which looks for the noise of systems so.
//!
//! ## Theory
//! A kernel built with CONFIG_HZ=250 wants a tick every 4 ms: to account time, to
//! take the CPU from a task whose slice is over, to look for work elsewhere. The
//! counter of timer interrupts is not that rate. The same timer serves every sleeping
//! thread with a fine timer (a wake-up is an interrupt that is no tick: more than
//! HZ), and on a CPU that rests the tick is switched off (CONFIG_NO_HZ_IDLE: far
//! fewer than HZ; one that runs a single task may do without as well under
//! nohz_full). So a count over a second says HZ on a busy and otherwise quiet CPU
//! only. That is why the 2015 laboratory saw 21 Hz and 500 Hz on a board built for 250.
//!
//! What the tick leaves behind says more, and each trace of it has other enemies. A kernel
//! may state what it likes. Its coarse clock moves on at the ticks of the one CPU that
//! keeps the time, and late where a hypervisor has that CPU; a tick that comes before a
//! whole step has passed moves it by two the next time. A gap is of any interrupt, but
//! only those of a timer come in a period, and a faster timer would be taken for the tick.
//! A loop that shares its CPU is taken from it at ticks, and sees few of them. Two of
//! these ways that agree decide; one alone never does.

use super::WINDOWS;
use crate::quantities::kernel::{COARSE, GAPS, STATEMENT, TRACE};
use catalogue::{AxisSpec, Experiment, Figure, Grid, MILLISECOND, Preset, Tally};
use engines::reading::of_events;
use engines::scheduler::replay::{Recorded, Replay};
use harness::ticks::{configured_hz, pass_time, timer_interrupts};
use harness::tracing::Tracing;
use harness::{Context, Point, Reading, SetupError, Shape, Subject};
use record::{FigureHead, MachineCard};
use std::io;
use std::path::Path;
use trace::analyse::ticks::{CpuTicks, TickCount};
use trace::analyse::{Known, Pass, Symbols};

const STATES: &[&str] = &["busy", "idle"];
const INTERRUPTS: &str = "interrupts";
const SOURCES: &[&str] = &[INTERRUPTS, TRACE, STATEMENT, COARSE, GAPS];
/// Without tracing, on a busy CPU.
const WATCHED: &[&str] = &[STATEMENT, COARSE, GAPS];
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
        "interrupts: /proc/interrupts; trace: the tick's own expiries; statement: what the kernel \
         states; coarse: moves of its coarse clock; gaps: gaps in a loop that reads the counter",
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
    Tally::ratio(
        "explained",
        "how far the samples bear their period out: 0, no period was found",
    )
    .explains(),
];
const RATE: u16 = EXPERIMENT.metric("rate");
const NOT_TICKS: u16 = EXPERIMENT.metric("not_ticks");
const EXPLAINED: u16 = EXPERIMENT.metric("explained");

fn grids(preset: Preset, _card: &MachineCard) -> Vec<Grid> {
    let grid = |states: &[&str], sources: &[&str], window_ms: i64| {
        Grid::new(10)
            .words("state", states)
            .words("source", sources)
            .ints("window", [window_ms * MILLISECOND])
    };
    match preset {
        Preset::Quick => vec![
            grid(STATES, &[INTERRUPTS], 20),
            grid(&STATES[..1], &[TRACE], 20),
            grid(&STATES[..1], WATCHED, 40),
        ],
        Preset::Full => vec![
            grid(STATES, &[INTERRUPTS, TRACE], 1_000),
            grid(&STATES[..1], WATCHED, 200),
        ],
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
    /// How far the samples bear their period out.
    explained: f64,
}

impl Came {
    /// Of which only the time and how much of it is known.
    fn new(count: u64, elapsed_ns: f64, explained: f64) -> Came {
        Came {
            elapsed_ns,
            count,
            rate: count as f64 / elapsed_ns * 1e9,
            not_ticks: f64::NAN,
            stopped: f64::NAN,
            explained,
        }
    }

    /// From one to the next.
    fn period(ns: f64, explained: f64) -> Came {
        Came::new(1, ns, explained)
    }

    /// So many in so long a time, without a period.
    fn nothing(count: usize, elapsed_ns: f64) -> Came {
        Came::new(count as u64, elapsed_ns, 0.0)
    }
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
        let all = [
            self.configured_ns,
            came.rate,
            came.not_ticks,
            came.stopped,
            came.explained,
        ];
        all.map(|v| v * ops).to_vec()
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
        all.push(Came::new(count, elapsed_ns, f64::NAN));
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
        explained: f64::NAN,
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
    let source = point.word("source");
    let window_ns = point.size("window") as u64;
    let cpu = context.test_cpu;
    if !busy && WATCHED.contains(&source) {
        return Err(SetupError::skip(
            format!("{source} is of a busy CPU: a loop that looks is work"),
            "choose --axis state=busy",
        ));
    }
    let all_ns = window_ns * u64::from(WINDOWS);
    let measured = &context.measured;
    let came = match source {
        STATEMENT => watched::stated(measured),
        COARSE => watched::coarse(measured, all_ns),
        GAPS => watched::gaps(measured, all_ns),
        _ if measured.in_numbers().is_some() => return Err(no_kernel()),
        TRACE => traced(busy, window_ns, context)?,
        _ => counted(busy, window_ns, cpu).map_err(super::uncounted)?,
    };
    let (configured_ns, notes) = configured(context);
    let on_cpu = |came| OnCpu {
        came,
        cpu,
        configured_ns,
    };
    let all = came.into_iter().map(on_cpu).collect();
    Ok(Box::new(Replay::of(all, notes)))
}

/// The period according to CONFIG_HZ, and a note of where that is from.
fn configured(context: &Context) -> (f64, Vec<String>) {
    if context.measured.in_numbers().is_some() {
        return (f64::NAN, Vec::new());
    }
    let (ns, note) = match configured_hz(Path::new("/")) {
        Some((hz, by)) => (1e9 / f64::from(hz), format!("CONFIG_HZ is {hz} ({by})")),
        None => (f64::NAN, "no configuration has CONFIG_HZ".to_owned()),
    };
    (ns, vec![note])
}

fn no_kernel() -> SetupError {
    SetupError::skip(
        "a simulated machine has no kernel that counts or traces",
        "choose another source",
    )
}

/// What is only stated takes no time.
fn shape(point: &Point) -> Shape {
    match point.word("source") {
        STATEMENT => Shape::Recorded { lasts_ns: 0 },
        _ => super::in_windows(point),
    }
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
    shape,
    grids,
    setup,
    describes: true,
    figures,
    claims: findings::CLAIMS,
    findings: |table, _| findings::findings(table),
    answers: findings::answers,
    clock: Some("interrupts of a CPU are counted over a period of time, busy or asleep"),
    ..Experiment::EMPTY
};

mod findings;
mod folding;
mod watched;

#[cfg(test)]
mod tests;
