//! How much a socket holds: asked for, read back, noted.

use super::refusal::{refused, refused_now};
use crate::crew::futex::LOOK_NS;
use crate::transport::end::Options;
use crate::transport::fds::{done, until_possible};
use analysis::PointView;
use analysis::knees::Facts;
use harness::SetupError;
use record::axis::human_bytes;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

/// The setting that bounds SO_SNDBUF.
pub const SEND_LIMIT: &str = "net.core.wmem_max";
/// The setting that bounds SO_RCVBUF.
pub const RECEIVE_LIMIT: &str = "net.core.rmem_max";

/// Gives the socket the buffers that the point asks for.
///
/// # Errors
/// `Skip` where the system's limit is lower: the kernel cuts silently.
pub fn resize(fd: &OwnedFd, options: &Options) -> Result<(), SetupError> {
    let Some(bytes) = options.buffer_bytes else {
        return Ok(());
    };
    for (option, limit) in [
        (libc::SO_SNDBUF, SEND_LIMIT),
        (libc::SO_RCVBUF, RECEIVE_LIMIT),
    ] {
        let wanted = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX);
        set(fd, libc::SOL_SOCKET, option, wanted)
            .map_err(|e| SetupError::fail("set the buffer of a socket", e))?;
        // The kernel doubles what it grants, for its own bookkeeping.
        let granted = effective(fd, option) / 2;
        if granted < bytes {
            return Err(SetupError::skip(
                format!(
                    "this user cannot have a socket buffer of {}: {limit} is {}",
                    human_bytes(bytes as u64),
                    human_bytes(granted as u64)
                ),
                format!("sudo sysctl {SEND_LIMIT}={bytes} {RECEIVE_LIMIT}={bytes}"),
            ));
        }
    }
    Ok(())
}

/// Effective size of `SO_SNDBUF` or `SO_RCVBUF`: what the kernel charges against,
/// its bookkeeping included. 0 where it is unknown.
pub fn effective(fd: &OwnedFd, option: libc::c_int) -> usize {
    get::<libc::c_int>(fd, libc::SOL_SOCKET, option)
        .ok()
        .and_then(|bytes| usize::try_from(bytes).ok())
        .unwrap_or(0)
}

/// Before the bytes of a buffer, the kernel's bookkeeping included.
const SEND_NOTE: &str = "send buffer in bytes: ";
const RECEIVE_NOTE: &str = "receive buffer in bytes: ";

/// What was really obtained.
pub fn notes(fd: &OwnedFd) -> Vec<String> {
    vec![
        format!("{SEND_NOTE}{}", effective(fd, libc::SO_SNDBUF)),
        format!("{RECEIVE_NOTE}{}", effective(fd, libc::SO_RCVBUF)),
    ]
}

/// The same, read back from a point's notes.
pub fn facts(point: &PointView) -> Facts {
    Facts {
        send_buffer_bytes: noted(point, SEND_NOTE),
        receive_buffer_bytes: noted(point, RECEIVE_NOTE),
        ..Facts::default()
    }
}

/// The number behind `what` in the notes of a point.
pub fn noted(point: &PointView, what: &str) -> Option<u64> {
    let mut notes = point.head.notes.iter();
    notes.find_map(|note| note.strip_prefix(what)?.parse().ok())
}

/// Lets a blocking receive return after a while: for sockets whose kernel side
/// does not report that the sender has gone.
///
/// # Errors
/// `Fail`: what setsockopt says.
pub fn look_up(fd: &OwnedFd) -> Result<(), SetupError> {
    let patience = libc::timeval {
        tv_sec: 0,
        tv_usec: (LOOK_NS / 1000) as _,
    };
    set(fd, libc::SOL_SOCKET, libc::SO_RCVTIMEO, patience)
        .map_err(|e| SetupError::fail("limit a receive", e))
}

/// # Errors
/// What setsockopt says.
#[expect(
    clippy::cast_possible_truncation,
    reason = "option values have some tens of bytes"
)]
pub fn set<T: Copy>(
    fd: &OwnedFd,
    level: libc::c_int,
    option: libc::c_int,
    value: T,
) -> io::Result<()> {
    let bytes = size_of::<T>() as libc::socklen_t;
    let at = (&raw const value).cast();
    // SAFETY: the value is read during the call, for its size.
    done(unsafe { libc::setsockopt(fd.as_raw_fd(), level, option, at, bytes) })?;
    Ok(())
}

