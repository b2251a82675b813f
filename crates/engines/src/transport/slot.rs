//! Room for one message in memory that both sides see. Which side owns it is
//! decided elsewhere.

use super::shared::Shared;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One direction's slot: the length of the message, then its bytes.
#[derive(Debug, Clone)]
pub struct Slot {
    memory: Arc<Shared>,
    at: usize,
}

/// The bytes begin on a line of their own.
const HEAD: usize = 128;

impl Slot {
    /// Bytes of shared memory that a slot for such messages takes.
    pub fn span(message_bytes: usize) -> usize {
        HEAD + message_bytes.next_multiple_of(HEAD)
    }

    /// The slot that begins at `at`, a multiple of 128, and ends inside the
    /// memory.
    pub fn at(memory: &Arc<Shared>, at: usize, message_bytes: usize) -> Slot {
        assert!(at.is_multiple_of(HEAD) && at + Slot::span(message_bytes) <= memory.bytes());
        Slot {
            memory: Arc::clone(memory),
            at,
        }
    }

    #[inline]
    fn length(&self) -> &AtomicUsize {
        // SAFETY: inside the mapping, aligned, and only reached as an atomic.
        unsafe { AtomicUsize::from_ptr(self.memory.base().add(self.at).cast()) }
    }

    #[inline]
    fn bytes(&self) -> *mut u8 {
        // SAFETY: the head is inside the mapping.
        unsafe { self.memory.base().add(self.at + HEAD) }
    }

    /// Copies a message in.
    ///
    /// # Safety
    /// The slot is the caller's until it gives it away by an operation that
    /// releases, and the message is not longer than the slot was made for.
    #[inline]
    pub unsafe fn put(&self, message: &[u8]) {
        self.length().store(message.len(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(message.as_ptr(), self.bytes(), message.len()) };
    }

    /// Copies the message out; returns its length.
    ///
    /// # Safety
    /// The slot was given to the caller by an operation that acquires.
    #[inline]
    pub unsafe fn take(&self, into: &mut [u8]) -> usize {
        let count = self.length().load(Ordering::Relaxed).min(into.len());
        // SAFETY: as above; `put` has written so many bytes.
        unsafe { std::ptr::copy_nonoverlapping(self.bytes(), into.as_mut_ptr(), count) };
        count
    }
}
