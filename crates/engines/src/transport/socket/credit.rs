//! Ends of datagrams that may get lost: the sender is never further ahead than
//! the receiver has room for.

use super::buffers::{dropped, effective, look_up, try_message};
use super::{Socket, inet, say_goodbye};
use crate::transport::end::{End, Options, Wait};
use crate::transport::fds::{LOOK_TURNS, Patience, until};
use harness::SetupError;
use record::axis::human_bytes;
use std::io;
use std::os::fd::{OwnedFd, RawFd};

/// Messages on the way at the most: the queue of a network device holds 1000
/// packets by default.
const MOST: u64 = 256;
/// In an acknowledgement: not how many arrived, but how many were thrown away.
const LOST: u64 = 1 << 63;

/// An end with a second socket for acknowledgements.
#[derive(Debug)]
pub struct CreditEnd {
    data: Socket,
    acks: Socket,
    /// The receiver's socket blocks, with a limit.
    blocking: bool,
    window: u64,
    sent: u64,
    acked: u64,
    received: u64,
    /// On the main side: what it waits for was asked for, so it must come.
    main: bool,
    noted: Vec<String>,
}

/// Two ends. The window: `forced`, or what the receiver has room for.
///
/// # Errors
/// `Skip` where such sockets cannot be had, or the message does not go.
pub fn ends(options: &Options, forced: Option<u64>) -> Result<(CreditEnd, CreditEnd), SetupError> {
    let (a, b) = inet::udp(options)?;
    // Acknowledgements are few and small: the default buffers hold them.
    let plain = Options {
        buffer_bytes: None,
        ..*options
    };
    let (a_acks, b_acks) = inet::udp(&plain)?;
    for fd in [&a, &b, &a_acks, &b_acks] {
        look_up(fd)?;
    }
    let weight = try_message(&a, &b, options.message_bytes)?;
    let room = effective(&b, libc::SO_RCVBUF);
    let window = forced.unwrap_or_else(|| window(room, weight, options.message_bytes));
    let mut noted = inet::notes(&a);
    noted.push(format!(
        "at most {window} messages in flight: each takes {} at the receiver",
        human_bytes(weight as u64)
    ));
    let end = |data: OwnedFd, acks: OwnedFd, main, noted| {
        Ok::<_, SetupError>(CreditEnd {
            data: Socket::new(data, options)?,
            acks: Socket::new(acks, options)?,
            blocking: !(options.alone || options.polling),
            window,
            sent: 0,
            acked: 0,
            received: 0,
            main,
            noted,
        })
    };
    Ok((
        end(a, a_acks, true, noted)?,
        end(b, b_acks, false, Vec::new())?,
    ))
}

/// Messages of `weight` that fit `room`. A quarter is left: the kernel may give
/// memory of what was received back that much later. One always fits.
fn window(room: usize, weight: usize, message: usize) -> u64 {
    // Where the kernel does not report it: the next power of two and two structures.
    let weight = if weight == 0 {
        2 * message + 1280
    } else {
        weight
    };
    ((room / 4 * 3 / weight) as u64).clamp(1, MOST)
}

impl CreditEnd {
    /// Waits until the receiver has room for one more.
    fn room(&mut self, wait: Wait<'_>) -> io::Result<()> {
        while self.sent - self.acked >= self.window {
            let mut ack = [0; 8];
            if self.acks.receive(&mut ack, wait, Patience::Limited)? == 0 {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            self.understand(ack)?;
        }
        Ok(())
    }

    fn understand(&mut self, ack: [u8; 8]) -> io::Result<()> {
        let count = u64::from_ne_bytes(ack);
        if count & LOST != 0 {
            return Err(io::Error::other(lost_datagrams(count & !LOST)));
        }
        self.acked = self.acked.max(count);
        Ok(())
    }

    /// One more has arrived.
    fn acknowledge(&mut self) -> io::Result<()> {
        self.received += 1;
        if self.received.is_multiple_of((self.window / 2).max(1)) {
            self.tell(self.received)?;
        }
        Ok(())
    }

    /// There is always room for it: never more than three are unread.
    fn tell(&mut self, count: u64) -> io::Result<()> {
        let sent = self.acks.send(&count.to_ne_bytes(), Wait::Never, 0);
        sent.map(|_| ())
    }

    /// The next datagram, or 0 and how many the kernel has thrown away.
    fn next(&mut self, into: &mut [u8], wait: Wait<'_>) -> io::Result<(usize, u32)> {
        let (fd, blocking) = (self.data.fd(), self.blocking);
        let (at, len) = (into.as_mut_ptr(), into.len());
        let patience = if self.main {
            Patience::Limited
        } else {
            Patience::EverLasting
        };
        let (mut misses, mut lost) = (0u32, 0);
        let wanted = (fd, libc::POLLIN);
        let got = until(wanted, wait, patience, &mut self.data.calls, || {
            // SAFETY: the slice is writable for its length.
            let got = unsafe { libc::recv(fd, at.cast(), len, 0) };
            if got >= 0 {
                return got;
            }
            misses = misses.wrapping_add(1);
            if blocking || misses.is_multiple_of(LOOK_TURNS) {
                let cause = io::Error::last_os_error();
                lost = dropped(fd);
                if lost > 0 {
                    return 0;
                }
                restore(&cause);
            }
            got
        })?;
        Ok((got, lost))
    }
}

/// Puts the error of the call before back where it is looked for.
fn restore(cause: &io::Error) {
    // SAFETY: the error number of this thread.
    unsafe { *libc::__errno_location() = cause.raw_os_error().unwrap_or(libc::EAGAIN) };
}

fn lost_datagrams(lost: u64) -> String {
    format!("{lost} datagrams were dropped: the receiver's buffer was full")
}

impl End for CreditEnd {
    #[inline]
    fn send(&mut self, message: &[u8], wait: Wait<'_>) -> io::Result<usize> {
        self.room(wait)?;
        match self.data.send(message, wait, 0)? {
            0 => Err(io::ErrorKind::BrokenPipe.into()),
            n => {
                self.sent += 1;
                Ok(n)
            }
        }
    }

    #[inline]
    fn receive(&mut self, into: &mut [u8], wait: Wait<'_>) -> io::Result<usize> {
        match self.next(into, wait)? {
            (0, 0) => Ok(0),
            (0, lost) => {
                self.tell(LOST | u64::from(lost))?;
                Err(io::Error::other(lost_datagrams(lost.into())))
            }
            (n, _) => {
                self.acknowledge()?;
                Ok(n)
            }
        }
    }

    /// The receiver may have reported losses that are still unread.
    fn complaint(&mut self) -> Option<String> {
        let mut ack = [0; 8];
        while let Ok(8) = self.acks.receive(&mut ack, Wait::Never, Patience::Limited) {
            if let Err(lost) = self.understand(ack) {
                return Some(lost.to_string());
            }
        }
        None
    }

    fn calls(&self) -> u64 {
        self.data.calls + self.acks.calls
    }

    fn fds(&self) -> Vec<RawFd> {
        vec![self.data.fd(), self.acks.fd()]
    }

    fn notes(&self) -> Vec<String> {
        self.noted.clone()
    }
}

impl Drop for CreditEnd {
    fn drop(&mut self) {
        if self.main {
            say_goodbye(self.data.fd());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::window;

    #[test]
    fn the_window_leaves_a_quarter_and_is_never_closed() {
        assert_eq!(window(212_992, 768, 64), 208);
        assert_eq!(window(212_992, 200_000, 65_507), 1);
        assert_eq!(window(4608, 0, 4096), 1);
        assert_eq!(window(1 << 24, 768, 1), 256);
    }
}
