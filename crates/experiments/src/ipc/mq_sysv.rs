//! # ipc/mq_sysv - Handing messages over through a System V queue
//!
//! What does a message cost through the oldest of the kernel's queues, and what
//! does its successor of POSIX gain on it?
//!
//! ## Counts
//! *stream*: msgsnd and msgrcv of one message, until the reader has received the
//! last. *round_trip*: a message there through one queue and back through
//! another. Both copies, the allocation of the kernel's message, the sleeps and
//! wake-ups where the queue is full or empty.
//!
//! ## Does not count
//! Making and removing the queues. The calls want a message behind the number of
//! its type, so each side has a place of its own for that, and works there as a
//! program does: a message that has not changed is sent from its place,
//! one that arrives is used where it arrived. The answer of a round trip is a new
//! message each time, so the partner's copy of it into its place counts. Bytes
//! are counted once, though they are copied twice.
//!
//! ## Origin
//! System V's inter-process communication (1983); the column of public
//! collections of IPC benchmarks. sysvipc(7), msgop(2).
//!
//! ## Theory
//! A queue is a list of messages, each in memory that is allocated when it is
//! sent and freed when it is received; what is longer than a page is a chain of
//! pieces. Where a receiver already sleeps, the sender hands the message to it
//! past the queue. What a queue holds is counted in bytes (16 KiB by default),
//! not in messages as in POSIX queues: many small ones fit, few large ones. A
//! message has a greatest size, 8 KiB unless the administrator allows more.
//!
//! A queue is found by its number alone, is no descriptor, and belongs to no
//! process. It cannot be waited for together with a socket, only a call that
//! sleeps can wait for it; it stays when its makers die; and who sleeps on it does
//! not learn that the other side has gone. Here a third process, which sleeps
//! meanwhile, sees to the last two.

use catalogue::{Claim, Experiment};
use engines::transport::janitor::{Janitor, Watched};
use engines::transport::own::{News, Own};
use engines::transport::tether::{Tether, or_end};
use engines::transport::{End, Options, Transport, Wait, claims, figures};
use harness::SetupError;
use machine::tunable::MSGMAX;
use record::axis::human_bytes;
use std::io;
use std::os::fd::RawFd;

/// The type that every message has; anything above 0.
const TYPE: libc::c_long = 1;
const HEAD: usize = size_of::<libc::c_long>();
/// The kernel takes the capacity of a queue as an int and cuts off what is above
/// it: more would be another capacity, and one that may not hold a message.
const LARGEST_QUEUE_BYTES: usize = libc::c_int::MAX as usize;

/// One side of both queues.
#[derive(Debug)]
pub struct SysvEnd {
    queues: [libc::c_int; 2],
    /// Which queue is written here: 0 or 1.
    out: usize,
    message_bytes: usize,
    /// What a queue holds.
    capacity: usize,
    /// Made by the task that uses this end.
    own: Option<Own>,
    news: News,
    /// Dropped before the janitor, who waits for that.
    tether: Tether,
    /// Only on the main side, which outlives the other.
    _janitor: Option<Janitor>,
    calls: u64,
}

