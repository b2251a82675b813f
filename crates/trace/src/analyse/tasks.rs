//! Sums over slices: by task and by CPU, and the longest waits with who held the
//! CPU meanwhile.

use super::course::Course;
use super::distribution::Distribution;
use super::event::Comm;
use super::pass::{Gap, Pass};
use super::slices::{End, Ready, Sink, Slice, Wait};
use super::table::ByPid;
use serde::Serialize;
use std::collections::VecDeque;

/// Longest waits that are kept.
const WAITS: usize = 20;
/// Slices of a CPU that are remembered to tell who held it.
const REMEMBERED: usize = 4096;
const HOLDERS: usize = 4;

/// One task: a PID. Times in ns. Whole slices only, but in `run_ns`.
#[derive(Debug, Clone, Default, Serialize)]
pub struct TaskSum {
    pub pid: i32,
    /// Its last name.
    pub comm: Comm,
    /// How often it took another one.
    pub name_changes: u32,
    /// Partial slices included.
    pub run_ns: u64,
    pub wait_ns: u64,
    pub partial_slices: u64,
    pub preempted: u64,
    pub still_runnable: u64,
    /// Letters of states, and how often.
    pub blocked: Vec<(char, u64)>,
    pub exited: bool,
    /// Told by sched_migrate_task; without it, slices on another CPU than the
    /// one before.
    pub migrations: u64,
    #[serde(skip)]
    moves: u64,
    pub slices: Distribution,
    /// CPU bursts: time on a CPU from being woken until going to sleep, however
    /// often the CPU was taken away in between.
    pub bursts: Distribution,
    #[serde(skip)]
    burst: Option<u64>,
    /// From sched_waking (or a new task's first wake-up) to running.
    pub wakeup_latency: Distribution,
    /// From being switched out runnable to running again.
    pub preempt_wait: Distribution,
    pub last_cpu: u32,
    pub prio: Option<i32>,
}

impl TaskSum {
    /// Runs and wants to: what the scheduler shared out.
    #[must_use]
    pub fn demand_ns(&self) -> u64 {
        self.run_ns.saturating_add(self.wait_ns)
    }

    /// A burst counts where its begin, its end and all between were seen.
    fn burst(&mut self, slice: &Slice) {
        let begins = slice.wait.is_some_and(|wait| wait.why.is_awake());
        let before = if begins { Some(0) } else { self.burst };
        self.burst = before
            .filter(|_| !slice.partial)
            .map(|ns| ns.saturating_add(slice.length_ns()));
        if !slice.end.wants_more()
            && let Some(ns) = self.burst.take()
        {
            self.bursts.add(ns);
        }
    }
}

/// One CPU.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CpuSum {
    pub cpu: u32,
    /// From its first event to where knowledge of it ends.
    pub span_ns: u64,
    pub busy_ns: u64,
    pub idle_ns: u64,
    /// Gaps: neither busy nor idle is known.
    pub unknown_ns: u64,
    /// Switches from one task (or idle) to another.
    pub switches: u64,
    pub preempted: u64,
    pub slices: Distribution,
    pub load: Course,
}

impl CpuSum {
    /// Busy share of the time that is known.
    #[must_use]
    pub fn load_share(&self) -> f64 {
        self.busy_ns as f64 / self.busy_ns.saturating_add(self.idle_ns).max(1) as f64
    }
}

/// A task on the CPU while another waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Holder {
    pub pid: i32,
    pub comm: Comm,
    pub ns: u64,
}

/// A wait, and who had the CPU on which it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeldWait {
    pub pid: i32,
    pub comm: Comm,
    pub cpu: u32,
    #[serde(flatten)]
    pub wait: Wait,
    /// By time, most first; pid 0 is idle (the CPU was on its way out of sleep,
    /// or the task waited elsewhere first).
    pub holders: Vec<Holder>,
}

#[derive(Debug, Clone, Copy)]
struct Past {
    pid: i32,
    comm: Comm,
    begin_ns: u64,
    end_ns: u64,
}

/// The sums of a capture.
#[derive(Debug, Default)]
pub struct Tasks {
    pub tasks: ByPid<TaskSum>,
    pub cpus: Vec<CpuSum>,
    pub longest_waits: Vec<HeldWait>,
    pub slices: Distribution,
    pub wakeup_latency: Distribution,
    pub preempt_wait: Distribution,
    pub switches: Course,
    pub migrations: Course,
    pub dropped_waits: u64,
    /// Switches that are not in the capture, though no gap says so.
    pub missed_switches: u64,
    /// Migrations are those that events tell of.
    pub migrations_told: bool,
    moves: Course,
    past: Vec<VecDeque<Past>>,
}

impl Tasks {
    #[must_use]
    pub fn new(cpus: &[u32]) -> Tasks {
        Tasks {
            cpus: cpus
                .iter()
                .map(|cpu| CpuSum {
                    cpu: *cpu,
                    ..CpuSum::default()
                })
                .collect(),
            past: vec![VecDeque::new(); cpus.len()],
            ..Tasks::default()
        }
    }

    /// By time on a CPU, most first; without idle.
    #[must_use]
    pub fn busiest(&self) -> Vec<&TaskSum> {
        let mut all: Vec<&TaskSum> = self
            .tasks
            .iter()
            .map(|(_, t)| t)
            .filter(|t| t.pid != 0)
            .collect();
        all.sort_by_key(|t| (std::cmp::Reverse(t.run_ns), t.pid));
        all
    }

