//! # sched/slice - How long a task keeps a CPU that another one wants
//!
//! Two tasks or more want the same CPU. How long does each run before another one
//! does, under which policy and rank, and does it stop because it sleeps or because
//! the CPU is taken from it?
//!
//! ## Counts
//! A slice: the time from a task's getting the CPU to its losing it, one sample
//! each, in the order in which they happened. Child processes, as many as `rank` has
//! numbers, begin at the same moment on one CPU, compute (matrix products) or write
//! and read a file (with fdatasync) or do either by turns (`mixed`: the first one
//! computes), and run for `length`. `wait` is the time since the task's slice
//! before; `taken_away` is 1 where the CPU was taken from it and 0 where it went to
//! sleep; `turn` is what the task had until another one of them had the CPU. The tasks see their slices themselves: they look at the clock several
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
//! Deadline tasks may not be bound to a CPU: they share CPUs only where there are more
//! of them than CPUs (`4/10 ms x 4` on a machine with two).
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
//! wait, and in as many parts as they need: the parts of a period add up to the 50 ms. So a lone FIFO task may have a gap once a second, and "two FIFO tasks of
//! equal rank alternate" is either this, or one of them sleeping: the 2015 laboratory
//! saw it and had no explanation.
//!
//! A deadline task has its runtime in each of its periods and no more: it computes for
//! 4 ms and is then kept from the CPU until its next period, even if no other task wants
//! it (the constant bandwidth server). Where several are runnable, the one whose
//! deadline is next goes first.
//!
//! Tasks that wait for storage sleep soon, so their slices are short whatever the
//! policy; what the policy decides is who goes on first when both are awake.

use catalogue::{AxisSpec, Experiment, Figure, Grid, MILLISECOND, Preset, Tally};
use harness::Shape;
use record::{FigureHead, FigureKind, MachineCard};

const WORKLOADS: &[&str] = &["compute", "files", "mixed"];
const POLICIES: &[&str] = &["other", "batch", "rr", "fifo", "deadline"];
const RANKS: &[&str] = &[
    "0/0",
    "0/5",
    "0/10",
    "0/0/0/0",
    "90/90",
    "90/45",
    "90/90/90/90",
    "4/10 ms",
    "4/10 ms x 4",
];
const TASKS: &[&str] = &["first", "second", "third", "fourth"];
const SOURCES: &[&str] = &["gaps", "trace"];

const AXES: &[AxisSpec] = &[
    AxisSpec::word(
        "workload",
        "compute: matrix products; files: writes a file, waits for the storage, reads it; \
         mixed: the first and third task compute, the others use files",
        WORKLOADS,
    ),
    AxisSpec::word(
        "policy",
        "scheduling policy of all tasks, sched(7)",
        POLICIES,
    ),
    AxisSpec::word(
        "rank",
        "of the first, the second and any further task: nice levels, real-time priorities; or \
         runtime and period of each of two (x 4: of four) deadline tasks",
        RANKS,
    ),
    AxisSpec::time("length", "how long the tasks run"),
    AxisSpec::word(
        "source",
        "gaps: observed by the tasks themselves; trace: the kernel's switch events (sched_switch)",
        SOURCES,
    ),
    AxisSpec::word("task", "which of them", TASKS).compared(),
];

const TALLIES: &[Tally] = &[
    Tally::time("wait", "time since the end of the task's previous slice"),
    Tally::ratio(
        "taken_away",
        "1: the task was preempted; 0: it went to sleep",
    ),
    Tally::time(
        "turn",
        "CPU time of the task between two slices of other tasks of the experiment, whatever ran \
         in between",
    ),
    Tally::time("nominal", "slice of this policy according to the kernel"),
    Tally::time(
        "spared",
        "part of each period that the kernel withholds from real-time tasks (sched_rt_runtime_us \
         of sched_rt_period_us)",
    ),
    Tally::time("rt_period", "that period (sched_rt_period_us)"),
];
/// Metrics behind the slice itself.
const WAIT: u16 = EXPERIMENT.metric("wait");
const TAKEN_AWAY: u16 = EXPERIMENT.metric("taken_away");
const TURN: u16 = EXPERIMENT.metric("turn");
const NOMINAL: u16 = EXPERIMENT.metric("nominal");
const SPARED: u16 = EXPERIMENT.metric("spared");
const RT_PERIOD: u16 = EXPERIMENT.metric("rt_period");

fn grid(
    workloads: &[&str],
    policies: &[&str],
    ranks: &[&str],
    sources: &[&str],
    length_ms: i64,
) -> Grid {
    let is_of_four = |r: &&str| r.matches('/').count() == 3 || r.ends_with("x 4");
    let four = ranks.iter().any(is_of_four);
    Grid::new(10)
        .words("workload", workloads)
        .words("policy", policies)
        .words("rank", ranks)
        .ints("length", [length_ms * MILLISECOND])
        .words("source", sources)
        .words("task", if four { TASKS } else { &TASKS[..2] })
}

fn grids(preset: Preset, _card: &MachineCard) -> Vec<Grid> {
    let (gaps, real_time) = (&SOURCES[..1], &["rr", "fifo"]);
    let long =
        |workloads, policies: &[&str], ranks| grid(workloads, policies, ranks, SOURCES, 2000);
    match preset {
        Preset::Quick => vec![
            grid(&["compute"], &["other"], &["0/0"], gaps, 100),
            grid(&["compute"], &["rr"], &["90/90"], gaps, 220),
        ],
        Preset::Full => vec![
            long(WORKLOADS, &["other"], &["0/0", "0/5", "0/10"]),
            long(WORKLOADS, &["other"], &["0/0/0/0"]),
            long(WORKLOADS, &["batch"], &["0/0"]),
            long(WORKLOADS, real_time, &["90/90", "90/45"]),
            long(WORKLOADS, real_time, &["90/90/90/90"]),
            long(&["compute"], &["deadline"], &["4/10 ms"]),
            long(&["compute"], &["deadline"], &["4/10 ms x 4"]),
        ],
    }
}

fn figures() -> Vec<FigureHead> {
    let figure = |title: &str, policy: &str| {
        let settings = [
            ("policy", policy),
            ("workload", "compute"),
            ("source", "gaps"),
        ];
        let figure = Figure::of(title, "switch", "slice");
        figure.series(&["task"]).only(&settings)
    };
    let each = POLICIES.iter().map(|policy| {
        let figure = figure(&format!("Slices of computing tasks, {policy}"), policy);
        let reading = "Each mark is one slice, in order of time.";
        figure.kind(FigureKind::Sequence).reading(reading)
    });
    let fair = figure("Slices under the fair scheduler", "other");
    let fair = fair.kind(FigureKind::Distribution);
    let fair = fair.reading("Share of the slices that are longer than x.");
    each.chain([fair]).collect()
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[("slice", "time from being switched in to being switched out")],
    tallies: TALLIES,
    shape: |point| Shape::Recorded {
        lasts_ns: point.size("length") as u64,
    },
    grids,
    setup: subject::setup,
    describes: true,
    figures,
    claims: findings::CLAIMS,
    findings: |table, _| findings::findings(table),
    answers: findings::answers,
    ..Experiment::EMPTY
};

mod findings;
mod subject;
#[cfg(test)]
mod tests;
