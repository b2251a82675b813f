//! Connected pairs of internet sockets on the loopback device, on ports that
//! the kernel chooses where the point does not.

use super::StreamEnd;
use super::buffers::{self, resize};
use super::port::{self, ADDRESS_BYTES, Address};
use super::refusal::refused;
use crate::transport::end::Options;
use crate::transport::fds::{done, until_possible};
use analysis::PointView;
use analysis::knees::Facts;
use harness::SetupError;
use machine::tunable::LOOPBACK_MTU;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Before the bytes of the loopback device's largest packet.
const MTU_NOTE: &str = "loopback mtu in bytes: ";

/// What was really obtained, and what the way there lets through at once.
pub fn notes(fd: &OwnedFd) -> Vec<String> {
    let mut notes = buffers::notes(fd);
    notes.extend(LOOPBACK_MTU.value().map(mtu_note));
    notes
}

fn mtu_note(bytes: u64) -> String {
    format!("{MTU_NOTE}{bytes}")
}

/// The same, read back from a point's notes.
pub fn facts(point: &PointView) -> Facts {
    Facts {
        loopback_mtu_bytes: buffers::noted(point, MTU_NOTE),
        ..buffers::facts(point)
    }
}

/// Ends of a TCP connection. The main side's was accepted: its first message
/// finds the connection made.
///
/// # Errors
/// As `tcp`.
pub fn streams(options: &Options) -> Result<(StreamEnd, StreamEnd), SetupError> {
    let ends = connection(options)?;
    let noted = notes(&ends.0);
    StreamEnd::both(ends, options, noted, false)
}

/// `tcp`, sending at once (`TCP_NODELAY`).
///
/// # Errors
/// As `tcp`.
pub fn connection(options: &Options) -> Result<(OwnedFd, OwnedFd), SetupError> {
    let (accepted, connected) = tcp(options)?;
    for fd in [&accepted, &connected] {
        buffers::set::<libc::c_int>(fd, libc::IPPROTO_TCP, libc::TCP_NODELAY, 1)
            .map_err(|e| SetupError::fail("switch off Nagle's algorithm (TCP_NODELAY)", e))?;
    }
    Ok((accepted, connected))
}

/// An accepted and a connected TCP socket, of one connection.
///
/// # Errors
/// `Skip` where this machine has no loopback device, no more descriptors, or
/// forbids it, and where another process has the port.
pub fn tcp(options: &Options) -> Result<(OwnedFd, OwnedFd), SetupError> {
    let listener = sized(libc::SOCK_STREAM, options)?;
    port::listen(&listener, options.port).map_err(|e| port::refused(options.port, &e))?;
    let connected = bound(libc::SOCK_STREAM, options)?;
    connect(&connected, &address_of(&listener)?)?;
    let expected = address_of(&connected)?;
    // Connections of other processes are closed.
    for _ in 0..100 {
        let (accepted, peer) = accept(&listener)?;
        if (peer.sin_addr.s_addr, peer.sin_port) == (expected.sin_addr.s_addr, expected.sin_port) {
            return Ok((accepted, connected));
        }
    }
    Err(SetupError::fail(
        "accept a connection",
        "other programs connect to the port, and the own connection does not arrive",
    ))
}

/// Two UDP sockets that send to and receive from each other only.
///
/// # Errors
/// As `tcp`.
pub fn udp(options: &Options) -> Result<(OwnedFd, OwnedFd), SetupError> {
    let (a, b) = (
        bound(libc::SOCK_DGRAM, options)?,
        bound(libc::SOCK_DGRAM, options)?,
    );
    connect(&a, &address_of(&b)?)?;
    connect(&b, &address_of(&a)?)?;
    Ok((a, b))
}

/// A socket on 127.0.0.1, on any port.
fn bound(kind: libc::c_int, options: &Options) -> Result<OwnedFd, SetupError> {
    let fd = sized(kind, options)?;
    port::bind(&fd, 0).map_err(|e| refused("bind a socket to 127.0.0.1", &e))?;
    Ok(fd)
}

/// A socket with the buffers that the point asks for. They are set before it is
/// connected: the window of TCP is scaled by them then.
fn sized(kind: libc::c_int, options: &Options) -> Result<OwnedFd, SetupError> {
    let fd = port::socket(kind).map_err(|e| refused("create an internet socket", &e))?;
    resize(&fd, options)?;
    Ok(fd)
}

fn address_of(fd: &OwnedFd) -> Result<Address, SetupError> {
    let mut address = MaybeUninit::<Address>::zeroed();
    let mut bytes = ADDRESS_BYTES;
    let at = address.as_mut_ptr().cast();
    // SAFETY: the call writes at most `bytes` into the address.
    done(unsafe { libc::getsockname(fd.as_raw_fd(), at, &raw mut bytes) })
        .map_err(|e| refused("read the address of a socket", &e))?;
    // SAFETY: zeroed before, integers of any value are valid.
    Ok(unsafe { address.assume_init() })
}

