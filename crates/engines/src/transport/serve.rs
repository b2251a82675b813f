//! The partner's side: receives, checks, answers, says how far it is.

use super::control::ControlBlock;
use super::end::{End, Options, Wait};
use super::tally;
use crate::memory::buffer::{Buffer, scatter};
use harness::clock::raw_now_ns;
use std::io;

/// What the partner shall do, and where.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub cpu: u32,
    /// Sends each message back whole, else keeps it.
    pub echoing: bool,
    pub options: Options,
}

/// The contents of message number `number`, counted from 0.
pub fn fill(message: &mut [u8], number: u64) {
    // Odd multiples keep neighbouring numbers apart in every byte of the word.
    scatter(message, number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
}

/// Serves until the other side leaves. The buffers are mapped and touched by the task
/// that uses them: after a fork, in the child.
///
/// # Errors
/// What the transport or mmap says.
pub fn serve<E: End>(plan: Plan, end: &mut E, control: &ControlBlock) -> io::Result<()> {
    let message_bytes = plan.options.message_bytes;
    control.enlist();
    end.settle()?;
    let mut buffer = Buffer::touched(message_bytes)?;
    let mut expected = Buffer::touched(message_bytes)?;
    let mut received = 0u64;
    // Of the present message.
    let mut offset = 0;
    let mut checked = 0u64;
    control.say_ready();
    loop {
        let wait = Wait::by(plan.options.polling, control);
        if plan.echoing {
            // The next message overwrites the answer.
            end.reclaim(wait)?;
        }
        let got = end.receive(&mut buffer.as_mut_slice()[offset..], wait)?;
        if got == 0 {
            return Ok(());
        }
        received += got as u64;
        offset += got;
        if offset == message_bytes {
            offset = 0;
            if control.timing.is_set() {
                control.say_there(raw_now_ns());
            }
            if control.checking.is_set() {
                fill(expected.as_mut_slice(), checked);
                if buffer.as_slice() != expected.as_slice() {
                    control.say_wrong();
                }
                checked += 1;
            }
            if plan.echoing {
                end.changed();
                end.send(buffer.as_slice(), wait)?;
            }
        }
        if received == control.target() {
            // Reported first: the arrival wakes once for both.
            control.tell(tally::of_this_thread(end.calls()));
            control.say_arrived(received);
        }
    }
}
