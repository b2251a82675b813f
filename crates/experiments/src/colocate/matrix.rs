//! # colocate/matrix - Mutual slowdown of every pair of workloads
//!
//! Two tasks share what two CPUs share: a core, a cache, memory, the kernel's locks.
//! How much do two tasks slow each other down?
//!
//! ## Counts
//! Time of an operation (a load, a frame, a call) of the `victim` while `neighbour` works
//! on the neighbour's CPU, in windows of `window` ns: the victim looks at the clock after
//! each unit of its work. Windows without and with the neighbour alternate (A B B A). Each
//! starts with warm caches: right before it the victim goes once through its set, or does one
//! unit of work.
//! `slowdown` is the time of each window with it over the two without it before, so that
//! a drift of the machine affects both. A turn in which the victim lost its CPU for a tenth
//! of a millisecond or more has no slowdown, and another one is measured; what the neighbour
//! loses is not seen. On one CPU (`same_cpu`) the time is CPU time.
//! Each task is a process of its own, each result is checked, and each number comes with
//! the interrupts of both CPUs in that time. Events (`--counters`) are of the victim alone: it
//! sleeps but in its windows and right before them, so they hold these, and a wake-up and an
//! answer each.
//!
//! ## Does not count
//! The time that a task waits for its CPU, where both share one. What the neighbour
//! loses: that is the cell across the diagonal.
//!
//! ## Origin
//! Matrices of mutual slowdown as in J. Mars et al., "Bubble-Up" (MICRO 2011), and the
//! kinds of work of a research log on workloads that share a core, 2022.
//!
//! ## Theory
//! *Alone* means that the neighbouring CPU runs a pause loop: an idle CPU has to be
//! woken, is clocked differently, and a hypervisor gives it to other guests. The column
//! `spin` compares a pause loop with itself and has to be 1: its distance from 1 is the
//! error of the other columns.
//!
//! Work in registers (`alu`) shares nothing but a core. If it slows down next to itself
//! the two CPUs are threads of one core, whatever the topology says. Work that fits the
//! second-level cache is not disturbed by others under the same last level, unless that
//! is inclusive. Dependent loads in the last-level cache slow down when a neighbour
//! streams through it, for two reasons: their lines are gone, and memory is busy.
//!
//! Threads of one process (`mm=same`) also share translations. A call that unmaps a page
//! or write-protects it, as msync does, makes all CPUs that run the process drop the
//! translation, by an interrupt on x86 (`tlb`).

use super::in_windows;
use catalogue::{AxisSpec, Experiment, Figure, Grid, Preset, Tally};
use engines::crew::in_use::InUse;
use engines::placement::partner_cpu;
use engines::reading::of_events;
use engines::tasks::axes::{DEADLINE, KINDS, MM, PLACEMENT, WINDOW, host, window_ns};
use engines::tasks::corun::{CoRun, Stay};
use engines::tasks::crew::Crew;
use engines::tasks::evidence::{EVIDENCE, behind, evidence};
use engines::tasks::kinds::heads;
use engines::tasks::task::Seat;
use engines::verdict::kept;
use harness::{Context, Fault, Point, Reading, SetupError, Shape, Subject};
use record::{FigureHead, FigureKind, MachineCard};
use std::cell::RefCell;
use std::rc::Rc;
use turns::{TRIES, Turns, WINDOWS};

const AXES: &[AxisSpec] = &[
    AxisSpec::word(
        "victim",
        "the workload that is measured (pontage colocate --list)",
        KINDS,
    ),
    PLACEMENT,
    MM,
    WINDOW,
    DEADLINE,
    NEIGHBOUR.compared(),
];

const NEIGHBOUR: AxisSpec = AxisSpec::word(
    "neighbour",
    "the workload on the neighbouring CPU; spin: none, a pause loop",
    KINDS,
);

