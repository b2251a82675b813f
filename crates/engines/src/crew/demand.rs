//! A word shared with child processes: work now, or rest.

use super::futex::{futex_wait_for, futex_wake};
use super::shared::Shared;
use super::words::Flag;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

/// Lives in memory that a fork shares.
#[derive(Debug)]
pub struct Demand(Shared<Words>);

#[derive(Debug)]
#[repr(C)]
struct Words {
    /// Set: work. Not set: rest; a futex to sleep on.
    go: Flag,
    /// Children at work, where they count themselves.
    at_work: AtomicU32,
}

impl Demand {
    /// A new word, at rest.
    ///
    /// # Errors
    /// What mmap says.
    pub fn map() -> io::Result<Demand> {
        // SAFETY: only atomics are in it.
        unsafe { Shared::zeroed() }.map(Demand)
    }

    /// Asks for work and wakes those that sleep in `wait`.
    pub fn call(&self) {
        self.0.go.set(true);
        futex_wake(&self.0.go.0);
    }

    /// Lets all children rest. Costs one store.
    #[inline]
    pub fn rest(&self) {
        self.0.go.set(false);
    }

    /// Whether work is asked for.
    #[inline]
    pub fn called(&self) -> bool {
        self.0.go.is_set()
    }

    /// Sleeps until called.
    pub fn wait(&self) {
        while !self.called() {
            futex_wait_for(&self.0.go.0, 0, None);
        }
    }

    /// Spins while called, counted as being at work.
    pub fn spin(&self) {
        let at_work = &self.0.at_work;
        at_work.fetch_add(1, Ordering::AcqRel);
        futex_wake(at_work);
        while self.called() {
            std::hint::spin_loop();
        }
        at_work.fetch_sub(1, Ordering::AcqRel);
    }

    /// Gives up the CPU until `all` are at work, or until `patience_ns` have
    /// gone by without another one.
    pub fn await_at_work(&self, all: u32, patience_ns: i64) {
        loop {
            let now = self.at_work();
            if now >= all {
                return;
            }
            futex_wait_for(&self.0.at_work, now, Some(patience_ns));
            if self.at_work() == now {
                return;
            }
        }
    }

    /// How many spin now.
    pub fn at_work(&self) -> u32 {
        self.0.at_work.load(Ordering::Acquire)
    }
}
