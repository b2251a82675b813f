//! CPU time of this process, all its threads together (getrusage(2)).

/// CPU time in user and in kernel mode, ns; getrusage(2) gives microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessTime {
    pub user_ns: u64,
    pub system_ns: u64,
}

impl ProcessTime {
    /// Since the process began; its children are not in it.
    pub fn now() -> Self {
        ProcessTime::of(libc::RUSAGE_SELF)
    }

    /// Of the children that this process has waited for.
    pub fn of_children() -> Self {
        ProcessTime::of(libc::RUSAGE_CHILDREN)
    }

    fn of(who: libc::c_int) -> Self {
        let usage = usage(who);
        let ns = |time: libc::timeval| {
            let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
            let microseconds = u64::try_from(time.tv_usec).unwrap_or(0);
            seconds * 1_000_000_000 + microseconds * 1000
        };
        ProcessTime {
            user_ns: ns(usage.ru_utime),
            system_ns: ns(usage.ru_stime),
        }
    }

    /// Time since `earlier`; a step back counts as 0.
    pub fn since(&self, earlier: &ProcessTime) -> ProcessTime {
        ProcessTime {
            user_ns: self.user_ns.saturating_sub(earlier.user_ns),
            system_ns: self.system_ns.saturating_sub(earlier.system_ns),
        }
    }

    /// User and kernel mode together.
    pub fn total_ns(&self) -> u64 {
        self.user_ns + self.system_ns
    }
}

/// What getrusage(2) says of `who`.
pub(crate) fn usage(who: libc::c_int) -> libc::rusage {
    // SAFETY: rusage is plain integers, for which all zeroes is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live rusage. The call fails only for a
    // bad pointer or an unknown `who`, and then leaves the zeroes.
    unsafe { libc::getrusage(who, &raw mut usage) };
    usage
}

#[cfg(test)]
mod tests {
    use super::ProcessTime;

    #[test]
    fn work_is_counted() {
        let before = ProcessTime::now();
        let mut sum = 0u64;
        while ProcessTime::now().since(&before).total_ns() == 0 {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(ProcessTime::now().total_ns() >= before.total_ns());
    }
}
