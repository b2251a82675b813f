//! Memory of the module in our address space, read-only.

use crate::device::Device;
use crate::error::Error;
use std::os::fd::AsRawFd;
use std::ptr;

/// Engines and other CPUs may write to it at any time, so bytes are copied out
/// and no reference into it is given away.
#[derive(Debug)]
pub struct Mapping {
    start: *mut libc::c_void,
    length_bytes: usize,
}

// SAFETY: the memory is only read, by volatile reads or by address.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    pub(crate) fn new(
        device: &Device,
        doing: &'static str,
        offset: u64,
        length_bytes: usize,
    ) -> Result<Mapping, Error> {
        let offset = libc::off64_t::try_from(offset).map_err(|_| Error::Argument {
            doing,
            cause: format!("offset {offset} is too large"),
        })?;
        // SAFETY: a new mapping, placed by the kernel.
        let start = unsafe {
            libc::mmap64(
                ptr::null_mut(),
                length_bytes,
                libc::PROT_READ,
                libc::MAP_SHARED,
                device.file.as_raw_fd(),
                offset,
            )
        };
        if start == libc::MAP_FAILED {
            let error = std::io::Error::last_os_error();
            return Err(Error::Call {
                doing,
                errno: error.raw_os_error().unwrap_or(libc::EIO),
                reason: None,
            });
        }
        Ok(Mapping {
            start,
            length_bytes,
        })
    }

    #[must_use]
    pub fn length_bytes(&self) -> usize {
        self.length_bytes
    }

    /// Copies `into.len()` bytes at `offset` out; `false` where they do not lie
    /// inside.
    #[must_use]
    pub fn read(&self, offset: usize, into: &mut [u8]) -> bool {
        if !self.holds(offset, into.len()) {
            return false;
        }
        // SAFETY: inside the mapping, which is ours and does not overlap.
        unsafe {
            ptr::copy_nonoverlapping(
                self.start.cast::<u8>().add(offset),
                into.as_mut_ptr(),
                into.len(),
            );
        }
        true
    }

    /// The value at `offset`, where a whole and aligned one lies inside. For
    /// types of which every bit pattern is a value.
    pub(crate) fn value<T: Copy>(&self, offset: usize) -> Option<T> {
        if !self.holds(offset, size_of::<T>()) || !offset.is_multiple_of(align_of::<T>()) {
            return None;
        }
        // SAFETY: inside the mapping and aligned, as mappings begin at pages.
        Some(unsafe {
            self.start
                .cast::<u8>()
                .add(offset)
                .cast::<T>()
                .read_volatile()
        })
    }

    fn holds(&self, offset: usize, length: usize) -> bool {
        offset
            .checked_add(length)
            .is_some_and(|end| end <= self.length_bytes)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: ours, and nothing refers into it.
        unsafe { libc::munmap(self.start, self.length_bytes) };
    }
}
