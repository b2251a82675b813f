//! # colocate/pair - Equals beside each other, or mixed
//!
//! Some tasks of one kind and some of another have to be put on cores that share
//! something. Is it better to put equals beside each other, or to mix them?
//!
//! ## Counts
//! Time of an operation of one task, the `member`, beside a neighbour of its own kind
//! (`company=homogeneous`) or of the other (`mixed`). All `a_tasks` + `b_tasks` are there
//! both times, each in a process of its own: the measured one and its neighbour where
//! `placement` says, the rest on cores of their own; only who sits where changes. With
//! one task of each kind there is nobody else, and homogeneous means two of the kind.
//! Windows in both companies take turns (A B B A), and `speedup` is the homogeneous one
//! just before over each mixed one; where the turn has the mixed one first, one that is
//! not kept goes before it. Beside each stands what interrupted both CPUs. On one CPU
//! (`same_cpu`) the time is CPU time.
//!
//! ## Does not count
//! What those lose who are not measured: a mixture that is good for both members may
//! be paid by the rest. `colocate/matrix` has every pair alone.
//!
//! ## Origin
//! A research log on workloads that share a core, 2022: perlbench, mcf, omnetpp and
//! xalancbmk beside vector code and writers to persistent memory, 2 and 2 tasks and 6
//! and 6, the measured one on core 2 and its neighbour on the sibling 34. Gains are
//! its: (before - after) / before of seconds, (after - before) / before of frames a
//! second. `pontage colocate` lays them out as its table does.
//!
//! ## Theory
//! Two threads of a core share its execution units, first and second-level caches and
//! translation buffers. Equals want the same of them at the same time; work that waits
//! for memory leaves the units to work that computes. So mixing helps where the two
//! need different things, and the gain of one is often the loss of the other: what
//! counts is the sum. A log that compared clflush and msync found +10 % for the one who
//! writes and a loss for the other only where the writer went through the kernel; the
//! interrupts, which it suspected, were not the reason: they stand here beside each
//! number, so that it need not be asked twice.

use super::in_windows;
use catalogue::{AxisSpec, Experiment, Figure, Grid, Preset, Tally};
use engines::tasks::axes::{DEADLINE, KINDS, MM, PLACEMENT, WINDOW};
use engines::tasks::evidence::{EVIDENCE, behind};
use engines::tasks::kinds::heads;
use harness::{Point, Shape};
use record::{FigureHead, FigureKind, MachineCard, Unit};

const AXES: &[AxisSpec] = &[
    AxisSpec::word("a", "one kind of work (pontage colocate --list)", KINDS),
    AxisSpec::word("b", "the other kind", KINDS),
    AxisSpec::number("a_tasks", Unit::Count, "tasks of kind a"),
    AxisSpec::number("b_tasks", Unit::Count, "tasks of kind b"),
    PLACEMENT,
    MM,
    WINDOW,
    DEADLINE,
    AxisSpec::word("member", "who is measured", MEMBERS).compared(),
    AxisSpec::word(
        "company",
        "its neighbour is of its own kind (homogeneous) or of the other (mixed)",
        COMPANIES,
    )
    .compared(),
];
const MEMBERS: &[&str] = &["a", "b"];
const COMPANIES: &[&str] = &["homogeneous", "mixed"];

const TALLIES: [Tally; EVIDENCE.len() + 1] = behind(Tally::ratio(
    "speedup",
    "time of an operation in homogeneous company over that in mixed; above 1 mixing helps",
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
        .words("company", COMPANIES)
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

/// As in the log: vector code and synchronising writers beside integer programs.
const FIRST: &[&str] = &["image", "msync"];
const SECOND: &[&str] = &["strings", "graph", "events", "tree"];

fn figures() -> Vec<FigureHead> {
    let figure = |member, title: &str| {
        let figure = Figure::of(title, "b", "speedup").series(&["a"]);
        let figure = figure.only(&[("member", member), ("company", "mixed")]);
        figure.kind(FigureKind::Matrix).reading(
            "Above 1 (orange): it works faster next to the other kind than next to its own.",
        )
    };
    vec![
        figure("a", "What mixing does for the row's work (a)"),
        figure("b", "What mixing does for the column's work (b)"),
    ]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[("time", "time of an operation of the member in this company")],
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
