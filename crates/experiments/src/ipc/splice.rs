//! # ipc/splice - Passing pages from a file through two pipes
//!
//! What does a message cost that passes from a file into a pipe and from there
//! into a second one, before anybody copies it?
//!
//! ## Counts
//! *stream*: a splice from a file in memory (memfd) into a pipe, the receiver's
//! splice from there into a pipe of its own, and the read at the end of the chain:
//! one copy for each message. The sender's message is in the file, as the
//! contents of any file do that is served; a message that has not changed is sent
//! from where it is. *round_trip*: the same way back; the answer is a new message
//! each time, so the partner's copy of it into its file counts.
//!
//! ## Does not count
//! Writing the message into the file. Making the pipes, touching the pages.
//! Bytes are counted once.
//!
//! ## Origin
//! splice(2) and the proxies that use it between sockets; sendfile(2) is a splice
//! through a hidden pipe. lmbench and `ipc-benchmark` do not have it.
//!
//! ## Theory
//! A pipe holds references to pages. splice moves references: out of the file's
//! page cache into the pipe, and from pipe to pipe, which copies nothing and does
//! not touch the data. So a hop costs a system call and some nanoseconds for each
//! page, and the chain is bounded by the one copy at its end, or by the wake-ups
//! where a pipe is full or empty. Against `ipc/vmsplice` it shows the price of one
//! more hop; against `ipc/pipe` what the first copy costs.
//!
//! The pages are the file's. Who writes the file while they are in a pipe changes
//! what the reader gets. A second pipe in the chain holds as many more pages:
//! the sender must know of all of them before it may write to a place again.

use super::pipe::{one_way, supported, two_ways};
use catalogue::{Claim, Experiment};
use engines::memory::buffer::page_bytes;
use engines::transport::fds::{patiently, whole};
use engines::transport::pages::Pages;
use engines::transport::{self, End, Options, Transport, Wait, claims, figures};
use harness::SetupError;
use record::axis::human_bytes;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

/// A pipe for each direction, the second pipe of the incoming chain, and the
/// file that outgoing messages are in.
#[derive(Debug)]
pub struct SpliceEnd {
    reader: OwnedFd,
    writer: OwnedFd,
    /// The second pipe: read end, write end.
    second: (OwnedFd, OwnedFd),
    pages: Pages,
    capacity: usize,
    calls: u64,
}

fn flags(wait: Wait<'_>) -> libc::c_uint {
    match wait {
        Wait::Asleep(_) => libc::SPLICE_F_MOVE,
        Wait::Never | Wait::Awake(_) => libc::SPLICE_F_MOVE | libc::SPLICE_F_NONBLOCK,
    }
}

impl End for SpliceEnd {
    #[inline]
    fn send(&mut self, message: &[u8], wait: Wait<'_>) -> io::Result<usize> {
        let fd = self.writer.as_raw_fd();
        whole(message, wait, |rest, wait| {
            let at = self.pages.place(rest);
            let file = self.pages.memory().fd();
            let moved = patiently(fd, libc::POLLOUT, wait, &mut self.calls, || {
                let mut from = at as libc::loff_t;
                let nowhere = std::ptr::null_mut();
                // SAFETY: the offset is ours; nothing else of memory is touched.
                unsafe { libc::splice(file, &raw mut from, fd, nowhere, rest.len(), flags(wait)) }
            })?;
            self.pages.handed(moved, rest.len());
            Ok(moved)
        })
    }

    #[inline]
    fn receive(&mut self, into: &mut [u8], wait: Wait<'_>) -> io::Result<usize> {
        let (first, second) = (self.reader.as_raw_fd(), self.second.1.as_raw_fd());
        let nowhere = std::ptr::null_mut();
        let moved = patiently(first, libc::POLLIN, wait, &mut self.calls, || {
            // SAFETY: no memory of ours is touched. The second pipe is empty.
            unsafe { libc::splice(first, nowhere, second, nowhere, into.len(), flags(wait)) }
        })?;
        if moved > 0 {
            self.read_out(&mut into[..moved])?;
        }
        Ok(moved)
    }

    fn changed(&mut self) {
        self.pages.changed();
    }

    fn calls(&self) -> u64 {
        self.calls
    }

    fn fds(&self) -> Vec<RawFd> {
        let (out, back) = &self.second;
        [&self.reader, &self.writer, out, back]
            .map(AsRawFd::as_raw_fd)
            .into_iter()
            .chain([self.pages.memory().fd()])
            .collect()
    }

    fn settle(&mut self) -> io::Result<()> {
        self.pages.memory().touch();
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        vec![format!(
            "two pipes of {} in each direction, {} places in the file by turns",
            human_bytes(self.capacity as u64),
            self.pages.count()
        )]
    }
}

impl SpliceEnd {
    /// Copies everything out of the second pipe.
    #[inline]
    fn read_out(&mut self, into: &mut [u8]) -> io::Result<()> {
        let mut done = 0;
        while done < into.len() {
            let rest = &mut into[done..];
            self.calls += 1;
            let fd = self.second.0.as_raw_fd();
            // SAFETY: the slice is writable for its length.
            match unsafe { libc::read(fd, rest.as_mut_ptr().cast(), rest.len()) } {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                more @ 1.. => done += more.cast_unsigned(),
                _ => {
                    let error = io::Error::last_os_error();
                    if error.kind() != io::ErrorKind::Interrupted {
                        return Err(error);
                    }
                }
            }
        }
        Ok(())
    }
}

struct Splice;

impl Transport for Splice {
    type End = SpliceEnd;

    fn pair(options: &Options) -> Result<(SpliceEnd, SpliceEnd), SetupError> {
        possible()?;
        let fail = |e| SetupError::fail("map a memory file (memfd_create) to send from", e);
        two_ways(options, |reader, writer, capacity| {
            let (out, back, _) = one_way(options)?;
            let on_the_way = 2 * capacity.div_ceil(page_bytes());
            Ok(SpliceEnd {
                reader,
                writer,
                second: (out, back),
                pages: Pages::with(options.message_bytes, on_the_way).map_err(fail)?,
                capacity,
                calls: 0,
            })
        })
    }
}

/// Tries the call on no descriptors at all.
fn possible() -> Result<(), SetupError> {
    let nowhere = std::ptr::null_mut();
    // SAFETY: -1 is no descriptor, and no pointers are given.
    unsafe { libc::splice(-1, nowhere, -1, nowhere, 1, 0) };
    refused(&io::Error::last_os_error())
}

fn refused(answer: &io::Error) -> Result<(), SetupError> {
    supported(answer, "splice cannot be used", "splice")
}

pub static EXPERIMENT: Experiment = Experiment {
    grids: |preset, card| transport::grids(preset, card, i64::MAX, &[1 << 20]),
    toll: |card| figures::toll(card, "splice through two pipes", "splice"),
    claims: &[Claim {
        text: "A streamed message takes its receiver two calls, one for the hop and one for the \
               copy",
        check: |table| claims::calls(table, true, "receiver_calls", 2.0),
    }],
    ..super::through::<Splice>()
};

#[cfg(test)]
mod tests {
    use super::{Splice, refused};
    use crate::ipc::trial;

    #[test]
    fn an_end_left_alone_gives_up() {
        trial::abandoned::<Splice>(5000);
    }

    #[test]
    fn a_kernel_without_it_is_skipped() {
        let refused = |errno| refused(&std::io::Error::from_raw_os_error(errno));
        assert!(refused(libc::EBADF).is_ok());
        assert!(
            refused(libc::ENOSYS)
                .unwrap_err()
                .to_string()
                .contains("splice")
        );
    }
}
