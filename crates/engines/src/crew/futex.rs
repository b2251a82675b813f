//! Sleeping on a word of memory that several processes share. futex(2).

use std::sync::atomic::AtomicU32;

/// How often a sleeper looks whether the other side is still there.
pub const LOOK_NS: i64 = 100_000_000;

/// Sleeps while the word has `value`, for a tenth of a second at most.
pub fn futex_wait(word: &AtomicU32, value: u32) {
    let patience = libc::timespec {
        tv_sec: 0,
        tv_nsec: LOOK_NS as _,
    };
    // SAFETY: the word lives in a mapping that outlives the call. Failures (the
    // value changed, a signal, time) mean: look again.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT,
            value,
            &raw const patience,
        )
    };
}

pub fn futex_wake(word: &AtomicU32) {
    // SAFETY: only wakes.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}
