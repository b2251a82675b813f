//! # sched/wakeup - How late a sleeping thread wakes
//!
//! A thread asks to be woken at a moment. How long after it does it run, mostly
//! and at worst, as an ordinary thread and as a real-time one?
//!
//! ## Counts
//! Lateness: from the moment that clock_nanosleep was given (absolute,
//! CLOCK_MONOTONIC) to the thread's first look at the clock, one sample a wake-up,
//! one wake-up each `interval`. In it are the timer's own lateness, its interrupt,
//! the choice of the scheduler, the switch to the thread, and the way back to user
//! mode. The thread is alone on its CPU, or has an ordinary process that computes as
//! `neighbour`; a run may add a load. With `source=trace` the kernel's events are
//! recorded as well (a tracefs instance of our own; each wake-up is then some
//! microseconds later for it), and the lateness falls into stages: `slack`, what the
//! thread allows its timers; `timer`, until the timer's function was called; `wake`,
//! until that woke the thread; `queue`, until the CPU was switched to it; `back`, until
//! it looked at the clock. The trace stays with the run, and the three latest
//! wake-ups are noted with their cause: who had the CPU meanwhile, which interrupts
//! came.
//!
//! ## Does not count
//! The reading of the clock (see the instrument), and moments that had passed
//! before the thread could sleep for them: they are left out and noted. Why the
//! hardware's interrupt itself was late (a hypervisor, firmware) no trace of this
//! kernel shows.
//!
//! ## Origin
//! cyclictest of rt-tests (Gleixner): a thread that sleeps for fixed intervals and
//! keeps the distribution of its lateness. clock_nanosleep(2), prctl(2) on
//! PR_SET_TIMERSLACK.
//!
//! ## Theory
//! An ordinary thread's timers may be late by its timer slack, 50 us unless it was
//! changed, so that the kernel can serve several timers with one interrupt. How much it
//! is is concluded from two sides: what the kernel states (`stated`), and how much later
//! the thread wakes with its own slack than with one of 1 ns, where one of 200 us (`wide`)
//! comes out in full. Real-time
//! threads have none. What is left is the machine: the timer's interrupt (in a guest:
//! the way out of it and back, several microseconds), the idle state that the CPU has
//! to leave (the deeper, the longer; the longer the interval, the deeper), the switch,
//! and code that keeps interrupts off. On a loaded CPU an ordinary thread that slept is
//! put in front, mostly; the scheduler may let the other one finish its slice, and
//! that is the tail of milliseconds.
//!
//! The median shows the hardware. What matters to a task with a deadline is the
//! longest, and a longest is only as good as the time it was looked for: a rare cause
//! is not seen in a second.

use catalogue::{AxisSpec, Experiment, Figure, Grid, Preset, Tally};
use engines::reading::of_events;
use engines::scheduler::held::Held;
use engines::scheduler::policy::Policy;
use engines::scheduler::rival::Rival;
use harness::wakeups::{Alarm, timer_slack_ns};
use harness::{Context, Point, Reading, SetupError, Shape, Subject};
use record::{FigureHead, FigureKind, MachineCard, Unit};

const POLICIES: &[&str] = &["other", "fifo"];
const SLACKS: &[&str] = &["default", "none", "wide"];
/// Of `none` and of `wide`, ns: less than the shortest tick, which would wake the thread too.
const NONE_NS: u64 = 1;
const WIDE_NS: u64 = 200_000;
const NEIGHBOURS: &[&str] = &["nothing", "computing"];
const SOURCES: &[&str] = &["clock", "trace"];
/// Of the real-time thread: above the kernel's own threads (50), as cyclictest is
/// commonly run, and below its watchdogs (99).
const PRIORITY: u32 = 90;

