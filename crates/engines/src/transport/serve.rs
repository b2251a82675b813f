//! The partner's side: receives, checks, answers, says how far it is.

use super::control::ControlBlock;
use super::end::{End, Wait};
use super::tally;
use crate::memory::buffer::{Buffer, scatter};
use harness::clock::raw_now_ns;
use std::io;

/// What the partner does with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Keeps it.
    Sink,
    /// Sends it back whole.
    Echo,
}

/// The partner's station. Its buffers are mapped and touched by the task that
/// uses them: after a fork, in the child.
pub struct Station<'a, E: End> {
    pub end: &'a mut E,
    pub control: &'a ControlBlock,
    pub message_bytes: usize,
    pub role: Role,
    pub polling: bool,
}

/// The contents of message number `number`, counted from 0.
pub fn fill(message: &mut [u8], number: u64) {
    // Odd multiples keep neighbouring numbers apart in every byte of the word.
    scatter(message, number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
}

impl<E: End> Station<'_, E> {
    /// Serves until the other side leaves.
    ///
    /// # Errors
    /// What the transport or mmap says.
    pub fn serve(&mut self) -> io::Result<()> {
        self.control.enlist();
        self.end.settle()?;
        let mut buffer = Buffer::touched(self.message_bytes)?;
        let mut expected = Buffer::touched(self.message_bytes)?;
        let mut received = 0u64;
        // Of the present message.
        let mut offset = 0;
        let mut checked = 0u64;
        self.control.say_ready();
        loop {
            let wait = if self.polling {
                Wait::Awake(self.control)
            } else {
                Wait::Asleep(self.control)
            };
            if self.role == Role::Echo {
                // The next message overwrites the answer.
                self.end.reclaim(wait)?;
            }
            let got = self
                .end
                .receive(&mut buffer.as_mut_slice()[offset..], wait)?;
            if got == 0 {
                return Ok(());
            }
            received += got as u64;
            offset += got;
            if offset == self.message_bytes {
                offset = 0;
                if self.control.timing.is_set() {
                    self.control.say_there(raw_now_ns());
                }
                if self.control.checking.is_set() {
                    fill(expected.as_mut_slice(), checked);
                    if buffer.as_slice() != expected.as_slice() {
                        self.control.say_wrong();
                    }
                    checked += 1;
                }
                if self.role == Role::Echo {
                    self.end.changed();
                    self.end.send(buffer.as_slice(), wait)?;
                }
            }
            if received == self.control.target() {
                // Reported first: the arrival wakes once for both.
                self.control.tell(tally::of_this_thread(self.end.calls()));
                self.control.say_arrived(received);
            }
        }
    }
}
