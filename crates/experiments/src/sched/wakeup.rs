//! # sched/wakeup - How late a sleeping thread wakes
//!
//! A thread asks to be woken at a moment. How long after it does it run, mostly
//! and at worst, as an ordinary thread and as a real-time one?
//!
//! ## Counts
//! Lateness: from the moment that clock_nanosleep was told (absolute,
//! CLOCK_MONOTONIC) to the thread's first look at the clock, one sample a wake-up,
//! one wake-up each `interval`. In it are the timer's own lateness, its interrupt,
//! the choice of the scheduler, the switch to the thread, and the way back to user
//! mode. The thread is alone on its CPU unless the run has a load.
//!
//! ## Does not count
//! The reading of the clock (see the instrument), and moments that had passed
//! before the thread could sleep for them: they are left out and noted. Nothing
//! tells the causes apart here: `pontage trace record` around a run does.
//!
//! ## Origin
//! cyclictest of rt-tests (Gleixner): a thread that sleeps for fixed intervals and
//! keeps the distribution of its lateness. clock_nanosleep(2), prctl(2) on
//! PR_SET_TIMERSLACK.
//!
//! ## Theory
//! An ordinary thread's timers may be late by its timer slack, 50 us unless it was
//! changed, so that the kernel can serve several timers with one interrupt. Real-time
//! threads have none. What is left is the machine: the timer's interrupt (in a guest:
//! the way out of it and back, several microseconds), the idle state that the CPU has
//! to leave (the deeper, the longer; the longer the interval, the deeper), the switch,
//! and whoever keeps interrupts off. On a loaded CPU an ordinary thread that slept is
//! put in front, mostly; the scheduler may let the other one finish its slice, and
//! that is the tail of milliseconds.
//!
//! The median tells of the hardware. What matters to who must answer in time is the
//! longest, and a longest is only as good as the time it was looked for: a rare cause
//! is not seen in a second.

use crate::compared::{interval, said, stated, word};
use crate::experiment::{Claim, Experiment, Preset, Tally};
use crate::grid::{AxisSpec, Grid};
use crate::scene::held::Held;
use crate::scene::policy::Policy;
use analysis::{ExperimentTable, PointView};
use harness::wakeups::Alarm;
use harness::{Context, Point, Reading, SetupError, Shape, Subject};
use record::{FigureHead, FigureKind, Finding, MachineCard, Unit, Verdict};

const ID: &str = "sched/wakeup";

const POLICIES: &[&str] = &["other", "fifo"];
const SLACKS: &[&str] = &["default", "none"];
/// Of the real-time thread: above the kernel's own threads (50), as cyclictest is
/// commonly run, and below its watchdogs (99).
const PRIORITY: u32 = 90;

const AXES: &[AxisSpec] = &[
    AxisSpec {
        name: "interval",
        unit: Unit::Nanoseconds,
        doc: "from one moment to the next",
        words: &[],
        compared: false,
    },
    AxisSpec {
        name: "policy",
        unit: Unit::Word,
        doc: "other: an ordinary thread; fifo: SCHED_FIFO, priority 90",
        words: POLICIES,
        compared: false,
    },
    AxisSpec {
        name: "slack",
        unit: Unit::Word,
        doc: "timer slack: the kernel's default, or 1 ns; real-time threads have none",
        words: SLACKS,
        compared: false,
    },
];

const TALLIES: &[Tally] = &[Tally {
    name: "missed",
    unit: Unit::Count,
    doc: "moments before this one that had passed before the thread could sleep for them",
}];

const MICROSECOND: i64 = 1_000;

fn grids(preset: Preset, _card: &MachineCard) -> Vec<Grid> {
    let grid = |budget_ms: u64, intervals: &[i64], policies: &[&str], slacks: &[&str]| {
        Grid::new(budget_ms)
            .ints("interval", intervals.iter().map(|us| us * MICROSECOND))
            .words("policy", policies)
            .words("slack", slacks)
    };
    match preset {
        Preset::Quick => vec![
            grid(60, &[1_000], &["other"], SLACKS),
            grid(60, &[1_000], &["fifo"], &["none"]),
        ],
        Preset::Full => vec![
            grid(5_000, &[200, 1_000, 10_000], &["other"], SLACKS),
            grid(5_000, &[200, 1_000, 10_000], &["fifo"], &["none"]),
        ],
    }
}

struct Wakeup {
    alarm: Alarm,
    missed_before: u64,
    _policy: Held,
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
        Some(Reading {
            ops: 1,
            elapsed_ns: self.alarm.late_ns() as f64,
            floor_ns: 0.0,
            cpu: None,
            turn: None,
        })
    }

    fn tally(&mut self, _part: u16) -> Vec<f64> {
        let missed = self.alarm.missed().saturating_sub(self.missed_before);
        vec![missed as f64]
    }

    fn notes(&self) -> Vec<String> {
        match self.alarm.missed() {
            0 => Vec::new(),
            missed => vec![format!(
                "{missed} moments had passed before they were waited for"
            )],
        }
    }
}

