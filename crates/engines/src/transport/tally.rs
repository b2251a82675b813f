//! What a task has used up: system calls, switches, CPU time.

use harness::widths::whole;

/// So far: calls, voluntary and involuntary switches, ns in user mode and in the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage(pub [u64; 5]);

/// Use of the calling thread so far, with `calls` system calls.
pub fn of_this_thread(calls: u64) -> Usage {
    // SAFETY: an all-zero structure is valid; the call fills it.
    let used = unsafe {
        let mut used: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_THREAD, &raw mut used);
        used
    };
    let switches = [used.ru_nvcsw, used.ru_nivcsw].map(|n| u64::try_from(n).unwrap_or(0));
    let [user_ns, system_ns] = [used.ru_utime, used.ru_stime].map(nanoseconds);
    Usage([calls, switches[0], switches[1], user_ns, system_ns])
}

fn nanoseconds(time: libc::timeval) -> u64 {
    whole(time.tv_sec) * 1_000_000_000 + whole(time.tv_usec) * 1000
}

impl Usage {
    /// System calls, and nothing else that is known.
    pub fn of_calls(calls: u64) -> Usage {
        Usage([calls, 0, 0, 0, 0])
    }

    /// As metrics, together with those of the other side: the common tallies, in
    /// their order; `one_way_ns` is NaN where it was not taken.
    pub fn tallied_with(self, other: Usage, one_way_ns: f64) -> Vec<f64> {
        let (Usage([calls, own @ ..]), Usage([others_calls, others @ ..])) = (self, other);
        let sums = own.into_iter().zip(others).map(|(own, other)| own + other);
        let counts = [calls, others_calls].into_iter().chain(sums);
        counts.map(|n| n as f64).chain([one_way_ns]).collect()
    }

    /// What was used since `before`.
    pub fn since(self, before: Usage) -> Usage {
        Usage(std::array::from_fn(|at| {
            self.0[at].saturating_sub(before.0[at])
        }))
    }
}
