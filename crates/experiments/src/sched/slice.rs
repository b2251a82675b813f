//! # sched/slice - How long a task keeps a CPU that another one wants
//!
//! Two tasks want the same CPU. How long does each run before the other one does,
//! under which policy and rank, and does it stop because it sleeps or because the
//! CPU is taken from it?
//!
//! ## Counts
//! A slice: the time from a task's getting the CPU to its losing it, one sample
//! each, in the order in which they happened. Two child processes begin at the same
//! moment on one CPU, compute (matrix products) or write and read a file (with
//! fdatasync), and run for `length`. `wait` is the time since the task's slice
//! before; `taken_away` is 1 where the CPU was taken from it and 0 where it went to
//! sleep; `turn` is what the task had until the other one of the two had the CPU. The tasks see their slices themselves: they look at the clock several
//! times a microsecond, and where a look comes more than 5 us late and the kernel
//! has counted a switch meanwhile (getrusage), the slice before has ended. That is
//! `source=gaps`. With `source=trace` slices are from switch to switch as the kernel
//! recorded them (sched_switch, in a tracefs instance of our own); recording adds
//! about a microsecond to each switch.
//!
//! ## Does not count
//! The switch itself, and interrupts in a slice that end in the same task. Switches
//! of tasks that are not ours (a kernel thread for some microseconds) end a slice as
//! any other does. A call of the kernel that sleeps counts as wait from its begin to
//! its end, with what it computes before. The slice that the end of the run cuts is
//! left out, unless it is the only one: then it is the sample, and the point says so.
//! Deadline tasks may not be bound to a CPU: with several CPUs they do not share one.
//!
//! ## Origin
//! The scheduler laboratory of the ARM-Linux course of NCKU, 2015: two tasks by
//! `chrt -f 90` and `chrt -r 90`, priorities 90/90 and 90/45, computing and with
//! files; slice length over the number of the switch. sched(7), sched_setattr(2).
//!
//! ## Theory
//! Under SCHED_RR equals take turns of sched_rr_timeslice_ms (100 ms by default);
//! under SCHED_FIFO the first keeps the CPU until it sleeps, and so does the higher
//! of two ranks under both. A fair scheduler (CFS until Linux 6.5, EEVDF since) cuts
//! time by weight: equal nice levels get equal shares, and each level is a factor of
//! about 1.25; slices are near the base slice, some milliseconds, and end at a
//! timer tick. Weights show in the number of slices, in their lengths, or both,
//! depending on the kernel.
//!
//! A kernel does not let real-time tasks have a CPU alone for ever: what
//! sched_rt_runtime_us leaves of each sched_rt_period_us (50 ms of a second) goes to
//! ordinary tasks. Since Linux 6.12 a deadline server gives it to them only when some
//! wait. So a lone FIFO task may have a gap once a second, and "two FIFO tasks of
//! equal rank alternate" is either this, or one of them sleeping: the 2015 laboratory
//! saw it and had no explanation.
//!
//! Tasks that wait for storage sleep soon, so their slices are short whatever the
//! policy; what the policy decides is who goes on first when both are awake.

use crate::experiment::{Experiment, Preset, Tally};
use crate::grid::{AxisSpec, Grid, only};
use crate::scene::kernel_told::Told;
use crate::scene::play::{Played, Script, play};
use crate::scene::policy::Policy;
use crate::scene::traced::play_traced;
use crate::scene::turns::{Taken, whole};
use harness::{Context, Point, Reading, SetupError, Shape, Subject};
use record::{FigureHead, FigureKind, MachineCard, Unit};
use std::cell::RefCell;
use std::path::Path;
use std::rc::{Rc, Weak};

const ID: &str = "sched/slice";

const WORKLOADS: &[&str] = &["compute", "files"];
const POLICIES: &[&str] = &["other", "batch", "rr", "fifo", "deadline"];
const RANKS: &[&str] = &["0/0", "0/5", "0/10", "90/90", "90/45", "4/10 ms"];
const TASKS: &[&str] = &["first", "second"];
const SOURCES: &[&str] = &["gaps", "trace"];

const fn words(
    name: &'static str,
    doc: &'static str,
    words: &'static [&'static str],
    compared: bool,
) -> AxisSpec {
    AxisSpec {
        name,
        unit: Unit::Word,
        doc,
        words,
        compared,
    }
}