fn setup(point: &Point, _context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let policy = match point.word("policy") {
        "fifo" => Policy::Fifo { priority: PRIORITY },
        _ => Policy::Other { nice: 0 },
    };
    let slack = (point.word("slack") == "none").then_some(1);
    let held = Held::take(policy, slack).map_err(|cause| match cause.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => SetupError::skip(
            format!("this process may not use real-time priority {PRIORITY}: {cause}"),
            format!("run as root, or: ulimit -r {PRIORITY}"),
        ),
        _ => SetupError::fail("set the scheduling policy", cause),
    })?;
    Ok(Box::new(Wakeup {
        alarm: Alarm::new(point.size("interval") as u64),
        missed_before: 0,
        _policy: held,
    }))
}

fn figures() -> Vec<FigureHead> {
    let figure = |title: &str, kind, reading: &str| FigureHead {
        title: title.to_owned(),
        x: "wake-up".to_owned(),
        y: "lateness".to_owned(),
        y_log: true,
        series: vec!["policy".to_owned(), "slack".to_owned()],
        kind,
        reading: reading.to_owned(),
        ..FigureHead::default()
    };
    vec![
        figure(
            "How late threads wake",
            FigureKind::Distribution,
            "Share of the wake-ups that are later than x: the lower right end is the worst one.",
        ),
        figure(
            "Wake-ups in their order",
            FigureKind::Sequence,
            "A worst one that comes back after as many wake-ups has a cause with a clock.",
        ),
    ]
}

fn named(point: &PointView) -> String {
    let interval = point.int("interval").unwrap_or(0) as f64 / 1e6;
    let who = match (word(point, "policy"), word(point, "slack")) {
        ("fifo", _) => "a real-time thread",
        (_, "none") => "an ordinary thread without timer slack",
        _ => "an ordinary thread",
    };
    format!("{who} that sleeps {interval} ms")
}

fn us(ns: f64) -> String {
    format!("{:.1} us", ns / 1e3)
}

fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let mut all: Vec<Finding> = table.points.iter().filter_map(lateness).collect();
    all.extend(slack(table));
    all
}

fn lateness(point: &PointView) -> Option<Finding> {
    let late = point.summary(0)?;
    let mut text = format!(
        "{} wakes {} late in the median, {} at the 99th percentile and {} at worst of {}",
        named(point),
        us(late.median),
        us(late.p99),
        us(late.max),
        late.samples
    );
    if let Some(first) = text.get_mut(0..1) {
        first.make_ascii_uppercase();
    }
    let key = format!("lateness {}", named(point)).replace([' ', '.'], "_");
    Some(stated(ID, &key, Unit::Nanoseconds, interval(late), text))
}

/// What the timer slack of an ordinary thread costs.
fn slack(table: &ExperimentTable) -> Option<Finding> {
    let of = |slack: &str| {
        let mut points = table.points.iter();
        points.find(|p| {
            word(p, "policy") == "other"
                && word(p, "slack") == slack
                && p.int("interval") == Some(1_000_000)
        })
    };
    let (default, none) = (of("default")?.summary(0)?, of("none")?.summary(0)?);
    let text = format!(
        "Timer slack makes an ordinary thread's wake-ups {} later in the median (the kernel's \
         default is 50 us; prctl PR_SET_TIMERSLACK)",
        us(default.median - none.median)
    );
    Some(said(
        ID,
        "timer_slack",
        Verdict::Stated,
        default.level.min(none.level),
        text,
    ))
}

const CLAIMS: &[Claim] = &[Claim {
    text: "an ordinary thread with timer slack wakes no earlier, in the median, than one without",
    check: |table| {
        let of = |slack: &str| {
            let mut points = table.points.iter();
            let point = points.find(|p| word(p, "policy") == "other" && word(p, "slack") == slack);
            point?.median_ns()
        };
        let (default, none) = (of("default")?, of("none")?);
        Some((default >= none, format!("{} and {}", us(default), us(none))))
    },
}];

pub static EXPERIMENT: Experiment = Experiment {
    id: "sched/wakeup",
    axes: AXES,
    parts: &[("lateness", "from the moment asked for to running again")],
    tallies: TALLIES,
    shape: |_| Shape::Single { repetitions: 5_000 },
    bytes_per_op: |_| None,
    grids,
    setup,
    figures,
    toll: |_| Vec::new(),
    claims: CLAIMS,
    findings: |table, _| findings(table),
};

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, ID, findings};
    use crate::testing::{context, int, measured, point, table, word};

    #[test]
    fn each_batch_is_one_wake_up_with_its_own_lateness() {
        let (context, _keep) = context();
        let settings = [
            int("interval", 1_000_000),
            word("policy", "other"),
            word("slack", "none"),
        ];
        let mut subject = (EXPERIMENT.setup)(&point(ID, &settings), &context).unwrap();
        subject.sampling_begins();
        for _ in 0..3 {
            subject.batch(0, 1);
            assert_eq!(subject.reading(0).unwrap().ops, 1);
            assert_eq!(subject.tally(0).len(), 1);
        }
    }

    #[test]
    fn slack_is_the_difference_of_two_threads() {
        let of = |slack: &str, ns: f64| {
            let settings = [
                int("interval", 1_000_000),
                word("policy", "other"),
                word("slack", slack),
            ];
            measured(ID, &settings, &[ns])
        };
        let all = findings(&table(ID, vec![of("default", 60e3), of("none", 8e3)]));
        assert_eq!(all.len(), 3);
        assert!(
            all[2].sentence.contains("52.0 us later"),
            "{}",
            all[2].sentence
        );
        assert!(
            all[0]
                .sentence
                .starts_with("An ordinary thread that sleeps 1 ms")
        );
    }
}