/// An option made of plain integers.
///
/// # Errors
/// What getsockopt says.
#[expect(
    clippy::cast_possible_truncation,
    reason = "option values have some tens of bytes"
)]
pub fn get<T: Copy>(fd: &impl AsRawFd, level: libc::c_int, option: libc::c_int) -> io::Result<T> {
    let mut value = MaybeUninit::<T>::zeroed();
    let mut bytes = size_of::<T>() as libc::socklen_t;
    let at = value.as_mut_ptr().cast();
    // SAFETY: the call writes at most `bytes` into the value.
    done(unsafe { libc::getsockopt(fd.as_raw_fd(), level, option, at, &raw mut bytes) })?;
    // SAFETY: zeroed before, integers of any value are valid.
    Ok(unsafe { value.assume_init() })
}

/// A message as large as the point's goes from one socket to the other. Returns
/// its charge in the receiver's buffer, where the kernel reports it.
///
/// # Errors
/// `Skip` where it is too large for the kernel or does not arrive.
pub fn try_message(from: &OwnedFd, to: &OwnedFd, bytes: usize) -> Result<usize, SetupError> {
    let message = vec![0u8; bytes];
    let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
    // SAFETY: the message is readable for its length.
    if unsafe { libc::send(from.as_raw_fd(), message.as_ptr().cast(), bytes, flags) } < 0 {
        let cause = io::Error::last_os_error();
        return Err(match cause.raw_os_error() {
            Some(libc::EMSGSIZE | libc::ENOBUFS | libc::ENOMEM) => SetupError::skip(
                format!(
                    "a message of {} cannot be sent at once: {cause}",
                    human_bytes(bytes as u64)
                ),
                "--axis size=1..64KiB",
            ),
            _ => refused("send a message", &cause),
        });
    }
    let arrived = (0..10).any(|_| until_possible(to.as_raw_fd(), libc::POLLIN));
    let weight = get::<[u32; MEMINFO]>(to, libc::SOL_SOCKET, SO_MEMINFO).map_or(0, |i| i[0]);
    let mut byte = 0u8;
    let flags = libc::MSG_DONTWAIT | libc::MSG_TRUNC;
    // SAFETY: one byte is writable; the rest of the message is thrown away.
    let got = unsafe { libc::recv(to.as_raw_fd(), (&raw mut byte).cast(), 1, flags) };
    if arrived && got >= 0 {
        return Ok(weight as usize);
    }
    if got < 0 && io::Error::last_os_error().kind() != io::ErrorKind::WouldBlock {
        return Err(refused_now("receive a message"));
    }
    Err(SetupError::skip(
        "a message to this machine itself does not arrive within a second",
        "allow packets on lo in the firewall (sudo nft list ruleset)",
    ))
}

/// Words of `SO_MEMINFO`: memory of received bytes first, datagrams dropped
/// last.
const MEMINFO: usize = 9;
const SO_MEMINFO: libc::c_int = 55;

/// Datagrams that the kernel has dropped at this socket.
pub fn dropped(fd: RawFd) -> u32 {
    // Without the answer nothing is known to be lost.
    get::<[u32; MEMINFO]>(&fd, libc::SOL_SOCKET, SO_MEMINFO).map_or(0, |words| words[MEMINFO - 1])
}

#[cfg(test)]
mod tests {
    use super::{facts, notes};
    use crate::transport::Options;
    use crate::transport::socket::unix;
    use testbed::measured;

    #[test]
    fn what_was_obtained_is_read_back_from_the_notes() {
        let options = Options {
            processes: false,
            port: 0,
            message_bytes: 1,
            buffer_bytes: Some(8192),
            alone: false,
            polling: false,
        };
        let (fd, _other) = unix::sockets(libc::SOCK_STREAM, &options).unwrap();
        let mut point = measured("ipc/unix_stream", &[], &[1.0]);
        point.head.notes = notes(&fd);
        assert_eq!(facts(&point).send_buffer_bytes, Some(16_384));
        assert_eq!(facts(&point).receive_buffer_bytes, Some(16_384));
    }
}
