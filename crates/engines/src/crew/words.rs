//! Words of memory that two sides share: one writes them, the other reads them.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Set or not; zeros are not set.
#[derive(Debug)]
#[repr(transparent)]
pub struct Flag(pub AtomicU32);

impl Flag {
    /// Sets or clears it; what was written before is seen by who sees it.
    pub fn set(&self, on: bool) {
        self.0.store(on.into(), Ordering::Release);
    }

    /// Whether it is set.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire) == 1
    }
}

/// Numbers that one side leaves before it raises a word, and the other reads when it
/// has seen that.
#[derive(Debug)]
#[repr(transparent)]
pub struct Row<const N: usize>(pub [AtomicU64; N]);

impl<const N: usize> Row<N> {
    /// Writes the numbers; a word raised afterwards publishes them.
    pub fn leave(&self, numbers: [u64; N]) {
        for (slot, number) in self.0.iter().zip(numbers) {
            slot.store(number, Ordering::Relaxed);
        }
    }

    /// The numbers, once that word has been seen.
    pub fn read(&self) -> [u64; N] {
        std::array::from_fn(|at| self.0[at].load(Ordering::Relaxed))
    }
}
