//! # ipc/io_uring - Handing bytes over by requests in a ring
//!
//! What does a message cost whose sender and receiver leave requests in memory
//! that the kernel shares, instead of calling it for each?
//!
//! ## Counts
//! *stream*: one write request for each message, in a buffer registered with the
//! ring, on a registered UNIX stream socket, and one read request at a time on
//! the other side, until the last byte has been received. *round_trip*: a message
//! there and, whole, back. Placing the request, the one system call that submits
//! it and waits, taking the completion; both copies.
//!
//! ## Does not count
//! Making the rings, registering buffers and sockets. Registered memory is the
//! end's own: the sender builds its messages there and the receiver uses them
//! where they arrive, so neither is copied once more; the answer of a round trip
//! is a new message each time, and the partner's copy of it into its buffer
//! counts. Bytes are counted once, though they are copied twice.
//!
//! ## Origin
//! io_uring (Jens Axboe, Linux 5.1, 2019); requested of public collections of IPC
//! benchmarks ever since. io_uring(7), io_uring_enter(2), io_uring_register(2).
//!
//! ## Theory
//! Compare with `ipc/unix_stream`: the same sockets, the same copies, another way
//! to ask for them. A request that is alone saves no system call, because the
//! kernel must be notified of it; what remains is the ring's own
//! bookkeeping, some tens to hundreds of nanoseconds *more* than a plain send. The
//! gain is elsewhere: many requests for one call, or a kernel thread that looks
//! for them; this experiment keeps one at a time, as a task does that needs the
//! answer before it goes on.
//!
//! Registered buffers save pinning the pages for each request. That pays where a
//! device reads them; a socket copies through the ordinary mapping, so here the
//! gain is small.
//!
//! *partner=awake*: the receiver looks at the completion queue without any system
//! call. The completion itself is work of the receiver's task: where the kernel is
//! new enough (5.19) it raises a flag in the ring and the receiver calls it then;
//! before, it interrupts the receiver's CPU.
//!
//! Many systems forbid io_uring (`kernel.io_uring_disabled`, or the filter of a
//! container) because of its history of holes.

use catalogue::{Claim, Experiment};
use engines::transport::fds::whole;
use engines::transport::own::News;
use engines::transport::ring::{SocketRing, locked_bytes};
use engines::transport::socket::{buffers, unix};
use engines::transport::{End, Options, Transport, Wait, claims, figures, findings};
use harness::SetupError;
use machine::tunable::IO_URING_DISABLED;
use record::axis::human_bytes;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

/// One side of a pair of stream sockets, and its ring.
#[derive(Debug)]
pub struct UringEnd {
    socket: OwnedFd,
    message_bytes: usize,
    /// Made by the task that uses this end.
    ring: Option<SocketRing>,
    news: News,
    noted: Vec<String>,
    calls: u64,
}

fn unsettled() -> io::Error {
    io::Error::other("an end of an io_uring was used before it was set up")
}

impl End for UringEnd {
    #[inline]
    fn send(&mut self, message: &[u8], wait: Wait<'_>) -> io::Result<usize> {
        let ring = self.ring.as_mut().ok_or_else(unsettled)?;
        whole(message, wait, |rest, wait| {
            let at = ring.own.put(rest);
            ring.write(at, rest.len(), wait, &mut self.calls)
        })
    }

    #[inline]
    fn receive(&mut self, into: &mut [u8], wait: Wait<'_>) -> io::Result<usize> {
        let ring = self.ring.as_mut().ok_or_else(unsettled)?;
        let room = self.message_bytes.min(into.len());
        let got = ring.read(room, wait, &mut self.calls)?;
        ring.own.show(&mut into[..got], wait);
        Ok(got)
    }

    fn changed(&mut self) {
        if let Some(ring) = &mut self.ring {
            ring.own.changed();
        }
    }

    fn calls(&self) -> u64 {
        self.calls
    }

    fn fds(&self) -> Vec<RawFd> {
        vec![self.socket.as_raw_fd()]
    }

    fn settle(&mut self) -> io::Result<()> {
        let socket = self.socket.as_raw_fd();
        let ring = SocketRing::patiently(socket, self.message_bytes, &self.news)?;
        if ring.cooperative() {
            self.noted
                .push("completions wait until the task looks".to_owned());
        }
        self.ring = Some(ring);
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        self.noted.clone()
    }
}

impl Drop for UringEnd {
    fn drop(&mut self) {
        // The kernel lets go of a registered socket some time after the ring: the
        // other side shall learn at once. An end without a ring is a copy of one
        // that a child process uses.
        if self.ring.is_some() {
            // SAFETY: no pointers.
            unsafe { libc::shutdown(self.socket.as_raw_fd(), libc::SHUT_RDWR) };
        }
    }
}

struct Uring;

impl Transport for Uring {
    type End = UringEnd;

    fn pair(options: &Options) -> Result<(UringEnd, UringEnd), SetupError> {
        let (main, partner) = unix::sockets(libc::SOCK_STREAM, options)?;
        // Both sides need one; a child process could not say why it has none.
        let probe = |fd: &OwnedFd| {
            SocketRing::patiently(fd.as_raw_fd(), options.message_bytes, &News::default())
                .map_err(|cause| refused(cause, options.message_bytes))
        };
        drop((probe(&main)?, probe(&partner)?));
        let news = News::default();
        let noted = buffers::notes(&main);
        let end = |socket, noted| UringEnd {
            socket,
            message_bytes: options.message_bytes,
            ring: None,
            news: news.clone(),
            noted,
            calls: 0,
        };
        Ok((end(main, noted), end(partner, Vec::new())))
    }
}

