//! What is known of a trace in addition to its events: the kernel's own descriptions,
//! names, the clock. The texts are kept as the kernel gave them, so that a file
//! that is read and written again says the same.

use crate::bytes::Order;

/// All that is needed to read each CPU's pages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// Byte order of the traced machine.
    pub order: Order,
    /// Of the traced kernel: 4 or 8.
    pub long_bytes: u8,
    /// A sub-buffer of the ring, its header included.
    pub page_bytes: u32,
    /// `events/header_page`.
    pub header_page: String,
    /// `events/header_event`.
    pub header_event: String,
    /// `format` files below `events/`, by system. That of the kernel's own
    /// entries (function, print) is called `ftrace`.
    pub systems: Vec<System>,
    /// `/proc/kallsyms`, or as much of it as was taken.
    pub kallsyms: String,
    /// `printk_formats`.
    pub printk_formats: String,
    /// `saved_cmdlines`: lines of `PID NAME`.
    pub comms: String,
    /// `trace_clock`, the chosen one: `mono`, `local`.
    pub clock: Option<String>,
    /// How stamps become nanoseconds; None: they are nanoseconds, unless the
    /// clock counts something else.
    pub scale: Option<TimeScale>,
    /// Nanoseconds to add, as trace-cmd's option says (`--date`, guests).
    pub offset_ns: i64,
    /// `uname -a` of the machine.
    pub uname: Option<String>,
    /// Program that wrote the file.
    pub writer: Option<String>,
    /// `per_cpu/cpuN/stats` when the recording ended.
    pub cpu_stats: Vec<CpuStat>,
    /// What else the recorder wants to be read again, in its own words.
    pub notes: Vec<String>,
}

/// A folder below `events/`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct System {
    /// `sched`.
    pub name: String,
    /// Whole `format` files.
    pub formats: Vec<String>,
}

/// stamp -> ns: `(stamp * mult) >> shift`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeScale {
    /// Factor of the stamp.
    pub mult: u32,
    /// Bits by which the product is shifted right.
    pub shift: u32,
    /// Kept for whoever reads the file again and not added: trace-cmd and
    /// KernelShark do not add it either, and one event has one time. What they
    /// do add is `Head::offset_ns`.
    pub offset: u64,
}

/// The kernel's account of one CPU's ring.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CpuStat {
    /// Number of the CPU.
    pub cpu: u32,
    /// The text as it was.
    pub text: String,
}

impl Head {
    /// A head without any description.
    pub fn empty(order: Order, long_bytes: u8, page_bytes: u32) -> Head {
        Head {
            order,
            long_bytes,
            page_bytes,
            ..Head::default()
        }
    }

    /// Whether stamps are nanoseconds (perhaps after scaling). `counter`,
    /// `uptime` and `x86-tsc` (which trace-cmd calls `tsc2nsec` where it keeps a
    /// scale) count something else.
    pub fn in_nanoseconds(&self) -> bool {
        let counts = matches!(
            self.clock.as_deref(),
            Some("counter" | "uptime" | "x86-tsc" | "tsc2nsec" | "ppc-tb")
        );
        !counts || self.scale.is_some()
    }
}

impl CpuStat {
    /// A line `name: value` of the text: `overrun`, `dropped events`, `entries`,
    /// `commit overrun`, `read events`.
    pub fn value(&self, name: &str) -> Option<u64> {
        let mut lines = self.text.lines();
        lines.find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then(|| value.trim().parse().ok())?
        })
    }

    /// Events that the ring lost: overwritten, or refused while it was full.
    pub fn lost(&self) -> u64 {
        let of = |name| self.value(name).unwrap_or(0);
        ["overrun", "dropped events", "commit overrun"]
            .into_iter()
            .fold(0, |lost: u64, name| lost.saturating_add(of(name)))
    }

    /// Of all CPUs.
    pub fn all_lost(stats: &[CpuStat]) -> u64 {
        let each = stats.iter().map(CpuStat::lost);
        each.fold(0, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::{CpuStat, Head, TimeScale};
    use crate::bytes::Order;

    #[test]
    fn the_kernels_account_is_read_line_by_line() {
        let stat = CpuStat {
            cpu: 1,
            text:
                "CPU: 1\nentries: 12\noverrun: 3\ncommit overrun: 0\nbytes: 99\noldest event ts: \
                   5.1\nnow ts: 6.2\ndropped events: 4\nread events: 70\n"
                    .to_owned(),
        };
        assert_eq!(stat.value("entries"), Some(12));
        assert_eq!(stat.value("read events"), Some(70));
        assert_eq!(stat.value("none"), None);
        assert_eq!(stat.lost(), 7);
        // A file may say anything.
        let most = CpuStat {
            cpu: 0,
            text: format!("overrun: {}\ndropped events: 9\n", u64::MAX),
        };
        assert_eq!(most.lost(), u64::MAX);
        assert_eq!(CpuStat::all_lost(&[most, stat]), u64::MAX);
    }

    #[test]
    fn a_counting_clock_is_no_time_unless_scaled() {
        let mut head = Head::empty(Order::Little, 8, 4096);
        assert!(head.in_nanoseconds());
        for clock in ["tsc2nsec", "x86-tsc"] {
            head.clock = Some(clock.to_owned());
            assert!(!head.in_nanoseconds());
        }
        head.scale = Some(TimeScale {
            mult: 1,
            shift: 0,
            offset: 0,
        });
        assert!(head.in_nanoseconds());
    }
}
