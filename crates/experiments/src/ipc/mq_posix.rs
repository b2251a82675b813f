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

use catalogue::{Claim, Experiment};
use engines::left_over;
use engines::transport::fds::{never_block, patiently, until_possible};
use engines::transport::keeper::Keeper;
use engines::transport::tether::{Tether, or_end};
use engines::transport::{End, Options, Transport, Wait, claims, figures};
use harness::SetupError;
use machine::tunable::{MQUEUE_MSG_MAX, MQUEUE_MSGSIZE_MAX, MQUEUE_QUEUES_MAX};
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

const DEFAULT_MESSAGES: usize = 10;

/// The queues of both directions. On Linux a queue is a descriptor like others.
#[derive(Debug, Clone)]
struct Queues {
    ways: [Arc<OwnedFd>; 2],
    /// The other side has gone, or this one goes.
    over: Arc<AtomicBool>,
}

impl Queues {
    /// Lets no task sleep on them any more: a queue does not report that the other
    /// side has gone. Who sleeps for room gets it, who sleeps for a message gets
    /// one, and both see that it is over.
    fn sound(&self) {
        self.over.store(true, Ordering::Release);
        for way in &self.ways {
            let fd = way.as_raw_fd();
            let rubbish = [0u8; 1];
            let _ = never_block(fd);
            // SAFETY: an all-zero structure is valid; the call fills it.
            let shape = unsafe {
                let mut shape: libc::mq_attr = std::mem::zeroed();
                libc::mq_getattr(fd, &raw mut shape);
                shape
            };
            let mut message = vec![0u8; usize::try_from(shape.mq_msgsize).unwrap_or(0)];
            let (at, len) = (message.as_mut_ptr().cast(), message.len());
            // SAFETY: the slices are as long as given; neither call sleeps.
            unsafe {
                while libc::mq_receive(fd, at, len, std::ptr::null_mut()) >= 0 {}
                libc::mq_send(fd, rubbish.as_ptr().cast(), 1, 0);
            }
        }
    }
}

/// One side of both queues.
#[derive(Debug)]
pub struct QueueEnd {
    queues: Queues,
    /// Which queue is written here: 0 or 1.
    out: usize,
    messages: usize,
    /// Only on the main side, which outlives the other.
    keeper: Option<Keeper>,
    tether: Tether,
    calls: u64,
}

impl QueueEnd {
    /// Makes `attempt` until it gives something: asleep in it, or again and again
    /// while the board calls for that.
    #[inline]
    fn exchange(
        &mut self,
        (fd, events): (RawFd, i16),
        wait: Wait<'_>,
        mut attempt: impl FnMut() -> isize,
    ) -> io::Result<usize> {
        let once = match wait {
            Wait::Asleep(_) => wait,
            Wait::Never | Wait::Awake(_) => Wait::Never,
        };
        loop {
            if self.queues.over.load(Ordering::Acquire) {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            match (
                patiently(fd, events, once, &mut self.calls, &mut attempt),
                wait,
            ) {
                (Err(e), Wait::Awake(board)) if e.kind() == io::ErrorKind::WouldBlock => {
                    if board.leaving() {
                        return Err(io::ErrorKind::BrokenPipe.into());
                    }
                    if !board.awake() {
                        self.calls += 1;
                        until_possible(fd, events);
                    }
                }
                (Ok(_), _) if self.queues.over.load(Ordering::Acquire) => {
                    return Err(io::ErrorKind::BrokenPipe.into());
                }
                (done, _) => return done,
            }
        }
    }
}

impl End for QueueEnd {
    #[inline]
    fn send(&mut self, message: &[u8], wait: Wait<'_>) -> io::Result<usize> {
        let fd = self.queues.ways[self.out].as_raw_fd();
        let (at, len) = (message.as_ptr().cast(), message.len());
        self.exchange((fd, libc::POLLOUT), wait, || {
            // SAFETY: the slice is readable for its length.
            match unsafe { libc::mq_send(fd, at, len, 0) } {
                0 => len.cast_signed(),
                _ => -1,
            }
        })
    }

    #[inline]
    fn receive(&mut self, into: &mut [u8], wait: Wait<'_>) -> io::Result<usize> {
        let fd = self.queues.ways[1 - self.out].as_raw_fd();
        let (at, len) = (into.as_mut_ptr().cast(), into.len());
        let got = self.exchange((fd, libc::POLLIN), wait, || {
            // SAFETY: the slice is writable for its length, which is the
            // queue's size of a message.
            unsafe { libc::mq_receive(fd, at, len, std::ptr::null_mut()) }
        });
        or_end(got)
    }

