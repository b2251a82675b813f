//! # ipc/udp - Handing messages over through UDP on this machine
//!
//! What does a datagram to the same machine cost, with the little protocol that
//! keeps it from getting lost?
//!
//! ## Counts
//! *stream*: sending one message by one call until the receiver has received
//! the last of the batch; the batch's time divided by its messages. Both copies,
//! the way down and up the protocol, the acknowledgements described below,
//! sleeps and wake-ups. *round_trip*: a message there and one of the same size
//! back.
//!
//! ## Does not count
//! Making the sockets and starting the partner; the first touch of the buffers.
//! Bytes are counted once, not once for each copy; acknowledgements and headers
//! are not counted as bytes.
//!
//! ## Origin
//! lmbench `lat_udp`, which is the round trip. It has no stream: without a
//! protocol around it that measures how fast datagrams are thrown away. udp(7).
//!
//! ## Theory
//! UDP throws a datagram away when the receiver's buffer is full, without
//! a notice. A stream therefore needs credit. Here the sender may be so many
//! messages ahead as fit three quarters of that buffer (256 at the most, so that
//! the queue of the loopback device holds them too); what one message weighs
//! there is tried out and noted: some hundred bytes for the smallest. Each time
//! half of the window has arrived, the receiver says how many it has in all, by a
//! datagram of 8 bytes on a second pair of sockets. The messages themselves carry
//! no header. With messages so large that only one fits, each is acknowledged
//! before the next is sent, and a stream costs as much as round trips.
//!
//! Should one be lost all the same, it is not sent again: a receiver who has
//! waited for a tenth of a second asks the kernel whether it threw something
//! away, says so to the sender, and the point fails with the number. A side to
//! whom nothing comes for ten seconds gives up.
//!
//! The largest message is 65507 bytes: 65535 less the headers of IP and UDP.
//! Compared with TCP a datagram saves the state of a connection, yet the way through
//! the stack is the same; receiving wakes the sleeper once for each message.

use catalogue::{Claim, Experiment};
use engines::transport::socket::credit::{self, CreditEnd};
use engines::transport::socket::{BUFFERS, inet};
use engines::transport::{self, Options, Transport, claims, figures, findings};
use harness::SetupError;

/// What an IP packet takes, less its header and UDP's.
const LARGEST: usize = 65_507;

/// Datagrams, and a way back for acknowledgements.
pub struct Udp;

impl Transport for Udp {
    type End = CreditEnd;

    fn pair(options: &Options) -> Result<(CreditEnd, CreditEnd), SetupError> {
        credit::ends(options, None)
    }

    fn largest_message(_options: &Options) -> Option<(usize, String)> {
        Some((LARGEST, format!("--axis size=1..{LARGEST}")))
    }
}

pub static EXPERIMENT: Experiment = Experiment {
    grids: |preset, card| transport::grids(preset, card, i64::MAX, BUFFERS),
    toll: |card| figures::toll(card, "UDP, loopback", "UDP"),
    claims: &[Claim {
        text: "Credit costs each side less than a tenth of a call per message of up to 64 bytes",
        check: |table| claims::one_call(table, 64),
    }],
    findings: |table, card| findings::findings(table, card, inet::facts),
    ..super::through::<Udp>()
};

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, LARGEST, Udp};
    use crate::ipc::{death, trial};
    use engines::transport::socket::credit::{self, CreditEnd};
    use engines::transport::{Options, Transport};
    use harness::{SetupError, Subject};

    #[test]
    fn a_killed_partner_hangs_nobody() {
        death::of_the_partner::<Udp>(5001);
    }

    #[test]
    fn what_no_datagram_holds_is_skipped() {
        trial::skipped(&EXPERIMENT, LARGEST as i64 + 1, 0, "size=1..65507");
    }

    #[test]
    fn a_buffer_beyond_the_limit_is_skipped_with_the_limit_named() {
        trial::skipped(&EXPERIMENT, 64, 1 << 40, "net.core.rmem_max");
    }

    /// Credit without end: the kernel throws most of a batch away.
    struct Careless;

    impl Transport for Careless {
        type End = CreditEnd;

        fn pair(options: &Options) -> Result<(CreditEnd, CreditEnd), SetupError> {
            credit::ends(options, Some(u64::MAX / 2))
        }
    }

    #[test]
    fn a_lost_datagram_ends_the_batch_with_its_cause() {
        for process in ["2threads", "2processes"] {
            let words = ["stream", process, "same_cpu", "idle"];
            let mut link = death::linked::<Careless>(64, words).unwrap();
            assert_eq!(link.verify(), Ok(()));
            link.prepare(0);
            link.batch(0, 50_000);
            let fault = link.verify().unwrap_err().to_string();
            assert!(
                fault.contains("dropped") && fault.contains("full"),
                "{fault}"
            );
        }
    }
}
