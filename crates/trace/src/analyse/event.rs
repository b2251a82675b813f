//! What the analyses are shown: an event of the capture, its fields read.

use crate::bytes::{text_until_nul, until_nul};
use serde::Serialize;
use std::fmt;

/// A task's name as the kernel keeps it: 16 bytes, the last one NUL.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Comm([u8; 16]);

impl Comm {
    /// The name of the idle task, which the kernel calls `swapper/0` and so on.
    pub const IDLE: Comm = Comm(*b"<idle>\0\0\0\0\0\0\0\0\0\0");

    /// What is longer is cut.
    #[inline]
    pub fn new(bytes: &[u8]) -> Comm {
        if let Ok(whole) = <[u8; 16]>::try_from(bytes) {
            return Comm(whole);
        }
        let mut comm = [0; 16];
        let length = bytes.len().min(15);
        comm[..length].copy_from_slice(&bytes[..length]);
        Comm(comm)
    }

    /// Whether the event had no name.
    pub fn is_empty(&self) -> bool {
        self.0[0] == 0
    }

    /// Whether the name is this text.
    pub fn is(&self, text: &str) -> bool {
        until_nul(&self.0) == text.as_bytes()
    }
}

impl fmt::Display for Comm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&text_until_nul(&self.0))
    }
}

impl fmt::Debug for Comm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", text_until_nul(&self.0))
    }
}

impl Serialize for Comm {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&text_until_nul(&self.0))
    }
}

/// An event as the analyses see it.
#[derive(Debug, Clone, Copy)]
pub struct Happening<'a> {
    /// The event's stamp in ns; never before the one before it on its CPU.
    pub at_ns: u64,
    /// Place of the CPU in `Known::cpus`; not its number.
    pub cpu: usize,
    /// The thread that ran.
    pub pid: i32,
    /// Number of the event's format.
    pub id: u16,
    /// `common_flags`.
    pub flags: u8,
    /// Between the event of a switch and the switch itself: `pid` is still the
    /// one before, and that is no sign of a missing switch.
    pub leaving: bool,
    /// The event, its fields read.
    pub what: What<'a>,
}

impl Happening<'_> {
    /// Whether a hard interrupt, a softirq or an NMI did it, on top of `pid`.
    #[inline]
    pub fn in_interrupt(&self) -> bool {
        // TRACE_FLAG_* of include/linux/trace_events.h.
        const NMI: u8 = 0x40;
        const HARD: u8 = 0x08;
        const SOFT: u8 = 0x10;
        self.flags & (NMI | HARD | SOFT) != 0
    }
}

/// The event of a wake-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WakeKind {
    /// `sched_waking`: the call that wakes a thread.
    Waking,
    /// `sched_wakeup`: the thread is in a queue.
    Wakeup,
    /// `sched_wakeup_new`: a new thread's first wake-up.
    New,
}

/// A task that becomes runnable.
#[derive(Debug, Clone, Copy)]
pub struct Wake {
    /// Which event says so.
    pub kind: WakeKind,
    /// The thread that becomes runnable.
    pub pid: i32,
    /// Its name.
    pub comm: Comm,
    /// Number of the CPU whose queue it goes to; for `sched_waking`, where it
    /// ran last.
    pub target_cpu: i32,
}

/// What interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InterruptKind {
    /// Of a device: `irq_handler_entry`.
    Irq,
    /// Of the processor's own vectors: local timer, reschedule.
    Vector,
    /// `softirq_entry`.
    Softirq,
}

/// A source of interrupts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interrupt {
    /// Which numbers it is counted in.
    pub kind: InterruptKind,
    /// Number of the interrupt or softirq; place of a vector in `Known::vectors`.
    pub number: u32,
}

/// `sched_switch`.
#[derive(Debug, Clone, Copy)]
pub struct Switch {
    /// The thread that leaves the CPU; 0 is idle.
    pub prev_pid: i32,
    /// Its priority as the kernel counts: below 100 real-time, 120 nice 0.
    pub prev_prio: i32,
    /// Its state in the traced kernel's bits; see `States`.
    pub prev_state: u64,
    /// Its name.
    pub prev_comm: Comm,
    /// The thread that gets the CPU; 0 is idle.
    pub next_pid: i32,
    /// Its priority.
    pub next_prio: i32,
    /// Its name.
    pub next_comm: Comm,
}

/// `timer_start`. Times in jiffies, as wide as the kernel's longs.
#[derive(Debug, Clone, Copy)]
pub struct TimerStart {
    /// Address of the timer: the same for all events of one timer.
    pub timer: u64,
    /// Address of the function that it is to call.
    pub function: u64,
    /// The time asked for.
    pub expires: u64,
    /// When the wheel's bucket is due; newer kernels only.
    pub bucket_expiry: Option<u64>,
    /// Jiffies when it was started, where the event has them.
    pub now: Option<u64>,
}

