// The order of accesses of a ring with one producer and one consumer, apart from
// the bytes. Compiled twice: with the processor's atomics, and in the tests with
// those of a model checker, which tries every order that the memory model allows.

use super::atomics::{AtomicU32, AtomicU64, Ordering, fence};

/// Each side writes its own line and reads the other's; flags that hardly ever
/// change are apart, so that asking for them stays in the own cache. 128: the
/// processor may fetch lines in pairs.
#[derive(Debug, Default)]
#[repr(C, align(128))]
pub struct Line<T>(pub T);

/// What both sides share; all zeros is an empty ring at rest.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Positions {
    /// Bytes written since the beginning; the producer's.
    tail: Line<AtomicU64>,
    /// Bytes read since the beginning; the consumer's.
    head: Line<AtomicU64>,
    /// 1: the consumer sleeps, or is about to; a futex.
    pub consumer_sleeps: Line<AtomicU32>,
    /// 1: the producer sleeps, or is about to; a futex.
    pub producer_sleeps: Line<AtomicU32>,
}

/// Whether the other side might go to sleep while this one publishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Other {
    /// It might: a full fence, or the last wake-up could be lost.
    MaySleep,
    /// It spins as long as this side does: no fence.
    Spins,
}

/// The writer's end of the ring: its position and the last it read of the consumer's.
#[derive(Debug)]
pub struct Producer {
    tail: u64,
    /// The consumer's position when last looked at. It only grows, so what it
    /// says about room may be too little, never too much.
    seen_head: u64,
    capacity: u64,
}

impl Producer {
    /// At the start of an empty ring of `capacity` bytes.
    pub fn new(capacity: u64) -> Producer {
        Producer {
            tail: 0,
            seen_head: 0,
            capacity,
        }
    }

    /// Where the next byte goes.
    #[inline]
    pub fn position(&self) -> u64 {
        self.tail
    }

    /// Free bytes, at least `wanted` of them if there are so many. The
    /// consumer's line is looked at only when the known room is too small.
    #[inline]
    pub fn room(&mut self, shared: &Positions, wanted: u64) -> u64 {
        let mut room = self.capacity - (self.tail - self.seen_head);
        if room < wanted {
            // Acquire: the consumer's reads of those bytes come before our writes.
            self.seen_head = shared.head.0.load(Ordering::Acquire);
            room = self.capacity - (self.tail - self.seen_head);
        }
        room
    }

    /// Makes `bytes` more visible. True: the consumer must be woken.
    #[inline]
    pub fn publish(&mut self, shared: &Positions, bytes: u64, other: Other) -> bool {
        self.tail += bytes;
        // Release: the bytes come before the position that announces them.
        shared.tail.0.store(self.tail, Ordering::Release);
        must_wake(&shared.consumer_sleeps.0, other)
    }
}

/// The reader's end of the ring: its position and the last it read of the producer's.
#[derive(Debug)]
pub struct Consumer {
    head: u64,
    seen_tail: u64,
    /// What the producer knows of `head`.
    published: u64,
    capacity: u64,
}

impl Consumer {
    /// At the start of an empty ring of `capacity` bytes.
    pub fn new(capacity: u64) -> Consumer {
        Consumer {
            head: 0,
            seen_tail: 0,
            published: 0,
            capacity,
        }
    }

    /// Where the next byte is.
    #[inline]
    pub fn position(&self) -> u64 {
        self.head
    }

    /// Bytes to read. The producer's line is looked at only when what was known
    /// has been read.
    #[inline]
    pub fn available(&mut self, shared: &Positions) -> u64 {
        if self.seen_tail == self.head {
            // Acquire: pairs with the producer's Release.
            self.seen_tail = shared.tail.0.load(Ordering::Acquire);
        }
        self.seen_tail - self.head
    }

    /// Gives `bytes` back, but tells the producer only when a quarter of the
    /// ring has come together: it needs no room before. Who runs out of bytes
    /// says the rest by `flush`. True: the producer must be woken.
    #[inline]
    pub fn release(&mut self, shared: &Positions, bytes: u64, other: Other) -> bool {
        self.head += bytes;
        if self.head - self.published < self.capacity / 4 {
            return false;
        }
        self.flush(shared, other)
    }

    /// Tells the producer of all that was read.
    #[inline]
    pub fn flush(&mut self, shared: &Positions, other: Other) -> bool {
        if self.published == self.head {
            return false;
        }
        self.published = self.head;
        // Release: the reads come before the position that gives the room away.
        shared.head.0.store(self.head, Ordering::Release);
        must_wake(&shared.producer_sleeps.0, other)
    }
}

/// The waker's half of the agreement on sleep. It has stored its position and
/// then reads the flag; the sleeper stores the flag and then reads the position
/// (`about_to_sleep`). With a full fence in between on both sides, at least one
/// of them sees what the other stored: the waker wakes, or the sleeper does not
/// sleep.
#[inline]
fn must_wake(sleeps: &AtomicU32, other: Other) -> bool {
    if other == Other::MaySleep {
        fence(Ordering::SeqCst);
    }
    if sleeps.load(Ordering::Relaxed) == 0 {
        return false;
    }
    // Changed before the system call: the kernel lets no task sleep on 0.
    sleeps.store(0, Ordering::Relaxed);
    true
}

/// The sleeper's half: after this the position must be read once more, and only
/// if it still forbids to go on, the task may sleep while the flag is 1.
pub fn about_to_sleep(sleeps: &AtomicU32) {
    sleeps.store(1, Ordering::Relaxed);
    fence(Ordering::SeqCst);
}

/// The sleeper has found something to do.
pub fn awake_again(sleeps: &AtomicU32) {
    sleeps.store(0, Ordering::Relaxed);
}
