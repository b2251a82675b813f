//! What a task has used up: system calls, switches, CPU time.

use super::board::Usage;
use harness::widths::whole;

/// Use of the calling thread so far, with `calls` system calls.
pub fn of_this_thread(calls: u64) -> Usage {
    // SAFETY: an all-zero structure is valid; the call fills it.
    let used = unsafe {
        let mut used: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_THREAD, &raw mut used);
        used
    };
    Usage {
        calls,
        voluntary_switches: u64::try_from(used.ru_nvcsw).unwrap_or(0),
        involuntary_switches: u64::try_from(used.ru_nivcsw).unwrap_or(0),
        user_ns: nanoseconds(used.ru_utime),
        system_ns: nanoseconds(used.ru_stime),
    }
}

fn nanoseconds(time: libc::timeval) -> u64 {
    whole(time.tv_sec) * 1_000_000_000 + whole(time.tv_usec) * 1000
}

impl Usage {
    /// As metrics, beside what the other side used: the common tallies, in
    /// their order; `one_way_ns` is NaN where it was not taken.
    pub fn beside(self, other: Usage, one_way_ns: f64) -> Vec<f64> {
        let mut all = [
            self.calls,
            other.calls,
            self.voluntary_switches + other.voluntary_switches,
            self.involuntary_switches + other.involuntary_switches,
            self.user_ns + other.user_ns,
            self.system_ns + other.system_ns,
        ]
        .map(|sum| sum as f64)
        .to_vec();
        all.push(one_way_ns);
        all
    }

    /// What was used since `before`.
    pub fn since(self, before: Usage) -> Usage {
        Usage {
            calls: self.calls.saturating_sub(before.calls),
            voluntary_switches: self
                .voluntary_switches
                .saturating_sub(before.voluntary_switches),
            involuntary_switches: self
                .involuntary_switches
                .saturating_sub(before.involuntary_switches),
            user_ns: self.user_ns.saturating_sub(before.user_ns),
            system_ns: self.system_ns.saturating_sub(before.system_ns),
        }
    }
}
