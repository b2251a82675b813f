//! Sleeping on a word of memory that several processes share. futex(2).

use std::ptr::null;
use std::sync::atomic::AtomicU32;

/// How often a sleeper looks whether the other side is still there.
pub const LOOK_NS: i64 = 100_000_000;

/// Sleeps while the word has `value`, for a tenth of a second at most.
pub fn futex_wait(word: &AtomicU32, value: u32) {
    futex_wait_for(word, value, Some(LOOK_NS));
}

/// Sleeps while the word has `value`, for `patience_ns` at most, less than a second.
pub fn futex_wait_for(word: &AtomicU32, value: u32, patience_ns: Option<i64>) {
    let patience = patience_ns.map(|ns| libc::timespec {
        tv_sec: 0,
        tv_nsec: ns as _,
    });
    let patience = patience.as_ref().map_or(null(), |time| &raw const *time);
    // SAFETY: the word lives in a mapping that outlives the call, and the time is null
    // or lives here. Failures (the value changed, a signal, time) mean: look again.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT,
            value,
            patience,
        )
    };
}

/// Wakes all who sleep on it.
pub fn futex_wake(word: &AtomicU32) {
    // SAFETY: only wakes.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}
