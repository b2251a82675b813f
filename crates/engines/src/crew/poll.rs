//! Waiting for descriptors. poll(2).

use std::os::fd::RawFd;

/// One descriptor, and what is waited for; a closed end is reported in any case.
pub fn of(fd: RawFd, events: i16) -> libc::pollfd {
    libc::pollfd {
        fd,
        events,
        revents: 0,
    }
}

/// Sleeps until one of them can be used, for so many milliseconds at most; -1: for
/// any time. Returns what poll says.
pub fn poll(wanted: &mut [libc::pollfd], limit_ms: libc::c_int) -> libc::c_int {
    // SAFETY: live structures, and their number.
    unsafe { libc::poll(wanted.as_mut_ptr(), wanted.len() as libc::nfds_t, limit_ms) }
}
