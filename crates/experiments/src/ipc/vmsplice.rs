//! # ipc/vmsplice - Handing pages over through a pipe
//!
//! What does a message cost when the sender does not copy it into the pipe but
//! puts its own pages there, and what must it promise for that?
//!
//! ## Counts
//! *stream*: vmsplice of one message, by as many calls as the pipe demands, until
//! the reader has read its last byte: one copy, the reader's. The sender builds
//! its messages in place, as a program does that uses vmsplice: a message that
//! has not changed since it was last written to its place is handed over as it
//! is there. *round_trip*: a message there and, whole, back; the answer is a
//! new message each time, so the partner's copy of it into its pages counts.
//!
//! ## Does not count
//! Building the message. Making the pipes, touching the pages. Bytes are counted
//! once.
//!
//! ## Origin
//! The vmsplice column of public pipe benchmarks, and of the articles that race
//! `yes` into a pipe at tens of GB/s. vmsplice(2), splice(2).
//!
//! ## Theory
//! write(2) copies into pages of the kernel; vmsplice pins the sender's pages
//! and puts references to them into the ring of the pipe. That saves one copy
//! and the allocation, and costs a look into the page table for each page. So it
//! wins from a few pages up; below a page it is a pipe that wastes a slot, a
//! page's worth of capacity, on each message.
//!
//! The hazard is aliasing. Until the reader has copied, the message exists once,
//! in the sender's memory: what the sender writes there in the meantime, the
//! reader gets, whole or torn, and no error tells of it. The call that returns
//! says nothing about that. What does is the capacity: a pipe lets go of its
//! pages in order, so once as many pages as it holds have been pushed in behind
//! a page, that page is out. Hence double buffering: with two buffers of the
//! pipe's size each may be written anew when the other has been handed over
//! whole; with smaller messages more places are needed. That holds for a reader
//! that reads. One that splices the pages on to another pipe keeps the
//! references alive, and the sender cannot know for how long. Programs that use
//! one buffer measure a transport that delivers other bytes than were sent.

use super::pipe::{read, supported, two_ways};
use catalogue::Experiment;
use engines::memory::buffer::page_bytes;
use engines::transport::fds::{patiently, whole};
use engines::transport::pages::Pages;
use engines::transport::{self, End, Options, Transport, Wait, claims, figures};
use harness::SetupError;
use record::axis::human_bytes;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

/// Two pipes, one for each direction, and the pages that this side hands over.
#[derive(Debug)]
pub struct VmspliceEnd {
    reader: OwnedFd,
    writer: OwnedFd,
    pages: Pages,
    capacity: usize,
    calls: u64,
}

impl End for VmspliceEnd {
    #[inline]
    fn send(&mut self, message: &[u8], wait: Wait<'_>) -> io::Result<usize> {
        let fd = self.writer.as_raw_fd();
        let flags = match wait {
            Wait::Asleep(_) => 0,
            Wait::Never | Wait::Awake(_) => libc::SPLICE_F_NONBLOCK,
        };
        whole(message, wait, |rest, wait| {
            let at = self.pages.place(rest);
            // SAFETY: `place` gives an offset inside the memory.
            let start = unsafe { self.pages.memory().base().add(at) };
            let page = libc::iovec {
                iov_base: start.cast(),
                iov_len: rest.len(),
            };
            let moved = patiently(fd, libc::POLLOUT, wait, &mut self.calls, || {
                // SAFETY: the bytes are mapped, and stay as they are until they
                // have been read (`Pages::with`).
                unsafe { libc::vmsplice(fd, &raw const page, 1, flags) }
            })?;
            self.pages.handed(moved, rest.len());
            Ok(moved)
        })
    }

    #[inline]
    fn receive(&mut self, into: &mut [u8], wait: Wait<'_>) -> io::Result<usize> {
        read(&self.reader, into, wait, &mut self.calls)
    }

    fn changed(&mut self) {
        self.pages.changed();
    }

    fn calls(&self) -> u64 {
        self.calls
    }

    fn fds(&self) -> Vec<RawFd> {
        vec![self.reader.as_raw_fd(), self.writer.as_raw_fd()]
    }

    fn settle(&mut self) -> io::Result<()> {
        self.pages.memory().touch();
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        vec![format!(
            "pipe capacity {}, {} buffers by turns",
            human_bytes(self.capacity as u64),
            self.pages.count()
        )]
    }
}

struct Vmsplice;

impl Transport for Vmsplice {
    type End = VmspliceEnd;

    fn pair(options: &Options) -> Result<(VmspliceEnd, VmspliceEnd), SetupError> {
        possible()?;
        ends(options, Pages::with)
    }
}

