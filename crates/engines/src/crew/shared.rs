//! Memory that a process shares with the children it forks.

use mapped::Map;
use std::marker::PhantomData;
use std::ops::Deref;
use std::{fmt, io};

/// A structure in a mapping of its own.
pub struct Shared<T> {
    map: Map,
    of: PhantomData<T>,
}

// SAFETY: hands out nothing but `&T`, and a pointer whose use is unsafe.
unsafe impl<T: Sync> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// One of zeros.
    ///
    /// # Safety
    /// Zeros are a valid `T`. What changes is atomic, or is written through `as_ptr` by
    /// one side before an atomic lets the other look.
    ///
    /// # Errors
    /// What mmap says.
    pub unsafe fn zeroed() -> io::Result<Shared<T>> {
        Ok(Shared {
            map: Map::shared(size_of::<T>())?,
            of: PhantomData,
        })
    }

    /// Where it is mapped here.
    pub fn as_ptr(&self) -> *mut T {
        self.map.as_ptr().cast()
    }
}

impl<T> fmt::Debug for Shared<T> {
    /// The place: what is there may be changing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Shared").field(&self.map).finish()
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: mapped until drop.
        unsafe { self.map.base().cast().as_ref() }
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