/// The events that analyses read. Fields are the kernel's, under one name for all
/// kernels; addresses and times as the event has them.
#[derive(Debug, Clone, Copy)]
pub enum What<'a> {
    /// `sched_switch`.
    Switch(Switch),
    /// `sched_waking`, `sched_wakeup` or `sched_wakeup_new`.
    Wake(Wake),
    /// `sched_migrate_task`.
    Migrate {
        /// The thread.
        pid: i32,
        /// Number of the CPU that it leaves.
        from_cpu: i32,
        /// Number of the CPU that it goes to.
        to_cpu: i32,
    },
    /// `sched_process_fork`.
    Fork {
        /// The thread that forks.
        parent_pid: i32,
        /// The new thread.
        child_pid: i32,
        /// Name of the new thread.
        child_comm: Comm,
    },
    /// `file`: what it runs from now on; empty where the event does not say.
    Exec {
        /// The thread.
        pid: i32,
        /// Path of the file, up to a NUL.
        file: &'a [u8],
    },
    /// `sched_process_exit`.
    Exit {
        /// The thread.
        pid: i32,
    },
    /// An interrupt is entered; with the name of a device's handler, up to a NUL.
    InterruptEntry(Interrupt, &'a [u8]),
    /// It is left.
    InterruptExit(Interrupt),
    /// `softirq_raise`: it is to run.
    SoftirqRaise {
        /// Number of the softirq: 1 is TIMER.
        vec: u32,
    },
    /// `timer_init`.
    TimerInit {
        /// Address of the timer.
        timer: u64,
    },
    /// `timer_start`.
    TimerStart(TimerStart),
    /// `timer_cancel`; the kernel reports it before each expiry too.
    TimerCancel {
        /// Address of the timer.
        timer: u64,
    },
    /// `now` in jiffies.
    TimerExpireEntry {
        /// Address of the timer.
        timer: u64,
        /// Jiffies when the function is called.
        now: u64,
        /// Address of the function; newer kernels only.
        function: Option<u64>,
    },
    /// `timer_expire_exit`: the function has returned.
    TimerExpireExit {
        /// Address of the timer.
        timer: u64,
    },
    /// `hrtimer_start`. Times in ns of the timer's own clock.
    HrtimerStart {
        /// Address of the timer.
        timer: u64,
        /// Address of the function.
        function: u64,
        /// The latest moment, with the timer's slack.
        expires_ns: i64,
        /// The moment that was asked for, where the event has it.
        soft_ns: Option<i64>,
    },
    /// `hrtimer_cancel`; the kernel reports it before each expiry too.
    HrtimerCancel {
        /// Address of the timer.
        timer: u64,
    },
    /// `hrtimer_expire_entry`: the function is called.
    HrtimerExpireEntry {
        /// Address of the timer.
        timer: u64,
        /// Time of the timer's own clock.
        now_ns: i64,
        /// Address of the function.
        function: u64,
    },
    /// `hrtimer_expire_exit`: the function has returned.
    HrtimerExpireExit {
        /// Address of the timer.
        timer: u64,
    },
    /// `tick_stop`.
    TickStop {
        /// The tick was stopped; else something forbade it.
        success: bool,
    },
    /// `state` is `u32::MAX` on leaving.
    CpuIdle {
        /// Number of the idle state.
        state: u32,
    },
    /// The entry of a system call, raw or by name.
    SysEnter {
        /// Number of the call on the traced machine.
        number: i64,
    },
    /// The exit of a system call; a call that is restarted or returns from a
    /// signal has a negative number here.
    SysExit {
        /// Number of the call on the traced machine.
        number: i64,
    },
    /// `funcgraph_entry`: a function is called.
    GraphEntry {
        /// Address of the function.
        function: u64,
        /// Calls above it on the stack.
        depth: u32,
    },
    /// `took_ns` where the event has both times.
    GraphExit {
        /// Address of the function.
        function: u64,
        /// Calls above it on the stack.
        depth: u32,
        /// Return less call.
        took_ns: Option<u64>,
    },
    /// `function`: a function is called; its return is not traced.
    Function {
        /// Address of the function.
        function: u64,
    },
    /// No analysis reads it.
    Other,
}

#[cfg(test)]
mod tests {
    use super::Comm;

    #[test]
    fn names_end_at_their_nul() {
        assert_eq!(Comm::new(b"cat\0xx").to_string(), "cat");
        assert_eq!(Comm::new(&[b'x'; 40]).to_string(), "x".repeat(15));
        assert!(Comm::new(b"").is_empty());
        assert!(Comm::IDLE.is("<idle>"));
    }
}