const AXES: &[AxisSpec] = &[
    AxisSpec::time("interval", "time from one wake-up to the next"),
    AxisSpec::word(
        "policy",
        "other: an ordinary thread; fifo: SCHED_FIFO, priority 90",
        POLICIES,
    ),
    AxisSpec::word(
        "slack",
        "timer slack: the thread's own, 1 ns, or 200 us (wide); real-time threads have none",
        SLACKS,
    ),
    AxisSpec::word(
        "neighbour",
        "what else runs on the CPU: nothing of ours, or an ordinary process that computes",
        NEIGHBOURS,
    ),
    AxisSpec::word(
        "source",
        "clock: as the thread sees it; trace: also stage by stage, from the kernel's events",
        SOURCES,
    ),
    AxisSpec::number(
        "wakes",
        Unit::Count,
        "number of traced wake-ups; 0 with source=clock, which takes as many as the time allows",
    ),
];

const TALLIES: &[Tally] = &[
    Tally::count(
        "missed",
        "earlier wake-up times that had passed before the thread could sleep for them",
    ),
    Tally::time("slack", "until the timer's slack is used up (traced)"),
    Tally::time("timer", "from there to the timer's function (traced)"),
    Tally::time("wake", "from there to sched_waking (traced)"),
    Tally::time("queue", "from there to the switch to the thread (traced)"),
    Tally::time(
        "back",
        "from there to the thread's look at the clock (traced)",
    ),
    Tally::time("stated", "timer slack as the kernel states it").explains(),
];
/// Metric of the last stage; the others are before it.
const BACK: u16 = EXPERIMENT.metric("back");
const STATED: u16 = EXPERIMENT.metric("stated");

const MICROSECOND: i64 = 1_000;

/// Threads and their slacks: real-time ones have none.
const ORDINARY: (&str, &[&str]) = ("other", &["default", "none"]);
/// Against which the thread's own slack is held.
const KNOWN: (&str, &[&str]) = ("other", &["wide"]);
const REAL_TIME: (&str, &[&str]) = ("fifo", &["none"]);

fn grid(
    budget_ms: u64,
    intervals: &[i64],
    (policy, slacks): (&str, &[&str]),
    neighbour: &[&str],
    wakes: i64,
) -> Grid {
    Grid::new(budget_ms)
        .ints("interval", intervals.iter().map(|us| us * MICROSECOND))
        .words("policy", &[policy])
        .words("slack", slacks)
        .words("neighbour", neighbour)
        .words("source", &SOURCES[usize::from(wakes > 0)..][..1])
        .ints("wakes", [wakes])
}

fn grids(preset: Preset, _card: &MachineCard) -> Vec<Grid> {
    match preset {
        Preset::Quick => vec![
            grid(60, &[1_000], ORDINARY, &["nothing"], 0),
            grid(60, &[1_000], KNOWN, &["nothing"], 0),
            grid(60, &[1_000], REAL_TIME, &["nothing"], 0),
            grid(10, &[1_000], ("other", &["none"]), &["computing"], 100),
        ],
        Preset::Full => {
            let mut all = vec![grid(5_000, &[1_000], KNOWN, &["nothing"], 0)];
            for thread in [ORDINARY, REAL_TIME] {
                all.push(grid(5_000, &[200, 1_000, 10_000], thread, NEIGHBOURS, 0));
                all.push(grid(10, &[200, 1_000], thread, NEIGHBOURS, 2_000));
            }
            all
        }
    }
}

struct Wakeup {
    alarm: Alarm,
    missed_before: u64,
    stated_ns: f64,
    _policy: Option<Held>,
    _rival: Option<Rival>,
}

impl Subject for Wakeup {
    fn batch(&mut self, _part: u16, _ops: u64) {
        self.missed_before = self.alarm.missed();
        self.alarm.sleep();
    }

    fn sampling_begins(&mut self) {
        self.alarm.begin();
    }

    fn reading(&mut self, _part: u16) -> Option<Reading> {
        Some(of_events(1, self.alarm.late_ns() as f64, None))
    }

    fn tally(&mut self, _part: u16) -> Vec<f64> {
        let mut all = vec![f64::NAN; TALLIES.len()];
        all[0] = self.alarm.missed().saturating_sub(self.missed_before) as f64;
        all[TALLIES.len() - 1] = self.stated_ns;
        all
    }

