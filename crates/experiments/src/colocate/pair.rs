//! # colocate/pair - Pair like workloads on a core, or mix them?
//!
//! Some tasks of one kind and some of another have to be placed on CPUs that share a
//! core or a cache. Is it better to pair like with like, or to mix the kinds?
//!
//! ## Counts
//! Time of an operation of one task, the `member`, next to a neighbour of its own kind
//! (`pairing=homogeneous`) or of the other (`mixed`). All `a_tasks` + `b_tasks` run in
//! both cases, each in a process of its own: the measured one and its neighbour on the
//! CPUs that `placement` names, the rest on cores of their own. Only the placement
//! changes. With one task of each kind no other task runs, and homogeneous means two of
//! the kind. Homogeneous and mixed windows alternate (A B B A). `speedup` is the time of
//! the homogeneous window just before over that of each mixed one; where a turn begins
//! with the mixed one, a homogeneous window that is not recorded goes before it. Each
//! number comes with the interrupts of both CPUs. On one CPU (`same_cpu`) the time is
//! CPU time. Events (`--counters`) are of the measured task alone, in its windows.
//!
//! ## Does not count
//! The loss of the tasks that are not measured: they may pay for a mixture that is good
//! for both members. `colocate/matrix` has every pair alone.
//!
//! ## Origin
//! A research log on workloads that share a core, 2022: perlbench, mcf, omnetpp and
//! xalancbmk next to vector code and writers to persistent memory, 2 and 2 tasks and 6
//! and 6, the measured one on core 2 and its neighbour on the sibling 34. Gains are
//! its: (before - after) / before of seconds, (after - before) / before of frames a
//! second. `pontage colocate` lays them out as its table does.
//!
//! ## Theory
//! Two threads of a core share its execution units, first and second-level caches and
//! translation buffers. Tasks of one kind need the same of these at the same time; work
//! that waits for memory leaves the units to work that computes. So mixing helps where
//! the two kinds need different resources. The gain of one is often the loss of the
//! other: what counts is the sum. A log that compared clflush and msync found +10 % for
//! the writer, and a loss for the other only where the writer went through the kernel.
//! The log suspected interrupts; they were not the reason. They are recorded here with
//! each number, so that this can be checked.

use super::in_windows;
use catalogue::{AxisSpec, Experiment, Figure, Grid, Preset, Tally};
use engines::tasks::axes::{DEADLINE, KINDS, MM, PLACEMENT, WINDOW};
use engines::tasks::evidence::{EVIDENCE, behind};
use engines::tasks::kinds::heads;
use harness::{Point, Shape};
use record::{FigureHead, FigureKind, MachineCard, Unit};

const AXES: &[AxisSpec] = &[
    AxisSpec::word("a", "the first workload (pontage colocate --list)", KINDS),
    AxisSpec::word("b", "the other kind", KINDS),
    AxisSpec::number("a_tasks", Unit::Count, "tasks of kind a"),
    AxisSpec::number("b_tasks", Unit::Count, "tasks of kind b"),
    PLACEMENT,
    MM,
    WINDOW,
    DEADLINE,
    AxisSpec::word("member", "the workload that is measured", MEMBERS).compared(),
    AxisSpec::word(
        "pairing",
        "its neighbour is of the same kind (homogeneous) or of the other (mixed)",
        COMPANIES,
    )
    .compared(),
];
const MEMBERS: &[&str] = &["a", "b"];
const COMPANIES: &[&str] = &["homogeneous", "mixed"];

const TALLIES: [Tally; EVIDENCE.len() + 1] = behind(Tally::ratio(
    "speedup",
    "time of an operation next to the same kind, divided by that next to the other; above 1 \
     mixing helps",
));
/// Metric of the ratio: behind the time.
pub const SPEEDUP: u16 = EXPERIMENT.metric("speedup");

/// Windows of each point. With so many the fourth from both ends bound the median
/// with 96 %.
const WINDOWS: u32 = 15;

fn grid(card: &MachineCard, (a, b): (&[&str], &[&str]), tasks: i64, window_ms: i64) -> Grid {
    let grid = Grid::new(100).words("a", a).words("b", b);
    let grid = grid.ints("a_tasks", [tasks]).ints("b_tasks", [tasks]);
    in_windows(grid, card, window_ms)
        .words("member", MEMBERS)
        .words("pairing", COMPANIES)
}

fn grids(preset: Preset, card: &MachineCard) -> Vec<Grid> {
    match preset {
        Preset::Quick => Vec::new(),
        Preset::Full => {
            let tasks: &[i64] = if card.cpus < 4 { &[1] } else { &[1, 2, 6] };
            let of = |n: &i64| grid(card, (FIRST, SECOND), *n, 20);
            tasks.iter().map(of).collect()
        }
    }
}

/// As in the log: vector code and synchronising writers next to integer programs.
const FIRST: &[&str] = &["image", "msync"];
const SECOND: &[&str] = &["strings", "graph", "events", "tree"];

fn figures() -> Vec<FigureHead> {
    let figure = |member, title: &str| {
        let figure = Figure::of(title, "b", "speedup").series(&["a"]);
        let figure = figure.only(&[("member", member), ("pairing", "mixed")]);
        figure.kind(FigureKind::Matrix).reading(
            "Above 1 (orange): it runs faster next to the other kind than next to its own.",
        )
    };
    vec![
        figure("a", "Effect of mixing on the row's workload (a)"),
        figure("b", "Effect of mixing on the column's workload (b)"),
    ]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[(
        "time",
        "time of an operation of the measured workload with this neighbour",
    )],
    tallies: &TALLIES,
    shape: |_: &Point| Shape::Single {
        repetitions: WINDOWS,
    },
    grids,
    setup: stage::setup,
    figures,
    findings: |table, _| findings::findings(table),
    kinds: heads,
    ..Experiment::EMPTY
};

pub mod findings;
mod stage;
#[cfg(test)]
mod tests;
