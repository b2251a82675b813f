//! System calls: who called which, how often, how long, and how long of that
//! the task was off the CPU.

use super::event::{Comm, Happening, Switch, What};
use super::known::Known;
use super::pass::{Gap, Visitor};
use super::table::{ByPid, found_or_new};
use crate::capture::Capture;
use crate::format::Formats;
use serde::Serialize;

/// Numbers that get a name; no architecture has more.
const NUMBERS: usize = 1 << 12;

/// Calls of one task by one number. Times in ns, from entry to exit; a call
/// that began or ended outside the capture, or next to a gap, is in none.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CallSum {
    /// The thread.
    pub pid: i32,
    /// Its name.
    pub comm: Comm,
    /// Number of the call on the traced machine.
    pub number: i64,
    /// From the capture's own `sys_enter_NAME`; None where only raw_syscalls
    /// were recorded, which have no names.
    pub name: Option<String>,
    /// Calls that returned.
    pub count: u64,
    /// Together, in ns.
    pub total_ns: u64,
    /// The longest one, in ns.
    pub max_ns: u64,
    /// Not running meanwhile: asleep, or waiting for a CPU. Needs sched_switch.
    pub off_cpu_ns: u64,
}

impl CallSum {
    /// Of a call, in ns; 0 without any.
    pub fn average_ns(&self) -> u64 {
        self.total_ns / self.count.max(1)
    }

    /// `read`, or `call 0`.
    pub fn called(&self) -> String {
        match &self.name {
            Some(name) => name.clone(),
            None => format!("call {}", self.number),
        }
    }
}

/// A call that has not returned.
#[derive(Debug, Clone, Copy)]
struct Open {
    number: i64,
    /// Of its event's format.
    id: u16,
    at_ns: u64,
    off_cpu_ns: u64,
    /// Since when the task is off the CPU.
    off_since_ns: Option<u64>,
}

#[derive(Debug, Default)]
struct Task {
    comm: Comm,
    open: Option<Open>,
    /// Without the names, which come at the end.
    rows: Vec<CallSum>,
}

/// Follows the calls of all tasks.
#[derive(Debug)]
pub struct Calls<'a> {
    formats: &'a Formats,
    tasks: ByPid<Task>,
    /// Names by number.
    names: Vec<Option<String>>,
    gap_until_ns: u64,
    /// Calls that a gap made unknown.
    dropped: u64,
}

/// What the calls of a capture amount to.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Syscalls {
    /// Most time first.
    pub calls: Vec<CallSum>,
    /// Calls that a gap made unknown.
    pub dropped: u64,
    /// Were inside a call when the capture ended.
    pub unfinished: u64,
}

