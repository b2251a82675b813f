//! # ipc/unix_seqpacket - Handing messages over through UNIX packet sockets
//!
//! What does a connection that keeps the boundaries of messages cost compared with
//! datagrams and a stream?
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
//! unix(7), socket(2). Programs that hand over commands between processes use
//! it: boundaries as of datagrams, an end as of a stream.
//!
//! ## Theory
//! `SOCK_SEQPACKET` goes the way of a datagram through the kernel, with a
//! connection around it: the receiver of a closed connection learns of it, and needs
//! no time limit. Expect the cost of `ipc/unix_dgram`; a difference is the price
//! of that time limit, or noise. A message is handed over whole, so it has to
//! fit the sender's buffer, less 32 bytes.

use super::unix_dgram::Messages;
use catalogue::Experiment;
use engines::transport::socket::buffers;
use engines::transport::{self, claims, figures, findings};

type UnixSeqpacket = Messages<{ libc::SOCK_SEQPACKET }>;

pub static EXPERIMENT: Experiment = Experiment {
    grids: |preset, card| transport::grids(preset, card, i64::MAX, transport::socket::BUFFERS),
    toll: |card| figures::toll(card, "UNIX packet socket", "UNIX packet"),
    claims: &[claims::ONE_CALL],
    findings: |table, card| findings::findings(table, card, buffers::facts),
    ..super::through::<UnixSeqpacket>()
};

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, UnixSeqpacket};
    use crate::ipc::{death, trial};

    #[test]
    fn a_killed_partner_hangs_nobody() {
        death::of_the_partner::<UnixSeqpacket>(5001);
    }

    #[test]
    fn a_message_larger_than_the_buffer_is_skipped() {
        trial::skipped(&EXPERIMENT, 100_000, 4096, "--axis buffer=53248");
    }
}
