//! Time for which the calling thread ran (clock_gettime(2), CLOCK_THREAD_CPUTIME_ID).
//!
//! The scheduler's own account, in nanoseconds. In a guest whose kernel has
//! CONFIG_PARAVIRT_TIME_ACCOUNTING it leaves out what the hypervisor took.

/// Time that the thread has run since it began, ns; None where the system does not say.
pub fn now_ns() -> Option<u64> {
    // SAFETY: timespec is plain integers, for which all zeroes is a value.
    let mut time: libc::timespec = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live timespec.
    let refused = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    if refused != 0 {
        return None;
    }
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let nanoseconds = u64::try_from(time.tv_nsec).ok()?;
    Some(seconds.saturating_mul(1_000_000_000) + nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::now_ns;

    #[test]
    fn a_thread_that_sleeps_does_not_run() {
        let before = now_ns().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
        let ran_ns = now_ns().unwrap() - before;
        assert!(ran_ns < 40_000_000, "{ran_ns}");
        let mut sum = 0u64;
        while now_ns().unwrap() - before - ran_ns < 1_000_000 {
            sum = std::hint::black_box(sum + 1);
        }
    }
}
