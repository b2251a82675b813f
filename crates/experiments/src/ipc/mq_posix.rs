//! # ipc/mq_posix - Handing messages over through a POSIX queue
//!
//! What does a message cost that the kernel keeps whole, with its bounds and its
//! priority?
//!
//! ## Counts
//! *stream*: mq_send and mq_receive of one message, until the reader has received
//! the last. *round_trip*: a message there through one queue and back through
//! another. Both copies, the allocation of the kernel's message, the sleeps and
//! wake-ups where the queue is full or empty.
//!
//! ## Does not count
//! Making the queues, which have no name any more when the first message goes.
//! Bytes are counted once, though they are copied twice.
//!
//! ## Origin
//! The message queues of POSIX.1-2001; the column of public collections of IPC
//! benchmarks. mq_overview(7).
//!
//! ## Theory
//! The queue keeps messages in a tree by priority, each in memory that is
//! allocated when it is sent and freed when it is received. That is more work than
//! the pages of a pipe, and none of it depends on the size. A queue takes ten
//! messages by default, not so many bytes: small messages make its sender wait
//! sooner than a pipe's, large ones later. Where a receiver already sleeps, the
//! sender hands the message to it past the queue (pipelined send). A message has
//! a greatest size, 8 KiB unless the administrator allows more: what is larger
//! must be cut by the program, and is skipped here.

use crate::experiment::Experiment;
use crate::transport::board::LOOK_NS;
use crate::transport::fds::{patiently, until_possible};
use crate::transport::setup::{bytes_per_op, shape};
use crate::transport::tether::Tether;
use crate::transport::{self, End, Options, Transport, Wait, figures};
use harness::SetupError;
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU32, Ordering};

const LIMITS: &str = "/proc/sys/fs/mqueue";
const DEFAULT_MESSAGES: usize = 10;
/// Vain attempts between two looks at the partner.
const LOOKS: u32 = 4096;

/// A queue for each direction. On Linux a queue is a descriptor like others.
#[derive(Debug)]
pub struct QueueEnd {
    reader: OwnedFd,
    writer: OwnedFd,
    messages: usize,
    /// Until when a call may sleep, on the clock of the day. It is renewed only
    /// when a call has failed for it: a call that need not sleep does not look.
    deadline: libc::timespec,
    tether: Tether,
    calls: u64,
}

/// A tenth of a second from now.
fn soon() -> libc::timespec {
    // SAFETY: an all-zero structure is valid; the call fills it.
    let mut now = unsafe {
        let mut now: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_REALTIME, &raw mut now);
        now
    };
    now.tv_nsec += LOOK_NS as libc::c_long;
    if now.tv_nsec >= 1_000_000_000 {
        now.tv_nsec -= 1_000_000_000;
        now.tv_sec += 1;
    }
    now
}

impl QueueEnd {
    /// Makes `attempt` until it gives something, asleep for a tenth of a second
    /// at a time or as `patiently` does.
    #[inline]
    fn exchange(
        &mut self,
        (fd, events): (RawFd, i16),
        wait: Wait<'_>,
        mut attempt: impl FnMut(&libc::timespec) -> isize,
    ) -> io::Result<usize> {
        let mut turns = 0u32;
        loop {
            let deadline = self.deadline;
            let once = match wait {
                Wait::Asleep(_) => wait,
                Wait::Never | Wait::Awake(_) => Wait::Never,
            };
            let done = patiently(fd, events, once, &mut self.calls, || attempt(&deadline));
            match (done, wait) {
                (Err(e), Wait::Awake(board)) if e.kind() == io::ErrorKind::WouldBlock => {
                    turns += 1;
                    let asleep = !board.awake();
                    if asleep {
                        self.calls += 1;
                        until_possible(fd, events);
                    }
                    if (asleep || turns.is_multiple_of(LOOKS)) && self.tether.over(board) {
                        return Err(io::ErrorKind::BrokenPipe.into());
                    }
                }
                (Err(e), Wait::Asleep(board)) if e.kind() == io::ErrorKind::TimedOut => {
                    if self.tether.over(board) {
                        return Err(io::ErrorKind::BrokenPipe.into());
                    }
                    self.deadline = soon();
                }
                (done, _) => return done,
            }
        }
    }
}

impl End for QueueEnd {
    #[inline]
    fn send(&mut self, message: &[u8], wait: Wait<'_>) -> io::Result<usize> {
        let fd = self.writer.as_raw_fd();
        let (at, len) = (message.as_ptr().cast(), message.len());
        self.exchange((fd, libc::POLLOUT), wait, |deadline| {
            // SAFETY: the slice is readable for its length.
            match unsafe { libc::mq_timedsend(fd, at, len, 0, deadline) } {
                0 => len.cast_signed(),
                _ => -1,
            }
        })
    }

    #[inline]
    fn receive(&mut self, into: &mut [u8], wait: Wait<'_>) -> io::Result<usize> {
        let fd = self.reader.as_raw_fd();
        let (at, len) = (into.as_mut_ptr().cast(), into.len());
        let got = self.exchange((fd, libc::POLLIN), wait, |deadline| {
            // SAFETY: the slice is writable for its length, which is the
            // queue's size of a message.
            unsafe { libc::mq_timedreceive(fd, at, len, std::ptr::null_mut(), deadline) }
        });
        transport::tether::or_end(got)
    }

    fn calls(&self) -> u64 {
        self.calls
    }

    fn fds(&self) -> Vec<RawFd> {
        let (reader, writer) = (self.reader.as_raw_fd(), self.writer.as_raw_fd());
        vec![reader, writer, self.tether.fd()]
    }