const TALLIES: [Tally; EVIDENCE.len() + 1] = behind(Tally::ratio(
    "slowdown",
    "time of an operation with the neighbour, divided by the time alone",
));
/// Metric of the ratio: behind both times and their difference.
const SLOWDOWN: u16 = EXPERIMENT.metric("slowdown");
/// Part of the windows alone.
const ALONE: u16 = EXPERIMENT.metric("alone");

/// What is measured where nothing else is asked: what people run together,
/// in memory of every level.
pub const VICTIMS: &[&str] = &[
    "alu",
    "image",
    "interpreter",
    "events",
    "tree",
    "strings",
    "graph",
    "chase_l2",
    "chase_llc",
    "memcpy",
    "clflushopt",
    "clwb",
    "msync",
    "syscall",
];
/// The neighbour that stands for none.
const PAUSE_LOOP: &str = "spin";

/// The pair that threads of one core slow down: work in registers next to itself.
const IN_REGISTERS: (&str, &str) = ("alu", "alu");

fn grid(card: &MachineCard, victims: &[&str], neighbour: &[&str], window_ms: i64) -> Grid {
    let grid = Grid::new(300).words("victim", victims);
    in_windows(grid, card, window_ms).words("neighbour", neighbour)
}

fn grids(preset: Preset, card: &MachineCard) -> Vec<Grid> {
    match preset {
        // What the two CPUs share, and no more.
        Preset::Quick => vec![
            grid(card, &[IN_REGISTERS.0], &[IN_REGISTERS.1], 3),
            grid(card, &["chase_llc"], &["memcpy"], 3),
        ],
        Preset::Full => {
            let victims: Vec<&str> = VICTIMS.iter().map(|word| here(card, word)).collect();
            let neighbour: Vec<&str> = std::iter::once(PAUSE_LOOP).chain(victims.clone()).collect();
            vec![grid(card, &victims, &neighbour, 7)]
        }
    }
}

