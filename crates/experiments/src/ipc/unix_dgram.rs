//! # ipc/unix_dgram - Handing messages over through UNIX datagram sockets
//!
//! What does a UNIX datagram cost, and what do its boundaries cost compared with a
//! stream?
//!
//! ## Counts
//! *stream*: sending one message by one call until the receiver has received
//! the last of the batch; the batch's time divided by its messages. Both copies,
//! the allocation of the buffer that carries it, sleeps and wake-ups.
//! *round_trip*: a message there and one of the same size back.
//!
//! ## Does not count
//! Making the pair and starting the partner; the first touch of the buffers.
//! Bytes are counted once, not once for each copy.
//!
//! ## Origin
//! The UNIX datagram that users of rigtorp/ipc-bench asked for (issue 14).
//! unix(7), socket(7).
//!
//! ## Theory
//! A datagram between sockets of one machine is neither lost nor reordered: a
//! sender without room sleeps. It is handed over whole or not at all, so it has
//! to fit the sender's buffer (less 32 bytes); a larger one is refused
//! (EMSGSIZE), and the point is skipped. Up to 16 KiB a message is one piece of
//! memory without seams, above it pages are added, and very large ones may find
//! no such memory (ENOBUFS).
//!
//! The queue of `net.unix.max_dgram_qlen` datagrams, ten, which slows down a
//! server with many clients, does not hold between two sockets that are
//! connected to each other as here; then only the sender's buffer counts.
//!
//! One message is one call on both sides, so nothing is gained when the reader
//! is late: a stream then reads many messages by one call. On the other hand no
//! message is ever cut into two calls.
//!
//! The kernel does not tell the receiver of datagrams that the sender has gone.
//! Receiving here has a time limit of a tenth of a second after which it looks,
//! and a sleep in it arms a timer: a little of what a sleeping receiver costs.

use catalogue::Experiment;
use engines::transport::socket::{MessageEnd, buffers, unix};
use engines::transport::{self, Options, Transport, claims, figures, findings};
use harness::SetupError;

/// Two sockets of a type that keeps the boundaries of messages, connected to each other.
pub struct Messages<const TYPE: libc::c_int>;

impl<const TYPE: libc::c_int> Transport for Messages<TYPE> {
    type End = MessageEnd;

    fn pair(options: &Options) -> Result<(MessageEnd, MessageEnd), SetupError> {
        unix::messages(TYPE, options)
    }

    fn largest_message(options: &Options) -> Option<(usize, String)> {
        unix::largest_message(TYPE, options)
    }
}

type UnixDgram = Messages<{ libc::SOCK_DGRAM }>;

pub static EXPERIMENT: Experiment = Experiment {
    grids: |preset, card| transport::grids(preset, card, i64::MAX, transport::socket::BUFFERS),
    toll: |card| figures::toll(card, "UNIX datagram", "UNIX datagram"),
    claims: &[claims::ONE_CALL],
    findings: |table, card| findings::findings(table, card, buffers::facts),
    ..super::through::<UnixDgram>()
};

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, UnixDgram};
    use crate::ipc::{death, trial};

    #[test]
    fn a_killed_partner_hangs_nobody() {
        death::of_the_partner::<UnixDgram>(5001);
    }

    #[test]
    fn a_message_larger_than_the_buffer_is_skipped() {
        trial::skipped(&EXPERIMENT, 100_000, 4096, "--axis buffer=53248");
    }
}