    fn calls(&self) -> u64 {
        self.calls
    }

    fn fds(&self) -> Vec<RawFd> {
        let ways = self.queues.ways.iter().map(|way| way.as_raw_fd());
        ways.chain([self.tether.fd()]).collect()
    }

    fn notes(&self) -> Vec<String> {
        vec![format!("a queue holds {} messages", self.messages)]
    }
}

impl Drop for QueueEnd {
    fn drop(&mut self) {
        // The copy that the main process drops of a child's end must not sound.
        if self.keeper.take().is_some() {
            self.queues.sound();
        }
    }
}

struct MqPosix;

impl Transport for MqPosix {
    type End = QueueEnd;

    fn pair(options: &Options) -> Result<(QueueEnd, QueueEnd), SetupError> {
        let messages = match options.buffer_bytes {
            None => DEFAULT_MESSAGES.min(MQUEUE_MSG_MAX.value().unwrap_or(DEFAULT_MESSAGES)),
            Some(bytes) => (bytes / options.message_bytes).max(1),
        };
        // Killed between the name and its removal.
        left_over::remove(Path::new("/dev/mqueue"), owner);
        let way = || open(options, messages).map(Arc::new);
        let queues = Queues {
            ways: [way()?, way()?],
            over: Arc::new(AtomicBool::new(false)),
        };
        let (here, there) = Tether::pair()?;
        let watched = queues.clone();
        let keeper = Keeper::watch(&here, move || watched.sound())?;
        let end = |out, tether, keeper| QueueEnd {
            queues: queues.clone(),
            out,
            messages,
            keeper,
            tether,
            calls: 0,
        };
        Ok((end(0, here, Some(keeper)), end(1, there, None)))
    }

    fn largest_message(_: &Options) -> Option<(usize, String)> {
        let remedy = MQUEUE_MSGSIZE_MAX.set(16_777_216);
        Some((MQUEUE_MSGSIZE_MAX.value()?, remedy))
    }
}

/// Whose `pontage-PID-NUMBER` is.
fn owner(name: &str) -> Option<u32> {
    let (pid, _) = name.strip_prefix("pontage-")?.split_once('-')?;
    pid.parse().ok()
}

/// A queue that no other process can open.
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
    let reason = format!("cannot create a queue of {messages} messages: {cause}");
    let remedy = match cause.raw_os_error() {
        Some(libc::ENOSYS) => "a kernel with CONFIG_POSIX_MQUEUE".to_owned(),
        Some(libc::EMFILE) => "ulimit -q unlimited, or use fewer or smaller messages".to_owned(),
        Some(libc::EINVAL) => MQUEUE_MSG_MAX.set(messages.max(DEFAULT_MESSAGES)),
        Some(libc::ENOSPC) => MQUEUE_QUEUES_MAX.set(1024),
        Some(libc::EACCES | libc::EPERM | libc::ENOENT) => {
            "a container or sandbox that allows mq_open (its own mqueue file system)".to_owned()
        }
        _ => return SetupError::fail("open a message queue", cause),
    };
    SetupError::skip(reason, remedy)
}

pub static EXPERIMENT: Experiment = Experiment {
    toll: |card| figures::toll(card, "POSIX message queue", "POSIX queue"),
    claims: &[
        claims::FLAT,
        Claim {
            text: "On one CPU one side sleeps at least once in ten messages, whatever their size",
            check: |table| claims::sleeps(table, 0.1, |p| p.word("placement") == "same_cpu"),
        },
    ],
    ..super::through::<MqPosix>()
};

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, MQUEUE_MSG_MAX, MqPosix, refused};
    use crate::ipc::{death, trial};
    use std::io;

    #[test]
    fn a_sleeping_partner_is_let_go_at_once() {
        death::is_let_go::<MqPosix>(5000);
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
        assert!(of(libc::EINVAL).contains(&MQUEUE_MSG_MAX.set(20)));
        assert!(of(libc::ENOSPC).contains("queues_max"));
        assert!(of(libc::EACCES).contains("mq_open"));
        assert!(of(libc::EIO).starts_with("cannot open a message queue"));
    }
}
