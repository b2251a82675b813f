//! Scheduling policies as an experiment's axes name them. sched(7),
//! sched_setattr(2).

use std::io;

/// What a task asks of the scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    Other { nice: i32 },
    Batch { nice: i32 },
    Fifo { priority: u32 },
    RoundRobin { priority: u32 },
    Deadline { runtime_ns: u64, period_ns: u64 },
}

/// The kernel's `struct sched_attr`, first version.
#[derive(Default)]
#[repr(C)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime_ns: u64,
    deadline_ns: u64,
    period_ns: u64,
}

const MILLISECOND: u64 = 1_000_000;

impl Policy {
    /// The tasks of `policy` that a rank describes: `90/45` are priorities of two,
    /// `0/0/0/5` nice levels of four; `4/10 ms` is runtime and period of each of
    /// two, `4/10 ms x 4` of each of four. None where the words do not fit each
    /// other, or name one task only.
    pub fn of_rank(policy: &str, rank: &str) -> Option<Vec<Policy>> {
        let all = match policy {
            "deadline" => deadlines(rank)?,
            _ => {
                let each = rank.split('/').map(|rank| of_number(policy, rank));
                each.collect::<Option<Vec<Policy>>>()?
            }
        };
        (all.len() > 1).then_some(all)
    }

    /// Whether a task under it keeps others of lower rank from running at all.
    pub fn is_real_time(self) -> bool {
        !matches!(self, Policy::Other { .. } | Policy::Batch { .. })
    }

    /// A deadline task may run on every CPU of its domain; the kernel refuses
    /// one that is bound to fewer.
    pub fn is_bound(self) -> bool {
        !matches!(self, Policy::Deadline { .. })
    }

    /// Gives it to the calling thread. Allocates nothing.
    ///
    /// # Errors
    /// What the kernel says: EPERM without CAP_SYS_NICE, EBUSY where deadline
    /// tasks would ask for more than there is.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the structure has some tens of bytes"
    )]
    pub fn take(self) -> io::Result<()> {
        let mut wanted = Attributes {
            size: size_of::<Attributes>() as u32,
            ..Attributes::default()
        };
        match self {
            Policy::Other { nice } => wanted.nice = nice,
            Policy::Batch { nice } => {
                wanted.policy = libc::SCHED_BATCH.cast_unsigned();
                wanted.nice = nice;
            }
            Policy::Fifo { priority } => {
                wanted.policy = libc::SCHED_FIFO.cast_unsigned();
                wanted.priority = priority;
            }
            Policy::RoundRobin { priority } => {
                wanted.policy = libc::SCHED_RR.cast_unsigned();
                wanted.priority = priority;
            }
            Policy::Deadline {
                runtime_ns,
                period_ns,
            } => {
                wanted.policy = libc::SCHED_DEADLINE.cast_unsigned();
                wanted.runtime_ns = runtime_ns;
                wanted.deadline_ns = period_ns;
                wanted.period_ns = period_ns;
            }
        }
        // SAFETY: reads the structure, whose size it is given.
        match unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const wanted, 0) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

fn deadlines(rank: &str) -> Option<Vec<Policy>> {
    let (times, count) = match rank.split_once(" x ") {
        Some((times, count)) => (times, count.parse().ok()?),
        None => (rank, 2),
    };
    let (runtime, period) = times.strip_suffix(" ms")?.split_once('/')?;
    let ms = |text: &str| text.parse::<u64>().ok().map(|ms| ms * MILLISECOND);
    let each = Policy::Deadline {
        runtime_ns: ms(runtime)?,
        period_ns: ms(period)?,
    };
    Some(vec![each; count])
}

fn of_number(policy: &str, rank: &str) -> Option<Policy> {
    let (nice, priority) = (rank.parse().ok(), rank.parse().ok());
    Some(match policy {
        "other" => Policy::Other { nice: nice? },
        "batch" => Policy::Batch { nice: nice? },
        "fifo" => Policy::Fifo {
            priority: priority?,
        },
        "rr" => Policy::RoundRobin {
            priority: priority?,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::Policy;

    #[test]
    fn ranks_are_read_as_the_policy_means_them() {
        let rr = [90, 45].map(|priority| Policy::RoundRobin { priority });
        assert_eq!(Policy::of_rank("rr", "90/45"), Some(rr.to_vec()));
        let other = [0, 5, 0, 0].map(|nice| Policy::Other { nice });
        assert_eq!(Policy::of_rank("other", "0/5/0/0"), Some(other.to_vec()));
        let deadline = Policy::Deadline {
            runtime_ns: 4_000_000,
            period_ns: 10_000_000,
        };
        let deadlines = |rank| Policy::of_rank("deadline", rank);
        assert_eq!(deadlines("4/10 ms"), Some(vec![deadline; 2]));
        assert_eq!(deadlines("4/10 ms x 4"), Some(vec![deadline; 4]));
        assert_eq!(deadlines("4/10 ms x 1"), None);
        assert_eq!(Policy::of_rank("fifo", "-1/2"), None);
        assert_eq!(Policy::of_rank("fifo", "90"), None);
        assert_eq!(Policy::of_rank("idle", "1/1"), None);
    }

    #[test]
    fn the_lowest_ranks_need_no_right() {
        let lowest = Policy::Batch { nice: 19 };
        let taken = std::thread::spawn(move || lowest.take().is_ok());
        assert!(taken.join().unwrap());
        assert!(!lowest.is_real_time() && lowest.is_bound());
    }
}
