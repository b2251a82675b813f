//! Who ran on which CPU from when to when, what ended it, and how long it had
//! waited before.

use super::event::{Comm, Happening, Switch, Wake, WakeKind, What};
use super::known::Known;
use super::pass::{Gap, Pass, Visitor};
pub use super::slice::{Ready, Sink, Slice, Wait};
pub use super::states::End;
use super::table::ByPid;

#[derive(Debug, Clone, Copy)]
struct Mark {
    at_ns: u64,
    /// Place of the CPU whose queue it is in.
    cpu: usize,
    why: Ready,
}

#[derive(Debug, Clone, Copy, Default)]
struct Task {
    comm: Comm,
    /// Runnable since.
    ready: Option<Mark>,
    /// Woken while it still ran: counts if it then blocks and is woken up.
    early: Option<Mark>,
    running: bool,
    /// Inside sched_yield.
    yields: bool,
    /// CPU that it ran on last, plus one.
    last_cpu: usize,
    /// Migrations of it have their own event.
    blocked_since_ns: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Cpu {
    /// The slice under way; its end is not known yet.
    running: Option<Slice>,
    gap_until_ns: u64,
    last_ns: u64,
}

/// Follows the scheduler's events and hands out slices as they end.
pub struct Slices<S> {
    /// Receives the slices.
    pub sink: S,
    cpus: Vec<Cpu>,
    tasks: ByPid<Task>,
    /// Formats may describe events that were not recorded.
    waking_seen: bool,
    /// Without switches it is not known who ran between two events.
    switch_seen: bool,
}

impl<S: Sink> Slices<S> {
    /// No CPU is known to run anything.
    pub fn new(known: &Known, sink: S) -> Slices<S> {
        Slices {
            sink,
            cpus: vec![Cpu::default(); known.cpus.len()],
            tasks: ByPid::default(),
            waking_seen: false,
            switch_seen: false,
        }
    }

    #[inline]
    fn switch(&mut self, at_ns: u64, cpu: usize, s: &Switch, known: &Known) {
        let end = match known.states.end(s.prev_state) {
            End::StillRunnable if self.tasks.row(s.prev_pid).yields => End::Yielded,
            end => end,
        };
        self.leave(at_ns, cpu, s, end);
        self.enter(at_ns, cpu, s, known);
    }

    #[inline]
    fn leave(&mut self, at_ns: u64, cpu: usize, s: &Switch, end: End) {
        match self.cpus[cpu].running {
            Some(running) if running.pid == s.prev_pid => self.sink.slice(&Slice {
                comm: named(s.prev_pid, s.prev_comm),
                end_ns: at_ns,
                prio: Some(s.prev_prio),
                end,
                ..running
            }),
            // Not the task that was switched to: something is missing.
            _ => self.cut(cpu, at_ns),
        }
        if s.prev_pid == 0 {
            return;
        }
        let task = self.tasks.row(s.prev_pid);
        task.comm = s.prev_comm;
        task.running = false;
        task.last_cpu = cpu + 1;
        task.ready = None;
        let why = match end {
            End::Preempted => Ready::Preempted,
            End::StillRunnable | End::Yielded => Ready::StillRunnable,
            _ => {
                task.blocked_since_ns = at_ns;
                return;
            }
        };
        // It did not go to sleep: a waking while it ran has no effect.
        task.early = None;
        task.ready = Some(Mark { at_ns, cpu, why });
    }

    #[inline]
    fn enter(&mut self, at_ns: u64, cpu: usize, s: &Switch, known: &Known) {
        let mut wait = None;
        if s.next_pid != 0 {
            let task = self.tasks.row(s.next_pid);
            let (mark, moved) = (
                task.ready.take(),
                task.last_cpu != cpu + 1 && task.last_cpu > 0,
            );
            task.early = None;
            task.running = true;
            task.comm = s.next_comm;
            task.last_cpu = cpu + 1;
            if moved {
                self.sink.moved(s.next_pid, at_ns);
            }
            if let Some(mark) = mark {
                let lost = self.cpus[mark.cpu]
                    .gap_until_ns
                    .max(self.cpus[cpu].gap_until_ns);
                // In a gap of either CPU it may have run, or slept and been woken anew.
                if mark.at_ns < lost {
                    self.sink.dropped_wait();
                } else {
                    wait = Some(Wait {
                        from_ns: mark.at_ns,
                        until_ns: at_ns,
                        why: mark.why,
                    });
                }
            }
        }
        self.cpus[cpu].running = Some(Slice {
            prio: Some(s.next_prio),
            wait,
            ..begun(s.next_pid, s.next_comm, at_ns, cpu, known)
        });
    }

    /// Ends the slice under way where its own end was not seen.
    fn cut(&mut self, cpu: usize, at_ns: u64) {
        let Some(running) = self.cpus[cpu].running.take() else {
            return;
        };
        if running.pid != 0 {
            self.tasks.row(running.pid).running = false;
        }
        // Without any switch the running task is known at single moments only.
        if self.switch_seen {
            self.sink.slice(&Slice {
                end_ns: at_ns.max(running.begin_ns),
                partial: true,
                ..running
            });
        }
    }

