//! Memory of the module in our address space, read-only.

use crate::device::Device;
use crate::error::Error;
use mapped::Map;
use std::os::fd::AsFd;
use std::ptr;

/// Engines and other CPUs may write to it at any time, so bytes are copied out
/// and no reference into it is given away.
#[derive(Debug)]
pub struct Mapping(Map);

impl Mapping {
    pub(crate) fn new(
        device: &Device,
        doing: &'static str,
        offset: u64,
        length_bytes: usize,
    ) -> Result<Mapping, Error> {
        let map = Map::for_reading(length_bytes, device.file.as_fd(), offset);
        map.map(Mapping).map_err(|error| Error::Call {
            doing,
            errno: error.raw_os_error().unwrap_or(libc::EIO),
            reason: None,
        })
    }

    /// Size of the mapping.
    pub fn length_bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Copies `into.len()` bytes at `offset` out; `false` where they do not lie
    /// inside.
    pub fn read(&self, offset: usize, into: &mut [u8]) -> bool {
        if !self.holds(offset, into.len()) {
            return false;
        }
        // SAFETY: inside the mapping, which is ours and does not overlap.
        unsafe {
            ptr::copy_nonoverlapping(self.0.as_ptr().add(offset), into.as_mut_ptr(), into.len());
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
        Some(unsafe { self.0.as_ptr().add(offset).cast::<T>().read_volatile() })
    }

    fn holds(&self, offset: usize, length: usize) -> bool {
        offset
            .checked_add(length)
            .is_some_and(|end| end <= self.length_bytes())
    }
}
