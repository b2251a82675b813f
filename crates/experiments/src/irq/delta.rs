//! # irq/delta - Which interrupts an activity brings
//!
//! A CPU rests, computes, sleeps by fine timers, or passes bytes to another one. What
//! interrupts it in that time, and how often?
//!
//! ## Counts
//! A period: the time of a window divided by the interrupts that the measuring CPU
//! took in it, one window a sample. The tallies are what came, a second: interrupts of
//! the CPU's own timer, requests of other CPUs (to reschedule, to call a function, to
//! forget translations), devices, and softirqs by kind, all on the measuring CPU;
//! context switches are of the whole machine, because the kernel counts no others.
//! /proc/interrupts, /proc/softirqs and /proc/stat are read before a window and after
//! it. `turns` is how often the activity was done: a sleep of 1 ms; a byte to another
//! thread and back (`pipe`, and over TCP on 127.0.0.1 `loopback`); 4 KiB written and
//! brought to the storage (`files`); 16 pages mapped, touched and unmapped while a
//! thread of the same process does so on another CPU (`tlb`). Threads on the other
//! side are on the partner CPU.
//!
//! ## Does not count
//! The time that interrupts take (irq/timer), and which process they were for: what
//! the machine does apart from it is in the counts, most visibly in those of `rest`.
//!
//! ## Origin
//! A research log on workloads that share a core, 2022: differences of /proc/interrupts
//! over 10 s on two sibling CPUs under pairs of workloads, LOC near HZ and nearly all
//! others none. proc(5). The same around any command: `pontage trace interrupts --
//! COMMAND`; around any experiment: `pontage run --interrupts`.
//!
//! ## Theory
//! Nobody but the tick interrupts a CPU that computes: CONFIG_HZ times a second. One
//! that rests has its tick switched off. Each sleep by a fine timer costs an interrupt
//! of the timer, whatever HZ is. Who wakes a thread on another CPU writes to its run
//! queue, and interrupts that CPU if it does not look by itself (an idle CPU that
//! polls does): a rescheduling interrupt, hence up to one for each turn over a pipe
//! between two CPUs. Loopback traffic never meets a device, but goes through the softirq
//! NET_RX all the same. Storage answers by a device's interrupt and the softirq BLOCK,
//! on the CPU that the device's queue belongs to, which need not be the one that wrote.
//!
//! A mapping that goes must go from the translation buffers of all CPUs that run the
//! process: on x86 by interrupting them, unless the processor does it for the kernel, as
//! newer AMD ones do (INVLPGB) and ARM always does. The row CAL counts these requests
//! with all others since Linux 4.8; here they are taken out of it.

use super::WINDOWS;
use activities::Activity;
use catalogue::{AxisSpec, Experiment, Figure, Grid, MILLISECOND, Preset, Tally};
use engines::interrupts::{Counts, KINDS};
use engines::reading::of_events;
use engines::scheduler::replay::{Recorded, Replay};
use harness::interrupts::Moment;
use harness::{Context, Point, Reading, SetupError, Subject};
use record::{FigureHead, MachineCard};
use std::io;
use std::path::Path;

const ACTIVITIES: &[&str] = &[
    "rest", "compute", "sleep", "pipe", "loopback", "files", "tlb",
];

const AXES: &[AxisSpec] = &[
    AxisSpec::word(
        "activity",
        "activity of the measuring CPU, in most cases with a thread on the partner CPU",
        ACTIVITIES,
    ),
    AxisSpec::time("window", "time that is counted in"),
];

const TURNS: usize = KINDS.len();

const TALLIES: [Tally; KINDS.len() + 1] = {
    let mut all = [Tally::count("turns", "turns of the activity per second"); KINDS.len() + 1];
    let mut at = 0;
    while at < KINDS.len() {
        all[at] = Tally::count(KINDS[at].name, KINDS[at].doc);
        at += 1;
    }
    all
};

/// The metric of a tally stands behind the period.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a place in TALLIES, of which there are few"
)]
fn metric(tally: usize) -> u16 {
    tally as u16 + 1
}

fn grids(preset: Preset, _card: &MachineCard) -> Vec<Grid> {
    let window = preset.choose(20, 500) * MILLISECOND;
    let grid = Grid::new(10).words("activity", ACTIVITIES);
    vec![grid.ints("window", [window])]
}

/// What came in a window.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Window {
    elapsed_ns: f64,
    cpu: u32,
    counts: Counts,
    turns: u64,
}

impl Window {
    /// Does the activity for a window.
    fn pass(activity: &mut dyn Activity, window_ns: u64, cpu: u32) -> io::Result<Window> {
        let before = Moment::now(Path::new("/"))?;
        let turns = activity.work(window_ns)?;
        let met = before.until(&Moment::now(Path::new("/"))?, cpu);
        Ok(Window {
            elapsed_ns: met.over_ns as f64,
            cpu,
            counts: Counts::of(&met),
            turns,
        })
    }
}

impl Recorded for Window {
    fn reading(&self) -> Reading {
        // A window without any says that the period is at least that long.
        let ops = self.counts.interrupts().max(1);
        of_events(ops, self.elapsed_ns, Some(self.cpu))
    }

    fn tally(&self) -> Vec<f64> {
        // Tallies are divided by the operations, which these are not meant for.
        let ops = self.counts.interrupts().max(1) as f64;
        let counts = self.counts.0.iter().chain([&self.turns]);
        counts
            .map(|count| *count as f64 * 1e9 / self.elapsed_ns * ops)
            .collect()
    }
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let (word, window_ns) = (point.word("activity"), point.size("window") as u64);
    Moment::now(Path::new("/")).map_err(super::uncounted)?;
    let mut activity = activities::begin(word, context)?;
    let windows: io::Result<Vec<Window>> = (0..WINDOWS)
        .map(|_| Window::pass(&mut *activity, window_ns, context.test_cpu))
        .collect();
    let windows = windows.map_err(|cause| SetupError::fail(&format!("do {word}"), cause))?;
    let note = match context.partner_cpu {
        Some(cpu) => format!("partner CPU {cpu}"),
        None => "no partner CPU: both sides on one".to_owned(),
    };
    Ok(Box::new(Replay::of(windows, vec![note])))
}

fn figures() -> Vec<FigureHead> {
    let figure = |title: &str, tally| Figure::of(title, "activity", tally);
    vec![
        figure("Timer interrupts per second", "timer")
            .reading("CONFIG_HZ on a CPU that computes; each fine sleep adds one."),
        figure("Rescheduling interrupts per second", "reschedule")
            .reading("Wake-ups that other CPUs sent to this one."),
        figure(
            "Context switches of the machine per second",
            "context_switches",
        )
        .reading(
            "Two per turn of two threads that wait for each other, and more if a CPU idles in \
             between.",
        ),
    ]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[("period", "from one interrupt of the CPU to the next")],
    tallies: &TALLIES,
    shape: super::in_windows,
    grids,
    setup,
    describes: true,
    figures,
    claims: findings::CLAIMS,
    findings: |table, _| findings::findings(table),
    clock: Some("interrupts of a CPU are counted over a period of time, in one activity asleep"),
    ..Experiment::EMPTY
};

#[expect(clippy::disallowed_methods, reason = "see `clock` in the form")]
mod activities;
mod findings;
#[cfg(test)]
mod tests;