impl<'a> Calls<'a> {
    /// `formats` name the calls.
    pub fn new(formats: &'a Formats) -> Calls<'a> {
        Calls {
            formats,
            tasks: ByPid::default(),
            names: Vec::new(),
            gap_until_ns: 0,
            dropped: 0,
        }
    }

    #[inline]
    fn enter(&mut self, happening: &Happening<'_>, number: i64) {
        let at = usize::try_from(number).unwrap_or(NUMBERS);
        let named = self.names.get(at).is_some_and(Option::is_some);
        if !named && at < NUMBERS {
            self.learn(at, happening.id);
        }
        let open = &mut self.tasks.row(happening.pid).open;
        // Recorded both raw and by name: the second one is the same call.
        let twice = open.is_some_and(|o| {
            o.number == number && o.id != happening.id && o.at_ns >= self.gap_until_ns
        });
        if !twice {
            *open = Some(Open {
                number,
                id: happening.id,
                at_ns: happening.at_ns,
                off_cpu_ns: 0,
                off_since_ns: None,
            });
        }
    }

    /// A raw event knows no name.
    fn learn(&mut self, number: usize, id: u16) {
        let format = self.formats.by_id(id).filter(|f| f.system == "syscalls");
        let Some(name) = format.and_then(|f| f.name.strip_prefix("sys_enter_")) else {
            return;
        };
        if self.names.len() <= number {
            self.names.resize(number + 1, None);
        }
        self.names[number] = Some(name.to_owned());
    }

    #[inline]
    fn exit(&mut self, happening: &Happening<'_>, number: i64) {
        let task = self.tasks.row(happening.pid);
        // A call that is restarted or returns from a signal has no number here.
        let same = |open: &Open| number < 0 || open.number == number;
        let Some(open) = task.open.take().filter(same) else {
            return;
        };
        if open.at_ns < self.gap_until_ns {
            self.dropped += 1;
            return;
        }
        let of = |row: &CallSum| row.number == open.number;
        let row = found_or_new(&mut task.rows, of, || CallSum {
            pid: happening.pid,
            number: open.number,
            ..CallSum::default()
        });
        let length_ns = happening.at_ns - open.at_ns;
        row.count += 1;
        row.total_ns = row.total_ns.saturating_add(length_ns);
        row.max_ns = row.max_ns.max(length_ns);
        row.off_cpu_ns = row.off_cpu_ns.saturating_add(open.off_cpu_ns);
    }

    #[inline]
    fn switch(&mut self, at_ns: u64, switch: &Switch) {
        let prev = self.tasks.row(switch.prev_pid);
        prev.comm = switch.prev_comm;
        if let Some(open) = &mut prev.open {
            open.off_since_ns = Some(at_ns);
        }
        let next = self.tasks.row(switch.next_pid);
        next.comm = switch.next_comm;
        if let Some(open) = &mut next.open
            && let Some(since_ns) = open.off_since_ns.take()
        {
            open.off_cpu_ns += at_ns.saturating_sub(since_ns);
        }
    }

    /// Sums by task and number, with the names that the capture has.
    pub fn finish(mut self, capture: &Capture) -> Syscalls {
        let mut all = Syscalls {
            dropped: self.dropped,
            ..Syscalls::default()
        };
        for (pid, task) in self.tasks.iter_mut() {
            all.unfinished += u64::from(task.open.is_some());
            if task.comm.is_empty() {
                let name = capture.task_name(pid).unwrap_or_default();
                task.comm = Comm::new(name.as_bytes());
            }
            for mut row in task.rows.drain(..) {
                row.comm = task.comm;
                let at = usize::try_from(row.number).ok();
                row.name = at.and_then(|at| self.names.get(at)?.clone());
                all.calls.push(row);
            }
        }
        all.calls
            .sort_by_key(|c| (std::cmp::Reverse(c.total_ns), c.pid, c.number));
        all
    }
}

impl Visitor for Calls<'_> {
    #[inline]
    fn event(&mut self, happening: &Happening<'_>, _: &Known) {
        match &happening.what {
            What::SysEnter { number } => self.enter(happening, *number),
            What::SysExit { number } => self.exit(happening, *number),
            What::Switch(switch) => self.switch(happening.at_ns, switch),
            _ => {}
        }
    }

    /// A task may have gone on on any CPU, out of one call and into the next.
    fn lost(&mut self, gap: &Gap, _: &Known) {
        self.gap_until_ns = self.gap_until_ns.max(gap.until_ns);
    }
}

impl Syscalls {
    /// Of the task that was off the CPU longest inside calls: all of its calls,
    /// the one it was off in longest first. Empty where no task was.
    pub fn longest_off_cpu(&self) -> Vec<&CallSum> {
        let mut sums: ByPid<u64> = ByPid::default();
        for call in &self.calls {
            let sum = sums.row(call.pid);
            *sum = sum.saturating_add(call.off_cpu_ns);
        }
        let most = sums.iter().max_by_key(|(pid, ns)| (**ns, -pid));
        let Some((pid, _)) = most.filter(|(_, ns)| **ns > 0) else {
            return Vec::new();
        };
        let mut calls: Vec<&CallSum> = self.calls.iter().filter(|c| c.pid == pid).collect();
        calls.sort_by_key(|c| (std::cmp::Reverse(c.off_cpu_ns), c.number));
        calls
    }
}