/// Two ends whose buffers `make` makes, for messages of so many bytes and a pipe
/// of so many pages.
fn ends(
    options: &Options,
    make: impl Fn(usize, usize) -> io::Result<Pages>,
) -> Result<(VmspliceEnd, VmspliceEnd), SetupError> {
    let doing = "map pages of a memory file (memfd_create) to hand over";
    two_ways(options, |reader, writer, capacity| {
        let pages = make(options.message_bytes, capacity.div_ceil(page_bytes()));
        Ok(VmspliceEnd {
            reader,
            writer,
            pages: pages.map_err(|e| SetupError::fail(doing, e))?,
            capacity,
            calls: 0,
        })
    })
}

/// Tries the call on no bytes at all.
fn possible() -> Result<(), SetupError> {
    let nothing = std::ptr::null::<libc::iovec>();
    // SAFETY: no structures are read, and -1 is no descriptor.
    unsafe { libc::vmsplice(-1, nothing, 0, 0) };
    refused(&io::Error::last_os_error())
}

fn refused(answer: &io::Error) -> Result<(), SetupError> {
    supported(answer, "pages cannot be handed to a pipe", "vmsplice")
}

pub static EXPERIMENT: Experiment = Experiment {
    grids: |preset, card| transport::grids(preset, card, i64::MAX, &[1 << 20]),
    toll: |card| figures::toll(card, "vmsplice and read", "vmsplice"),
    claims: &[claims::FLAT],
    ..super::through::<Vmsplice>()
};

#[cfg(test)]
mod tests {
    use super::{Pages, VmspliceEnd, ends, refused};
    use crate::ipc::trial;
    use engines::transport::serve::fill;
    use engines::transport::{End, Options, Wait};

    /// Four of them fill a pipe of 64 KiB.
    const SIZE: usize = 16 << 10;

    #[test]
    fn an_end_left_alone_gives_up() {
        trial::abandoned::<super::Vmsplice>(5000);
    }

    /// Sends messages that all differ, as many as the pipe takes, each before
    /// the one in front of it has been read; whether they arrive as sent.
    fn differing_messages_arrive((mut here, mut there): (VmspliceEnd, VmspliceEnd)) -> bool {
        let mut message = vec![0; SIZE];
        let (mut sent, mut read) = (0, 0);
        let mut right = true;
        while sent < 40 {
            fill(&mut message, sent);
            here.changed();
            if here.send(&message, Wait::Never).is_err() {
                right &= arrives(&mut there, &mut read, sent);
                assert_eq!(here.send(&message, Wait::Never).unwrap(), SIZE);
            }
            sent += 1;
        }
        assert!(read > 20, "only {read} messages went through");
        right
    }

    /// Reads the messages that are there whole.
    fn arrives(there: &mut VmspliceEnd, read: &mut u64, sent: u64) -> bool {
        let (mut got, mut expected) = (vec![0; SIZE], vec![0; SIZE]);
        let mut right = true;
        while *read < sent {
            let mut at = 0;
            while at < SIZE {
                at += there.receive(&mut got[at..], Wait::Never).unwrap();
            }
            fill(&mut expected, *read);
            right &= got == expected;
            *read += 1;
        }
        right
    }

    fn alone() -> Options {
        Options {
            message_bytes: SIZE,
            buffer_bytes: Some(64 << 10),
            alone: true,
            polling: false,
            processes: false,
            port: 0,
        }
    }

    #[test]
    fn enough_buffers_keep_what_is_on_the_way() {
        assert!(differing_messages_arrive(
            ends(&alone(), Pages::with).unwrap()
        ));
    }

    #[test]
    fn a_single_buffer_is_caught_delivering_other_bytes() {
        let wrong = ends(&alone(), |bytes, _| Pages::with_count(bytes, 1)).unwrap();
        assert!(!differing_messages_arrive(wrong));
    }

    #[test]
    fn one_buffer_too_few_is_caught() {
        let wrong = ends(&alone(), |bytes, pages| {
            let enough = pages.div_ceil(bytes.div_ceil(4096)) + 1;
            Pages::with_count(bytes, enough - 1)
        });
        assert!(!differing_messages_arrive(wrong.unwrap()));
    }

    #[test]
    fn a_kernel_without_it_is_skipped() {
        let refused = |errno| refused(&std::io::Error::from_raw_os_error(errno));
        assert!(refused(libc::EBADF).is_ok());
        assert!(
            refused(libc::ENOSYS)
                .unwrap_err()
                .to_string()
                .contains("vmsplice")
        );
    }
}
