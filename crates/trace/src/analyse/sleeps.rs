//! Threads that sleep until a moment, as cyclictest and every `clock_nanosleep`
//! do: how late each runs again, in which stage the time went, and who held it up.
//!
//! A sleep is an hrtimer whose expiry wakes a thread: `hrtimer_start` has the
//! moment, `hrtimer_expire_entry` the interrupt, `sched_waking` inside it the
//! thread, `sched_switch` when it ran. No name of a function is needed.

use super::distribution::Distribution;
use super::event::{Comm, Happening, Interrupt, Switch, Wake, WakeKind, What};
use super::held::Holder;
use super::known::Known;
use super::pass::{Gap, Visitor};
use super::table::{ByAddress, found_or_new};
use serde::{Serialize, Serializer};
use std::cmp::Reverse;

/// Latest sleeps that are kept.
const LATEST: usize = 20;
/// Interrupts in interrupts that are followed.
const NESTED: usize = 16;
/// CLOCK_MONOTONIC is nearer to itself than CLOCK_REALTIME ever is.
const SAME_CLOCK_NS: i64 = 1_000_000_000;

/// Where the time of a late thread goes, in the order in which it goes there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Within the slack that the thread allows its timers.
    Slack,
    /// Beyond it, until the timer's function was called: interrupts were off, the
    /// CPU had to leave an idle state, or the machine (a hypervisor) was late.
    Timer,
    /// The timer's function, until it wakes the thread.
    Wake,
    /// Runnable, and something else has the CPU.
    Queue,
}

impl Stage {
    /// In the order of time.
    pub const ALL: [Stage; 4] = [Stage::Slack, Stage::Timer, Stage::Wake, Stage::Queue];
}

/// One sleep that a timer ended. Times in ns of the capture's clock.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Sleep {
    /// The thread.
    pub pid: i32,
    /// Its name.
    pub comm: Comm,
    /// Where it ran again.
    pub cpu: u32,
    /// The moment asked for, and the latest one that its slack allows.
    pub asked_ns: u64,
    /// The latest moment that its slack allows.
    pub due_ns: u64,
    /// The timer's function was called.
    pub expired_ns: u64,
    /// `sched_waking`.
    pub woken_ns: u64,
    /// It was switched to.
    pub ran_ns: u64,
    /// Who ran where the timer's interrupt came; pid 0 is idle.
    pub interrupted: (i32, Comm),
    /// Who had the CPU while it was runnable, most first.
    pub holders: Vec<Holder>,
    /// Of that time, in interrupts and softirqs, most first.
    pub interrupts: Vec<Interrupting>,
}

/// Time that one source of interrupts took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Interrupting {
    /// Name of the source: `irq 24 nvme`, `softirq TIMER`.
    pub source: String,
    /// For how long.
    pub ns: u64,
}

impl Sleep {
    /// From the moment asked for to running.
    pub fn late_ns(&self) -> u64 {
        self.ran_ns.saturating_sub(self.asked_ns)
    }

    /// The part of the lateness in one stage; the stages add up to all of it.
    pub fn stage_ns(&self, stage: Stage) -> u64 {
        let due_ns = self.due_ns.min(self.expired_ns).max(self.asked_ns);
        match stage {
            Stage::Slack => due_ns - self.asked_ns,
            Stage::Timer => self.expired_ns.saturating_sub(due_ns),
            Stage::Wake => self.woken_ns.saturating_sub(self.expired_ns),
            Stage::Queue => self.ran_ns.saturating_sub(self.woken_ns),
        }
    }

    /// The stage in which most of the time went.
    pub fn longest(&self) -> Stage {
        let all = Stage::ALL.iter().copied();
        all.max_by_key(|stage| self.stage_ns(*stage))
            .unwrap_or(Stage::Timer)
    }
}

/// What is made of all sleeps.
#[derive(Debug, Clone, Default, Serialize)]
pub struct SleepSums {
    /// Lateness in ns.
    pub late: Distribution,
    /// In the order of [`Stage::ALL`].
    #[serde(serialize_with = "by_name")]
    pub stages: [Distribution; 4],
    /// Latest first.
    pub latest: Vec<Sleep>,
    /// Sleeps whose end a gap, or a switch that is not in the capture, hides.
    pub dropped: u64,
}

/// A reader of the document does not know the order.
fn by_name<S: Serializer>(stages: &[Distribution; 4], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(Stage::ALL.iter().zip(stages))
}