    fn notes(&self) -> Vec<String> {
        match self.alarm.missed() {
            0 => Vec::new(),
            count => vec![missed(count)],
        }
    }
}

fn missed(count: u64) -> String {
    format!("{count} wake-up times had passed before the thread waited for them")
}

#[expect(clippy::disallowed_methods, reason = "see `clock` in the form")]
fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let policy = match point.word("policy") {
        "fifo" => Policy::Fifo { priority: PRIORITY },
        _ => Policy::Other { nice: 0 },
    };
    let slack = match point.word("slack") {
        "none" => Some(NONE_NS),
        "wide" => Some(WIDE_NS),
        _ => None,
    };
    let interval_ns = point.size("interval") as u64;
    if context.measured.in_numbers().is_some() {
        return simulated(point, context, Alarm::new(interval_ns), slack);
    }
    let rival = (point.word("neighbour") == "computing").then(|| Rival::start(context.test_cpu));
    let rival = rival.transpose()?;
    let held = Held::take(policy, slack).map_err(|cause| match cause.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => SetupError::skip(
            format!("this process may not use real-time priority {PRIORITY}: {cause}"),
            format!("run as root, or: ulimit -r {PRIORITY}"),
        ),
        _ => SetupError::fail("set the scheduling policy", cause),
    })?;
    if point.word("source") == "trace" {
        // All of it happens here, and what surrounds it may go.
        let traced = traced::record(interval_ns, point.size("wakes"), context)?;
        drop((held, rival));
        return Ok(Box::new(traced));
    }
    Ok(Box::new(Wakeup {
        alarm: Alarm::new(interval_ns),
        missed_before: 0,
        stated_ns: timer_slack_ns(&context.measured),
        _policy: Some(held),
        _rival: rival,
    }))
}

/// A simulated machine has ordinary threads only, alone on their CPU.
fn simulated(
    point: &Point,
    context: &Context,
    alarm: Alarm,
    slack: Option<u64>,
) -> Result<Box<dyn Subject>, SetupError> {
    let words = [
        ("policy", "other"),
        ("neighbour", "nothing"),
        ("source", "clock"),
    ];
    if words.iter().any(|(axis, word)| point.word(axis) != *word) {
        return Err(SetupError::skip(
            "a simulated machine has ordinary threads only",
            "choose --axis policy=other",
        ));
    }
    Ok(Box::new(Wakeup {
        alarm: alarm.on(&context.measured, slack),
        missed_before: 0,
        stated_ns: timer_slack_ns(&context.measured),
        _policy: None,
        _rival: None,
    }))
}

fn shape(point: &Point) -> Shape {
    let (interval_ns, wakes) = (point.size("interval") as u64, point.size("wakes") as u64);
    match point.word("source") {
        "trace" => Shape::Recorded {
            lasts_ns: interval_ns.saturating_mul(wakes),
        },
        _ => Shape::Single { repetitions: 5_000 },
    }
}

fn figures() -> Vec<FigureHead> {
    let figure = |title: &str, kind, reading| {
        let figure = Figure::of(title, "wake-up", "lateness").log_y();
        let figure = figure.series(&["policy", "slack", "neighbour"]);
        let figure = figure.only(&[("source", "clock")]);
        figure.kind(kind).reading(reading)
    };
    vec![
        figure(
            "Wake-up lateness of threads",
            FigureKind::Distribution,
            "Share of the wake-ups that are later than x: the lower right end is the worst.",
        ),
        figure(
            "Wake-ups in order of time",
            FigureKind::Sequence,
            "A late wake-up that recurs after a constant number of wake-ups has a periodic cause.",
        ),
    ]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[("lateness", "time from the requested wake-up to running")],
    tallies: TALLIES,
    shape,
    grids,
    setup,
    figures,
    claims: findings::CLAIMS,
    findings: |table, _| findings::findings(table),
    answers: findings::answers,
    clock: Some("the operation is a sleep until a given time"),
    ..Experiment::EMPTY
};

mod findings;
#[expect(clippy::disallowed_methods, reason = "see `clock` in the form")]
mod traced;

#[cfg(test)]
mod tests;