/// Makes `attempt`, with the flags for it, until it gives something: asleep in
/// the kernel, or again and again while the board calls for that.
///
/// # Errors
/// `WouldBlock` with `Wait::Never`; `BrokenPipe` when the queue is gone.
#[inline]
fn patiently(
    wait: Wait<'_>,
    calls: &mut u64,
    mut attempt: impl FnMut(libc::c_int) -> isize,
) -> io::Result<usize> {
    loop {
        let flags = match wait {
            Wait::Asleep(_) => 0,
            Wait::Awake(board) if !board.awake() => 0,
            Wait::Never | Wait::Awake(_) => libc::IPC_NOWAIT,
        };
        *calls += 1;
        let moved = attempt(flags);
        if moved >= 0 {
            return Ok(moved.cast_unsigned());
        }
        let cause = io::Error::last_os_error();
        match (cause.raw_os_error(), wait) {
            (Some(libc::EINTR), _) => {}
            (Some(libc::EAGAIN | libc::ENOMSG), Wait::Awake(board)) if !board.leaving() => {
                std::hint::spin_loop();
            }
            (Some(libc::EAGAIN | libc::ENOMSG), Wait::Never) => {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            // EINVAL: removed before the call; what is too large was refused
            // when the queues were made.
            (Some(libc::EIDRM | libc::EINVAL | libc::EAGAIN | libc::ENOMSG), _) => {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            _ => return Err(cause),
        }
    }
}

fn unsettled() -> io::Error {
    io::Error::other("an end of a System V queue was used before it was set up")
}

impl End for SysvEnd {
    #[inline]
    fn send(&mut self, message: &[u8], wait: Wait<'_>) -> io::Result<usize> {
        let queue = self.queues[self.out];
        let own = self.own.as_mut().ok_or_else(unsettled)?;
        own.put(message);
        let at = own.outgoing().as_ptr().cast();
        patiently(wait, &mut self.calls, |flags| {
            // SAFETY: the place holds a type and behind it the message.
            unsafe { libc::msgsnd(queue, at, message.len(), flags) as isize }
        })?;
        Ok(message.len())
    }

    #[inline]
    fn receive(&mut self, into: &mut [u8], wait: Wait<'_>) -> io::Result<usize> {
        let queue = self.queues[1 - self.out];
        let own = self.own.as_mut().ok_or_else(unsettled)?;
        let at = own.incoming().as_mut_ptr().cast();
        let room = self.message_bytes.min(into.len());
        let got = patiently(wait, &mut self.calls, |flags| {
            // SAFETY: the place has room for a type and behind it a message.
            unsafe { libc::msgrcv(queue, at, room, 0, flags) }
        });
        if let Ok(bytes) = got {
            own.show(&mut into[..bytes], wait);
        }
        or_end(got)
    }

    fn changed(&mut self) {
        if let Some(own) = &mut self.own {
            own.changed();
        }
    }

    fn calls(&self) -> u64 {
        self.calls
    }

    fn fds(&self) -> Vec<RawFd> {
        vec![self.tether.fd()]
    }

    fn settle(&mut self) -> io::Result<()> {
        let mut own = Own::with(HEAD, self.message_bytes, self.news.clone())?;
        own.outgoing()[..HEAD].copy_from_slice(&TYPE.to_ne_bytes());
        self.own = Some(own);
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        let capacity = human_bytes(self.capacity as u64);
        vec![format!("a queue holds {capacity}")]
    }
}

struct MqSysv;

impl Transport for MqSysv {
    type End = SysvEnd;

    fn pair(options: &Options) -> Result<(SysvEnd, SysvEnd), SetupError> {
        let Watched {
            janitor,
            main,
            partner,
        } = Janitor::hire().map_err(|cause| match cause {
            Ok(cause) => refused(cause),
            Err(other) => other,
        })?;
        let queues = janitor.queues();
        let mut capacity = 0;
        for queue in queues {
            capacity = resize(queue, options)?;
        }
        let news = News::default();
        let end = |out, tether, janitor| SysvEnd {
            queues,
            out,
            message_bytes: options.message_bytes,
            capacity,
            own: None,
            news: news.clone(),
            tether,
            _janitor: janitor,
            calls: 0,
        };
        Ok((end(0, main, Some(janitor)), end(1, partner, None)))
    }

    fn largest_message(_: &Options) -> Option<(usize, String)> {
        let remedy = "sudo sysctl kernel.msgmax=16777216 kernel.msgmnb=33554432";
        Some((MSGMAX.value()?, remedy.to_owned()))
    }
}

/// Gives the queue the capacity that the point asks for; returns what it has.
fn resize(queue: libc::c_int, options: &Options) -> Result<usize, SetupError> {
    let failed = |doing: &str| SetupError::fail(doing, io::Error::last_os_error());
    // SAFETY: an all-zero structure is valid; the call fills it.
    let mut about: libc::msqid_ds = unsafe { std::mem::zeroed() };
    // SAFETY: the structure lives.
    if unsafe { libc::msgctl(queue, libc::IPC_STAT, &raw mut about) } != 0 {
        return Err(failed("ask a message queue for its size"));
    }
    let default = usize::try_from(about.msg_qbytes).unwrap_or(usize::MAX);
    // A queue that does not hold one message would never take it.
    let wanted = options.buffer_bytes.unwrap_or(default);
    let wanted = wanted.max(options.message_bytes);
    if wanted == default {
        return Ok(default);
    }
    let size = human_bytes(wanted as u64);
    if wanted > LARGEST_QUEUE_BYTES {
        let reason = format!(
            "a queue of {size} was requested, and the kernel allows {LARGEST_QUEUE_BYTES} bytes"
        );
        let remedy = "--axis buffer=0 for the default, or less than 2GiB";
        return Err(SetupError::skip(reason, remedy));
    }
    about.msg_qbytes = wanted as libc::msglen_t;
    // SAFETY: the structure lives and was filled by the kernel.
    if unsafe { libc::msgctl(queue, libc::IPC_SET, &raw mut about) } == 0 {
        return Ok(wanted);
    }
    let cause = io::Error::last_os_error();
    if cause.raw_os_error() != Some(libc::EPERM) {
        return Err(SetupError::fail("resize a message queue", cause));
    }
    Err(SetupError::skip(
        format!("this user cannot have a queue of {size}: {cause}"),
        format!("sudo sysctl kernel.msgmnb={wanted}"),
    ))
}

fn refused(cause: io::Error) -> SetupError {
    let remedy = match cause.raw_os_error() {
        Some(libc::ENOSYS) => "a kernel with CONFIG_SYSVIPC",
        Some(libc::ENOSPC) => "sudo sysctl kernel.msgmni=32000, or ipcrm what ipcs -q shows",
        Some(libc::EACCES | libc::EPERM) => "a container or sandbox that allows msgget",
        _ => return SetupError::fail("create a message queue", cause),
    };
    SetupError::skip(format!("cannot create a message queue: {cause}"), remedy)
}

pub static EXPERIMENT: Experiment = Experiment {
    toll: |card| figures::toll(card, "System V message queue", "System V queue"),
    claims: &[Claim {
        text: "On one CPU large messages block one side more often than small ones: bytes fill \
               the queue",
        check: claims::large_ones_sleep_more,
    }],
    ..super::through::<MqSysv>()
};

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, MqSysv, refused};
    use crate::ipc::{death, trial};
    use std::io;

    #[test]
    fn a_sleeping_partner_is_let_go_at_once() {
        death::is_let_go::<MqSysv>(5000);
    }

    #[test]
    fn an_end_left_alone_gives_up() {
        trial::abandoned::<MqSysv>(5000);
    }

    #[test]
    fn a_killed_partner_hangs_nobody() {
        death::of_the_partner::<MqSysv>(5000);
    }

    #[test]
    fn a_message_beyond_the_limit_is_skipped_with_the_limit_named() {
        trial::skipped(&EXPERIMENT, 64 << 20, 0, "kernel.msgmax");
    }

    #[test]
    fn a_capacity_that_the_kernel_would_cut_is_skipped() {
        for bytes in [1 << 31, (1 << 62) + 1, i64::MAX] {
            trial::skipped(&EXPERIMENT, 64, bytes, "--axis buffer");
        }
    }

    #[test]
    fn each_refusal_names_what_would_help() {
        let of = |errno| refused(io::Error::from_raw_os_error(errno)).to_string();
        assert!(of(libc::ENOSYS).contains("CONFIG_SYSVIPC"));
        assert!(of(libc::ENOSPC).contains("msgmni"));
        assert!(of(libc::EACCES).contains("msgget"));
        assert!(of(libc::EIO).starts_with("cannot create a message queue"));
    }
}
