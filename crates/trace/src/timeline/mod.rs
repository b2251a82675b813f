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

pub use crate::analyse::idle::Stay as Idle;
pub use crate::analyse::slices::End;

use crate::capture::Capture;
use crate::error::Result;

/// All that a timeline shows. Indices into `tasks` and `names` are `u32`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Timeline {
    /// First and last stamp of the capture.
    pub begin_ns: u64,
    /// Last stamp of the capture.
    pub end_ns: u64,
    /// By number of the CPU.
    pub cpus: Vec<CpuLane>,
    /// In the order in which they were met.
    pub tasks: Vec<Task>,
    /// Of interrupts and moments.
    pub names: Vec<String>,
    /// Tasks that were runnable when the capture ended, and did not run again.
    pub unserved: Vec<Unserved>,
    /// What was read and lost.
    pub account: Account,
}

/// What was read, and what could not be used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Account {
    /// Events of the capture.
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
    /// The thread; never idle.
    pub pid: i32,
    /// The last one seen.
    pub name: String,
    /// Those before it, the first four.
    pub before: Vec<String>,
}

/// What happened on one CPU, each by time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CpuLane {
    /// Number of the CPU.
    pub cpu: u32,
    /// Of all tasks but idle.
    pub slices: Vec<Slice>,
    /// Hard interrupts.
    pub hardirqs: Vec<Span>,
    /// Softirqs.
    pub softirqs: Vec<Span>,
    /// Events without a length.
    pub moments: Vec<Moment>,
    /// Where events are missing.
    pub gaps: Vec<Gap>,
    /// Changes; none wait before the first one.
    pub crowd: Vec<Crowd>,
    /// Empty without power:cpu_idle.
    pub idle: Vec<Idle>,
    /// Forks, execs and exits.
    pub lives: Vec<Life>,
}

/// So many tasks wait for the CPU from here on, in addition to the one that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crowd {
    /// A stamp in ns.
    pub at_ns: u64,
    /// Tasks that wait.
    pub waiting: u32,
}

/// A task begins, takes another program, or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Life {
    /// A stamp in ns.
    pub at_ns: u64,
    /// Which of these.
    pub kind: LifeKind,
    /// The child of a fork.
    pub task: u32,
    /// Of the file that is executed.
    pub name: Option<u32>,
}

/// A turn in the life of a task. The numbers are those of the encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum LifeKind {
    /// It was started.
    Fork = 0,
    /// It executes another program.
    Exec = 1,
    /// It ended.
    Exit = 2,
}

/// A task's time on a CPU between two switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// Its begin, a stamp in ns.
    pub start_ns: u64,
    /// Its end, a stamp in ns.
    pub end_ns: u64,
    /// Index into `tasks`.
    pub task: u32,
    /// How it ended.
    pub end: End,
    /// It ran already when its CPU could first be seen: it is longer than shown.
    pub begun_before: bool,
    /// What came before it.
    pub wait: Wait,
}

/// How a task came to its slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// When it became runnable is not in the capture.
    Unknown,
    /// It had been put off a CPU while runnable.
    PutOff {
        /// From then to running, in ns.
        wait_ns: u64,
    },
    /// It had slept.
    Woken {
        /// From being woken to running, in ns.
        wait_ns: u64,
        /// Who woke it.
        waker: Waker,
    },
}

/// Who woke a task, and from where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waker {
    /// None: the idle task.
    pub task: Option<u32>,
    /// Number of the CPU on which it was woken.
    pub cpu: u32,
    /// An interrupt did, on top of that task.
    pub interrupt: bool,
}

/// A hard interrupt or a softirq.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Its begin, a stamp in ns.
    pub start_ns: u64,
    /// Its end, a stamp in ns.
    pub end_ns: u64,
    /// Index into `names`.
    pub name: u32,
}

/// An event that has no length: a timer that expires, and every event that
/// makes nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// A stamp in ns.
    pub at_ns: u64,
    /// Index into `names`.
    pub name: u32,
}

/// Events are missing here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// Its begin, a stamp in ns.
    pub start_ns: u64,
    /// Its end, a stamp in ns.
    pub end_ns: u64,
    /// None: they were not counted. 0: nothing was lost, but a switch is not there.
    pub count: Option<u64>,
}

impl Span {
    /// From its begin to its end, in ns.
    pub fn length_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }
}

impl Gap {
    /// From its begin to its end, in ns.
    pub fn length_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }

    /// Some kernels do not show every switch.
    pub fn is_missing_switch(&self) -> bool {
        self.count == Some(0)
    }
}

/// A task that was runnable when the capture ended, and did not run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unserved {
    /// Index into `tasks`.
    pub task: u32,
    /// Stamp from which on it was runnable, in ns.
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
    pub fn encode(&self) -> Vec<u8> {
        columns::encode(self)
    }

    /// Of the capture.
    pub fn length_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.begin_ns)
    }

    /// Slices of all CPUs.
    pub fn slice_count(&self) -> usize {
        self.cpus.iter().map(|cpu| cpu.slices.len()).sum()
    }
}

impl Slice {
    /// From its begin to its end, in ns.
    pub fn length_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }

    /// None where it is not known.
    pub fn wait_ns(&self) -> Option<u64> {
        match self.wait {
            Wait::Unknown => None,
            Wait::PutOff { wait_ns } | Wait::Woken { wait_ns, .. } => Some(wait_ns),
        }
    }
}

#[cfg(test)]
mod tests;