fn connect(fd: &OwnedFd, to: &Address) -> Result<(), SetupError> {
    // A firewall that throws packets away would hold this call for minutes.
    limit(fd, 2)?;
    // SAFETY: the address is readable for its size.
    done(unsafe { libc::connect(fd.as_raw_fd(), (&raw const *to).cast(), ADDRESS_BYTES) })
        .map_err(|e| refused("connect to 127.0.0.1", &e))?;
    limit(fd, 0)
}

/// Seconds that a call which sends may take; 0: any time.
fn limit(fd: &OwnedFd, seconds: libc::time_t) -> Result<(), SetupError> {
    let limit = libc::timeval {
        tv_sec: seconds,
        tv_usec: 0,
    };
    buffers::set(fd, libc::SOL_SOCKET, libc::SO_SNDTIMEO, limit)
        .map_err(|e| SetupError::fail("limit a connection attempt", e))
}

fn accept(listener: &OwnedFd) -> Result<(OwnedFd, Address), SetupError> {
    // Ten times a tenth of a second: the connection is made, but the kernel may
    // still be queueing it.
    if !(0..10).any(|_| until_possible(listener.as_raw_fd(), libc::POLLIN)) {
        return Err(SetupError::late(
            "the kernel has not handed over a connection on 127.0.0.1 within a second",
        ));
    }
    let mut peer = MaybeUninit::<Address>::zeroed();
    let mut bytes = ADDRESS_BYTES;
    let at = peer.as_mut_ptr().cast();
    // SAFETY: the call writes at most `bytes` into the address.
    let fd = unsafe { libc::accept4(listener.as_raw_fd(), at, &raw mut bytes, libc::SOCK_CLOEXEC) };
    let fd = done(fd).map_err(|e| refused("accept a connection", &e))?;
    // SAFETY: just made and owned here only; the address was zeroed
    // before, and integers of any value are valid.
    Ok(unsafe { (OwnedFd::from_raw_fd(fd), peer.assume_init()) })
}

#[cfg(test)]
mod tests {
    use super::{LOOPBACK_MTU, Options, address_of, facts, mtu_note, port, streams, tcp, udp};
    use crate::transport::end::End;
    use crate::transport::socket::{credit, zerocopy};
    use testbed::measured;

    use analysis::knees::thresholds;
    use record::MachineCard;

    #[test]
    fn the_largest_packet_is_read_back_and_becomes_a_threshold() {
        let mut point = measured("ipc/tcp", &[], &[1.0]);
        point.head.notes = vec![mtu_note(1500)];
        assert_eq!(point.head.notes, ["loopback mtu in bytes: 1500"]);
        let known = thresholds(&MachineCard::default(), &facts(&point));
        let named = known.iter().find(|t| t.name == "lo MTU");
        assert_eq!(named.map(|t| t.bytes), Some(1500));
    }

    #[test]
    fn every_transport_on_loopback_notes_it_beside_its_buffers() {
        let expected: Option<u64> = LOOPBACK_MTU.value();
        let (tcp, _other) = streams(&on(0)).unwrap();
        let (udp, _other) = credit::ends(&on(0), None).unwrap();
        let (zerocopy, _other) = zerocopy::ends(&on(0)).unwrap();
        for notes in [tcp.notes(), udp.notes(), zerocopy.notes()] {
            let mut point = measured("ipc/tcp", &[], &[1.0]);
            point.head.notes = notes;
            assert_eq!(facts(&point).loopback_mtu_bytes, expected);
            assert!(facts(&point).send_buffer_bytes.is_some());
        }
    }

    fn on(port: u16) -> Options {
        Options {
            processes: false,
            port,
            message_bytes: 1,
            buffer_bytes: None,
            alone: false,
            polling: false,
        }
    }

    #[test]
    fn the_two_sides_are_of_one_connection_and_on_loopback_only() {
        for pair in [tcp(&on(0)), udp(&on(0))] {
            let (a, b) = pair.unwrap();
            let (a, b) = (address_of(&a).unwrap(), address_of(&b).unwrap());
            assert_ne!(a.sin_port, b.sin_port);
            for address in [a, b] {
                assert_eq!(address.sin_addr.s_addr.to_ne_bytes(), [127, 0, 0, 1]);
            }
        }
    }

    #[test]
    fn the_accepted_side_has_the_port_that_is_asked_for_time_after_time() {
        // Below those that the kernel gives to concurrent tests.
        let start = 20_000 + u16::try_from(std::process::id() % 10_000).unwrap();
        let free = (start..32_000).find(|p| port::available(*p).is_ok());
        let wanted = free.expect("a port below 32000 is free");
        for _ in 0..2 {
            let (accepted, connected) = tcp(&on(wanted)).unwrap();
            assert_eq!(address_of(&accepted).unwrap().sin_port.to_be(), wanted);
            assert_ne!(address_of(&connected).unwrap().sin_port.to_be(), wanted);
            // Who closes first keeps the port for a minute.
            drop(accepted);
            drop(connected);
        }
    }
}
