//! Memory to hand pages out of, by vmsplice or splice: where the next message
//! may be written without overwriting one that is still being read.

use super::shared::Shared;
use crate::memory::buffer::page_bytes;
use std::io;

/// As many messages as can be on the way, and one more. This is the double
/// buffering that handing pages over demands, generalised: two halves when a
/// message fills the pipe, more when it does not.
#[derive(Debug)]
pub struct Pages {
    memory: Shared,
    message_bytes: usize,
    /// Bytes from one message to the next: whole pages.
    stride: usize,
    count: usize,
    /// The message that is being handed over, counted from 0.
    current: usize,
    /// For each place, which contents it has.
    contents: Vec<u64>,
    /// The contents that the caller's messages have now.
    wanted: u64,
}

impl Pages {
    /// Places for messages of which at most `pages_on_the_way` pages are held
    /// by pipes at any time.
    ///
    /// A place is written again after `count - 1` other messages. By then at
    /// least as many pages as the pipes hold have been pushed in behind its
    /// last page, and a pipe lets go of its pages in order, each when it has
    /// been copied out: so all of its pages are out and read.
    ///
    /// # Errors
    /// What mmap says.
    pub fn with(message_bytes: usize, pages_on_the_way: usize) -> io::Result<Pages> {
        let pages = message_bytes.div_ceil(page_bytes());
        Pages::with_count(message_bytes, pages_on_the_way.div_ceil(pages) + 1)
    }

    /// A count that may be too small, for the test that this shows.
    pub fn with_count(message_bytes: usize, count: usize) -> io::Result<Pages> {
        let stride = message_bytes.next_multiple_of(page_bytes());
        let memory = Shared::map(count * stride)?;
        memory.touch();
        Ok(Pages {
            memory,
            message_bytes,
            stride,
            count,
            current: 0,
            contents: vec![0; count],
            wanted: 1,
        })
    }

    /// The caller has written into its message.
    pub fn changed(&mut self) {
        self.wanted += 1;
    }

    /// Where the rest of the current message is in the memory. The message is
    /// copied there first if that place has other contents.
    #[inline]
    pub fn place(&mut self, rest: &[u8]) -> usize {
        let start = self.current * self.stride;
        if rest.len() == self.message_bytes && self.contents[self.current] != self.wanted {
            // SAFETY: inside the mapping, where nothing reads any more
            // (`with`).
            unsafe {
                let to = self.memory.base().add(start);
                std::ptr::copy_nonoverlapping(rest.as_ptr(), to, rest.len());
            }
            self.contents[self.current] = self.wanted;
        }
        start + (self.message_bytes - rest.len())
    }

    /// So many bytes of `rest` have been handed over.
    #[inline]
    pub fn handed(&mut self, bytes: usize, rest: usize) {
        if bytes == rest {
            self.current = (self.current + 1) % self.count;
        }
    }

    /// The memory that both sides see.
    pub fn memory(&self) -> &Shared {
        &self.memory
    }

    /// How many pages take turns.
    pub fn count(&self) -> usize {
        self.count
    }
}
