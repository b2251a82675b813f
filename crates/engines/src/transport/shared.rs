//! Memory that both sides see, in two threads and in two processes: a memfd,
//! mapped before the partner is forked.

use crate::memory::buffer::page_bytes;
use harness::SetupError;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, Ordering};

/// Zeroed shared memory; unmapped on drop.
#[derive(Debug)]
pub struct Shared {
    base: NonNull<u8>,
    bytes: usize,
    fd: OwnedFd,
}

// SAFETY: the memory is reached through raw pointers and atomics only; whoever
// dereferences them answers for the order of the accesses.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    /// At least `bytes` bytes, rounded up to whole pages.
    ///
    /// # Errors
    /// What `memfd_create`, ftruncate or mmap says.
    pub fn map(bytes: usize) -> io::Result<Shared> {
        let bytes = bytes
            .max(1)
            .checked_next_multiple_of(page_bytes())
            .ok_or(io::ErrorKind::OutOfMemory)?;
        // SAFETY: the name is a literal; the descriptor is new and ours.
        let fd = unsafe {
            let fd = libc::memfd_create(c"pontage".as_ptr(), libc::MFD_CLOEXEC);
            if fd < 0 {
                return Err(io::Error::last_os_error());
            }
            OwnedFd::from_raw_fd(fd)
        };
        let length = libc::off_t::try_from(bytes).map_err(|_| io::ErrorKind::OutOfMemory)?;
        // SAFETY: no pointers.
        if unsafe { libc::ftruncate(fd.as_raw_fd(), length) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping of our own file at an address the kernel chooses.
        let at = unsafe {
            let null = std::ptr::null_mut();
            libc::mmap(null, bytes, protection, libc::MAP_SHARED, fd.as_raw_fd(), 0)
        };
        if at == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(at.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Shared { base, bytes, fd })
    }

    /// As `map`, for a transport's `pair`.
    ///
    /// # Errors
    /// `Fail` with the cause.
    pub fn for_pair(bytes: usize) -> Result<Shared, SetupError> {
        Shared::map(bytes).map_err(|e| SetupError::fail("map shared memory", e))
    }

    #[inline]
    #[must_use]
    pub fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    #[must_use]
    pub fn fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    /// Makes every page present in the page table of the calling task, writable:
    /// a fork does not copy the entries of shared mappings.
    pub fn touch(&self) {
        for at in (0..self.bytes).step_by(page_bytes()) {
            // SAFETY: inside the mapping; an atomic access that changes nothing
            // disturbs no other.
            let byte = unsafe { AtomicU8::from_ptr(self.base().add(at)) };
            byte.fetch_or(0, Ordering::Relaxed);
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: made by mmap with this length; both ends hold it by Arc, and a
        // child process has a mapping of its own.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}
