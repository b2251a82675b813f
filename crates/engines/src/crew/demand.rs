//! A word shared with child processes: work now, or rest.

use super::shared::Shared;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

/// Lives in memory that a fork shares.
#[derive(Debug)]
pub struct Demand(Shared<Board>);

#[derive(Debug)]
#[repr(C)]
struct Board {
    /// 1: work. 0: rest; a futex to sleep on.
    go: AtomicU32,
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

    #[inline]
    fn board(&self) -> &Board {
        &self.0
    }

    /// Asks for work and wakes those that sleep in `wait`.
    pub fn call(&self) {
        let go = &self.board().go;
        go.store(1, Ordering::Release);
        futex(
            go,
            libc::FUTEX_WAKE,
            i32::MAX.cast_unsigned(),
            std::ptr::null(),
        );
    }

    /// Lets everybody rest. Costs one store.
    #[inline]
    pub fn rest(&self) {
        self.board().go.store(0, Ordering::Release);
    }

    #[inline]
    pub fn called(&self) -> bool {
        self.board().go.load(Ordering::Acquire) == 1
    }

    /// Sleeps until called.
    pub fn wait(&self) {
        while !self.called() {
            futex(&self.board().go, libc::FUTEX_WAIT, 0, std::ptr::null());
        }
    }

    /// Spins while called, counted as being at work.
    pub fn spin(&self) {
        let at_work = &self.board().at_work;
        at_work.fetch_add(1, Ordering::AcqRel);
        futex(at_work, libc::FUTEX_WAKE, 1, std::ptr::null());
        while self.called() {
            std::hint::spin_loop();
        }
        at_work.fetch_sub(1, Ordering::AcqRel);
    }

    /// Gives up the CPU until `all` are at work, or until `patience_ns` have
    /// gone by without another one.
    pub fn await_at_work(&self, all: u32, patience_ns: i32) {
        let patience = libc::timespec {
            tv_sec: 0,
            tv_nsec: libc::c_long::from(patience_ns),
        };
        loop {
            let now = self.at_work();
            if now >= all {
                return;
            }
            let at_work = &self.board().at_work;
            futex(at_work, libc::FUTEX_WAIT, now, &raw const patience);
            if self.at_work() == now {
                return;
            }
        }
    }

    pub fn at_work(&self) -> u32 {
        self.board().at_work.load(Ordering::Acquire)
    }
}

fn futex(word: &AtomicU32, operation: libc::c_int, value: u32, patience: *const libc::timespec) {
    // SAFETY: the word lives in a shared mapping, and the time is null or the
    // caller's. Failures (the value changed, a signal) mean: look again.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, value, patience) };
}