    fn waited(&mut self, slice: &Slice, wait: &Wait) {
        let length = wait.length_ns();
        let task = self.tasks.row(slice.pid);
        task.wait_ns = task.wait_ns.saturating_add(length);
        let (of_task, of_all) = match wait.why {
            Ready::Woken { .. } | Ready::New { .. } => {
                (&mut task.wakeup_latency, &mut self.wakeup_latency)
            }
            Ready::Preempted | Ready::StillRunnable => {
                (&mut task.preempt_wait, &mut self.preempt_wait)
            }
        };
        of_task.add(length);
        of_all.add(length);
        let shortest = self.longest_waits.last().map_or(0, |w| w.wait.length_ns());
        if self.longest_waits.len() < WAITS || length > shortest {
            self.keep(slice, wait);
        }
    }

    fn keep(&mut self, slice: &Slice, wait: &Wait) {
        let mut holders: Vec<Holder> = Vec::new();
        for past in self.past[slice.place].iter().rev() {
            if past.end_ns <= wait.from_ns {
                break;
            }
            let ns = past
                .end_ns
                .min(wait.until_ns)
                .saturating_sub(past.begin_ns.max(wait.from_ns));
            match holders.iter_mut().find(|h| h.pid == past.pid) {
                Some(holder) => holder.ns = holder.ns.saturating_add(ns),
                None => holders.push(Holder {
                    pid: past.pid,
                    comm: past.comm,
                    ns,
                }),
            }
        }
        holders.retain(|h| h.ns > 0);
        holders.sort_by_key(|h| std::cmp::Reverse(h.ns));
        holders.truncate(HOLDERS);
        let length = wait.length_ns();
        let at = self
            .longest_waits
            .partition_point(|w| w.wait.length_ns() >= length);
        let held = HeldWait {
            pid: slice.pid,
            comm: slice.comm,
            cpu: slice.cpu,
            wait: *wait,
            holders,
        };
        self.longest_waits.insert(at, held);
        self.longest_waits.truncate(WAITS);
    }

    fn account(&mut self, slice: &Slice) {
        let length = slice.length_ns();
        let cpu = &mut self.cpus[slice.place];
        match slice.pid {
            0 => cpu.idle_ns = cpu.idle_ns.saturating_add(length),
            _ => {
                cpu.busy_ns = cpu.busy_ns.saturating_add(length);
                cpu.load.hold(slice.begin_ns, slice.end_ns, 1.0);
            }
        }
        if slice.end != End::Cut {
            cpu.switches += 1;
            cpu.preempted += u64::from(slice.end == End::Preempted && slice.pid != 0);
            self.switches.count(slice.end_ns);
        }
        if slice.pid == 0 {
            return;
        }
        let task = self.tasks.row(slice.pid);
        if slice.comm != task.comm && !slice.comm.is_empty() {
            task.name_changes += u32::from(!task.comm.is_empty());
            task.comm = slice.comm;
        }
        (task.pid, task.last_cpu) = (slice.pid, slice.cpu);
        task.prio = slice.prio.or(task.prio);
        task.run_ns = task.run_ns.saturating_add(length);
        match slice.end {
            End::Preempted => task.preempted += 1,
            End::StillRunnable => task.still_runnable += 1,
            End::Blocked(letter) => match task.blocked.iter_mut().find(|(l, _)| *l == letter) {
                Some((_, count)) => *count += 1,
                None => task.blocked.push((letter, 1)),
            },
            End::Exited => task.exited = true,
            End::Cut => {}
        }
        task.burst(slice);
        if slice.partial {
            task.partial_slices += 1;
            return;
        }
        task.slices.add(length);
        cpu.slices.add(length);
        self.slices.add(length);
    }
}

impl Sink for Tasks {
    fn slice(&mut self, slice: &Slice) {
        self.account(slice);
        if let Some(wait) = &slice.wait {
            self.waited(slice, wait);
        }
        let past = &mut self.past[slice.place];
        if past.len() == REMEMBERED {
            past.pop_front();
        }
        let (begin_ns, end_ns) = (slice.begin_ns, slice.end_ns);
        past.push_back(Past {
            pid: slice.pid,
            comm: slice.comm,
            begin_ns,
            end_ns,
        });
    }

    fn migrated(&mut self, pid: i32, at_ns: u64) {
        let task = self.tasks.row(pid);
        task.pid = pid;
        task.migrations += 1;
        self.migrations.count(at_ns);
        self.migrations_told = true;
    }

    fn moved(&mut self, pid: i32, at_ns: u64) {
        self.tasks.row(pid).moves += 1;
        self.moves.count(at_ns);
    }

    fn missed_switch(&mut self, _: &Gap) {
        self.missed_switches += 1;
    }

    fn dropped_wait(&mut self) {
        self.dropped_waits += 1;
    }

    fn over(&mut self, pass: &Pass) {
        if !self.migrations_told {
            self.migrations = std::mem::take(&mut self.moves);
            for (_, task) in self.tasks.iter_mut() {
                task.migrations = task.moves;
            }
        }
        for (sum, span) in self.cpus.iter_mut().zip(&pass.cpus) {
            sum.span_ns = span.length_ns();
            sum.unknown_ns = sum
                .span_ns
                .saturating_sub(sum.busy_ns.saturating_add(sum.idle_ns));
        }
    }

    fn gap(&mut self, gap: &Gap, _: u32) {
        self.past[gap.cpu].clear();
    }
}

/// Jain's index of fairness: 1 where all have the same, 1/n where one has
/// everything. None where nobody has anything.
#[must_use]
pub fn jain(shares: &[f64]) -> Option<f64> {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|s| s * s).sum();
    (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
}
