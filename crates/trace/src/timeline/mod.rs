//! A capture as it is drawn: per CPU the slices of tasks, the interrupts and
//! the moments, and where events are missing. The slices are those of
//! `analyse::slices`, from the same pass: what is drawn is what is counted.
//!
//! A slice carries how its task came to run (how long it waited, who woke it)
//! and how it ended, so that waits, wake-up arrows and tasks' own lanes follow
//! from the slices alone. Idle has no slices: it is what lies between them.

mod columns;
mod crowd;
mod drawn;
mod make;
mod marks;
mod names;
mod order;
mod part;

use crate::analyse::slices;
use crate::capture::Capture;
use crate::error::Result;

/// All that a timeline shows. Indices into `tasks` and `names` are `u32`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Timeline {
    /// First and last stamp of the capture.
    pub begin_ns: u64,
    pub end_ns: u64,
    pub cpus: Vec<CpuLane>,
    pub tasks: Vec<Task>,
    /// Of interrupts and moments.
    pub names: Vec<String>,
    /// Tasks that were runnable when the capture ended, and did not run again.
    pub unserved: Vec<Unserved>,
    pub account: Account,
}

/// What was read, and what could not be used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Account {
    pub events: u64,
    /// Events that the kernel counted as lost; more may be, where it did not count.
    pub lost_events: u64,
    /// Pages that could not be read.
    pub damaged_pages: u64,
    /// Waits that were given up because events are missing meanwhile.
    pub broken_waits: u64,
}

/// A thread, by its pid; a pid that is used again is the same task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub pid: i32,
    /// The last one seen.
    pub name: String,
    /// Those before it, the first four.
    pub before: Vec<String>,
}

/// What happened on one CPU, each by time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CpuLane {
    pub cpu: u32,
    pub slices: Vec<Slice>,
    pub hardirqs: Vec<Span>,
    pub softirqs: Vec<Span>,
    pub moments: Vec<Moment>,
    pub gaps: Vec<Gap>,
    /// Changes; none wait before the first one.
    pub crowd: Vec<Crowd>,
    pub idle: Vec<Idle>,
    pub lives: Vec<Life>,
}

/// So many tasks wait for the CPU from here on, in addition to the one that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crowd {
    pub at_ns: u64,
    pub waiting: u32,
}

/// A stay in an idle state of cpuidle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Idle {
    pub start_ns: u64,
    pub end_ns: u64,
    pub state: u32,
}

/// A task begins, takes another program, or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Life {
    pub at_ns: u64,
    pub kind: LifeKind,
    /// The child of a fork.
    pub task: u32,
    /// Of the file that is executed.
    pub name: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum LifeKind {
    Fork = 0,
    Exec = 1,
    Exit = 2,
}

/// A task's time on a CPU between two switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    pub start_ns: u64,
    pub end_ns: u64,
    pub task: u32,
    pub end: End,
    /// It ran already when its CPU could first be seen: it is longer than shown.
    pub begun_before: bool,
    pub wait: Wait,
}

/// How a slice ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum End {
    /// The capture ended, or events are missing: it is longer than shown.
    Unknown = 0,
    /// Inside the kernel, still runnable (R+).
    Preempted = 1,
    /// Still runnable on its way to user space (R); by sched_yield where the
    /// trace has no system calls.
    Runnable = 2,
    /// S.
    Sleeping = 3,
    /// D.
    Uninterruptible = 4,
    /// Stopped, traced, parked, idle.
    Other = 5,
    /// X, Z.
    Exited = 6,
    /// Still runnable, inside sched_yield (R).
    Yielded = 7,
}

/// How a task came to its slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// When it became runnable is not in the capture.
    Unknown,
    /// It had been put off a CPU while runnable.
    PutOff {
        wait_ns: u64,
    },
    Woken {
        wait_ns: u64,
        waker: Waker,
    },
}

/// Who woke a task, and from where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waker {
    /// None: the idle task.
    pub task: Option<u32>,
    pub cpu: u32,
    /// An interrupt did, on top of that task.
    pub interrupt: bool,
}

/// A hard interrupt or a softirq.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub start_ns: u64,
    pub end_ns: u64,
    pub name: u32,
}

/// An event that has no length: a timer that expires, and every event that
/// makes nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    pub at_ns: u64,
    pub name: u32,
}

/// Events are missing here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    pub start_ns: u64,
    pub end_ns: u64,
    /// None: they were not counted. 0: nothing was lost, but a switch is not there.
    pub count: Option<u64>,
}

impl Span {
    #[must_use]
    pub fn length_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }
}

impl Idle {
    #[must_use]
    pub fn length_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }
}

impl Gap {
    #[must_use]
    pub fn length_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }

    /// Some kernels do not show every switch.
    #[must_use]
    pub fn is_missing_switch(&self) -> bool {
        self.count == Some(0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unserved {
    pub task: u32,
    pub since_ns: u64,
}

impl Timeline {
    /// Reads the whole capture. A damaged page is counted, and read past.
    ///
    /// # Errors
    /// A capture whose damage makes times go back.
    pub fn of(capture: &Capture) -> Result<Timeline> {
        let timeline = make::timeline(capture);
        order::check(&timeline)?;
        Ok(timeline)
    }

    /// The columns that the page holds; see `columns`.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        columns::encode(self)
    }

    /// Of the capture.
    #[must_use]
    pub fn length_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.begin_ns)
    }

    #[must_use]
    pub fn slice_count(&self) -> usize {
        self.cpus.iter().map(|cpu| cpu.slices.len()).sum()
    }
}

impl Slice {
    #[must_use]
    pub fn length_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }

    /// None where it is not known.
    #[must_use]
    pub fn wait_ns(&self) -> Option<u64> {
        match self.wait {
            Wait::Unknown => None,
            Wait::PutOff { wait_ns } | Wait::Woken { wait_ns, .. } => Some(wait_ns),
        }
    }
}

impl From<slices::End> for End {
    fn from(end: slices::End) -> End {
        match end {
            slices::End::Preempted => End::Preempted,
            slices::End::StillRunnable => End::Runnable,
            slices::End::Yielded => End::Yielded,
            slices::End::Blocked('S') => End::Sleeping,
            slices::End::Blocked('D') => End::Uninterruptible,
            slices::End::Blocked(_) => End::Other,
            slices::End::Exited => End::Exited,
            slices::End::Cut => End::Unknown,
        }
    }
}

#[cfg(test)]
mod tests;
