//! One machine word that two threads share, and how a thread waits for it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A shared word with the few accesses that a transfer needs. A trait, so that
/// the same code runs on real atomics and under the model checker.
pub trait Word {
    /// A load that sees everything written before the store it reads from.
    fn take(&self) -> u64;
    /// A store that hands over everything written before it.
    fn give(&self, value: u64);
    /// A load that orders nothing.
    fn peek(&self) -> u64;
    /// A store that orders nothing.
    fn put(&self, value: u64);
    /// Replaces `from` by `to`, or says what is there instead.
    fn swap_if(&self, from: u64, to: u64) -> Result<(), u64>;
}

impl Word for AtomicU64 {
    #[inline]
    fn take(&self) -> u64 {
        self.load(Ordering::Acquire)
    }

    #[inline]
    fn give(&self, value: u64) {
        self.store(value, Ordering::Release);
    }

    #[inline]
    fn peek(&self) -> u64 {
        self.load(Ordering::Relaxed)
    }

    #[inline]
    fn put(&self, value: u64) {
        self.store(value, Ordering::Relaxed);
    }

    #[inline]
    fn swap_if(&self, from: u64, to: u64) -> Result<(), u64> {
        self.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire)
            .map(|_| ())
    }
}

/// Written where the next number would be: no more will come.
pub const STOP: u64 = u64::MAX;

/// What a waiting thread does between two looks.
pub trait Wait {
    /// False when no partner is left to wait for.
    fn again(&mut self) -> bool;
    /// What was waited for has come.
    fn rest(&mut self) {}
}

/// Looks without a pause: the pause instruction takes longer than a transfer.
/// Only a wait so long that the other side must have lost its CPU gives up the
/// own one, and asks whether the other side is there at all.
pub struct Patience<'a> {
    looks: u32,
    over: &'a AtomicBool,
}

const LOOKS: u32 = 1 << 16;

impl<'a> Patience<'a> {
    /// `over` is raised when the other side will not answer any more.
    pub fn until(over: &'a AtomicBool) -> Self {
        Patience { looks: 0, over }
    }
}

impl Wait for Patience<'_> {
    #[inline]
    fn again(&mut self) -> bool {
        self.looks += 1;
        if self.looks < LOOKS {
            return true;
        }
        std::thread::yield_now();
        !self.over.load(Ordering::Acquire)
    }

    #[inline]
    fn rest(&mut self) {
        self.looks = 0;
    }
}
