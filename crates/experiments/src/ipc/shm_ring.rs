//! # ipc/shm_ring - Handing bytes over through a ring in shared memory
//!
//! What does a message cost when no system call is between the two sides,
//! and what remains of the price when they sleep?
//!
//! ## Counts
//! *stream*: the sender copies a message into a ring that both sides map, the
//! receiver copies it out; the batch's time divided by its messages, until the
//! last byte has been copied out. *round_trip*: a message there through one ring
//! and, whole, back through another. `partner=awake`: who finds the ring empty or
//! full looks again and again; else it sleeps on a futex, and its sleep and the
//! wake-up count.
//!
//! ## Does not count
//! Making and touching the memory; the first touch of the buffers. Bytes are
//! counted once, though they are copied twice. A program that builds its messages
//! in the ring itself, and reads them there, saves both copies and pays only
//! what the smallest messages pay here.
//!
//! ## Origin
//! Lamport's queue of one producer and one consumer (1977), with the cached
//! positions of FastForward and MCRingBuffer (2008, 2010); the shared-memory
//! variant of the Cambridge `ipc-benchmark` and of several public collections.
//! memfd_create(2), futex(2).
//!
//! ## Theory
//! The two sides agree by two numbers: how far the producer has written and how
//! far the consumer has read. Each is written by one side only, so no atomic
//! read-modify-write is needed; a store that releases and a load that acquires
//! are plain moves on x86. What costs is the cache line: when one core writes
//! what the other has just read, the line travels, and so does each line of the
//! message. A message of one line that is waited for needs the travel of the
//! position and then of the line itself, twice the tens of nanoseconds of a pure
//! ping-pong of one line. In a stream the travels overlap.
//!
//! Hence the rules of the fast ring. Each position has a line of its own. Each
//! side keeps a copy of the other's position and looks again only when the copy
//! says that it must wait. The consumer gives room back by quarters of the ring,
//! or when it has nothing else to do. Large messages are announced piece by
//! piece, so that the reader copies one piece while the writer copies the next.
//! Then the ring moves data at the speed of a copy out of the cache that the two
//! cores share, and slower as soon as ring and buffers together exceed it: a
//! larger ring (`buffer`) is not a faster one. The default, 256 KiB, is a quarter of
//! many a core's own cache; a ring as large as that cache halves the speed, for the
//! producer walks through all of it before it comes back to a line.
//!
//! Sleep needs more. Who is about to sleep says so, and looks once more; who has
//! written looks whether the other sleeps. Both must store before they load,
//! which no processor promises without a full fence: some nanoseconds for each
//! message, and the price of not spinning. The wake-up itself is a system call
//! and the way of the other task back onto its CPU, a thousand times a line's
//! travel; it is what pipes and sockets pay too.

mod atomics {
    pub use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
}
mod cursors;
#[cfg(all(test, target_pointer_width = "64"))]
mod model;

use atomics::AtomicU32;
use catalogue::{Claim, Experiment};
use cursors::{Consumer, Other, Positions, Producer, about_to_sleep, awake_again};
use engines::crew::futex::{futex_wait, futex_wake};
use engines::transport::control::ControlBlock;
use engines::transport::shared::Shared;
use engines::transport::tether::{Tether, control_of, or_end};
use engines::transport::{self, End, Options, Transport, Wait, claims, figures};
use harness::SetupError;
use record::axis::human_bytes;
use std::io;
use std::os::fd::RawFd;
use std::sync::Arc;

/// With the buffers of both sides it stays in a second-level cache of today.
const DEFAULT_BYTES: usize = 256 << 10;
/// More than this is a slip of the pen: every page of it is touched.
const MOST_BYTES: usize = 1 << 30;
/// The data begin behind the positions of both rings.
const POSITIONS_BYTES: usize = 4096;
/// A longer message is announced in pieces of this size. Large against what an
/// announcement costs, small against a second-level cache.
const PIECE: usize = 32 << 10;

/// Two rings, one for each direction, and this side's cursors in them.
#[derive(Debug)]
pub struct RingEnd {
    memory: Arc<Shared>,
    tether: Tether,
    producer: Producer,
    consumer: Consumer,
    /// Which of the rings is written here: 0 or 1.
    out: usize,
    capacity: usize,
    calls: u64,
}

impl RingEnd {
    #[inline]
    fn positions(memory: &Shared, ring: usize) -> &Positions {
        const { assert!(2 * size_of::<Positions>() <= POSITIONS_BYTES) };
        // SAFETY: inside the mapping, aligned as the page is, all zeros at
        // first, and only atomics.
        unsafe { &*memory.base().cast::<Positions>().add(ring) }
    }

