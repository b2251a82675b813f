//! The slices of the analyses, as they are drawn.

use super::{CpuLane, Gap, Slice, Task, Unserved, Wait, Waker};
use crate::analyse::slices::{self, Ready, Sink};
use crate::analyse::{self, ByPid, Comm};
use crate::width::narrow;

/// Names of a task before its last one; who changes it more often is no reader.
const FORMER_NAMES: usize = 4;

/// Lanes, tasks and waits without an end, as one pass collects them.
pub struct Drawn {
    /// By place of the CPU; slices and gaps only.
    pub lanes: Vec<CpuLane>,
    pub tasks: Tasks,
    pub unserved: Vec<Unserved>,
    pub broken_waits: u64,
}

/// Tasks in the order in which they are met.
#[derive(Default)]
pub struct Tasks(ByPid<Named>);

#[derive(Default)]
struct Named {
    name: Comm,
    before: Vec<Comm>,
}

impl Tasks {
    /// None for the idle task.
    #[inline]
    pub fn index(&mut self, pid: i32) -> Option<u32> {
        (pid != 0).then(|| narrow(self.0.place(pid)))
    }

    /// A task has this name.
    #[inline]
    pub fn named(&mut self, task: u32, name: Comm) {
        let known = self.0.at(task as usize);
        if known.name != name && !name.is_empty() {
            known.renamed(name);
        }
    }

    /// As its fork calls it, where nothing later does.
    pub fn first_named(&mut self, task: u32, name: Comm) {
        let known = self.0.at(task as usize);
        if known.name.is_empty() {
            known.name = name;
        }
    }

    /// `remembered`: what the kernel called those that were never seen by name.
    pub fn finish<'a>(self, remembered: impl Fn(i32) -> Option<&'a str>) -> Vec<Task> {
        let task = |(pid, named): (i32, &Named)| Task {
            pid,
            name: match named.name.is_empty() {
                false => named.name.to_string(),
                true => remembered(pid).map_or_else(|| format!("pid {pid}"), str::to_owned),
            },
            before: named.before.iter().map(Comm::to_string).collect(),
        };
        self.0.iter().map(task).collect()
    }
}

impl Named {
    #[cold]
    fn renamed(&mut self, name: Comm) {
        let former = std::mem::replace(&mut self.name, name);
        let known = former.is_empty() || self.before.contains(&former);
        if !known && self.before.len() < FORMER_NAMES {
            self.before.push(former);
        }
    }
}

impl Drawn {
    /// No rows yet.
    pub fn new(cpus: usize) -> Drawn {
        Drawn {
            lanes: vec![CpuLane::default(); cpus],
            tasks: Tasks::default(),
            unserved: Vec::new(),
            broken_waits: 0,
        }
    }

    fn wait(&mut self, wait: &slices::Wait) -> Wait {
        let wait_ns = wait.length_ns();
        let (pid, cpu, interrupt) = match wait.why {
            Ready::Preempted | Ready::StillRunnable => return Wait::PutOff { wait_ns },
            Ready::Woken {
                waker,
                cpu,
                interrupt,
            } => (waker, cpu, interrupt),
            Ready::New { parent, cpu } => (parent, cpu, false),
        };
        let waker = Waker {
            task: self.tasks.index(pid),
            cpu,
            interrupt,
        };
        Wait::Woken { wait_ns, waker }
    }
}

impl Sink for Drawn {
    #[inline]
    fn slice(&mut self, slice: &slices::Slice) {
        let Some(task) = self.tasks.index(slice.pid) else {
            return;
        };
        self.tasks.named(task, slice.comm);
        let wait = match &slice.wait {
            None => Wait::Unknown,
            Some(wait) => self.wait(wait),
        };
        self.lanes[slice.place].slices.push(Slice {
            start_ns: slice.begin_ns,
            end_ns: slice.end_ns,
            task,
            end: slice.end,
            begun_before: slice.begun_before,
            wait,
        });
    }

    fn missed_switch(&mut self, between: &analyse::Gap) {
        let nothing_lost = analyse::Gap {
            count: Some(0),
            ..*between
        };
        self.gap(&nothing_lost, 0);
    }

    fn dropped_wait(&mut self) {
        self.broken_waits += 1;
    }

    fn gap(&mut self, gap: &analyse::Gap, _: u32) {
        self.lanes[gap.cpu].gaps.push(Gap {
            start_ns: gap.from_ns,
            end_ns: gap.until_ns,
            count: gap.count,
        });
    }

    fn unserved(&mut self, pid: i32, comm: Comm, since_ns: u64) {
        if let Some(task) = self.tasks.index(pid) {
            self.tasks.named(task, comm);
            self.unserved.push(Unserved { task, since_ns });
        }
    }
}
