//! Pairs of UNIX domain sockets.

use super::buffers::{self, SEND_LIMIT, effective, look_up, resize, try_message};
use super::refusal::refused;
use super::{MessageEnd, StreamEnd};
use crate::transport::end::Options;
use crate::transport::fds::done;
use harness::SetupError;
use machine::tunable::WMEM_MAX;
use std::os::fd::{FromRawFd, OwnedFd};

/// The kernel keeps so much of a socket's buffer from a message.
const RESERVED: usize = 32;

/// Two connected sockets with the buffers asked for.
///
/// # Errors
/// `Skip` where they cannot be had.
pub fn sockets(kind: libc::c_int, options: &Options) -> Result<(OwnedFd, OwnedFd), SetupError> {
    let mut ends = [-1; 2];
    let kind = kind | libc::SOCK_CLOEXEC;
    // SAFETY: the array holds the two descriptors that the call writes.
    done(unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) })
        .map_err(|e| refused("create a pair of UNIX sockets", &e))?;
    // SAFETY: both were just made and are owned here only.
    let pair = unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) };
    resize(&pair.0, options)?;
    resize(&pair.1, options)?;
    Ok(pair)
}

/// Ends of a stream.
///
/// # Errors
/// As `sockets`.
pub fn streams(options: &Options) -> Result<(StreamEnd, StreamEnd), SetupError> {
    let ends = sockets(libc::SOCK_STREAM, options)?;
    let noted = buffers::notes(&ends.0);
    StreamEnd::both(ends, options, noted, false)
}

/// Ends of datagrams or of packets in sequence.
///
/// # Errors
/// As `sockets`; `Skip` too where the kernel takes no message of this size.
pub fn messages(
    kind: libc::c_int,
    options: &Options,
) -> Result<(MessageEnd, MessageEnd), SetupError> {
    let ends = sockets(kind, options)?;
    try_message(&ends.0, &ends.1, options.message_bytes)?;
    let connectionless = kind == libc::SOCK_DGRAM;
    if connectionless {
        look_up(&ends.0)?;
        look_up(&ends.1)?;
    }
    let noted = buffers::notes(&ends.0);
    MessageEnd::both(ends, options, noted, connectionless)
}

/// The largest message that fits the buffer to send, and how to get more.
pub fn largest_message(kind: libc::c_int, options: &Options) -> Option<(usize, String)> {
    // What cannot be had here is refused by `messages`.
    let (main, _partner) = sockets(kind, options).ok()?;
    let largest = effective(&main, libc::SO_SNDBUF).checked_sub(RESERVED)?;
    Some((
        largest,
        remedy(options.message_bytes, WMEM_MAX.value().unwrap_or(0)),
    ))
}

fn remedy(message: usize, limit: usize) -> String {
    // Half of what the kernel then grants.
    let wanted = (message + RESERVED).div_ceil(2).next_multiple_of(4096);
    if wanted <= limit {
        format!("--axis buffer={wanted}")
    } else {
        format!("sudo sysctl {SEND_LIMIT}={wanted} and --axis buffer={wanted}")
    }
}

#[cfg(test)]
mod tests {
    use super::remedy;

    #[test]
    fn the_remedy_asks_for_the_limit_only_where_it_is_too_low() {
        assert_eq!(remedy(300_000, 1 << 20), "--axis buffer=151552");
        let above = remedy(16 << 20, 212_992);
        assert!(above.contains("wmem_max=8392704"), "{above}");
        assert!(above.ends_with("--axis buffer=8392704"), "{above}");
    }
}
