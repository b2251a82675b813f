//! # ipc/unix_stream - Handing bytes over through a UNIX stream socket
//!
//! What does a message through a UNIX domain socket cost, and why does it lose
//! to a pipe when it is small and win when it is large?
//!
//! ## Counts
//! *stream*: sending one message whole until the receiver has received its last
//! byte; the batch's time divided by its messages. Both copies, the kernel's
//! allocation of a buffer for every piece, sleeps and wake-ups. *round_trip*: a
//! message there and, whole, back through the same pair of sockets.
//!
//! ## Does not count
//! Making the pair and starting the partner; the first touch of the buffers,
//! which each side makes in its own task before the first message. Bytes are
//! counted once, not once for each copy.
//!
//! ## Origin
//! `-i local` of `ipc-benchmark` (Advanced Operating Systems, Lab 2, Cambridge,
//! 2022-23; `-s` there is the axis `buffer` here), lmbench `bw_unix` and
//! `lat_unix`. unix(7), socket(7).
//!
//! ## Theory
//! A stream between two sockets of one machine knows no packets on a wire, but
//! it is made of the same buffers. Every send becomes one piece or more, of 36
//! KiB at the most; each is allocated, charged to the *sender's* buffer, filled,
//! and put on the receiver's queue; the receiver copies it out and frees it.
//! Therefore the fixed price is higher than a pipe's, which has its pages
//! already.
//!
//! Only `SO_SNDBUF` bounds what is on the way; the receiver's buffer does not
//! matter. The charge is for the memory taken, not for the bytes in it: a
//! message of one byte weighs some hundred. A sender that finds its buffer full
//! sleeps until three quarters of it are free again, so it wakes for a large
//! piece of work, where the reader of a pipe wakes it for 64 KiB: fewer changes
//! of task for each byte, and no cliff at the size of the buffer.
//!
//! A small `buffer` takes this away. The pieces shrink to half of it, and with
//! a few KiB the two sides change places for each of them.

use catalogue::{Claim, Experiment};
use engines::transport::socket::{StreamEnd, buffers, unix};
use engines::transport::{self, Options, Transport, claims, figures, findings};
use harness::SetupError;

/// Two connected stream sockets.
pub struct UnixStream;

impl Transport for UnixStream {
    type End = StreamEnd;

    fn pair(options: &Options) -> Result<(StreamEnd, StreamEnd), SetupError> {
        unix::streams(options)
    }
}

pub static EXPERIMENT: Experiment = Experiment {
    grids: |preset, card| transport::grids(preset, card, i64::MAX, transport::socket::BUFFERS),
    toll: |card| figures::usual_toll(card, "UNIX stream socket", "UNIX stream"),
    claims: &[
        Claim {
            text: "Messages larger than the send buffer keep at least half of the bandwidth",
            check: |table| claims::no_cliff(table, |p| buffers::facts(p).send_buffer_bytes),
        },
        Claim {
            text: "Messages of 64 KiB and more take longer with a 4 KiB buffer than with the \
                   default",
            check: |table| claims::small_buffer_costs(table, 4 << 10),
        },
    ],
    findings: |table, card| findings::findings(table, card, buffers::facts),
    ..super::through::<UnixStream>()
};

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, UnixStream};
    use crate::ipc::{death, trial};

    #[test]
    fn a_killed_partner_hangs_nobody() {
        death::of_the_partner::<UnixStream>(5001);
    }

    #[test]
    fn a_buffer_beyond_the_limit_is_skipped_with_the_limit_named() {
        trial::skipped(&EXPERIMENT, 64, 1 << 40, "net.core.wmem_max");
    }
}
