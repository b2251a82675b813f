//! The port that a listening socket takes, and why it cannot have it.

use super::{buffers, refusal};
use crate::transport::fds::done;
use harness::SetupError;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

pub(super) type Address = libc::sockaddr_in;
#[expect(clippy::cast_possible_truncation, reason = "an address has 16 bytes")]
pub(super) const ADDRESS_BYTES: libc::socklen_t = size_of::<Address>() as libc::socklen_t;

/// Connections that may wait to be accepted: ours, and those of other processes.
const BACKLOG: libc::c_int = 8;

/// Binds the socket to 127.0.0.1 and this port; 0: one that is free.
///
/// # Errors
/// What bind(2) says.
#[expect(clippy::cast_possible_truncation, reason = "AF_INET is 2")]
pub(super) fn bind(fd: &OwnedFd, port: u16) -> io::Result<()> {
    let address = Address {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: port.to_be(),
        sin_addr: libc::in_addr {
            s_addr: u32::from_ne_bytes([127, 0, 0, 1]),
        },
        sin_zero: [0; 8],
    };
    // SAFETY: the address is readable for its size.
    done(unsafe { libc::bind(fd.as_raw_fd(), (&raw const address).cast(), ADDRESS_BYTES) })?;
    Ok(())
}

/// Lets the socket listen there.
///
/// # Errors
/// What bind(2) or listen(2) say: either may find the port taken.
pub(super) fn listen(fd: &OwnedFd, port: u16) -> io::Result<()> {
    if port != 0 {
        // The connection of the last point, or of the last run, keeps its port
        // for a minute after its end; that does not block the next.
        buffers::set::<libc::c_int>(fd, libc::SOL_SOCKET, libc::SO_REUSEADDR, 1)?;
    }
    bind(fd, port)?;
    // SAFETY: no pointers.
    done(unsafe { libc::listen(fd.as_raw_fd(), BACKLOG) })?;
    Ok(())
}

/// Whether a listening socket can have the port now. Nothing is kept.
///
/// # Errors
/// What socket(2), bind(2) or listen(2) say.
pub fn available(port: u16) -> io::Result<()> {
    listen(&socket(libc::SOCK_STREAM)?, port)
}

/// A new internet socket.
///
/// # Errors
/// What socket(2) says.
pub(super) fn socket(kind: libc::c_int) -> io::Result<OwnedFd> {
    // SAFETY: no pointers.
    let fd = done(unsafe { libc::socket(libc::AF_INET, kind | libc::SOCK_CLOEXEC, 0) })?;
    // SAFETY: just made and owned here only.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Completes `cannot <doing>`, in the same words everywhere.
pub fn doing(port: u16) -> String {
    match port {
        0 => "listen on 127.0.0.1".to_owned(),
        port => format!("listen on 127.0.0.1 port {port}"),
    }
}

/// What helps where the port itself is the reason, after `another`: how the
/// caller chooses another one.
pub fn remedy(port: u16, cause: &io::Error, another: &str) -> Option<String> {
    match cause.raw_os_error() {
        Some(libc::EADDRINUSE) if port != 0 => Some(format!(
            "{another}; to see who uses this one: ss -ltnp sport = :{port}"
        )),
        // Only root, or who has CAP_NET_BIND_SERVICE, takes the low ones.
        Some(libc::EACCES) if port != 0 => Some(format!(
            "{another}; for this one: sudo sysctl net.ipv4.ip_unprivileged_port_start={port}"
        )),
        _ => None,
    }
}

/// A listening socket that was refused.
pub(super) fn refused(port: u16, cause: &io::Error) -> SetupError {
    let doing = doing(port);
    match remedy(port, cause, "--axis port=0 takes one that is free") {
        Some(remedy) => SetupError::skip(format!("cannot {doing}: {cause}"), remedy),
        None => refusal::refused(&doing, cause),
    }
}

#[cfg(test)]
mod tests {
    use super::{available, refused, remedy};
    use harness::SetupError;
    use std::io;

    #[test]
    fn a_port_that_cannot_be_had_is_skipped_and_named() {
        for (code, part) in [
            (libc::EADDRINUSE, "ss -ltnp sport = :7"),
            (libc::EACCES, "ip_unprivileged_port_start=7"),
        ] {
            match refused(7, &io::Error::from_raw_os_error(code)) {
                SetupError::Skip { reason, remedy } => {
                    let start = "cannot listen on 127.0.0.1 port 7: ";
                    assert!(reason.starts_with(start), "{reason}");
                    assert!(remedy.starts_with("--axis port=0"), "{remedy}");
                    assert!(remedy.contains(part), "{remedy}");
                }
                SetupError::Fail(why) => panic!("{why}"),
            }
        }
    }

    #[test]
    fn other_causes_have_nothing_to_do_with_the_port() {
        let limit = io::Error::from_raw_os_error(libc::EMFILE);
        assert_eq!(remedy(7, &limit, ""), None);
        assert!(matches!(
            refused(7, &limit),
            SetupError::Skip { remedy, .. } if remedy.contains("ulimit")
        ));
    }

    #[test]
    fn a_port_is_available_while_nobody_listens_there() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let taken = available(port).unwrap_err();
        assert_eq!(taken.raw_os_error(), Some(libc::EADDRINUSE));
        assert!(available(0).is_ok());
    }
}
