//! System calls on descriptors that every transport of descriptors needs.

use super::board::{Board, LOOK_NS};
use super::end::Wait;
use std::io;
use std::os::fd::RawFd;

/// Calls `attempt` until it gives something: sleeping inside it, sleeping in
/// poll, or asking again, as `wait` says. The descriptor never blocks
/// (`O_NONBLOCK`) unless `wait` is `Asleep`.
///
/// # Errors
/// What `attempt` says but `Interrupted`; `WouldBlock` only with `Wait::Never`.
#[inline]
pub fn patiently(
    fd: RawFd,
    events: i16,
    wait: Wait<'_>,
    calls: &mut u64,
    mut attempt: impl FnMut() -> isize,
) -> io::Result<usize> {
    loop {
        *calls += 1;
        let moved = attempt();
        if moved >= 0 {
            return Ok(moved.cast_unsigned());
        }
        let error = io::Error::last_os_error();
        match (error.kind(), wait) {
            (io::ErrorKind::Interrupted, _) => {}
            (io::ErrorKind::WouldBlock, Wait::Awake(board)) => {
                if board.leaving() {
                    return Ok(0);
                }
                if board.awake() {
                    std::hint::spin_loop();
                } else {
                    *calls += 1;
                    until_possible(fd, events);
                }
            }
            (io::ErrorKind::WouldBlock, Wait::Asleep(board)) => {
                if board.leaving() {
                    return Ok(0);
                }
                *calls += 1;
                until_possible(fd, events);
            }
            _ => return Err(error),
        }
    }
}

/// Sleeps until the descriptor can be used, a tenth of a second at most.
pub fn until_possible(fd: RawFd, events: i16) {
    let mut wanted = libc::pollfd {
        fd,
        events,
        revents: 0,
    };
    // SAFETY: one structure, as said. However it returns, the caller looks again.
    unsafe { libc::poll(&raw mut wanted, 1, (LOOK_NS / 1_000_000) as i32) };
}

/// Sends all of `message`, or with `Wait::Never` what goes.
///
/// # Errors
/// As `patiently`; `BrokenPipe` where the other side has left.
#[inline]
pub fn whole(
    message: &[u8],
    wait: Wait<'_>,
    mut part: impl FnMut(&[u8], Wait<'_>) -> io::Result<usize>,
) -> io::Result<usize> {
    let mut sent = 0;
    loop {
        match part(&message[sent..], wait) {
            Ok(0) => return Err(io::ErrorKind::BrokenPipe.into()),
            Ok(more) => sent += more,
            Err(e) if sent > 0 && e.kind() == io::ErrorKind::WouldBlock => return Ok(sent),
            Err(e) => return Err(e),
        }
        if sent == message.len() {
            return Ok(sent);
        }
    }
}

/// # Errors
/// What fcntl says.
pub fn never_block(fd: RawFd) -> io::Result<()> {
    // SAFETY: no pointers.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    // SAFETY: no pointers.
    if flags >= 0 && unsafe { libc::fcntl(fd, libc::F_SETFL, flags | libc::O_NONBLOCK) } == 0 {
        return Ok(());
    }
    Err(io::Error::last_os_error())
}

/// Whether the board asks to leave; for ends that sleep with a limit.
#[must_use]
pub fn must_leave(wait: Wait<'_>) -> bool {
    let of = |board: &Board| board.leaving();
    match wait {
        Wait::Never => false,
        Wait::Asleep(board) | Wait::Awake(board) => of(board),
    }
}
