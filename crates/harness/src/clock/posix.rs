//! `clock_gettime(CLOCK_MONOTONIC_RAW)`: unslewed by NTP, the yardstick of the
//! other clocks and their replacement where there is none.

use super::Clock;

/// CLOCK_MONOTONIC_RAW, ns since an arbitrary point.
pub fn raw_now_ns() -> u64 {
    now_ns(libc::CLOCK_MONOTONIC_RAW)
}

/// CLOCK_MONOTONIC, ns: the clock of timers, and of traces that are to be held
/// against what a program saw.
pub fn monotonic_now_ns() -> u64 {
    now_ns(libc::CLOCK_MONOTONIC)
}

fn now_ns(clock: libc::clockid_t) -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a live timespec; both clocks exist since Linux
    // 2.6.28, so the call cannot fail.
    unsafe { libc::clock_gettime(clock, &raw mut now) };
    #[allow(clippy::cast_sign_loss, clippy::unnecessary_cast)]
    let (seconds, nanos) = (now.tv_sec as u64, now.tv_nsec as u64);
    seconds.wrapping_mul(1_000_000_000).wrapping_add(nanos)
}

/// Sleeps until CLOCK_MONOTONIC reads `at_ns`.
pub fn sleep_until(at_ns: u64) {
    #[allow(clippy::cast_possible_wrap)]
    let at = libc::timespec {
        tv_sec: (at_ns / 1_000_000_000) as libc::time_t,
        tv_nsec: (at_ns % 1_000_000_000) as libc::c_long,
    };
    // SAFETY: the pointer is to a live timespec.
    while unsafe {
        libc::clock_nanosleep(
            libc::CLOCK_MONOTONIC,
            libc::TIMER_ABSTIME,
            &raw const at,
            std::ptr::null_mut(),
        )
    } == libc::EINTR
    {}
}

/// `clock_gettime(CLOCK_MONOTONIC_RAW)`, which NTP does not slew.
#[derive(Debug, Clone, Copy)]
pub struct RawClock;

impl Clock for RawClock {
    fn start(&self) -> u64 {
        raw_now_ns()
    }

    fn stop(&self) -> u64 {
        raw_now_ns()
    }

    fn tick_ns(&self) -> f64 {
        1.0
    }

    fn now_ns(&self) -> u64 {
        raw_now_ns()
    }
}
