//! # ipc/tcp_zerocopy - Sending through TCP without copying
//!
//! What does `MSG_ZEROCOPY` save, and what does it cost, on a machine that sends
//! to itself?
//!
//! ## Counts
//! *stream*: sending one message whole with `MSG_ZEROCOPY` until the receiver
//! has received its last byte, and the kernel's word for all of the batch that
//! the message may be overwritten; the batch's time divided by its messages.
//! *round_trip*: a message there and, whole, back, both sent this way, and that
//! word for each.
//!
//! ## Does not count
//! Connecting and starting the partner; the first touch of the buffers. Bytes
//! are counted once, not once for each copy.
//!
//! ## Origin
//! Linux: Documentation/networking/msg_zerocopy.rst, and the kernel's own
//! selftest of it, which also runs over loopback. The plain way is `ipc/tcp`.
//!
//! ## Theory
//! Instead of copying the message the kernel pins its pages and lets packets
//! refer to them. The sender must not touch them until a notice on the socket's
//! error queue says that they are no longer read; here it asks for notices
//! when 32 sends are open, and waits for the rest before a message is filled
//! anew or overwritten by an answer. Pinning, the notice and the call that reads
//! it are a fixed price, so small messages lose; the kernel's documentation puts
//! the threshold at some ten KiB.
//!
//! Over loopback there is no gain to be had. A packet that stays on this machine
//! could wait for ever in the queue of a receiver that does not read, with the
//! sender's pages in it, so the kernel copies it on its way up and says so in the
//! notice (`SO_EE_CODE_ZEROCOPY_COPIED`); how many were copied is noted at each
//! point. What remains compared with `ipc/tcp` is the fixed price, and that the copy is
//! made later. With a network card the figure would be another one: this one
//! shows what a program pays that sets the flag and happens to send to its own
//! machine.
//!
//! Pinned pages count towards `ulimit -l` of a user without privilege, notices
//! towards `net.core.optmem_max`. Where the kernel refuses (ENOBUFS) the sender
//! waits for notices, then tries half the piece; a note says so.

use analysis::PointView;
use analysis::knees::Facts;
use catalogue::{Claim, Experiment};
use engines::transport::socket::zerocopy::{self, ZeroCopyEnd};
use engines::transport::socket::{BUFFERS, inet};
use engines::transport::{self, Options, Transport, claims, figures, findings};
use harness::SetupError;

/// An accepted and a connected socket, both with `SO_ZEROCOPY`.
pub struct TcpZeroCopy;

impl Transport for TcpZeroCopy {
    type End = ZeroCopyEnd;

    fn pair(options: &Options) -> Result<(ZeroCopyEnd, ZeroCopyEnd), SetupError> {
        zerocopy::ends(options)
    }
}

fn facts(point: &PointView) -> Facts {
    Facts {
        zerocopy: true,
        ..inet::facts(point)
    }
}

pub static EXPERIMENT: Experiment = Experiment {
    grids: |preset, card| transport::grids(preset, card, i64::MAX, BUFFERS),
    toll: |card| figures::toll(card, "TCP zero copy, loopback", "TCP zero copy"),
    claims: &[
        claims::FLAT,
        Claim {
            text: "A round trip costs its sender a third call, for the notification that the \
                   buffer is free again",
            check: |table| claims::calls(table, false, "sender_calls", 3.0),
        },
    ],
    findings: |table, card| findings::findings(table, card, facts),
    ..super::through::<TcpZeroCopy>()
};

#[cfg(test)]
mod tests {
    use super::TcpZeroCopy;
    use crate::ipc::death;

    #[test]
    fn a_killed_partner_hangs_nobody() {
        death::of_the_partner::<TcpZeroCopy>(5001);
    }
}
