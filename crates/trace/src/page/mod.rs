//! Pages of the kernel's ring buffer (sub-buffers), taken apart and made.
//!
//! A page is a stamp, a word with the bytes in use and flags, and events. An
//! event is a word with a length code and the time since the one before, then
//! its payload. Layout: `events/header_page` and `events/header_event` of
//! tracefs, Documentation/trace/ring-buffer-design.rst,
//! include/linux/ring_buffer.h.

mod read;
mod write;

pub use read::CpuReader;
pub(crate) use read::Met;
pub use write::PageWriter;

use crate::bytes::{Order, Words};

/// Codes of the first five bits of an event that is no plain one.
const DATA_MAX: u32 = 28;
const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;

/// Bits of the time since the event before.
const DELTA_BITS: u32 = 27;
const DELTA_MASK: u32 = (1 << DELTA_BITS) - 1;

/// In the word with the bytes in use: events were lost before this page; how
/// many stands behind the data. The kernel sets no boundary between bytes and
/// flags; other readers take 27 bits too.
const LOST: u64 = 1 << 31;
const LOST_STORED: u64 = 1 << 30;
const IN_USE: u64 = (1 << 27) - 1;

/// One event as it lies in the ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event<'a> {
    /// The capture's clock; ns where `Head::in_nanoseconds`.
    pub at_ns: u64,
    /// Number of the CPU that wrote it.
    pub cpu: u32,
    /// From `common_type` on; may end with up to 3 bytes of alignment.
    pub payload: &'a [u8],
}

impl Event<'_> {
    /// `common_type`, the format's ID.
    #[inline]
    pub fn id(&self, order: Order) -> u16 {
        self.payload.u16_at(0, order).unwrap_or(u16::MAX)
    }

    /// `common_flags`: interrupts off, need resched, hard and soft interrupt.
    #[inline]
    pub fn flags(&self) -> u8 {
        self.payload.get(2).copied().unwrap_or(0)
    }

    /// `common_preempt_count`: how often preemption was forbidden, and migration in
    /// the upper half.
    #[inline]
    pub fn preempt_count(&self) -> u8 {
        self.payload.get(3).copied().unwrap_or(0)
    }

    /// `common_pid`: the thread that ran.
    #[inline]
    pub fn pid(&self, order: Order) -> i32 {
        self.payload.u32_at(4, order).unwrap_or(0).cast_signed()
    }
}

/// Events are missing between what came before and what comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost {
    /// Number of the CPU.
    pub cpu: u32,
    /// Stamp of the page behind the gap.
    pub until_ns: u64,
    /// None: the kernel does not say how many.
    pub count: Option<u64>,
}

/// What a CPU's pages hold, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item<'a> {
    /// The next event.
    Event(Event<'a>),
    /// A gap before the next event.
    Lost(Lost),
}

impl Item<'_> {
    /// The stamp of the event, or of the page behind the gap.
    #[inline]
    pub fn at_ns(&self) -> u64 {
        match self {
            Item::Event(event) => event.at_ns,
            Item::Lost(lost) => lost.until_ns,
        }
    }
}

fn header(word: u32, order: Order) -> (u32, u32) {
    match order {
        Order::Little => (word & 31, word >> 5),
        Order::Big => (word >> DELTA_BITS, word & DELTA_MASK),
    }
}

fn header_word(type_len: u32, delta: u32, order: Order) -> u32 {
    match order {
        Order::Little => type_len | delta << 5,
        Order::Big => type_len << DELTA_BITS | delta,
    }
}

#[cfg(test)]
mod tests;
