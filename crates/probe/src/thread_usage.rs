//! What the calling thread has suffered so far: switches and page faults
//! (getrusage(2), RUSAGE_THREAD, since Linux 2.6.26).

use crate::process_time::usage;

/// Counts since the thread began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ThreadUsage {
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
    pub minor_faults: u64,
    pub major_faults: u64,
}

impl ThreadUsage {
    /// Counts of the calling thread as of now; one system call.
    pub fn now() -> Self {
        let usage = usage(libc::RUSAGE_THREAD);
        let count = |n: libc::c_long| u64::try_from(n).unwrap_or(0);
        ThreadUsage {
            voluntary_switches: count(usage.ru_nvcsw),
            involuntary_switches: count(usage.ru_nivcsw),
            minor_faults: count(usage.ru_minflt),
            major_faults: count(usage.ru_majflt),
        }
    }

    /// Counts since `earlier`; a step back counts as 0.
    pub fn since(&self, earlier: &ThreadUsage) -> ThreadUsage {
        ThreadUsage {
            voluntary_switches: self
                .voluntary_switches
                .saturating_sub(earlier.voluntary_switches),
            involuntary_switches: self
                .involuntary_switches
                .saturating_sub(earlier.involuntary_switches),
            minor_faults: self.minor_faults.saturating_sub(earlier.minor_faults),
            major_faults: self.major_faults.saturating_sub(earlier.major_faults),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ThreadUsage;

    #[test]
    fn touching_fresh_pages_is_counted_as_minor_faults() {
        let before = ThreadUsage::now();
        let mut pages = vec![0u8; 64 * 65536];
        for byte in pages.iter_mut().step_by(4096) {
            *byte = 1;
        }
        std::hint::black_box(&pages);
        let passed = ThreadUsage::now().since(&before);
        assert!(passed.minor_faults >= 1, "{passed:?}");
    }

    #[test]
    fn sleeping_is_a_voluntary_switch() {
        let before = ThreadUsage::now();
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert!(ThreadUsage::now().since(&before).voluntary_switches >= 1);
    }
}
