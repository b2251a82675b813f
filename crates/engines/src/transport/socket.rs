//! Sockets as ends of a transport: streams of bytes, and messages that keep
//! their boundaries.

pub mod buffers;
pub mod credit;
pub mod inet;
pub mod port;
pub mod refusal;
pub mod unix;
pub mod zerocopy;

use super::end::{End, Options, Wait};
use super::fds::{Patience, never_block, patiently, until, whole};
use harness::SetupError;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

/// Buffers that the presets ask for: small, above the usual limit, and as large
/// as the usual limit, last, which the quick preset takes.
pub const BUFFERS: &[i64] = &[4 << 10, 1 << 20, 208 << 10];

/// A socket that counts its calls.
#[derive(Debug)]
pub struct Socket {
    fd: OwnedFd,
    pub calls: u64,
}

impl Socket {
    /// # Errors
    /// What fcntl says.
    pub fn new(fd: OwnedFd, options: &Options) -> Result<Socket, SetupError> {
        if options.alone || options.polling {
            never_block(fd.as_raw_fd())
                .map_err(|e| SetupError::fail("make a socket non-blocking", e))?;
        }
        Ok(Socket { fd, calls: 0 })
    }

    /// Its descriptor.
    pub fn fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    /// Sends some of `bytes`: a message whole, of a stream what goes.
    ///
    /// # Errors
    /// As `End::send`.
    #[inline]
    pub fn send(&mut self, bytes: &[u8], wait: Wait<'_>, flags: i32) -> io::Result<usize> {
        let fd = self.fd.as_raw_fd();
        // A neighbour's death shall be an error, not a signal.
        let flags = flags | libc::MSG_NOSIGNAL;
        patiently(fd, libc::POLLOUT, wait, &mut self.calls, || {
            // SAFETY: the slice is readable for its length.
            unsafe { libc::send(fd, bytes.as_ptr().cast(), bytes.len(), flags) }
        })
    }

    /// Receives what there is, or one message.
    ///
    /// # Errors
    /// As `End::receive`; `TimedOut` where the patience is limited.
    #[inline]
    pub fn receive(
        &mut self,
        into: &mut [u8],
        wait: Wait<'_>,
        patience: Patience,
    ) -> io::Result<usize> {
        let fd = self.fd.as_raw_fd();
        let (at, len) = (into.as_mut_ptr(), into.len());
        until(
            (fd, libc::POLLIN),
            wait,
            patience,
            &mut self.calls,
            // SAFETY: the slice is writable for its length.
            || unsafe { libc::recv(fd, at.cast(), len, 0) },
        )
    }
}

/// An end of a stream of bytes, or one that hands over messages: each whole, or not at
/// all. What receives those has to have room for a whole message.
#[derive(Debug)]
pub struct SocketEnd<const STREAM: bool> {
    pub socket: Socket,
    noted: Vec<String>,
    /// Says goodbye with an empty message when it is dropped: the kernel does
    /// not notify the receiver of a datagram that the sender has gone.
    farewell: bool,
}

/// An end of a stream of bytes.
pub type StreamEnd = SocketEnd<true>;
/// An end that hands over messages.
pub type MessageEnd = SocketEnd<false>;

impl<const STREAM: bool> SocketEnd<STREAM> {
    /// Both ends: the main one, which says what was obtained and may say goodbye, and
    /// the partner's.
    ///
    /// # Errors
    /// What fcntl says.
    pub fn both(
        (main, partner): (OwnedFd, OwnedFd),
        options: &Options,
        noted: Vec<String>,
        farewell: bool,
    ) -> Result<(Self, Self), SetupError> {
        let end = |fd, noted, farewell| {
            Socket::new(fd, options).map(|socket| SocketEnd {
                socket,
                noted,
                farewell,
            })
        };
        Ok((
            end(main, noted, farewell)?,
            end(partner, Vec::new(), false)?,
        ))
    }
}

impl<const STREAM: bool> End for SocketEnd<STREAM> {
    #[inline]
    fn send(&mut self, message: &[u8], wait: Wait<'_>) -> io::Result<usize> {
        if STREAM {
            return whole(message, wait, |rest, wait| self.socket.send(rest, wait, 0));
        }
        match self.socket.send(message, wait, 0)? {
            0 => Err(io::ErrorKind::BrokenPipe.into()),
            n => Ok(n),
        }
    }

    #[inline]
    fn receive(&mut self, into: &mut [u8], wait: Wait<'_>) -> io::Result<usize> {
        self.socket.receive(into, wait, Patience::EverLasting)
    }

    fn calls(&self) -> u64 {
        self.socket.calls
    }

    fn fds(&self) -> Vec<RawFd> {
        vec![self.socket.fd()]
    }

    fn notes(&self) -> Vec<String> {
        self.noted.clone()
    }
}

impl<const STREAM: bool> Drop for SocketEnd<STREAM> {
    fn drop(&mut self) {
        if self.farewell {
            say_goodbye(self.socket.fd());
        }
    }
}

/// An empty message, which has no other use. Where the other side does not
/// get it, it finds out from the control block a tenth of a second later.
pub fn say_goodbye(fd: RawFd) {
    let flags = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
    // SAFETY: no bytes are read.
    unsafe { libc::send(fd, std::ptr::null(), 0, flags) };
}