impl SleepSums {
    fn add(&mut self, sleep: &Sleep) {
        let late_ns = sleep.late_ns();
        self.late.add(late_ns);
        for (sum, stage) in self.stages.iter_mut().zip(Stage::ALL) {
            sum.add(sleep.stage_ns(stage));
        }
        let at = self.latest.partition_point(|s| s.late_ns() >= late_ns);
        if at < LATEST {
            self.latest.insert(at, sleep.clone());
            self.latest.truncate(LATEST);
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Timer {
    soft_ns: i64,
    expires_ns: i64,
}

#[derive(Debug, Clone, Default)]
struct Cpu {
    pid: i32,
    comm: Comm,
    /// No holder is accounted before it.
    since_ns: u64,
    /// The sleep that the timer ends whose function runs, as far as it is known.
    expiring: Option<Sleep>,
    interrupts: Vec<(Interrupt, u64)>,
}

/// Runnable, and not yet on a CPU.
#[derive(Debug)]
struct Pending {
    /// Place of the CPU that it waits for.
    cpu: usize,
    /// Waits for that one since.
    since_ns: u64,
    sleep: Sleep,
    interrupts: Vec<(Interrupt, u64)>,
}

impl Pending {
    /// Whoever has had `cpu` since it waits, had it until now.
    fn held_by(&mut self, cpu: &Cpu, at_ns: u64) {
        let ns = at_ns.saturating_sub(cpu.since_ns.max(self.since_ns));
        let (pid, comm) = (cpu.pid, cpu.comm);
        let holders = &mut self.sleep.holders;
        let holder = found_or_new(holders, |h| h.pid == pid, || Holder { pid, comm, ns: 0 });
        holder.ns = holder.ns.saturating_add(ns);
    }
}

/// Follows timers and the threads that they wake; hands out each sleep.
pub struct Sleeps<F> {
    /// Of all sleeps so far.
    pub sums: SleepSums,
    each: F,
    timers: ByAddress<Timer>,
    cpus: Vec<Cpu>,
    pending: Vec<Pending>,
}

impl<F: FnMut(&Sleep)> Sleeps<F> {
    /// `each` receives every sleep when it ends.
    pub fn new(known: &Known, each: F) -> Sleeps<F> {
        Sleeps {
            sums: SleepSums::default(),
            each,
            timers: ByAddress::default(),
            cpus: vec![Cpu::default(); known.cpus.len()],
            pending: Vec::new(),
        }
    }

    /// The CPU changes hands: whoever had it, had it until now.
    fn hand_over(&mut self, cpu: usize, at_ns: u64, pid: i32, comm: Comm) {
        let was = &mut self.cpus[cpu];
        for pending in self.pending.iter_mut().filter(|p| p.cpu == cpu) {
            pending.held_by(was, at_ns);
        }
        (was.pid, was.comm, was.since_ns) = (pid, comm, at_ns);
    }

    #[inline]
    fn switch(&mut self, h: &Happening<'_>, s: &Switch, known: &Known) {
        self.cpus[h.cpu].comm = s.prev_comm;
        let comm = match s.next_pid {
            0 => Comm::IDLE,
            _ => s.next_comm,
        };
        // First: the time up to now is that of whoever had the CPU.
        self.hand_over(h.cpu, h.at_ns, s.next_pid, comm);
        if !self.pending.is_empty() {
            self.runs(s.next_pid, h.cpu, h.at_ns, known);
        }
    }

    fn wake(&mut self, h: &Happening<'_>, wake: &Wake, known: &Known) {
        let Wake { pid, comm, .. } = *wake;
        let here = &mut self.cpus[h.cpu];
        let interrupted = (here.pid, here.comm);
        // A timer wakes one thread: the first waking inside its expiry is that one's.
        let Some(expired) = here.expiring.take() else {
            return;
        };
        // It has not gone to sleep yet.
        if pid == 0 || self.cpus.iter().any(|cpu| cpu.pid == pid) {
            return;
        }
        // Its last wake-up has no end in the capture.
        self.forget(|p| p.sleep.pid == pid);
        self.pending.push(Pending {
            cpu: known.place_of_field(wake.target_cpu).unwrap_or(h.cpu),
            since_ns: h.at_ns,
            sleep: Sleep {
                pid,
                comm,
                woken_ns: h.at_ns,
                interrupted,
                ..expired
            },
            interrupts: Vec::new(),
        });
    }

    fn runs(&mut self, pid: i32, cpu: usize, at_ns: u64, known: &Known) {
        let Some(at) = self.pending.iter().position(|p| p.sleep.pid == pid) else {
            return;
        };
        let mut ended = self.pending.swap_remove(at);
        let mut sleep = ended.sleep;
        (sleep.cpu, sleep.ran_ns) = (known.cpus[cpu], at_ns);
        sleep.holders.retain(|h| h.ns > 0);
        sleep.holders.sort_by_key(|h| Reverse(h.ns));
        ended.interrupts.sort_by_key(|(_, ns)| Reverse(*ns));
        let named = ended.interrupts.into_iter().map(|(of, ns)| Interrupting {
            source: known.interrupt_name(of, None),
            ns,
        });
        sleep.interrupts = named.collect();
        self.sums.add(&sleep);
        (self.each)(&sleep);
    }

    fn moves(&mut self, pid: i32, cpu: i32, at_ns: u64, known: &Known) {
        let pending = self.pending.iter_mut().find(|p| p.sleep.pid == pid);
        if let (Some(pending), Some(place)) = (pending, known.place_of_field(cpu)) {
            if pending.cpu != place {
                pending.held_by(&self.cpus[pending.cpu], at_ns);
                pending.since_ns = at_ns;
            }
            pending.cpu = place;
        }
    }

    fn interrupted(&mut self, h: &Happening<'_>, key: Interrupt) {
        let open = &mut self.cpus[h.cpu].interrupts;
        if open.len() < NESTED {
            open.push((key, h.at_ns));
        }
    }

    /// The outermost one's time is that of all in it.
    fn returned(&mut self, h: &Happening<'_>, key: Interrupt) {
        let open = &mut self.cpus[h.cpu].interrupts;
        let Some(at) = open.iter().rposition(|(other, _)| *other == key) else {
            return;
        };
        let (_, since_ns) = open[at];
        open.truncate(at);
        // Inside another interrupt: its time is part of that one's.
        if at > 0 {
            return;
        }
        for pending in self.pending.iter_mut().filter(|p| p.cpu == h.cpu) {
            let ns = h.at_ns.saturating_sub(since_ns.max(pending.since_ns));
            let of = |(of, _): &(Interrupt, u64)| *of == key;
            let (_, sum) = found_or_new(&mut pending.interrupts, of, || (key, 0));
            *sum = sum.saturating_add(ns);
        }
    }

    fn forget(&mut self, which: impl Fn(&Pending) -> bool) {
        let before = self.pending.len();
        self.pending.retain(|p| !which(p));
        self.sums.dropped += (before - self.pending.len()) as u64;
    }
}

/// The moments of a timer in the capture's clock; `now_ns` is the timer's own
/// clock when it expired.
fn expiring(timer: Timer, now_ns: i64, at_ns: u64, monotonic: bool) -> Sleep {
    let at = at_ns.cast_signed();
    // Of another clock, only how late it was is known.
    let same = monotonic && at.saturating_sub(now_ns).saturating_abs() < SAME_CLOCK_NS;
    let shift = if same { 0 } else { at.saturating_sub(now_ns) };
    let here = |ns: i64| ns.saturating_add(shift).max(0).cast_unsigned().min(at_ns);
    Sleep {
        asked_ns: here(timer.soft_ns),
        due_ns: here(timer.expires_ns),
        expired_ns: at_ns,
        ..Sleep::default()
    }
}

impl<F: FnMut(&Sleep)> Visitor for Sleeps<F> {
    #[inline]
    fn event(&mut self, h: &Happening<'_>, known: &Known) {
        if self.cpus[h.cpu].pid != h.pid && !h.leaving {
            // A switch that the capture does not hold.
            self.hand_over(h.cpu, h.at_ns, h.pid, Comm::default());
            self.forget(|p| p.sleep.pid == h.pid);
        }
        match &h.what {
            What::Switch(s) => self.switch(h, s, known),
            What::HrtimerStart {
                timer,
                expires_ns,
                soft_ns,
                ..
            } => {
                let started = Timer {
                    soft_ns: soft_ns.unwrap_or(*expires_ns),
                    expires_ns: *expires_ns,
                };
                self.timers.insert(*timer, started);
            }
            // hrtimer_cancel is no sign of an end: it comes before each expiry too.
            What::HrtimerExpireEntry { timer, now_ns, .. } => {
                let timer = self.timers.remove(timer);
                self.cpus[h.cpu].expiring =
                    timer.map(|t| expiring(t, *now_ns, h.at_ns, known.monotonic));
            }
            What::HrtimerExpireExit { .. } => self.cpus[h.cpu].expiring = None,
            What::Wake(wake) => match wake.kind {
                WakeKind::Waking => self.wake(h, wake, known),
                WakeKind::Wakeup => self.moves(wake.pid, wake.target_cpu, h.at_ns, known),
                WakeKind::New => {}
            },
            What::Migrate { pid, to_cpu, .. } => self.moves(*pid, *to_cpu, h.at_ns, known),
            What::InterruptEntry(of, _) => self.interrupted(h, *of),
            What::InterruptExit(of) => self.returned(h, *of),
            _ => {}
        }
    }

    fn lost(&mut self, gap: &Gap, _: &Known) {
        let cpu = &mut self.cpus[gap.cpu];
        (cpu.expiring, cpu.since_ns) = (None, gap.until_ns);
        cpu.interrupts.clear();
        // Any of them may have been started anew in the gap.
        self.timers.clear();
        self.forget(|_| true);
    }
}
