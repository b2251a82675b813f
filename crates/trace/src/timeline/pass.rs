//! The one pass over all events.

use super::cpu::{Cpu, Runs};
use super::known::{Known, Meaning, Switch};
use super::names::Names;
use super::{Account, CpuLane, End, Moment, Task, Timeline, Unserved, Wait, Waker};
use crate::bytes::Order;
use crate::capture::Capture;
use crate::page::{Event, Item, Lost};

/// `common_flags`: inside a hard interrupt, a softirq, an NMI.
const IN_INTERRUPT: u8 = 0x08 | 0x10 | 0x40;

/// Longer than a kernel takes from the event of a switch to the switch.
const SWITCH_NS: u64 = 20_000;

/// Larger than any pid that Linux gives.
const PIDS: usize = 1 << 22;

pub fn run(capture: &Capture) -> Timeline {
    let mut names = Names::default();
    let known = Known::of(capture, &mut names);
    let mut pass = Pass::new(capture, names);
    for item in capture.merged() {
        match item {
            Ok(Item::Event(event)) => pass.event(&known, &event),
            Ok(Item::Lost(lost)) => pass.lost(lost),
            Err(_) => pass.account.damaged_pages += 1,
        }
    }
    pass.finish(capture)
}

struct Pass {
    order: Order,
    cpus: Vec<Cpu>,
    /// Index into `cpus` by the CPU's number.
    by_cpu: Vec<usize>,
    tasks: Vec<TaskState>,
    /// Index into `tasks` plus one by pid; 0: none yet.
    by_pid: Vec<u32>,
    names: Names,
    account: Account,
    begin_ns: Option<u64>,
    end_ns: u64,
}

struct TaskState {
    pid: i32,
    comm: [u8; 16],
    running: bool,
    ready: Option<(u64, Option<Waker>)>,
}

impl Pass {
    fn new(capture: &Capture, names: Names) -> Pass {
        let last = capture.cpus.iter().map(|c| c.cpu).max();
        let mut by_cpu = vec![0; last.map_or(0, |cpu| cpu as usize + 1)];
        let mut cpus = Vec::new();
        for (at, pages) in capture.cpus.iter().enumerate() {
            by_cpu[pages.cpu as usize] = at;
            cpus.push(Cpu::new(pages.cpu));
        }
        Pass {
            order: capture.head.order,
            cpus,
            by_cpu,
            tasks: Vec::new(),
            by_pid: Vec::new(),
            names,
            account: Account::default(),
            begin_ns: None,
            end_ns: 0,
        }
    }

    fn event(&mut self, known: &Known, event: &Event<'_>) {
        let (order, payload) = (self.order, event.payload);
        let at = self.by_cpu[event.cpu as usize];
        let meaning = known.meaning(event.id(order));
        self.runs(at, event, matches!(meaning, Meaning::Switch(_)));
        let at_ns = self.seen(at, event.at_ns);
        self.account.events += 1;
        match meaning {
            Meaning::Nothing => {}
            Meaning::Switch(fields) => self.switch(at, fields, payload, at_ns),
            Meaning::Waking(pid) | Meaning::Wakeup(pid) => {
                let pid = pid.signed(payload, order).unwrap_or(0) as i32;
                self.woken(pid, event);
            }
            Meaning::HandlerEntry(fields) => {
                let (irq, text) = &**fields;
                let irq = irq.unsigned(payload, order).unwrap_or(0);
                let name = || text.text(payload, order).unwrap_or_default().into_owned();
                let name = self.names.handler(irq, name);
                self.cpus[at].hard_begins(at_ns, name);
            }
            Meaning::VectorEntry(name) => self.cpus[at].hard_begins(at_ns, *name),
            Meaning::HardExit => self.cpus[at].hard_ends(at_ns),
            Meaning::SoftEntry(vec) => {
                let vec = vec.unsigned(payload, order).unwrap_or(0);
                self.cpus[at].soft_begins(at_ns, self.names.softirq(vec));
            }
            Meaning::SoftExit => self.cpus[at].soft_ends(at_ns),
            Meaning::Expiry(kind, function) => {
                let address = function.unsigned(payload, order).unwrap_or(0);
                let name = self.names.function(kind, address);
                self.cpus[at].lane.moments.push(Moment { at_ns, name });
            }
            Meaning::Moment(name) => {
                let name = *name;
                self.cpus[at].lane.moments.push(Moment { at_ns, name });
            }
        }
    }