const AXES: &[AxisSpec] = &[
    words(
        "workload",
        "compute: matrix products; files: writes a file, waits for the storage, reads it",
        WORKLOADS,
        false,
    ),
    words(
        "policy",
        "scheduling policy of both tasks, sched(7)",
        POLICIES,
        false,
    ),
    words(
        "rank",
        "of the first and the second task: nice levels, real-time priorities, or runtime and \
         period of deadline tasks",
        RANKS,
        false,
    ),
    AxisSpec {
        name: "length",
        unit: Unit::Nanoseconds,
        doc: "how long both tasks run",
        words: &[],
        compared: false,
    },
    words(
        "source",
        "gaps: seen by the tasks themselves; trace: the kernel's own switches (sched_switch)",
        SOURCES,
        false,
    ),
    words("task", "which of the two", TASKS, true),
];

const TALLIES: &[Tally] = &[
    Tally {
        name: "wait",
        unit: Unit::Nanoseconds,
        doc: "time since the end of the task's slice before",
    },
    Tally {
        name: "taken_away",
        unit: Unit::Ratio,
        doc: "1: the CPU was taken from the task; 0: it went to sleep",
    },
    Tally {
        name: "turn",
        unit: Unit::Nanoseconds,
        doc: "CPU time of the task from the other one's slice to the other one's next, whoever \
              else had the CPU in between",
    },
    Tally {
        name: "told",
        unit: Unit::Nanoseconds,
        doc: "slice that the kernel says tasks of this policy have",
    },
];
/// Metrics behind the slice itself.
const TAKEN_AWAY: u16 = 2;
const TURN: u16 = 3;
const TOLD: u16 = 4;

const MILLISECOND: i64 = 1_000_000;

fn grids(preset: Preset, _card: &MachineCard) -> Vec<Grid> {
    let grid = |workloads: &[&str],
                policies: &[&str],
                ranks: &[&str],
                sources: &[&str],
                length_ms: i64| {
        Grid::new(10)
            .words("workload", workloads)
            .words("policy", policies)
            .words("rank", ranks)
            .ints("length", [length_ms * MILLISECOND])
            .words("source", sources)
            .words("task", TASKS)
    };
    match preset {
        Preset::Quick => vec![
            grid(&["compute"], &["other"], &["0/0"], &SOURCES[..1], 100),
            grid(&["compute"], &["rr"], &["90/90"], &SOURCES[..1], 220),
        ],
        Preset::Full => vec![
            grid(
                WORKLOADS,
                &["other"],
                &["0/0", "0/5", "0/10"],
                SOURCES,
                2000,
            ),
            grid(WORKLOADS, &["batch"], &["0/0"], SOURCES, 2000),
            grid(
                WORKLOADS,
                &["rr", "fifo"],
                &["90/90", "90/45"],
                SOURCES,
                2000,
            ),
            grid(&["compute"], &["deadline"], &["4/10 ms"], SOURCES, 2000),
        ],
    }
}

/// What both tasks of a scene left, and what the kernel says.
struct Scene {
    script: Script,
    played: Vec<Played>,
    notes: Vec<String>,
    told_ns: Option<u64>,
}

thread_local! {
    static LAST: RefCell<Option<(String, Weak<Scene>)>> = const { RefCell::new(None) };
}

/// The tasks of a block are of one scene; whoever comes first plays it.
fn scene(point: &Point, context: &Context) -> Result<Rc<Scene>, SetupError> {
    let key: Vec<String> = point
        .settings
        .iter()
        .filter(|s| s.axis != "task")
        .map(|s| s.value.to_string())
        .collect();
    let key = key.join(" ");
    let last = LAST.with_borrow(|last| {
        let (of, scene) = last.as_ref()?;
        (*of == key).then(|| scene.upgrade())?
    });
    if let Some(scene) = last {
        return Ok(scene);
    }
    let scene = Rc::new(Scene::play(point, context)?);
    LAST.set(Some((key, Rc::downgrade(&scene))));
    Ok(scene)
}

impl Scene {
    fn play(point: &Point, context: &Context) -> Result<Scene, SetupError> {
        let (policy, rank) = (point.word("policy"), point.word("rank"));
        let policies = Policy::pair(policy, rank).ok_or_else(|| {
            SetupError::Fail(format!("policy {policy} has no ranks like {rank:?}"))
        })?;
        let script = Script {
            files: point.word("workload") == "files",
            policies: policies.to_vec(),
            // Not where this process waits, if it can be helped.
            cpu: context.partner_cpu.unwrap_or(context.test_cpu),
            length_ns: point.size("length") as u64,
        };
        let traced = point.word("source") == "trace";
        let played = match traced {
            true => play_traced(&script, context)?,
            false => play(&script, context)?,
        };
        let told = Told::read(Path::new("/"));
        let mut notes = vec![
            match traced {
                true => "slices from the kernel's sched_switch events, own tracefs instance",
                false => "slices by gaps that the tasks saw themselves, without tracing",
            }
            .to_owned(),
            match policies[0].is_bound() {
                true => format!("both tasks on CPU {}", script.cpu),
                false => "deadline tasks may not be bound: on any CPU".to_owned(),
            },
        ];
        notes.extend(told.sentence(policy));
        Ok(Scene {
            told_ns: match policy {
                "rr" => told.rr_slice_ns,
                "other" | "batch" => told.fair_slice_ns,
                _ => None,
            },
            script,
            played,
            notes,
        })
    }
}