    fn notes(&self) -> Vec<String> {
        vec![format!("a queue holds {} messages", self.messages)]
    }
}

struct MqPosix;

impl Transport for MqPosix {
    type End = QueueEnd;

    fn pair(options: &Options) -> Result<(QueueEnd, QueueEnd), SetupError> {
        let messages = match options.buffer_bytes {
            None => DEFAULT_MESSAGES.min(limit("msg_max").unwrap_or(DEFAULT_MESSAGES)),
            Some(bytes) => (bytes / options.message_bytes).max(1),
        };
        let (there, back) = (open(options, messages)?, open(options, messages)?);
        let again = |queue: &OwnedFd| {
            queue
                .try_clone()
                .map_err(|e| SetupError::fail("share a message queue", e))
        };
        let (here_tether, there_tether) = Tether::pair()?;
        let end = |reader, writer, tether| QueueEnd {
            reader,
            writer,
            messages,
            deadline: soon(),
            tether,
            calls: 0,
        };
        Ok((
            end(again(&back)?, again(&there)?, here_tether),
            end(there, back, there_tether),
        ))
    }

    fn largest_message(_: &Options) -> Option<(usize, String)> {
        limit("msgsize_max").map(|bytes| {
            let remedy = format!("echo 16777216 | sudo tee {LIMITS}/msgsize_max");
            (bytes, remedy)
        })
    }
}

/// A limit of all queues, where the kernel says it.
fn limit(name: &str) -> Option<usize> {
    let text = std::fs::read_to_string(format!("{LIMITS}/{name}")).ok()?;
    text.trim().parse().ok()
}

/// A queue that nobody else can open.
fn open(options: &Options, messages: usize) -> Result<OwnedFd, SetupError> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = CString::new(format!("/pontage-{}-{number}", std::process::id()))
        .map_err(|e| SetupError::fail("name a message queue", e))?;
    let patient = !(options.alone || options.polling);
    let blocking = if patient { 0 } else { libc::O_NONBLOCK };
    let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC | blocking;
    // SAFETY: an all-zero structure is valid; the call reads two of its fields.
    // The name is removed at once: the descriptor is all that is left.
    unsafe {
        let mut shape: libc::mq_attr = std::mem::zeroed();
        shape.mq_maxmsg = libc::c_long::try_from(messages).unwrap_or(libc::c_long::MAX);
        shape.mq_msgsize =
            libc::c_long::try_from(options.message_bytes).unwrap_or(libc::c_long::MAX);
        let fd = libc::mq_open(name.as_ptr(), flags, 0o600, &raw mut shape);
        if fd < 0 {
            return Err(refused(io::Error::last_os_error(), messages));
        }
        libc::mq_unlink(name.as_ptr());
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

fn refused(cause: io::Error, messages: usize) -> SetupError {
    let reason = format!("no queue of {messages} messages can be had: {cause}");
    let remedy = match cause.raw_os_error() {
        Some(libc::ENOSYS) => "a kernel with CONFIG_POSIX_MQUEUE".to_owned(),
        Some(libc::EMFILE) => "ulimit -q unlimited, or fewer or smaller messages".to_owned(),
        Some(libc::EINVAL) => {
            let wanted = messages.max(DEFAULT_MESSAGES);
            format!("echo {wanted} | sudo tee {LIMITS}/msg_max")
        }
        Some(libc::ENOSPC) => format!("echo 1024 | sudo tee {LIMITS}/queues_max"),
        Some(libc::EACCES | libc::EPERM | libc::ENOENT) => {
            "a container or sandbox that allows mq_open (its own mqueue file system)".to_owned()
        }
        _ => return SetupError::fail("open a message queue", cause),
    };
    SetupError::skip(reason, remedy)
}

pub static EXPERIMENT: Experiment = Experiment {
    id: "ipc/mq_posix",
    axes: transport::AXES,
    parts: transport::PARTS,
    tallies: transport::TALLIES,
    shape,
    bytes_per_op,
    grids: |preset, card| transport::grids(preset, card, i64::MAX, &[]),
    setup: transport::setup::<MqPosix>,
    figures: figures::figures,
    toll: || figures::toll("POSIX message queue"),
    claims: &[],
    findings: |_, _| Vec::new(),
};

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, LIMITS, MqPosix, refused};
    use crate::transport::trial;
    use std::io;

    #[test]
    fn every_byte_arrives_in_every_mode() {
        trial::every_mode(&EXPERIMENT, &[1, 4096, 5000], &[0, 4096]);
    }

    #[test]
    fn an_end_left_alone_gives_up() {
        trial::abandoned::<MqPosix>(5000);
    }

    #[test]
    fn a_message_beyond_the_limit_is_skipped_with_the_limit_named() {
        trial::skipped(&EXPERIMENT, 64 << 20, 0, "msgsize_max");
    }

    #[test]
    fn each_refusal_names_what_would_help() {
        let of = |errno| refused(io::Error::from_raw_os_error(errno), 20).to_string();
        assert!(of(libc::EMFILE).contains("ulimit -q"));
        assert!(of(libc::ENOSYS).contains("CONFIG_POSIX_MQUEUE"));
        assert!(of(libc::EINVAL).contains(&format!("echo 20 | sudo tee {LIMITS}/msg_max")));
        assert!(of(libc::ENOSPC).contains("queues_max"));
        assert!(of(libc::EACCES).contains("mq_open"));
        assert!(of(libc::EIO).starts_with("cannot open a message queue"));
    }
}
