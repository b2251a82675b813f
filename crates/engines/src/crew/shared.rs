//! Memory that a process and the children it forks see alike.

use std::fmt;
use std::io;
use std::ops::Deref;
use std::ptr::NonNull;

/// A structure in a mapping of its own, unmapped on drop; a child unmaps its own.
pub struct Shared<T>(NonNull<T>);

// SAFETY: hands out nothing but `&T`, and a pointer whose use is unsafe.
unsafe impl<T: Sync> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// One of zeros, whose pages are there already: a fault in a measurement would
    /// be its own.
    ///
    /// # Safety
    /// Zeros are a valid `T`. What changes is atomic, or is written through `as_ptr` by
    /// one side before an atomic lets the other look.
    ///
    /// # Errors
    /// What mmap says.
    pub unsafe fn zeroed() -> io::Result<Shared<T>> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_POPULATE;
        let null = std::ptr::null_mut();
        // SAFETY: a new mapping.
        let start = unsafe { libc::mmap(null, size_of::<T>(), protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(start.cast())
            .map(Shared)
            .ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    #[must_use]
    pub fn as_ptr(&self) -> *mut T {
        self.0.as_ptr()
    }
}

impl<T> fmt::Debug for Shared<T> {
    /// The place: what is there may be changing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Shared").field(&self.0).finish()
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: mapped until drop.
        unsafe { self.0.as_ref() }
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        // SAFETY: unmaps what `zeroed` mapped.
        unsafe { libc::munmap(self.0.as_ptr().cast(), size_of::<T>()) };
    }
}

#[cfg(test)]
mod tests {
    use super::Shared;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn what_a_child_writes_its_parent_sees() {
        // SAFETY: zeros are a valid atomic.
        let word = unsafe { Shared::<AtomicU32>::zeroed() }.unwrap();
        assert_eq!(word.load(Ordering::Acquire), 0);
        // SAFETY: the child stores a word and leaves.
        unsafe {
            let child = libc::fork();
            if child == 0 {
                word.store(7, Ordering::Release);
                libc::_exit(0);
            }
            libc::waitpid(child, std::ptr::null_mut(), 0);
        }
        assert_eq!(word.load(Ordering::Acquire), 7);
    }
}
