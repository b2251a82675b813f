//! # irq/timer - The way from the timer's interrupt to a timer's function
//!
//! A thread asks the kernel to be woken after a while. Where does the time go between
//! the interrupt that says so and the function that does it, and how far behind the
//! moment asked for is that?
//!
//! ## Counts
//! One passage of a stage on the measuring CPU, one sample each, from a recording of
//! the kernel's own events. `hardirq`: the local timer's interrupt, from its entry to
//! its exit. `entry_to_raise`: from the interrupt's entry to the raising of softirq
//! TIMER in it. `raise_to_entry`: from there to the softirq's entry.
//! `entry_to_expiry`: from there to the first timer's function. `expiry`: a timer's
//! function. `softirq`: the softirq from entry to exit. `lateness` is of the timers
//! that threads of our own start, on whichever CPU they expire: from the tick at which
//! the wheel's bucket was due to the entry of the timer's function. Each thread
//! waits at a socket with a receive timeout (SO_RCVTIMEO) of `timeout`, again and
//! again; the CPU is kept busy by a spinning thread meanwhile, or left to rest.
//!
//! `rounded` is how much later than asked the bucket was due, `overslept` the time
//! from the start of a timer to its function less the time asked for, in whole ticks:
//! the sum of what the wheel rounds, what it waits for its tick, and the lateness.
//!
//! ## Does not count
//! The waking of the thread by the function (see sched/wakeup). Timers of high
//! resolution (nanosleep, poll with a timeout), which fire in the interrupt itself and
//! know no wheel. Recording takes some hundred nanoseconds for each event, and they are
//! in the stages. Ticks are placed where the kernel set its tick's timer to; where the
//! recording does not tell, at the promptest event after any of them. Nothing spans
//! lost events.
//!
//! ## Origin
//! The timer interrupt chapter of the ARM-Linux course of NCKU, 2015: ftrace's irq
//! and timer events put in order from the interrupt's entry through the softirq to
//! timer_expire_exit. Gleixner's rework of the timer wheel (Linux 4.8, kernel/time/
//! timer.c), socket(7) on SO_RCVTIMEO.
//!
//! ## Theory
//! The interrupt does what cannot wait: the clock, the accounting, hrtimers. Timers of
//! the wheel can wait. The tick looks whether any are due and raises a softirq, which
//! runs when the interrupt is left, with interrupts on; under pressure, or when
//! softirqs raise each other again and again, it is left to the thread ksoftirqd, and
//! then the scheduler has a say.
//!
//! The wheel trades precision for constant cost. A timer goes into a bucket and never
//! moves again; buckets of the first level are one tick wide, of the next 8, then 64
//! and so on, and a timer is always put behind the moment that was asked for. Hence one
//! that waits for less than 63 ticks comes due one tick late, one of 100 ticks up to 8,
//! about an eighth of its time at most. That is no fault: nearly all such timers are
//! timeouts, which are cancelled before they fire. Who wants a moment takes an hrtimer.
//!
//! A resting CPU has no tick. Since Linux 6.9 its timers that are bound to no CPU
//! are expired by one that is awake, so that it may go on sleeping.

use catalogue::{AxisSpec, Experiment, Figure, Grid, MILLISECOND, Preset, Tally};
use engines::crew::in_use::InUse;
use engines::scheduler::replay::Replay;
use harness::{Context, Point, SetupError, Shape, Subject};
use record::{FigureHead, FigureKind, MachineCard};
use recording::Recording;

const STATES: &[&str] = &["busy", "idle"];
/// In the order of the way, but for the last two.
const STAGES: &[&str] = &[
    "hardirq",
    "entry_to_raise",
    "raise_to_entry",
    "entry_to_expiry",
    "expiry",
    "softirq",
    LATENESS,
];
const LATENESS: &str = "lateness";

const AXES: &[AxisSpec] = &[
    AxisSpec::time(
        "timeout",
        "timeout that the experiment's own threads ask for",
    ),
    AxisSpec::word(
        "state",
        "busy: a thread spins on the CPU; idle: only the timers run",
        STATES,
    ),
    AxisSpec::time("length", "time that is recorded"),
    AxisSpec::word(
        "stage",
        "which stage of the path a sample is, all of one recording",
        STAGES,
    )
    .compared(),
];

