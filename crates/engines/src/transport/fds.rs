//! System calls on descriptors that every transport of descriptors needs.

use super::control::{ControlBlock, DEADLINE};
use super::end::Wait;
use crate::crew::futex::LOOK_NS;
use crate::crew::poll;
use harness::long_wait::LongWait;
use std::io;
use std::os::fd::RawFd;

/// Turns of a spin between two looks whether the partner lives.
pub const LOOK_TURNS: u32 = 1 << 16;

/// Calls `attempt` until it gives something: sleeping inside it, sleeping in
/// poll, or asking again, as `wait` says. The descriptor never blocks
/// (`O_NONBLOCK`) unless `wait` is `Asleep`. 0 when the partner has gone.
///
/// # Errors
/// What `attempt` says but `Interrupted`; `WouldBlock` only with `Wait::Never`.
#[inline]
pub fn patiently(
    fd: RawFd,
    events: i16,
    wait: Wait<'_>,
    calls: &mut u64,
    attempt: impl FnMut() -> isize,
) -> io::Result<usize> {
    until((fd, events), wait, Patience::EverLasting, calls, attempt)
}

/// When a wait is given up although the partner lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Never: the other side may send when it likes.
    EverLasting,
    /// After the control block's deadline: something must come, or is lost.
    Limited,
}

/// `patiently`, to a limit where the transport may lose what is waited for.
///
/// # Errors
/// As `patiently`; `TimedOut` at the limit.
#[inline]
pub fn until(
    (fd, events): (RawFd, i16),
    wait: Wait<'_>,
    patience: Patience,
    calls: &mut u64,
    mut attempt: impl FnMut() -> isize,
) -> io::Result<usize> {
    // Nearly always it succeeds at once: that path does nothing else.
    *calls += 1;
    let moved = attempt();
    if moved >= 0 {
        return Ok(moved.cast_unsigned());
    }
    let first = io::Error::last_os_error();
    insist(first, (fd, events), wait, patience, calls, &mut attempt)
}

/// The rest of `until`, after an attempt that ended in `error`.
#[cold]
#[inline(never)]
fn insist(
    mut error: io::Error,
    (fd, events): (RawFd, i16),
    wait: Wait<'_>,
    patience: Patience,
    calls: &mut u64,
    attempt: &mut impl FnMut() -> isize,
) -> io::Result<usize> {
    let mut watch = Watch {
        patience,
        turns: 0,
        deadline: None,
    };
    loop {
        match (error.kind(), wait) {
            (io::ErrorKind::Interrupted, _) => {}
            (io::ErrorKind::WouldBlock, Wait::Awake(control)) if control.awake() => {
                std::hint::spin_loop();
                if watch.spun(control)? {
                    return Ok(0);
                }
            }
            (io::ErrorKind::WouldBlock, Wait::Awake(control) | Wait::Asleep(control)) => {
                if control.leaving() {
                    return Ok(0);
                }
                *calls += 1;
                let leave = if until_possible(fd, events) {
                    watch.spun(control)?
                } else {
                    watch.over(control)?
                };
                if leave {
                    return Ok(0);
                }
            }
            _ => return Err(error),
        }
        *calls += 1;
        let moved = attempt();
        if moved >= 0 {
            return Ok(moved.cast_unsigned());
        }
        error = io::Error::last_os_error();
    }
}

/// What a waiting side looks at from time to time.
struct Watch {
    patience: Patience,
    turns: u32,
    deadline: Option<LongWait>,
}

impl Watch {
    /// One more turn of a spin.
    #[inline]
    fn spun(&mut self, control: &ControlBlock) -> io::Result<bool> {
        self.turns = self.turns.wrapping_add(1);
        if self.turns.is_multiple_of(LOOK_TURNS) {
            return self.over(control);
        }
        Ok(control.leaving())
    }

    /// Whether to leave.
    #[cold]
    fn over(&mut self, control: &ControlBlock) -> io::Result<bool> {
        let limit = || LongWait::new(DEADLINE, control.task());
        let deadline = self.deadline.get_or_insert_with(limit);
        if self.patience == Patience::Limited && deadline.is_over() {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                format!("nothing arrived for {} s", DEADLINE.as_secs()),
            ));
        }
        Ok(control.leaving() || control.lost())
    }
}

/// [`LOOK_NS`] for poll(2).
#[expect(clippy::cast_possible_truncation, reason = "100 ms")]
const LOOK_MS: libc::c_int = (LOOK_NS / 1_000_000) as libc::c_int;

/// Sleeps until the descriptor can be used, a tenth of a second at most.
/// Whether it can; true for errors too, which the next call reports.
pub fn until_possible(fd: RawFd, events: i16) -> bool {
    // However it returns, the caller looks again.
    poll::poll(&mut [poll::of(fd, events)], LOOK_MS) != 0
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

/// Does nothing for some milliseconds: while a process dies.
pub fn pause(milliseconds: libc::c_int) {
    poll::poll(&mut [], milliseconds);
}

/// What a call returned.
///
/// # Errors
/// It returned -1: what errno says.
pub fn done(returned: libc::c_int) -> io::Result<libc::c_int> {
    match returned {
        -1 => Err(io::Error::last_os_error()),
        other => Ok(other),
    }
}

/// # Errors
/// What fcntl says.
pub fn never_block(fd: RawFd) -> io::Result<()> {
    // SAFETY: no pointers.
    let flags = done(unsafe { libc::fcntl(fd, libc::F_GETFL) })?;
    // SAFETY: no pointers.
    done(unsafe { libc::fcntl(fd, libc::F_SETFL, flags | libc::O_NONBLOCK) })?;
    Ok(())
}
