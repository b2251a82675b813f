//! One word that two sides pass to each other: empty or full. The waiting side spins
//! or sleeps on it as a futex.

use super::end::Wait;
use super::tether::{Tether, control_of};
use crate::crew::futex::{futex_wait, futex_wake};
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

/// Which side has the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Turn {
    /// The sender may put something in.
    Empty = 0,
    /// The receiver may take it out.
    Full = 1,
}

/// Lives in shared memory; all zeros is an empty one.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct Baton {
    turn: AtomicU32,
    /// By the turn waited for, 1: that side sleeps on `turn`, or is about to. One
    /// flag for both would not do: a side that wakes up late would clear the flag
    /// that the other has just set.
    sleepers: [AtomicU32; 2],
}

impl Baton {
    /// Whether it is this side's turn.
    #[inline]
    pub fn is(&self, turn: Turn) -> bool {
        self.turn.load(Ordering::Acquire) == turn as u32
    }

    /// Gives the turn to the other side and wakes it if it sleeps.
    ///
    /// No wake-up is lost: here the turn is stored before the flag is read, in
    /// `until` the flag is stored before the turn is read, all four in one order
    /// that both sides agree on (`SeqCst`). So either this side sees the flag,
    /// or the other sees the turn; and if the turn changes between the other's
    /// look and its system call, the kernel sees that and does not let it sleep.
    #[inline]
    pub fn give(&self, turn: Turn, calls: &mut u64) {
        self.turn.store(turn as u32, Ordering::SeqCst);
        if self.sleepers[turn as usize].load(Ordering::SeqCst) == 1 {
            *calls += 1;
            futex_wake(&self.turn);
        }
    }

    /// Wakes whoever sleeps here, so that it looks whether it shall leave instead of
    /// sleeping on until its next look.
    pub fn rouse(&self) {
        futex_wake(&self.turn);
    }

    /// Waits for the turn.
    ///
    /// # Errors
    /// `WouldBlock` with `Wait::Never`; `BrokenPipe` where the other side has
    /// gone or all shall leave.
    #[inline]
    pub fn until(
        &self,
        turn: Turn,
        wait: Wait<'_>,
        tether: &Tether,
        calls: &mut u64,
    ) -> io::Result<()> {
        if self.is(turn) {
            return Ok(());
        }
        let Some((control, spin)) = control_of(wait) else {
            return Err(io::ErrorKind::WouldBlock.into());
        };
        if spin && tether.spin(control, || self.is(turn))? {
            return Ok(());
        }
        self.sleepers[turn as usize].store(1, Ordering::SeqCst);
        let ended = loop {
            let now = self.turn.load(Ordering::SeqCst);
            if now == turn as u32 {
                break Ok(());
            }
            *calls += 1;
            futex_wait(&self.turn, now);
            if !self.is(turn) && tether.over(control) {
                break Err(io::ErrorKind::BrokenPipe.into());
            }
        };
        self.sleepers[turn as usize].store(0, Ordering::SeqCst);
        ended
    }
}
