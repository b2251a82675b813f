//! Where messages live: a free list that gives the one freed longest ago, in
//! disorder, so that messages come from everywhere as they do after hours of malloc.

use super::{Next, Packet};
use crate::random::Random;

/// In the place of a message that there is none of.
pub const NONE: u32 = u32::MAX;
const MESSAGES: u32 = 32_768;

/// Two lines of the cache: what the heap and the queues look at, and the packet.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
pub struct Message {
    pub time: u64,
    pub order: u64,
    /// The next in a queue, or in the free list.
    pub link: u32,
    pub router: u16,
    pub next: Next,
    between: [u64; 5],
    pub packet: Packet,
}

const _: () = assert!(std::mem::offset_of!(Message, packet) == 64 && size_of::<Message>() == 128);

/// Messages and the list of those that are free.
pub struct Memory {
    messages: Box<[Message]>,
    free_first: u32,
    free_last: u32,
}

impl Memory {
    /// All messages are free, in disorder.
    pub fn new() -> Memory {
        let mut messages: Box<[Message]> = vec![Message::default(); MESSAGES as usize].into();
        let order = Random::new(5).shuffled(MESSAGES);
        for pair in order.windows(2) {
            messages[pair[0] as usize].link = pair[1];
        }
        Memory {
            messages,
            free_first: order[0],
            free_last: order[order.len() - 1],
        }
    }

    /// The message at that place.
    pub fn at(&mut self, at: u32) -> &mut Message {
        &mut self.messages[at as usize]
    }

    /// There are far more messages than packets, so the list never ends.
    pub fn take(&mut self) -> u32 {
        let at = self.free_first;
        self.free_first = self.at(at).link;
        at
    }

    /// Puts a message at the end of the list of free ones.
    pub fn free(&mut self, at: u32) {
        let last = self.free_last;
        self.at(last).link = at;
        self.free_last = at;
    }

    /// Bytes of all messages.
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.messages) as u64
    }
}