const TALLIES: &[Tally] = &[
    Tally::ratio(
        "deferred",
        "1: another task was switched in between raise and entry (ksoftirqd); of raise_to_entry",
    )
    .explains(),
    Tally::ratio("empty", "1: no timer expired; of softirq").explains(),
    Tally::time(
        "asked",
        "time asked for, in whole ticks; this and all below belong to lateness",
    )
    .explains(),
    Tally::time(
        "rounded",
        "how much later than asked the wheel's bucket was due",
    )
    .explains(),
    Tally::time(
        "step",
        "width of the wheel's buckets for timers of this length",
    )
    .explains(),
    Tally::count("behind", "whole ticks from the bucket's to the function"),
    Tally::time(
        "overslept",
        "time from the start to the function, less the time asked for",
    )
    .explains(),
    Tally::ratio(
        "elsewhere",
        "1: expired on another CPU than the one that started it",
    )
    .explains(),
];
/// Metrics behind the stage's own time.
const DEFERRED: u16 = EXPERIMENT.metric("deferred");
const EMPTY: u16 = EXPERIMENT.metric("empty");
const ASKED: u16 = EXPERIMENT.metric("asked");
const ROUNDED: u16 = EXPERIMENT.metric("rounded");
const STEP: u16 = EXPERIMENT.metric("step");
const BEHIND: u16 = EXPERIMENT.metric("behind");
const OVERSLEPT: u16 = EXPERIMENT.metric("overslept");
const ELSEWHERE: u16 = EXPERIMENT.metric("elsewhere");

/// Timeout with the most expiries: the figures of the stages are of it.
const SHORTEST_MS: i64 = 4;

fn grids(preset: Preset, _card: &MachineCard) -> Vec<Grid> {
    let grid = |timeouts_ms: &[i64], states: &[&str], length_ms: i64| {
        Grid::new(2)
            .ints("timeout", timeouts_ms.iter().map(|ms| ms * MILLISECOND))
            .words("state", states)
            .ints("length", [length_ms * MILLISECOND])
            .words("stage", STAGES)
    };
    match preset {
        Preset::Quick => vec![grid(&[SHORTEST_MS], &STATES[..1], 100)],
        Preset::Full => vec![grid(&[SHORTEST_MS, 20, 100, 400], STATES, 3_000)],
    }
}

thread_local! {
    static LAST: InUse<String, Recording> = const { InUse::none() };
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let recording = LAST.with(|last| {
        last.across(point, "stage", || {
            let busy = point.word("state") == "busy";
            let (timeout, length) = (point.size("timeout"), point.size("length"));
            Recording::make(timeout as u64, busy, length as u64, context)
        })
    })?;
    let stage = point.word("stage");
    let replay = Replay::of(recording.of_stage(stage), recording.notes(stage));
    Ok(Box::new(replay.keeping(recording)))
}

fn figures() -> Vec<FigureHead> {
    let figure = |title: &str, x| Figure::of(title, x, "time").log_y();
    let passages = |title: &str| figure(title, "passage").kind(FigureKind::Distribution);
    let shortest = SHORTEST_MS * MILLISECOND;
    let stages = |state: &str| {
        let figure = passages(&format!("Stages of the timer path, {state} CPU"));
        let figure = figure.series(&["stage"]).only(&[("state", state)]);
        let figure = figure.at("timeout", shortest);
        figure.reading("Share of the passages that take longer than x.")
    };
    vec![
        figure("From the interrupt to the function", "stage")
            .series(&["state"])
            .at("timeout", shortest)
            .reading(
                "Stages in order: the interrupt; from its entry until the softirq is raised; \
                 until the softirq begins; until the first function; the functions; then the \
                 whole softirq, and its lateness.",
            ),
        stages("busy"),
        stages("idle"),
        passages("Lateness of timer-wheel timers")
            .series(&["state", "timeout"])
            .only(&[("stage", LATENESS)])
            .reading("Share of the timers that run more than x after the tick of their bucket."),
    ]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[("time", "one passage of a stage")],
    tallies: TALLIES,
    shape: |point| Shape::Recorded {
        lasts_ns: point.size("length") as u64,
    },
    grids,
    setup,
    figures,
    claims: findings::CLAIMS,
    findings: |table, _| findings::findings(table),
    clock: Some("the operation is a sleep until a timeout"),
    ..Experiment::EMPTY
};

mod findings;
#[expect(clippy::disallowed_methods, reason = "see `clock` in the form")]
mod recording;
mod sleepers;
#[cfg(test)]
mod tests;
