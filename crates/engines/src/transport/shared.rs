//! Memory that both sides see, in two threads and in two processes: a memfd,
//! mapped before the partner is forked.

use crate::memory::buffer::page_bytes;
use crate::memory::file::memory_file;
use harness::SetupError;
use mapped::Map;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::sync::atomic::{AtomicU8, Ordering};

/// Zeroed shared memory; unmapped on drop.
#[derive(Debug)]
pub struct Shared {
    map: Map,
    file: File,
}

impl Shared {
    /// At least `bytes` bytes, rounded up to whole pages.
    ///
    /// # Errors
    /// What `memfd_create`, ftruncate or mmap says.
    pub fn map(bytes: usize) -> io::Result<Shared> {
        let whole = bytes.max(1).checked_next_multiple_of(page_bytes());
        let bytes = whole.ok_or(io::ErrorKind::OutOfMemory)?;
        let file = memory_file(c"pontage", 0)?;
        file.set_len(bytes as u64)?;
        let map = Map::of_file(bytes, file.as_fd())?;
        Ok(Shared { map, file })
    }

    /// As `map`, for a transport's `pair`.
    ///
    /// # Errors
    /// `Fail` with the cause.
    pub fn for_pair(bytes: usize) -> Result<Shared, SetupError> {
        Shared::map(bytes).map_err(|e| SetupError::fail("map shared memory", e))
    }

    /// Where it is mapped here.
    #[inline]
    pub fn base(&self) -> *mut u8 {
        self.map.as_ptr()
    }

    /// Its size.
    pub fn bytes(&self) -> usize {
        self.map.bytes()
    }

    /// The memory file behind it.
    pub fn fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }

    /// Makes every page present in the page table of the calling task, writable:
    /// a fork does not copy the entries of shared mappings.
    pub fn touch(&self) {
        for at in (0..self.bytes()).step_by(page_bytes()) {
            // SAFETY: inside the mapping; an atomic access that changes nothing
            // disturbs no other.
            let byte = unsafe { AtomicU8::from_ptr(self.base().add(at)) };
            byte.fetch_or(0, Ordering::Relaxed);
        }
    }
}