    /// Every event says who runs. Where that is somebody else than the switches
    /// said, one is missing, although nobody told of a loss.
    fn runs(&mut self, at: usize, event: &Event<'_>, switch: bool) {
        let pid = event.pid(self.order);
        let cpu = &mut self.cpus[at];
        let now_ns = event.at_ns.max(cpu.last_ns);
        let expected = match cpu.runs {
            Runs::Task { task, .. } => self.tasks[task as usize].pid,
            Runs::Idle => 0,
            Runs::Unseen => return self.found(at, pid, now_ns),
            Runs::Somebody(since_ns) => return self.found(at, pid, since_ns),
        };
        if pid == expected {
            cpu.switching = None;
            return;
        }
        // Right behind a switch's event the one before is still the current one.
        let behind = |(before, at_ns)| before == pid && now_ns < at_ns + SWITCH_NS;
        if !switch && cpu.switching.is_some_and(behind) {
            return;
        }
        if let Runs::Task { task, .. } = cpu.runs {
            self.tasks[task as usize].running = false;
        }
        cpu.gap(now_ns, None);
        self.found(at, pid, now_ns);
    }

    /// Somebody runs whose switch was not seen.
    fn found(&mut self, at: usize, pid: i32, since_ns: u64) {
        self.cpus[at].runs = Runs::Idle;
        let Some(task) = self.task(pid) else { return };
        let state = &mut self.tasks[task as usize];
        state.running = true;
        self.account.broken_waits += u64::from(state.ready.take().is_some());
        self.cpus[at].runs = Runs::Task {
            task,
            since_ns,
            wait: Wait::Unknown,
            before: true,
        };
    }

    /// The time of an event of a CPU. Where a damaged page goes back in time,
    /// its events stand at the one before.
    fn seen(&mut self, at: usize, stamp_ns: u64) -> u64 {
        let begin_ns = *self.begin_ns.get_or_insert(stamp_ns);
        let cpu = &mut self.cpus[at];
        let at_ns = stamp_ns.max(cpu.last_ns).max(begin_ns);
        cpu.last_ns = at_ns;
        self.end_ns = self.end_ns.max(at_ns);
        at_ns
    }

    /// None for the idle task, and for what is no pid.
    fn task(&mut self, pid: i32) -> Option<u32> {
        let at = usize::try_from(pid)
            .ok()
            .filter(|p| (1..PIDS).contains(p))?;
        if at >= self.by_pid.len() {
            self.by_pid.resize((at + 1).next_power_of_two(), 0);
        }
        if self.by_pid[at] == 0 {
            self.tasks.push(TaskState {
                pid,
                comm: [0; 16],
                running: false,
                ready: None,
            });
            self.by_pid[at] = self.tasks.len() as u32;
        }
        Some(self.by_pid[at] - 1)
    }

    fn named(&mut self, task: u32, comm: Option<&[u8]>) {
        let state = &mut self.tasks[task as usize];
        if let Some(comm) = comm.and_then(|c| <[u8; 16]>::try_from(c).ok()) {
            state.comm = comm;
        }
    }