    /// Where the byte at `position` of a ring is, and how many follow it
    /// without a break.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the mask keeps low bits only"
    )]
    fn place(&self, ring: usize, position: u64) -> (*mut u8, usize) {
        let at = position as usize & (self.capacity - 1);
        // SAFETY: `ring` is 0 or 1 and `at` less than the capacity.
        let start = unsafe {
            let data = self.memory.base().add(POSITIONS_BYTES);
            data.add(ring * self.capacity + at)
        };
        (start, self.capacity - at)
    }

    /// Copies `bytes` into the ring, which has room for them.
    #[inline]
    fn copy_in(&self, bytes: &[u8]) {
        let (at, unbroken) = self.place(self.out, self.producer.position());
        let first = bytes.len().min(unbroken);
        // SAFETY: the producer has found this room free, so the consumer does
        // not touch it before it is published; the rest goes to the ring's start.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), at, first);
            if first < bytes.len() {
                let start = at.sub(self.capacity - unbroken);
                let rest = &bytes[first..];
                std::ptr::copy_nonoverlapping(rest.as_ptr(), start, rest.len());
            }
        }
    }

    /// Copies the next bytes of the other ring out; they have been published.
    #[inline]
    fn copy_out(&self, into: &mut [u8]) {
        let (at, unbroken) = self.place(1 - self.out, self.consumer.position());
        let first = into.len().min(unbroken);
        // SAFETY: the consumer has seen these bytes published, and the producer
        // does not touch them before they are released.
        unsafe {
            std::ptr::copy_nonoverlapping(at, into.as_mut_ptr(), first);
            if first < into.len() {
                let start = at.sub(self.capacity - unbroken);
                let rest = &mut into[first..];
                std::ptr::copy_nonoverlapping(start, rest.as_mut_ptr(), rest.len());
            }
        }
    }

    /// Tells the other side all that was read, before this one waits.
    fn flush(&mut self, wait: Wait<'_>) {
        let incoming = Self::positions(&self.memory, 1 - self.out);
        if self.consumer.flush(incoming, other(wait)) {
            self.calls += 1;
            futex_wake(&incoming.producer_sleeps.0);
        }
    }

    #[cold]
    fn await_room(&mut self, wait: Wait<'_>) -> io::Result<()> {
        self.flush(wait);
        let (board, spin) = control_of(wait).ok_or(io::ErrorKind::WouldBlock)?;
        let outgoing = Self::positions(&self.memory, self.out);
        let (producer, tether) = (&mut self.producer, &self.tether);
        let sleeps = &outgoing.producer_sleeps.0;
        let there = || producer.room(outgoing, 1) > 0;
        settle_down(sleeps, tether, board, spin, &mut self.calls, there)
    }

    #[cold]
    fn await_bytes(&mut self, wait: Wait<'_>) -> io::Result<()> {
        self.flush(wait);
        let (board, spin) = control_of(wait).ok_or(io::ErrorKind::WouldBlock)?;
        let incoming = Self::positions(&self.memory, 1 - self.out);
        let (consumer, tether) = (&mut self.consumer, &self.tether);
        let sleeps = &incoming.consumer_sleeps.0;
        let there = || consumer.available(incoming) > 0;
        settle_down(sleeps, tether, board, spin, &mut self.calls, there)
    }
}

/// Spins while the board calls for it, then sleeps, until `there`.
fn settle_down(
    sleeps: &AtomicU32,
    tether: &Tether,
    board: &ControlBlock,
    spin: bool,
    calls: &mut u64,
    mut there: impl FnMut() -> bool,
) -> io::Result<()> {
    loop {
        if spin && tether.spin(board, &mut there)? {
            return Ok(());
        }
        about_to_sleep(sleeps);
        // Looked at after the flag was set: who writes later sees the flag. The
        // same holds for the board's call to be awake (`Other::Spins`).
        if there() {
            awake_again(sleeps);
            return Ok(());
        }
        if !(spin && board.awake()) {
            *calls += 1;
            futex_wait(sleeps, 1);
        }
        awake_again(sleeps);
        if !there() && tether.over(board) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
    }
}

/// What the other side may do while this one publishes.
///
/// While the board calls for spinning, neither side goes to sleep: who is about to
/// sleep stores its flag, passes a fence and looks at the board again, and the
/// main side passes a fence after each call (`ControlBlock::keep_awake`). So either the
/// sleeper sees the call, or the main side, from the call on, sees its flag. The
/// partner publishes only after it has read a message, hence sees what the board
/// said before that was sent.
#[inline]
fn other(wait: Wait<'_>) -> Other {
    match wait {
        Wait::Awake(board) if board.awake() => Other::Spins,
        Wait::Awake(_) | Wait::Asleep(_) => Other::MaySleep,
        Wait::Never => Other::Spins,
    }
}

