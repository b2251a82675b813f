//! A slice, the wait before it, and who takes them.

use super::event::Comm;
use super::pass::{Gap, Pass};
use super::states::End;
use serde::Serialize;

/// Why a task that waits is runnable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ready {
    /// `waker` called on `cpu`, or an interrupt on top of it; 0 is the idle task.
    Woken {
        /// PID of the thread that was running there.
        waker: i32,
        /// Number of the waker's CPU.
        cpu: u32,
        /// An interrupt woke it, on top of that thread.
        interrupt: bool,
    },
    /// A new thread, by its first wake-up.
    New {
        /// PID of the thread that started it.
        parent: i32,
        /// Number of the parent's CPU.
        cpu: u32,
    },
    /// It was switched out runnable.
    Preempted,
    /// It was switched out runnable, on its way to user space or by itself (`R`).
    StillRunnable,
}

impl Ready {
    /// Whether it slept before, or did not exist.
    pub fn is_awake(self) -> bool {
        matches!(self, Ready::Woken { .. } | Ready::New { .. })
    }
}

/// Runnable, not running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Wait {
    /// It became runnable.
    pub from_ns: u64,
    /// It was switched to.
    pub until_ns: u64,
    /// Why it was runnable.
    pub why: Ready,
}

impl Wait {
    /// From its begin to its end, in ns.
    pub fn length_ns(&self) -> u64 {
        self.until_ns.saturating_sub(self.from_ns)
    }
}

/// Time on a CPU between two switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Slice {
    /// 0: the CPU was idle.
    pub pid: i32,
    /// Name of the task.
    pub comm: Comm,
    /// Number of the CPU, and its place in `Known::cpus`.
    pub cpu: u32,
    /// The CPU's place in `Known::cpus`.
    #[serde(skip)]
    pub place: usize,
    /// Switched to.
    pub begin_ns: u64,
    /// Switched from.
    pub end_ns: u64,
    /// The kernel's: below 100 real-time.
    pub prio: Option<i32>,
    /// How it ended.
    pub end: End,
    /// Begin or end was not seen: the first and the last of a CPU, and those
    /// next to a gap. Never counted as whole.
    pub partial: bool,
    /// It ran already when its CPU could first be seen.
    pub begun_before: bool,
    /// The wait before it, where that is known.
    pub wait: Option<Wait>,
}

impl Slice {
    /// From its begin to its end, in ns.
    #[inline]
    pub fn length_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.begin_ns)
    }
}

/// Takes what the scheduler's events say.
pub trait Sink {
    /// A slice has ended. Slices of one CPU come by time.
    fn slice(&mut self, slice: &Slice);
    /// The kernel says that it moves a task to another CPU's queue.
    fn migrated(&mut self, _pid: i32, _at_ns: u64) {}
    /// A task runs on another CPU than before.
    fn moved(&mut self, _pid: i32, _at_ns: u64) {}
    /// A switch that the capture does not hold, though no gap says that anything is
    /// lost: between these two events.
    fn missed_switch(&mut self, _between: &Gap) {}
    /// A wait that a gap made unknown.
    fn dropped_wait(&mut self) {}
    /// Events are missing on the CPU with this number.
    fn gap(&mut self, _gap: &Gap, _cpu: u32) {}
    /// Runnable when the capture ended, and not running.
    fn unserved(&mut self, _pid: i32, _comm: Comm, _since_ns: u64) {}
    /// The capture is over.
    fn over(&mut self, _pass: &Pass) {}
}

/// Takes each slice and nothing else.
impl<F: FnMut(&Slice)> Sink for F {
    fn slice(&mut self, slice: &Slice) {
        self(slice);
    }
}
