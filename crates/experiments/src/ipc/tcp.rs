//! # ipc/tcp - Handing bytes over through TCP on this machine
//!
//! What does a message through a TCP connection to the same machine cost, when
//! no network is between the two?
//!
//! ## Counts
//! *stream*: sending one message whole until the receiver has received its last
//! byte; the batch's time divided by its messages. Both copies, the whole way
//! down and up the protocol, its acknowledgements, sleeps and wake-ups.
//! *round_trip*: a message there and, whole, back through the same connection.
//!
//! ## Does not count
//! Connecting and starting the partner; the first touch of the buffers. Bytes
//! are counted once, not once for each copy. Headers are not counted.
//!
//! ## Origin
//! `-i tcp` of `ipc-benchmark` (Advanced Operating Systems, Lab 2, Cambridge,
//! 2022-23), there too with the accepted side sending; lmbench `bw_tcp` and
//! `lat_tcp`. tcp(7), socket(7).
//!
//! ## Theory
//! The loopback device has no wire, but it has packets, of almost 64 KiB. A send
//! copies into them, goes down through TCP and IP, and in the same call, as a
//! soft interrupt on the same CPU, up again into the queue of the receiver. So
//! the sender does most of the receiver's work, and a second CPU helps less than
//! with a pipe. Every packet has to be acknowledged some time by one that goes
//! the other way, which costs its sender the same again.
//!
//! `TCP_NODELAY` is set on both sides. Without it a message smaller than a
//! packet waits while an earlier one is not acknowledged (Nagle), and the other
//! side may hold its acknowledgement back for 40 ms in the hope of an answer to
//! send it along with: the last message of a batch would cost that timer and not
//! its way. The price is that small messages of a stream are not gathered into
//! one packet while the sender runs ahead, so expect each below some KiB to pay
//! the whole way.
//!
//! `TCP_QUICKACK` is left to the kernel. A new connection acknowledges the first
//! packets at once; when the two sides have begun to answer each other, the
//! acknowledgement travels with the answer, so a round trip is two packets, not
//! four.
//!
//! Without `buffer` the kernel grows both buffers as it sees fit, up to
//! `net.ipv4.tcp_wmem` and `tcp_rmem`; with it they are fixed, and the window
//! that the receiver offers with them. What one sees at the start of the point
//! is noted.
//!
//! `port` says where the listening side waits for the connection, for those who
//! let only some ports pass, or watch one.

use catalogue::{AxisSpec, Claim, Experiment, joined};
use engines::transport::socket::{BUFFERS, StreamEnd, inet};
use engines::transport::{self, Options, Transport, claims, figures, findings};
use harness::SetupError;
use record::Unit;

/// An accepted and a connected socket.
pub struct Tcp;

impl Transport for Tcp {
    type End = StreamEnd;

    fn pair(options: &Options) -> Result<(StreamEnd, StreamEnd), SetupError> {
        inet::streams(options)
    }
}

const PORT: AxisSpec = AxisSpec::number(
    "port",
    Unit::Count,
    "port that the listening side binds; 0: any free port",
);

/// The common axes, and the port.
static AXES: [AxisSpec; transport::AXES.len() + 1] = joined(transport::AXES, &[PORT]);

pub static EXPERIMENT: Experiment = Experiment {
    axes: &AXES,
    grids: |preset, card| {
        let grids = transport::grids(preset, card, i64::MAX, BUFFERS).into_iter();
        grids.map(|grid| grid.ints(PORT.name, [0])).collect()
    },
    toll: |card| figures::usual_toll(card, "TCP, loopback", "TCP"),
    claims: &[
        claims::FLAT,
        Claim {
            text: "No round trip waits for the delayed-acknowledgement timer: 99 of 100 take less \
                   than 40 ms",
            check: |table| claims::no_trip_takes(table, 40e6),
        },
    ],
    findings: |table, card| findings::findings(table, card, inet::facts),
    ..super::through::<Tcp>()
};

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, Tcp};
    use crate::ipc::{death, trial};
    use harness::SetupError;
    use testbed::context;
    use testbed::turn::point;

    #[test]
    fn a_killed_partner_hangs_nobody() {
        death::of_the_partner::<Tcp>(5001);
    }

    #[test]
    fn a_buffer_beyond_the_limit_is_skipped_with_the_limit_named() {
        trial::skipped(&EXPERIMENT, 64, 1 << 40, "net.core.rmem_max");
    }

    #[test]
    fn a_port_beyond_the_last_is_skipped() {
        let settings = [
            ("size", 64.into()),
            ("pattern", "stream".into()),
            ("mode", "1thread".into()),
            ("placement", "same_cpu".into()),
            ("partner", "idle".into()),
            ("buffer", 0.into()),
            ("port", 70_000.into()),
        ];
        let (context, _scratch) = context();
        match (EXPERIMENT.setup)(&point(&settings), &context) {
            Err(SetupError::Skip { reason, .. }) => assert!(reason.contains("70000"), "{reason}"),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("there is no such port"),
        }
    }
}
