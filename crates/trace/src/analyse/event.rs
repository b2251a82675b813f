//! What the analyses are shown: an event of the capture, its fields read.

use std::fmt;

/// A task's name as the kernel keeps it: 16 bytes, the last one NUL.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Comm([u8; 16]);

impl Comm {
    pub const IDLE: Comm = Comm(*b"<idle>\0\0\0\0\0\0\0\0\0\0");

    /// What is longer is cut.
    #[inline]
    #[must_use]
    pub fn new(bytes: &[u8]) -> Comm {
        if let Ok(whole) = <[u8; 16]>::try_from(bytes) {
            return Comm(whole);
        }
        let mut comm = [0; 16];
        let length = bytes.len().min(15);
        comm[..length].copy_from_slice(&bytes[..length]);
        Comm(comm)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0[0] == 0
    }

    fn bytes(&self) -> &[u8] {
        let end = self.0.iter().position(|b| *b == 0).unwrap_or(16);
        &self.0[..end]
    }

    /// Whether the name is this text.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        self.bytes() == text.as_bytes()
    }
}

impl fmt::Display for Comm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from_utf8_lossy(self.bytes()))
    }
}

impl fmt::Debug for Comm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(self.bytes()))
    }
}

impl serde::Serialize for Comm {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&String::from_utf8_lossy(self.bytes()))
    }
}

/// An event as the analyses see it.
#[derive(Debug, Clone, Copy)]
pub struct Happening<'a> {
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
    pub what: What<'a>,
}

impl Happening<'_> {
    /// Whether a hard interrupt, a softirq or an NMI did it, on top of `pid`.
    #[inline]
    #[must_use]
    pub fn in_interrupt(&self) -> bool {
        const NMI: u8 = 0x40;
        const HARD: u8 = 0x08;
        const SOFT: u8 = 0x10;
        self.flags & (NMI | HARD | SOFT) != 0
    }
}

/// A task that becomes runnable.
#[derive(Debug, Clone, Copy)]
pub struct Wake {
    pub pid: i32,
    pub comm: Comm,
    /// Number of the CPU whose queue it goes to; for `sched_waking`, where it
    /// ran last.
    pub target_cpu: i32,
}

/// `sched_switch`.
#[derive(Debug, Clone, Copy)]
pub struct Switch {
    pub prev_pid: i32,
    pub prev_prio: i32,
    pub prev_state: u64,
    pub prev_comm: Comm,
    pub next_pid: i32,
    pub next_prio: i32,
    pub next_comm: Comm,
}

/// `timer_start`. Times in jiffies, as wide as the kernel's longs.
#[derive(Debug, Clone, Copy)]
pub struct TimerStart {
    pub timer: u64,
    pub function: u64,
    pub expires: u64,
    /// When the wheel's bucket is due; newer kernels only.
    pub bucket_expiry: Option<u64>,
    pub now: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
pub enum What<'a> {
    Switch(Switch),
    Waking(Wake),
    Wakeup(Wake),
    WakeupNew(Wake),
    Migrate {
        pid: i32,
        from_cpu: i32,
        to_cpu: i32,
    },
    Fork {
        parent_pid: i32,
        child_pid: i32,
        child_comm: Comm,
    },
    /// `file`: what it runs from now on; empty where the event does not say.
    Exec {
        pid: i32,
        file: &'a [u8],
    },
    Exit {
        pid: i32,
    },
    IrqEntry {
        irq: i32,
        name: &'a [u8],
    },
    IrqExit {
        irq: i32,
    },
    SoftirqRaise {
        vec: u32,
    },
    SoftirqEntry {
        vec: u32,
    },
    SoftirqExit {
        vec: u32,
    },
    /// `irq_vectors`; `which` is a place in `Known::vectors`.
    VectorEntry {
        which: usize,
    },
    VectorExit {
        which: usize,
    },
    TimerInit {
        timer: u64,
    },
    TimerStart(TimerStart),
    TimerCancel {
        timer: u64,
    },
    /// `now` in jiffies.
    TimerExpireEntry {
        timer: u64,
        now: u64,
        function: Option<u64>,
    },
    TimerExpireExit {
        timer: u64,
    },
    HrtimerStart {
        timer: u64,
        function: u64,
        /// The latest moment, with the timer's slack.
        expires_ns: i64,
        /// The moment that was asked for, where the kernel tells it.
        soft_ns: Option<i64>,
    },
    HrtimerCancel {
        timer: u64,
    },
    HrtimerExpireEntry {
        timer: u64,
        now_ns: i64,
        function: u64,
    },
    HrtimerExpireExit {
        timer: u64,
    },
    TickStop {
        success: bool,
    },
    /// `state` is `u32::MAX` on leaving.
    CpuIdle {
        state: u32,
    },
    SysEnter {
        number: i64,
    },
    SysExit {
        number: i64,
    },
    GraphEntry {
        function: u64,
        depth: u32,
    },
    /// `took_ns` where the event has both times.
    GraphExit {
        function: u64,
        depth: u32,
        took_ns: Option<u64>,
    },
    Function {
        function: u64,
    },
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