impl End for RingEnd {
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the room is at most the capacity, a usize"
    )]
    fn send(&mut self, message: &[u8], wait: Wait<'_>) -> io::Result<usize> {
        let mut sent = 0;
        while sent < message.len() {
            let wanted = (message.len() - sent).min(PIECE);
            let outgoing = Self::positions(&self.memory, self.out);
            let room = self.producer.room(outgoing, wanted as u64) as usize;
            if room == 0 {
                match self.await_room(wait) {
                    Err(e) if sent > 0 && e.kind() == io::ErrorKind::WouldBlock => return Ok(sent),
                    done => done?,
                }
                continue;
            }
            let piece = wanted.min(room);
            self.copy_in(&message[sent..sent + piece]);
            sent += piece;
            if self.producer.publish(outgoing, piece as u64, other(wait)) {
                self.calls += 1;
                futex_wake(&outgoing.consumer_sleeps.0);
            }
        }
        Ok(sent)
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the bytes there are at most the capacity, a usize"
    )]
    fn receive(&mut self, into: &mut [u8], wait: Wait<'_>) -> io::Result<usize> {
        let incoming = Self::positions(&self.memory, 1 - self.out);
        if self.consumer.available(incoming) == 0
            && let Err(e) = self.await_bytes(wait)
        {
            return or_end(Err(e));
        }
        let incoming = Self::positions(&self.memory, 1 - self.out);
        let there = self.consumer.available(incoming);
        let count = into.len().min(there as usize);
        self.copy_out(&mut into[..count]);
        if self.consumer.release(incoming, count as u64, other(wait)) {
            self.calls += 1;
            futex_wake(&incoming.producer_sleeps.0);
        }
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
        let [ring, piece] = [self.capacity, PIECE].map(|bytes| human_bytes(bytes as u64));
        vec![format!(
            "a ring of {ring} in each direction, announced in pieces of up to {piece}"
        )]
    }
}

impl Drop for RingEnd {
    /// The other side may sleep, and shall not find out only at its next look.
    fn drop(&mut self) {
        for ring in 0..2 {
            let positions = Self::positions(&self.memory, ring);
            futex_wake(&positions.producer_sleeps.0);
            futex_wake(&positions.consumer_sleeps.0);
        }
    }
}

struct ShmRing;

impl Transport for ShmRing {
    type End = RingEnd;

    fn pair(options: &Options) -> Result<(RingEnd, RingEnd), SetupError> {
        let capacity = capacity(options.buffer_bytes)?;
        let memory = Arc::new(Shared::for_pair(POSITIONS_BYTES + 2 * capacity)?);
        let (here, there) = Tether::pair()?;
        let end = |out, tether| RingEnd {
            memory: Arc::clone(&memory),
            tether,
            producer: Producer::new(capacity as u64),
            consumer: Consumer::new(capacity as u64),
            out,
            capacity,
            calls: 0,
        };
        Ok((end(0, here), end(1, there)))
    }
}

/// The next power of two, from which on a position needs no division.
fn capacity(asked: Option<usize>) -> Result<usize, SetupError> {
    match asked.unwrap_or(DEFAULT_BYTES) {
        bytes if bytes <= MOST_BYTES => Ok(bytes.max(64).next_power_of_two()),
        bytes => Err(SetupError::skip(
            format!(
                "a ring of {} would be touched completely, and the limit is {}",
                human_bytes(bytes as u64),
                human_bytes(MOST_BYTES as u64)
            ),
            format!("--axis buffer=4096..{MOST_BYTES}"),
        )),
    }
}

pub static EXPERIMENT: Experiment = Experiment {
    grids: |preset, card| transport::grids(preset, card, i64::MAX, &[64 << 10, 16 << 20]),
    toll: |card| figures::toll(card, "shared-memory ring", "shm ring"),
    claims: &[
        claims::NO_CALLS_AWAKE,
        Claim {
            text: "A round trip of one line to an awake partner under the same cache takes less \
                   than a microsecond",
            check: |table| claims::small_trip_awake(table, 1e3),
        },
        Claim {
            text: "A round trip with sleeping sides takes at least ten times as long",
            check: |table| claims::waking(table, 10.0),
        },
    ],
    ..super::through::<ShmRing>()
};

#[cfg(test)]
mod tests;
