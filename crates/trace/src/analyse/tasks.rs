//! Sums over slices: by task and by CPU, and the longest waits with who held the
//! CPU meanwhile.

use super::course::Course;
use super::distribution::Distribution;
use super::event::Comm;
use super::held::Held;
use super::pass::{Gap, Pass};
use super::slices::{End, Sink, Slice, Wait};
use super::table::{ByPid, found_or_new};
use serde::Serialize;

/// One task: a PID. Times in ns. Whole slices only, but in `run_ns`.
#[derive(Debug, Clone, Default, Serialize)]
pub struct TaskSum {
    /// The thread.
    pub pid: i32,
    /// Its last name.
    pub comm: Comm,
    /// How often it took another one.
    pub name_changes: u32,
    /// Partial slices included.
    pub run_ns: u64,
    /// Runnable, not running.
    pub wait_ns: u64,
    /// Slices whose begin or end was not seen.
    pub partial_slices: u64,
    /// `R+` and `R`; of those the ones inside sched_yield.
    pub preempted: u64,
    /// Slices that ended with `R`.
    pub still_runnable: u64,
    /// Slices that ended inside sched_yield.
    pub yielded: u64,
    /// Letters of states, and how often.
    pub blocked: Vec<(char, u64)>,
    /// Its end was seen.
    pub exited: bool,
    /// Counted by sched_migrate_task; without it, slices on another CPU than the
    /// one before.
    pub migrations: u64,
    #[serde(skip)]
    moves: u64,
    /// Lengths of its whole slices, in ns.
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
    /// Number of the CPU of its last slice.
    pub last_cpu: u32,
    /// As the kernel counts: below 100 real-time, 120 nice 0.
    pub prio: Option<i32>,
}

impl TaskSum {
    /// Runs and wants to: what the scheduler shared out.
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
    /// Number of the CPU.
    pub cpu: u32,
    /// From its first event to where knowledge of it ends.
    pub span_ns: u64,
    /// A task ran.
    pub busy_ns: u64,
    /// No task ran.
    pub idle_ns: u64,
    /// Gaps: neither busy nor idle is known.
    pub unknown_ns: u64,
    /// Switches from one task (or idle) to another.
    pub switches: u64,
    /// Of these, taken from a task that wanted to go on.
    pub preempted: u64,
    /// Lengths of whole slices on it, in ns.
    pub slices: Distribution,
    /// Busy time by window of time.
    pub load: Course,
}

impl CpuSum {
    /// Busy share of the time that is known.
    pub fn load_share(&self) -> f64 {
        self.busy_ns as f64 / self.busy_ns.saturating_add(self.idle_ns).max(1) as f64
    }
}

/// The sums of a capture.
#[derive(Debug, Default)]
pub struct Tasks {
    /// By PID.
    pub tasks: ByPid<TaskSum>,
    /// In the order of `Known::cpus`.
    pub cpus: Vec<CpuSum>,
    /// The longest waits.
    pub held: Held,
    /// Lengths of all whole slices, in ns.
    pub slices: Distribution,
    /// From sched_waking to running, in ns, of all tasks.
    pub wakeup_latency: Distribution,
    /// From being switched out runnable to running again, in ns.
    pub preempt_wait: Distribution,
    /// Switches by window of time.
    pub switches: Course,
    /// Migrations by window of time.
    pub migrations: Course,
    /// Waits that a gap made unknown.
    pub dropped_waits: u64,
    /// Switches that are not in the capture, though no gap says so.
    pub missed_switches: u64,
    /// Migrations are those of `sched_migrate_task`, not of slices on another CPU.
    pub migrations_recorded: bool,
    moves: Course,
}

impl Tasks {
    /// For the CPUs with these numbers.
    pub fn new(cpus: &[u32]) -> Tasks {
        let sum = |cpu: &u32| CpuSum {
            cpu: *cpu,
            ..CpuSum::default()
        };
        Tasks {
            cpus: cpus.iter().map(sum).collect(),
            held: Held::new(cpus.len()),
            ..Tasks::default()
        }
    }

    /// By time on a CPU, most first; without idle.
    pub fn busiest(&self) -> Vec<&TaskSum> {
        let tasks = self.tasks.iter().map(|(_, task)| task);
        let mut all: Vec<&TaskSum> = tasks.filter(|t| t.pid != 0).collect();
        all.sort_by_key(|t| (std::cmp::Reverse(t.run_ns), t.pid));
        all
    }

    fn waited(&mut self, slice: &Slice, wait: &Wait) {
        let length = wait.length_ns();
        let task = self.tasks.row(slice.pid);
        task.wait_ns = task.wait_ns.saturating_add(length);
        let (of_task, of_all) = match wait.why.is_awake() {
            true => (&mut task.wakeup_latency, &mut self.wakeup_latency),
            false => (&mut task.preempt_wait, &mut self.preempt_wait),
        };
        of_task.add(length);
        of_all.add(length);
        self.held.waited(slice, wait);
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
            cpu.preempted += u64::from(slice.end.is_involuntary() && slice.pid != 0);
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
            End::Yielded => {
                task.still_runnable += 1;
                task.yielded += 1;
            }
            End::Blocked(letter) => {
                found_or_new(&mut task.blocked, |(l, _)| *l == letter, || (letter, 0)).1 += 1;
            }
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
        self.held.slice(slice);
    }

    fn migrated(&mut self, pid: i32, at_ns: u64) {
        let task = self.tasks.row(pid);
        task.pid = pid;
        task.migrations += 1;
        self.migrations.count(at_ns);
        self.migrations_recorded = true;
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
        let tasks = &self.tasks;
        self.held.over(|pid| match pid {
            0 => Comm::IDLE,
            pid => tasks.get(pid).map(|task| task.comm).unwrap_or_default(),
        });
        if !self.migrations_recorded {
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
        self.held.gap(gap.cpu);
    }
}

/// Jain's index of fairness: 1 where all have the same, 1/n where one has
/// everything. None where all shares are 0.
pub fn jain(shares: &[f64]) -> Option<f64> {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|s| s * s).sum();
    (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
}