/// One task's slices, handed out one by one.
struct Slices {
    scene: Rc<Scene>,
    task: usize,
    whole: Vec<Taken>,
    /// The only slice, which the end of the run cut.
    cut: bool,
    next: usize,
}

impl Subject for Slices {
    fn batch(&mut self, _part: u16, _ops: u64) {
        self.next += 1;
    }

    fn sampling_begins(&mut self) {
        self.next = 0;
    }

    fn recorded(&self) -> Option<u32> {
        u32::try_from(self.whole.len()).ok()
    }

    fn reading(&mut self, _part: u16) -> Option<Reading> {
        let slice = self.whole.get(self.next.checked_sub(1)?)?;
        let bound = self.scene.script.policies[self.task].is_bound();
        Some(Reading {
            ops: 1,
            elapsed_ns: slice.length_ns as f64,
            floor_ns: 0.0,
            cpu: bound
                .then(|| u16::try_from(self.scene.script.cpu).ok())
                .flatten(),
            turn: None,
        })
    }

    fn tally(&mut self, _part: u16) -> Vec<f64> {
        let slice = self.next.checked_sub(1).and_then(|at| self.whole.get(at));
        let Some(slice) = slice else {
            return vec![f64::NAN; TALLIES.len()];
        };
        let taken_away = match self.cut {
            true => f64::NAN,
            false => f64::from(u8::from(slice.taken_away)),
        };
        vec![
            slice.wait_ns.map_or(f64::NAN, |ns| ns as f64),
            taken_away,
            slice.turn_ns.map_or(f64::NAN, |ns| ns as f64),
            self.scene.told_ns.map_or(f64::NAN, |ns| ns as f64),
        ]
    }

    fn notes(&self) -> Vec<String> {
        let played = &self.scene.played[self.task];
        let mut notes = self.scene.notes.clone();
        if self.cut {
            notes
                .push("it kept the CPU to the end of the run, which cut its only slice".to_owned());
        }
        if played.dropped > 0 {
            notes.push(format!(
                "{} slices had no room and are missing",
                played.dropped
            ));
        }
        let (count, ns) = played.interruptions;
        if count > 0 {
            notes.push(format!(
                "{count} interruptions of more than 5 us without a switch, {:.1} ms in all",
                ns as f64 / 1e6
            ));
        }
        notes
    }
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let scene = scene(point, context)?;
    let task = TASKS
        .iter()
        .position(|t| *t == point.word("task"))
        .unwrap_or(0);
    let other = &scene.played[1 - task].slices;
    let (whole, cut) = whole(&scene.played[task].slices, other);
    Ok(Box::new(Slices {
        scene,
        task,
        whole,
        cut,
        next: 0,
    }))
}

fn figures() -> Vec<FigureHead> {
    let figure = |title: String, policy: &str, kind: FigureKind| FigureHead {
        title,
        x: "switch".to_owned(),
        y: "slice".to_owned(),
        series: vec!["task".to_owned()],
        only: only(&[
            ("policy", policy),
            ("workload", "compute"),
            ("source", "gaps"),
        ]),
        kind,
        reading: match kind {
            FigureKind::Distribution => "Share of the slices that are longer than x.",
            _ => "Each mark is one slice, in the order in which the task had them.",
        }
        .to_owned(),
        ..FigureHead::default()
    };
    let mut all = Vec::new();
    for policy in POLICIES {
        all.push(figure(
            format!("Slices of two computing tasks, {policy}"),
            policy,
            FigureKind::Sequence,
        ));
    }
    all.push(figure(
        "Slices under the fair scheduler".to_owned(),
        "other",
        FigureKind::Distribution,
    ));
    all
}

pub static EXPERIMENT: Experiment = Experiment {
    id: "sched/slice",
    axes: AXES,
    parts: &[("slice", "time from getting the CPU to losing it")],
    tallies: TALLIES,
    shape: |_| Shape::Single { repetitions: 1 },
    bytes_per_op: |_| None,
    grids,
    setup,
    figures,
    toll: |_| Vec::new(),
    claims: findings::CLAIMS,
    findings: |table, _| findings::findings(table),
};

mod findings;
#[cfg(test)]
mod tests;