    #[inline]
    fn wake(&mut self, happening: &Happening<'_>, wake: &Wake, known: &Known) {
        if wake.pid == 0 {
            return;
        }
        let target = known.place_of_field(wake.target_cpu);
        let target = target.unwrap_or(happening.cpu);
        let cpu = known.cpus[happening.cpu];
        let why = match wake.kind {
            WakeKind::New => Ready::New {
                parent: happening.pid,
                cpu,
            },
            _ => Ready::Woken {
                waker: happening.pid,
                cpu,
                interrupt: happening.in_interrupt(),
            },
        };
        let mark = Mark {
            at_ns: happening.at_ns,
            cpu: target,
            why,
        };
        let task = self.tasks.row(wake.pid);
        task.comm = wake.comm;
        match (wake.kind, &mut task.ready) {
            // The queue is chosen after waking; the wait began before.
            (WakeKind::Wakeup, Some(known)) => known.cpu = target,
            // Runnable already: its wait goes on from where it began.
            (_, Some(_)) => {}
            // While it runs, a waking counts only if the task then blocks.
            (WakeKind::Waking, None) if task.running => task.early = Some(mark),
            (WakeKind::Wakeup, None) if task.running => {}
            (WakeKind::Wakeup, None) => {
                // Waking came while it was about to sleep.
                let since = task.blocked_since_ns;
                let early = task.early.take().map(|e| Mark {
                    at_ns: e.at_ns.max(since),
                    cpu: target,
                    ..e
                });
                // Where wakings are recorded, the begin of a wait without one is not
                // known.
                if early.is_some() || !self.waking_seen {
                    task.ready = early.or(Some(mark));
                }
            }
            (WakeKind::Waking | WakeKind::New, None) => task.ready = Some(mark),
        }
    }

    /// Another task runs than was switched to: some kernels hide switches of some
    /// tasks, without a gap.
    #[cold]
    fn missed(&mut self, happening: &Happening<'_>, known: &Known) {
        let cpu = happening.cpu;
        let last_ns = self.cpus[cpu].last_ns;
        self.cut(cpu, last_ns);
        if self.switch_seen {
            self.sink.missed_switch(&Gap {
                cpu,
                from_ns: last_ns,
                until_ns: happening.at_ns,
                count: None,
            });
        }
        self.begin(happening, known);
    }

    /// The first event of a CPU, or the first behind a gap, shows who runs.
    #[cold]
    fn begin(&mut self, happening: &Happening<'_>, known: &Known) {
        let pid = happening.pid;
        let comm = match &happening.what {
            What::Switch(s) => s.prev_comm,
            _ => self.tasks.row(pid).comm,
        };
        if pid != 0 {
            let task = self.tasks.row(pid);
            (task.running, task.ready, task.early) = (true, None, None);
            task.last_cpu = happening.cpu + 1;
        }
        let cpu = &mut self.cpus[happening.cpu];
        // What was runnable before may have run here unseen.
        cpu.gap_until_ns = cpu.gap_until_ns.max(happening.at_ns);
        cpu.running = Some(Slice {
            partial: true,
            begun_before: true,
            ..begun(pid, comm, happening.at_ns, happening.cpu, known)
        });
    }
}

/// A slice of which only the begin is known.
fn begun(pid: i32, comm: Comm, at_ns: u64, place: usize, known: &Known) -> Slice {
    Slice {
        pid,
        comm: named(pid, comm),
        cpu: known.cpus[place],
        place,
        begin_ns: at_ns,
        end_ns: at_ns,
        prio: None,
        end: End::Cut,
        partial: false,
        begun_before: false,
        wait: None,
    }
}

/// The kernel calls its idle tasks by their CPUs.
fn named(pid: i32, comm: Comm) -> Comm {
    match pid {
        0 => Comm::IDLE,
        _ => comm,
    }
}

impl<S: Sink> Visitor for Slices<S> {
    #[inline]
    fn event(&mut self, happening: &Happening<'_>, known: &Known) {
        let (at_ns, cpu) = (happening.at_ns, happening.cpu);
        self.switch_seen |= matches!(happening.what, What::Switch(_));
        match &self.cpus[cpu].running {
            Some(running) if running.pid == happening.pid || happening.leaving => {}
            Some(_) => self.missed(happening, known),
            None => self.begin(happening, known),
        }
        self.cpus[cpu].last_ns = at_ns;
        match &happening.what {
            What::Switch(s) => self.switch(at_ns, cpu, s, known),
            What::Wake(wake) => {
                self.waking_seen |= wake.kind == WakeKind::Waking;
                self.wake(happening, wake, known);
            }
            What::SysEnter { number } => {
                let yields = known.is_yield(happening.id, *number);
                self.tasks.row(happening.pid).yields = yields;
            }
            What::SysExit { .. } => self.tasks.row(happening.pid).yields = false,
            What::Migrate { pid, to_cpu, .. } => {
                self.sink.migrated(*pid, at_ns);
                let to = known.place_of_field(*to_cpu);
                let ready = &mut self.tasks.row(*pid).ready;
                if let (Some(mark), Some(to)) = (ready, to) {
                    mark.cpu = to;
                }
            }
            _ => {}
        }
    }

    fn lost(&mut self, gap: &Gap, known: &Known) {
        self.cut(gap.cpu, gap.from_ns);
        let cpu = &mut self.cpus[gap.cpu];
        cpu.gap_until_ns = cpu.gap_until_ns.max(gap.until_ns);
        self.sink.gap(gap, known.cpus[gap.cpu]);
    }

    fn end(&mut self, pass: &Pass, _: &Known) {
        for cpu in 0..self.cpus.len() {
            self.cut(cpu, pass.cpus[cpu].until_ns);
        }
        for (pid, task) in self.tasks.iter() {
            let Some(mark) = task.ready.filter(|_| !task.running) else {
                continue;
            };
            if mark.at_ns >= self.cpus[mark.cpu].gap_until_ns {
                self.sink.unserved(pid, task.comm, mark.at_ns);
            }
        }
        self.sink.over(pass);
    }
}
