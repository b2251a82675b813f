//! # ipc/futex - Handing a message over in shared memory, by a futex
//!
//! What does the smallest hand-over cost that can still sleep: one message in
//! shared memory, one word that says whose it is?
//!
//! ## Counts
//! *stream*: copying a message into the one slot, giving the word, and the
//! receiver's copy out of it; the next message waits until the slot is empty
//! again. *round_trip*: a message there through one slot and, whole, back through
//! another. A system call is made only where a side sleeps or must be woken.
//!
//! ## Does not count
//! Making and touching the memory. Bytes are counted once, though they are
//! copied twice.
//!
//! ## Origin
//! `perf bench futex wake`, the futex variants of public collections of IPC
//! benchmarks; Drepper, "Futexes Are Tricky". futex(2).
//!
//! ## Theory
//! One slot means strict turns: who sends waits for who receives, after every
//! message. With both sides asleep each message costs two sleeps and two
//! wake-ups, and no size makes that cheaper; this is a pipe whose capacity is
//! one message. With `partner=awake` the word travels twice for each message and
//! nothing else does. The difference between the two is the price of sleep
//! alone, without the copies of a pipe and without its locks. Compared with
//! `ipc/shm_ring` it shows what a queue saves: the ring's sender sleeps only when
//! the ring is full.

use catalogue::Experiment;
use engines::transport::baton::{Baton, Turn};
use engines::transport::shared::Shared;
use engines::transport::slot::Slot;
use engines::transport::tether::{Tether, or_end};
use engines::transport::{End, Options, Transport, Wait, claims, figures};
use harness::SetupError;
use std::io;
use std::os::fd::RawFd;
use std::sync::Arc;

/// Both batons come before both slots.
const BATONS_BYTES: usize = 4096;

/// Two slots, one for each direction, each with its baton.
#[derive(Debug)]
pub struct FutexEnd {
    memory: Arc<Shared>,
    /// Which slot is written here: 0 or 1.
    out: usize,
    slots: [Slot; 2],
    tether: Tether,
    calls: u64,
}

/// The baton of a direction.
#[inline]
fn baton(memory: &Shared, direction: usize) -> &Baton {
    const { assert!(2 * size_of::<Baton>() <= BATONS_BYTES) };
    // SAFETY: inside the mapping, aligned as the page is, all zeros at first,
    // and only atomics.
    unsafe { &*memory.base().cast::<Baton>().add(direction) }
}

impl End for FutexEnd {
    #[inline]
    fn send(&mut self, message: &[u8], wait: Wait<'_>) -> io::Result<usize> {
        let baton = baton(&self.memory, self.out);
        baton.until(Turn::Empty, wait, &self.tether, &mut self.calls)?;
        // SAFETY: the empty slot is the sender's until the line below, and it
        // was made for messages of this size.
        unsafe { self.slots[self.out].put(message) };
        baton.give(Turn::Full, &mut self.calls);
        Ok(message.len())
    }

    #[inline]
    fn receive(&mut self, into: &mut [u8], wait: Wait<'_>) -> io::Result<usize> {
        let direction = 1 - self.out;
        let baton = baton(&self.memory, direction);
        if let Err(e) = baton.until(Turn::Full, wait, &self.tether, &mut self.calls) {
            return or_end(Err(e));
        }
        // SAFETY: the full slot is the receiver's until the line below.
        let count = unsafe { self.slots[direction].take(into) };
        baton.give(Turn::Empty, &mut self.calls);
        Ok(count)
    }

    fn calls(&self) -> u64 {
        self.calls
    }

    fn fds(&self) -> Vec<RawFd> {
        vec![self.tether.fd()]
    }

    fn settle(&mut self) -> io::Result<()> {
        self.memory.touch();
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        vec!["one slot of the message's size in each direction".to_owned()]
    }
}

impl Drop for FutexEnd {
    /// The other side may sleep, and shall not find out only at its next look.
    fn drop(&mut self) {
        (0..2).for_each(|direction| baton(&self.memory, direction).rouse());
    }
}

struct Futex;

impl Transport for Futex {
    type End = FutexEnd;

    fn pair(options: &Options) -> Result<(FutexEnd, FutexEnd), SetupError> {
        no_capacity(options)?;
        let span = Slot::span(options.message_bytes);
        let memory = Arc::new(Shared::for_pair(BATONS_BYTES + 2 * span)?);
        let slot = |i| Slot::at(&memory, BATONS_BYTES + i * span, options.message_bytes);
        let (here, there) = Tether::pair()?;
        let end = |out, tether| FutexEnd {
            memory: Arc::clone(&memory),
            out,
            slots: [slot(0), slot(1)],
            tether,
            calls: 0,
        };
        Ok((end(0, here), end(1, there)))
    }
}

/// A slot holds one message, whatever capacity is asked for.
pub(super) fn no_capacity(options: &Options) -> Result<(), SetupError> {
    match options.buffer_bytes {
        None => Ok(()),
        Some(_) => Err(SetupError::skip(
            "a slot holds one message and has no capacity to choose",
            "--axis buffer=0",
        )),
    }
}

pub static EXPERIMENT: Experiment = Experiment {
    toll: |card| figures::toll(card, "one slot and a futex", "futex slot"),
    claims: &[claims::EACH_SLEEPS, claims::NO_CALLS_AWAKE, claims::WAKING],
    ..super::through::<Futex>()
};

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, Futex};
    use crate::ipc::{death, trial};

    #[test]
    fn a_sleeping_partner_is_let_go_at_once() {
        death::is_let_go::<Futex>(5000);
    }

    #[test]
    fn an_end_left_alone_gives_up() {
        trial::abandoned::<Futex>(5000);
    }

    #[test]
    fn a_capacity_is_skipped() {
        trial::skipped(&EXPERIMENT, 64, 4096, "--axis buffer=0");
    }
}
