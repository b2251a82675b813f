//! Keeps CPUs from going idle while a batch runs: one process of the lowest
//! class (SCHED_IDLE) on each, spinning only from `rouse` to `rest`.
//!
//! A process that is woken always displaces such a spinner at once, so the CPU
//! does the same scheduling as before; what is missing is the way down into the
//! idle state and up again.

use super::child::{Child, Departure};
use harness::SetupError;
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// How often `rouse` looks whether the spinners run, and how long it sleeps in
/// between. On a CPU that is busy with something else a spinner may never run;
/// such a CPU is awake without it.
const LOOKS: u32 = 40;
const LOOK_EVERY: Duration = Duration::from_micros(50);

/// Shared with the spinners.
#[repr(C)]
struct Board {
    /// 1: spin. 0: sleep on it as a futex.
    go: AtomicU32,
    /// Spinners that are spinning.
    spinning: AtomicU32,
}

/// The spinners; dropping it ends and reaps them.
#[derive(Debug)]
pub struct Awake {
    spinners: Vec<Child>,
    board: SharedBoard,
}

impl Awake {
    /// # Errors
    /// `Fail` when a spinner cannot be started.
    pub fn on(cpus: &[u32]) -> Result<Awake, SetupError> {
        let board = SharedBoard::map().map_err(|e| SetupError::fail("map a shared page", e))?;
        let mut spinners = Vec::with_capacity(cpus.len());
        for cpu in cpus {
            let spinner = Child::fork(*cpu, &[], || spin_on_demand(board.get()))
                .map_err(|e| SetupError::fail(&format!("start a spinner on CPU {cpu}"), e))?;
            spinners.push(spinner);
        }
        Ok(Awake { spinners, board })
    }

    /// Wakes the spinners and waits (a few milliseconds at most) until all
    /// spin. Returns how many do.
    pub fn rouse(&mut self) -> u32 {
        let board = self.board.get();
        board.go.store(1, Ordering::Release);
        futex(&board.go, libc::FUTEX_WAKE, u32::MAX >> 1);
        for _ in 0..LOOKS {
            if board.spinning.load(Ordering::Acquire) as usize == self.spinners.len() {
                break;
            }
            // Sleeping, not yielding: a spinner on this very CPU needs it idle.
            std::thread::sleep(LOOK_EVERY);
        }
        board.spinning.load(Ordering::Acquire)
    }

    /// Sends the spinners to sleep. Costs one store.
    #[inline]
    pub fn rest(&self) {
        self.board.get().go.store(0, Ordering::Release);
    }

    /// # Errors
    /// Names a spinner that has left: then nothing kept its CPU awake.
    pub fn check(&mut self) -> Result<(), String> {
        let left = self.spinners.iter_mut().find_map(Child::departure);
        left.map_or(Ok(()), |how| Err(format!("a spinner is gone: {how}")))
    }
}

/// Runs in the child.
fn spin_on_demand(board: &Board) -> Departure {
    let lowest = libc::sched_param { sched_priority: 0 };
    // SAFETY: lowers this process; the structure is read during the call.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const lowest) };
    loop {
        while board.go.load(Ordering::Acquire) == 0 {
            futex(&board.go, libc::FUTEX_WAIT, 0);
        }
        board.spinning.fetch_add(1, Ordering::AcqRel);
        while board.go.load(Ordering::Acquire) == 1 {
            std::hint::spin_loop();
        }
        board.spinning.fetch_sub(1, Ordering::AcqRel);
    }
}

fn futex(word: &AtomicU32, operation: libc::c_int, value: u32) {
    // SAFETY: the word lives in a shared mapping; no timeout, no second word.
    // Failures (the value changed, a signal) mean: look again.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            operation,
            value,
            std::ptr::null::<libc::timespec>(),
        )
    };
}

#[derive(Debug)]
struct SharedBoard(NonNull<Board>);

impl SharedBoard {
    fn map() -> io::Result<SharedBoard> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        let bytes = size_of::<Board>();
        // SAFETY: a new mapping; the kernel fills it with zeros, which is a
        // valid board.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(start.cast())
            .map(SharedBoard)
            .ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    #[inline]
    fn get(&self) -> &Board {
        // SAFETY: mapped until drop; only atomics are in it.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for SharedBoard {
    fn drop(&mut self) {
        // SAFETY: unmaps what `map` mapped; the children have mappings of their
        // own.
        unsafe { libc::munmap(self.0.as_ptr().cast(), size_of::<Board>()) };
    }
}

#[cfg(test)]
mod tests {
    use super::{Awake, LOOK_EVERY, LOOKS};
    use crate::testing::cpus;
    use std::sync::atomic::Ordering;

    /// Waits for a spinner to change state, far longer than it should take.
    fn wait_until(awake: &Awake, spinning: u32) -> bool {
        (0..LOOKS * 1000).any(|_| {
            std::thread::sleep(LOOK_EVERY);
            awake.board.get().spinning.load(Ordering::Acquire) == spinning
        })
    }

    #[test]
    fn spinners_spin_only_between_rouse_and_rest() {
        let mut awake = Awake::on(&cpus()[..1]).unwrap();
        awake.rouse();
        assert!(wait_until(&awake, 1), "never began to spin");
        awake.rest();
        assert!(wait_until(&awake, 0), "did not stop");
        awake.rouse();
        assert!(wait_until(&awake, 1), "did not begin again");
        assert_eq!(awake.check(), Ok(()));
    }

    #[test]
    fn a_dead_spinner_is_reported() {
        let mut awake = Awake::on(&cpus()[..1]).unwrap();
        awake.spinners[0].kill();
        let told = (0..LOOKS * 1000).any(|_| {
            std::thread::sleep(LOOK_EVERY);
            awake.check().is_err()
        });
        assert!(told);
    }
}