    fn switch(&mut self, at: usize, fields: &Switch, payload: &[u8], at_ns: u64) {
        let order = self.order;
        let pid = |field: &crate::format::Field| field.signed(payload, order).unwrap_or(0) as i32;
        let prev = self.task(pid(&fields.prev_pid));
        let next = self.task(pid(&fields.next_pid));
        let state = fields.prev_state.unsigned(payload, order).unwrap_or(0);
        let end = End::of_state(state);
        self.cpus[at].leaves(prev, at_ns, end);
        if let Some(task) = prev {
            self.named(task, fields.prev_comm.bytes(payload, order));
            let state = &mut self.tasks[task as usize];
            state.running = false;
            // Who blocks here has used up whatever woke it while it ran.
            let still = matches!(end, End::Preempted | End::Runnable);
            state.ready = still.then_some((at_ns, None));
        }
        self.cpus[at].switching = Some((pid(&fields.prev_pid), at_ns));
        self.cpus[at].runs = Runs::Idle;
        if let Some(task) = next {
            self.named(task, fields.next_comm.bytes(payload, order));
            let state = &mut self.tasks[task as usize];
            state.running = true;
            let wait = match state.ready.take() {
                None => Wait::Unknown,
                Some((since, waker)) => {
                    let wait_ns = at_ns.saturating_sub(since);
                    match waker {
                        None => Wait::PutOff { wait_ns },
                        Some(waker) => Wait::Woken { wait_ns, waker },
                    }
                }
            };
            self.cpus[at].runs = Runs::Task {
                task,
                since_ns: at_ns,
                wait,
                before: false,
            };
        }
    }

    /// The first mark stays: `sched_wakeup` follows `sched_waking`.
    fn woken(&mut self, pid: i32, event: &Event<'_>) {
        let Some(task) = self.task(pid) else { return };
        let waker = Waker {
            task: self.task(event.pid(self.order)),
            cpu: event.cpu,
            interrupt: event.flags() & IN_INTERRUPT != 0,
        };
        let state = &mut self.tasks[task as usize];
        if state.ready.is_none() && !state.running {
            state.ready = Some((event.at_ns, Some(waker)));
        }
    }

    /// Whoever was runnable may have run where nobody saw it.
    fn lost(&mut self, lost: Lost) {
        self.account.lost_events += lost.count.unwrap_or(0);
        self.end_ns = self.end_ns.max(lost.until_ns);
        let begin_ns = *self.begin_ns.get_or_insert(lost.until_ns);
        let cpu = &mut self.cpus[self.by_cpu[lost.cpu as usize]];
        if let Runs::Task { task, .. } = cpu.runs {
            self.tasks[task as usize].running = false;
        }
        cpu.gap(lost.until_ns.max(begin_ns), lost.count);
        for task in &mut self.tasks {
            self.account.broken_waits += u64::from(task.ready.take().is_some());
        }
    }

    fn finish(mut self, capture: &Capture) -> Timeline {
        for cpu in &mut self.cpus {
            let stats = &capture.head.cpu_stats;
            let stat = stats.iter().find(|s| s.cpu == cpu.lane.cpu);
            let dropped = stat.and_then(|s| s.value("dropped events")).unwrap_or(0);
            if dropped > 0 && cpu.last_ns < self.end_ns {
                // The ring was full: its newest events were refused.
                cpu.gap(self.end_ns, Some(dropped));
                self.account.lost_events += dropped;
            }
            cpu.ends(self.end_ns);
        }
        let unserved = (0u32..).zip(&self.tasks).filter_map(|(task, state)| {
            let (since_ns, _) = state.ready?;
            Some(Unserved { task, since_ns })
        });
        let unserved = unserved.collect();
        let name = |state: &TaskState| Task {
            pid: state.pid,
            name: comm(state, capture),
        };
        let mut lanes: Vec<CpuLane> = self.cpus.into_iter().map(|cpu| cpu.lane).collect();
        lanes.sort_by_key(|lane| lane.cpu);
        Timeline {
            begin_ns: self.begin_ns.unwrap_or(0),
            end_ns: self.end_ns.max(self.begin_ns.unwrap_or(0)),
            cpus: lanes,
            tasks: self.tasks.iter().map(name).collect(),
            names: self.names.finish(&capture.head.kallsyms),
            unserved,
            account: self.account,
        }
    }
}

/// As it was switched last; a task that never was, as the kernel remembered it.
fn comm(state: &TaskState, capture: &Capture) -> String {
    let end = state.comm.iter().position(|b| *b == 0).unwrap_or(16);
    if end > 0 {
        return String::from_utf8_lossy(&state.comm[..end]).into_owned();
    }
    let known = capture.task_name(state.pid);
    known.map_or_else(|| format!("pid {}", state.pid), str::to_owned)
}
