//! All analyses of a capture, from one pass.

use super::functions::{FunctionRow, Profile};
use super::idle::{Idle, IdleSum};
use super::interrupts::Interrupts;
use super::known::Known;
use super::pass::{Pass, Visitor};
use super::queue::Queues;
use super::sleeps::{Sleep, SleepSums, Sleeps};
use super::slices::Slices;
use super::symbols::Symbols;
use super::syscalls::{Calls, Syscalls};
use super::tasks::{TaskSum, Tasks, jain};
use super::ticks::{TickCount, Ticks};
use super::timers::{ChainSums, Chains, Wheel, WheelSums};
use crate::capture::Capture;
use crate::head::CpuStat;

/// Tasks below this share of the capture's time do not count for fairness.
const FAIR_SHARE: f64 = 0.05;

/// What a capture amounts to.
#[derive(Debug)]
pub struct Summary {
    /// What the capture describes.
    pub known: Known,
    /// What was read and lost.
    pub pass: Pass,
    /// Slices and waits by task and CPU.
    pub tasks: Tasks,
    /// Lengths of the run queues.
    pub queues: Queues,
    /// Interrupts by source, and storms.
    pub interrupts: Interrupts,
    /// The scheduler's tick.
    pub ticks: Ticks,
    /// Stages from the timer's interrupt to timers.
    pub chains: ChainSums,
    /// Timers of the wheel.
    pub wheel: WheelSums,
    /// Threads that slept until a moment.
    pub sleeps: SleepSums,
    /// Empty without a function tracer.
    pub functions: Vec<FunctionRow>,
    /// Empty without power:cpu_idle.
    pub idle: Vec<IdleSum>,
    /// Empty without system calls.
    pub syscalls: Syscalls,
    /// Calls of functions whose entry or exit was not seen.
    pub dropped_calls: u64,
    /// The kernel's own account of lost events, where the capture has it.
    pub lost_by_kernel: Option<u64>,
}

/// Fairness among tasks that wanted the CPU.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Fairness {
    /// Jain's index over the tasks' time on a CPU.
    pub index: f64,
    /// How many tasks.
    pub tasks: usize,
}

impl Summary {
    /// Reads the whole capture once.
    pub fn of(capture: &Capture) -> Summary {
        let symbols = Symbols::parse(&capture.head.kallsyms);
        let known = Known::of(capture);
        let mut slices = Slices::new(&known, Tasks::new(&known.cpus));
        let mut queues = Queues::new(&known, ());
        let mut interrupts = Interrupts::new(&known);
        let mut ticks = TickCount::new(&known);
        let (mut chains, mut wheel) = (Chains::new(&known), Wheel::new(&known));
        let mut sleeps = Sleeps::new(&known, |_: &Sleep| {});
        let (mut idle, mut calls) = (Idle::new(&known), Calls::new(&capture.formats));
        let mut profile = Profile::new(&known, &symbols);
        let mut visitors: Vec<&mut dyn Visitor> = vec![
            &mut slices,
            &mut queues,
            &mut interrupts,
            &mut ticks,
            &mut chains,
            &mut wheel,
            &mut idle,
            &mut calls,
        ];
        // These two keep state for every thread and call: only where their events are.
        if known.has("timer:hrtimer_expire_entry") && known.has("sched:sched_waking") {
            visitors.push(&mut sleeps);
        }
        if known.has("ftrace:funcgraph_exit") || known.has("ftrace:function") {
            visitors.push(&mut profile);
        }
        let pass = Pass::over(capture, &known, &mut visitors);
        let ticks = ticks.finish(&known, &symbols);
        let stats = &capture.head.cpu_stats;
        Summary {
            wheel: wheel.finish(&symbols, ticks.hz),
            functions: profile.finish(&symbols),
            dropped_calls: profile.stacks.dropped,
            chains: chains.sums,
            sleeps: sleeps.sums,
            idle: idle.sums,
            syscalls: calls.finish(capture),
            tasks: slices.sink,
            lost_by_kernel: (!stats.is_empty()).then(|| CpuStat::all_lost(stats)),
            known,
            pass,
            queues,
            interrupts,
            ticks,
        }
    }

    /// Whether there is any sched_switch.
    pub fn has_switches(&self) -> bool {
        self.tasks.cpus.iter().any(|cpu| cpu.switches > 0)
    }

    /// Over tasks that ran or wanted to run for 5 % of the capture at least.
    pub fn fairness(&self) -> Option<Fairness> {
        let least = self.pass.span_ns() as f64 * FAIR_SHARE;
        let wants = |task: &&TaskSum| task.demand_ns() as f64 >= least;
        let busiest = self.tasks.busiest();
        let shares: Vec<f64> = busiest
            .into_iter()
            .filter(wants)
            .map(|t| t.run_ns as f64)
            .collect();
        let index = jain(&shares)?;
        (shares.len() > 1).then_some(Fairness {
            index,
            tasks: shares.len(),
        })
    }

    /// How far the busiest CPU is above the mean load, as a share of the mean;
    /// None with one CPU, or where nothing ran.
    pub fn load_imbalance(&self) -> Option<f64> {
        let loads: Vec<f64> = self.tasks.cpus.iter().map(|cpu| cpu.load_share()).collect();
        let mean = loads.iter().sum::<f64>() / loads.len().max(1) as f64;
        let most = loads.iter().copied().fold(0.0, f64::max);
        (loads.len() > 1 && mean > 0.0).then(|| most / mean - 1.0)
    }
}
