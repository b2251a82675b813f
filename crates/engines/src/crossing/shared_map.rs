//! A shared mapping of a memory file: the same page-cache pages that the system
//! calls copy from and to, at an address where they can be filled and flushed.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;

/// Unmapped on drop; the file keeps its pages.
#[derive(Debug)]
pub struct SharedMap {
    region: NonNull<u8>,
    region_bytes: usize,
    base: NonNull<u8>,
    bytes: usize,
}

impl SharedMap {
    /// Maps the first `bytes` of `file` at a multiple of `align`.
    pub fn new(file: BorrowedFd<'_>, bytes: usize, align: usize) -> io::Result<SharedMap> {
        let region_bytes = bytes + align;
        let region = map(
            std::ptr::null_mut(),
            region_bytes,
            libc::PROT_NONE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
        )?;
        let shift = region.as_ptr().align_offset(align);
        // SAFETY: the shift is below `align`, so `bytes` from there stay inside.
        let base = unsafe { region.add(shift) };
        let whole = SharedMap {
            region,
            region_bytes,
            base,
            bytes,
        };
        map(
            base.as_ptr(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_FIXED,
            file.as_raw_fd(),
        )?;
        Ok(whole)
    }

    pub fn as_ptr(&self) -> *const u8 {
        self.base.as_ptr()
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: mapped for writing, and the file's other users are system
        // calls made by the owner of this mapping, never during this borrow.
        unsafe { std::slice::from_raw_parts_mut(self.base.as_ptr(), self.bytes) }
    }

    /// madvise(2) over the whole mapping.
    pub fn advise(&self, advice: libc::c_int) -> io::Result<()> {
        // SAFETY: the range is our own mapping; no advice used here drops data.
        let done = unsafe { libc::madvise(self.base.as_ptr().cast(), self.bytes, advice) };
        if done == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }
}

impl Drop for SharedMap {
    fn drop(&mut self) {
        // SAFETY: the reserved region with the file's mapping inside it, ours.
        unsafe { libc::munmap(self.region.as_ptr().cast(), self.region_bytes) };
    }
}

fn map(
    at: *mut u8,
    bytes: usize,
    protection: libc::c_int,
    flags: libc::c_int,
    fd: libc::c_int,
) -> io::Result<NonNull<u8>> {
    // SAFETY: either at an address of the kernel's choice or, fixed, inside a
    // region that we have reserved.
    let got = unsafe { libc::mmap(at.cast(), bytes, protection, flags, fd, 0) };
    if got == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    NonNull::new(got.cast()).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}