/// The instructions of this architecture in the place of those of x86.
fn here(card: &MachineCard, word: &'static str) -> &'static str {
    match (card.arch.as_str(), word) {
        ("aarch64", "clflushopt") => "dc_cvac",
        ("aarch64", "clwb") => "dc_cvap",
        _ => word,
    }
}

thread_local! {
    /// The tasks of a victim's row.
    static ROW: InUse<String, RefCell<Crew>> = const { InUse::none() };
}

struct MatrixCell {
    crew: Rc<RefCell<Crew>>,
    /// With the neighbour, and alone.
    coruns: [CoRun; 2],
    ops_per_unit: u64,
    window_ns: u64,
    /// Tasks share a CPU: their time is the CPU's.
    of_cpu: bool,
    last: Stay,
    turns: Turns,
    failed: Option<Fault>,
    notes: Vec<String>,
}

impl MatrixCell {
    fn op_ns(&self) -> f64 {
        self.last.op_ns(self.ops_per_unit, self.of_cpu)
    }
}

impl Subject for MatrixCell {
    fn batch(&mut self, part: u16, _ops: u64) {
        if self.failed.is_some() {
            return;
        }
        let tasks = &mut self.crew.borrow_mut().tasks;
        match self.coruns[usize::from(part)].stay(tasks, self.window_ns) {
            Ok(stay) => self.last = stay,
            Err(why) => self.failed = Some(why),
        }
    }

    fn sampling_begins(&mut self) {
        self.turns.begin();
    }

    fn has_enough(&self) -> bool {
        self.turns.are_enough()
    }

    fn reading(&mut self, part: u16) -> Option<Reading> {
        let op_ns = self.op_ns();
        self.turns.ended(part, op_ns, self.last.window.longest_ns);
        let ops = self.last.ops(self.ops_per_unit);
        let elapsed_ns = op_ns * ops as f64;
        Some(of_events(ops, elapsed_ns, Some(self.coruns[0].cpus.0)))
    }

    fn tally(&mut self, part: u16) -> Vec<f64> {
        // Tallies are divided by the operations, which these are not meant for.
        let ops = self.last.ops(self.ops_per_unit) as f64;
        let mut all = vec![self.turns.slowdown()];
        if part != ALONE {
            all.extend(evidence(&self.last));
        }
        all.iter().map(|value| value * ops).collect()
    }

    fn verify(&mut self) -> Result<(), Fault> {
        kept(self.failed.as_ref())?;
        let tasks = &mut self.crew.borrow_mut().tasks;
        let tenants = &self.coruns[0];
        tasks[tenants.measured].verify()?;
        let mut others = tenants.others.iter();
        others.try_for_each(|at| tasks[*at].verify())
    }

    fn counted_threads(&self) -> Vec<u32> {
        let measured = self.coruns[0].measured;
        let thread = self.crew.borrow().tasks[measured].counted();
        thread.into_iter().collect()
    }

    /// This thread only asks and waits. The task sleeps but in its windows.
    fn counted_alone(&self) -> bool {
        true
    }

    fn notes(&self) -> Vec<String> {
        let unwatched = self.crew.borrow().unwatched();
        self.notes.iter().cloned().chain(unwatched).collect()
    }
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    if context.measured.in_numbers().is_some() {
        return in_numbers::setup(point, context);
    }
    let placement = point.word("placement");
    let here = context.test_cpu;
    let there = partner_cpu(placement, context)?;
    let shared = here == there;
    let seat = |number, cpu| Seat {
        number,
        cpu,
        host: host(point),
        shared,
    };
    let empty = || Ok::<_, SetupError>(RefCell::new(Crew::of(point)));
    let row = ROW.with(|row| row.across(point, "neighbour", empty))?;
    let mut crew = row.borrow_mut();
    let measured = crew.member(point.word("victim"), seat(0, here), context)?;
    let idle = match shared {
        true => None,
        false => Some(crew.member(PAUSE_LOOP, seat(1, there), context)?),
    };
    let neighbour = match (point.word("neighbour"), idle) {
        (PAUSE_LOOP, idle) => idle,
        (word, _) => Some(crew.member(word, seat(1, there), context)?),
    };
    let mut notes = Vec::new();
    for at in [Some(measured), idle, neighbour].into_iter().flatten() {
        notes.push(crew.ready(at)?);
    }
    notes.retain(|note| !note.is_empty());
    notes.push(format!("measured on CPU {here}, neighbour on CPU {there}"));
    let kind = crew.kind(measured);
    let with = |others: Option<usize>| CoRun {
        measured,
        others: others.into_iter().collect(),
        cpus: (here, there),
    };
    let subject = MatrixCell {
        ops_per_unit: kind.ops_per_unit,
        coruns: [with(neighbour), with(idle)],
        window_ns: window_ns(point, shared),
        of_cpu: shared,
        last: Stay::default(),
        turns: Turns::new(shared),
        failed: None,
        notes,
        crew: Rc::clone(&row),
    };
    drop(crew);
    Ok(Box::new(subject))
}

fn figures() -> Vec<FigureHead> {
    let title = "Slowdown of the row's workload next to the column's";
    let figure = Figure::of(title, "neighbour", "slowdown").series(&["victim"]);
    vec![figure.kind(FigureKind::Matrix).reading(
        "1: the neighbour has no effect; orange: slower with it. A dark row is a workload that \
         every neighbour slows down; a dark column is a neighbour that slows down every workload. \
         The column spin is no neighbour: it shows the error.",
    )]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[
        ("time", "time of an operation with the neighbour"),
        ("alone", "time of an operation next to a CPU that spins"),
    ],
    tallies: &TALLIES,
    shape: |_| Shape::Single {
        repetitions: TRIES * WINDOWS,
    },
    grids,
    setup,
    figures,
    claims: findings::CLAIMS,
    findings: findings::findings,
    answers: findings::answers,
    kinds: heads,
    ..Experiment::EMPTY
};

mod findings;
mod in_numbers;
#[cfg(test)]
mod tests;
mod turns;