fn refused(cause: io::Error, message_bytes: usize) -> SetupError {
    refused_under(IO_URING_DISABLED.word(), cause, message_bytes)
}

/// `switch`: what is in [`IO_URING_DISABLED`].
fn refused_under(switch: Option<String>, cause: io::Error, message_bytes: usize) -> SetupError {
    let switched_off = switch.is_some_and(|text| text != "0");
    let remedy = match cause.raw_os_error() {
        Some(libc::ENOSYS) => "Linux 5.1 or newer with CONFIG_IO_URING".to_owned(),
        Some(libc::EPERM | libc::EACCES) if switched_off => {
            "sudo sysctl kernel.io_uring_disabled=0".to_owned()
        }
        Some(libc::EPERM | libc::EACCES) => "run outside the container or sandbox that forbids \
                                             it: docker run --security-opt seccomp=unconfined ..."
            .to_owned(),
        // A little more: others of this user may have some.
        Some(libc::ENOMEM) => format!("ulimit -l {}", locked_bytes(message_bytes) / 1024 + 64),
        Some(libc::EMFILE) => "ulimit -n 1024".to_owned(),
        Some(libc::EINVAL) => "a newer kernel: this one has no registered buffers".to_owned(),
        _ => return SetupError::fail("create an io_uring", cause),
    };
    let size = human_bytes(message_bytes as u64);
    let reason = format!("cannot create an io_uring with buffers of {size}: {cause}");
    SetupError::skip(reason, remedy)
}

pub static EXPERIMENT: Experiment = Experiment {
    toll: |card| figures::toll(card, "io_uring on a UNIX stream socket", "io_uring"),
    claims: &[Claim {
        text: "A single request saves no system call: the sender makes at least one per message",
        check: |table| claims::calls(table, true, "sender_calls", 1.0),
    }],
    findings: |table, card| findings::findings(table, card, buffers::facts),
    ..super::through::<Uring>()
};

#[cfg(test)]
mod tests {
    use super::{SetupError, Uring, refused, refused_under};
    use crate::ipc::{death, trial};
    use engines::transport::{End, Options, Transport};
    use std::io;

    #[test]
    fn the_switch_is_advised_only_where_it_is_off() {
        let remedy = |switch: Option<&str>| {
            let cause = io::Error::from_raw_os_error(libc::EPERM);
            match refused_under(switch.map(str::to_owned), cause, 64) {
                SetupError::Skip { remedy, .. } => remedy,
                SetupError::Fail(why) => panic!("{why}"),
            }
        };
        assert_eq!(remedy(Some("2")), "sudo sysctl kernel.io_uring_disabled=0");
        for switch in [Some("0"), None] {
            assert!(remedy(switch).contains("sandbox"), "{}", remedy(switch));
        }
    }

    #[test]
    fn an_end_left_alone_gives_up() {
        trial::abandoned::<Uring>(5001);
    }

    #[test]
    fn a_killed_partner_hangs_nobody() {
        death::of_the_partner::<Uring>(5001);
    }

    #[test]
    fn each_refusal_names_what_would_help() {
        let of = |errno| refused(io::Error::from_raw_os_error(errno), 1 << 20).to_string();
        assert!(of(libc::ENOSYS).contains("CONFIG_IO_URING"));
        assert!(of(libc::ENOMEM).contains("ulimit -l 4176"));
        assert!(of(libc::EIO).starts_with("cannot create an io_uring"));
    }

    /// Of this thread alone: from now on it may lock what its limit says.
    fn without_privileges() {
        /// Version 3 of the call: 64 bits, in two halves of each of three sets.
        const HEAD: [u32; 2] = [0x2008_0522, 0];
        let none = [0u32; 6];
        // SAFETY: both are as long as that version says.
        let dropped = unsafe { libc::syscall(libc::SYS_capset, HEAD.as_ptr(), none.as_ptr()) };
        assert_eq!(dropped, 0, "{}", io::Error::last_os_error());
    }

    fn limit_bytes() -> usize {
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: the structure lives.
        unsafe { libc::getrlimit(libc::RLIMIT_MEMLOCK, &raw mut limit) };
        usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX)
    }

    #[test]
    fn rings_that_fit_the_limit_fit_it_time_after_time() {
        let limit = limit_bytes();
        if !(1 << 16..1 << 28).contains(&limit) {
            return; // Nothing is scarce, or there is nothing at all.
        }
        let options = Options {
            // Both ends lock three quarters of what there is.
            message_bytes: limit / 16 * 3,
            ..trial::ALONE
        };
        let attempt = move || {
            without_privileges();
            for _ in 0..8 {
                let (mut main, mut partner) = Uring::pair(&options).expect("they fit");
                main.settle().expect("one fits");
                partner.settle().expect("both fit");
            }
        };
        let outcome = std::thread::spawn(attempt).join();
        assert!(outcome.is_ok());
    }
}
