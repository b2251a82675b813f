//! The token: a counter of eight bytes, sent through a pipe.

use super::footprint::Footprint;
use engines::crew::demand::Demand;
use harness::{Fault, SetupError};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// Bytes of a token. Pipes take and give them whole.
const BYTES: usize = size_of::<u64>();

/// Read end and write end, closed on exec.
///
/// # Errors
/// `Skip` where no descriptors are left, `Fail` otherwise.
pub fn pipe() -> Result<(OwnedFd, OwnedFd), SetupError> {
    let mut ends = [-1; 2];
    // SAFETY: the array holds the two descriptors that the call writes.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } == 0 {
        // SAFETY: both were just made and belong to nobody else.
        return Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) });
    }
    Err(pipe_error(&io::Error::last_os_error()))
}

fn pipe_error(error: &io::Error) -> SetupError {
    let remedy = match error.raw_os_error() {
        Some(libc::EMFILE) => "ulimit -n 1024",
        Some(libc::ENFILE) => "sysctl -w fs.file-max=1000000",
        _ => return SetupError::fail("create a pipe", error),
    };
    SetupError::skip(format!("no descriptor left for a pipe: {error}"), remedy)
}

/// Makes a read end fit for `receive_polling`.
///
/// # Errors
/// `Fail` with what fcntl says.
pub fn poll_instead_of_sleeping(end: &OwnedFd) -> Result<(), SetupError> {
    // SAFETY: no pointers.
    if unsafe { libc::fcntl(end.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) } == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    Err(SetupError::fail("make a pipe non-blocking", error))
}

/// # Errors
/// What write says; `EPIPE` where the reader has gone.
#[inline]
pub fn send(fd: RawFd, token: u64) -> io::Result<()> {
    loop {
        // SAFETY: eight bytes of a live local.
        let put = unsafe { libc::write(fd, (&raw const token).cast(), BYTES) };
        if put.cast_unsigned() == BYTES {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// The token, or None at the end of file. Sleeps until either comes.
///
/// # Errors
/// What read says; an interrupting signal is waited out.
#[inline]
pub fn receive(fd: RawFd) -> io::Result<Option<u64>> {
    loop {
        match read_token(fd) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// As `receive`, on an end that polls: asks again and again while `demand` is
/// called, and sleeps on an empty pipe only while it rests.
///
/// # Errors
/// As `receive`.
#[inline]
pub fn receive_polling(fd: RawFd, demand: &Demand) -> io::Result<Option<u64>> {
    loop {
        match read_token(fd) {
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                if demand.called() {
                    std::hint::spin_loop();
                } else {
                    sleep_until_readable(fd);
                }
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

#[inline]
fn read_token(fd: RawFd) -> io::Result<Option<u64>> {
    let mut token = 0u64;
    // SAFETY: eight bytes of a live local.
    let got = unsafe { libc::read(fd, (&raw mut token).cast(), BYTES) };
    match got {
        0 => Ok(None),
        _ if got.cast_unsigned() == BYTES => Ok(Some(token)),
        _ => Err(io::Error::last_os_error()),
    }
}

fn sleep_until_readable(fd: RawFd) {
    let mut wanted = libc::pollfd {
        fd,
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: one structure, as its size says. However it returns, the caller looks
    // again.
    unsafe { libc::poll(&raw mut wanted, 1, -1) };
}

/// The work of one hop done by one process: write the token, read it back, read
/// through the footprint. Nothing is switched and everything stays cached.
#[derive(Debug)]
pub struct Loopback {
    write: OwnedFd,
    read: OwnedFd,
    footprint: Footprint,
    turns: u64,
    broken: Option<Fault>,
}

impl Loopback {
    /// # Errors
    /// As [`pipe`]; `Fail` when the footprint cannot be mapped.
    pub fn new(footprint_bytes: usize, line_bytes: usize) -> Result<Loopback, SetupError> {
        let footprint = Footprint::map(footprint_bytes, line_bytes)
            .map_err(|e| SetupError::fail("map the footprint", e))?;
        footprint.touch();
        let (read, write) = pipe()?;
        Ok(Loopback {
            write,
            read,
            footprint,
            turns: 0,
            broken: None,
        })
    }

    /// Does the work of `turns` hops. Stops at the first that fails.
    pub fn turns(&mut self, turns: u64) {
        for _ in 0..turns {
            if let Err(cause) = self.turn() {
                self.broken.get_or_insert(cause);
                return;
            }
        }
    }

    fn turn(&mut self) -> Result<(), Fault> {
        send(self.write.as_raw_fd(), self.turns)
            .map_err(|e| Fault::refused("write to the pipe", e))?;
        let back =
            receive(self.read.as_raw_fd()).map_err(|e| Fault::refused("read from the pipe", e))?;
        self.footprint.read();
        if back != Some(self.turns) {
            return Err(Fault::wrong(format!(
                "wrote {} to the pipe and read {back:?}",
                self.turns
            )));
        }
        self.turns += 1;
        Ok(())
    }

    /// # Errors
    /// The first turn that failed.
    pub fn check(&self) -> Result<(), Fault> {
        engines::verdict::kept(self.broken.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::{Loopback, pipe, pipe_error, receive, send};
    use harness::SetupError;
    use std::io;
    use std::os::fd::AsRawFd;

    #[test]
    fn a_token_comes_out_as_it_went_in_and_then_the_end() {
        let (read, write) = pipe().unwrap();
        send(write.as_raw_fd(), u64::MAX - 1).unwrap();
        assert_eq!(receive(read.as_raw_fd()).unwrap(), Some(u64::MAX - 1));
        drop(write);
        assert_eq!(receive(read.as_raw_fd()).unwrap(), None);
    }

    #[test]
    fn a_reader_that_has_gone_is_an_error() {
        let (read, write) = pipe().unwrap();
        drop(read);
        let error = send(write.as_raw_fd(), 1).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }

    #[test]
    fn missing_descriptors_are_a_skip_and_other_errors_are_not() {
        let of = |code| pipe_error(&io::Error::from_raw_os_error(code));
        assert!(
            matches!(of(libc::EMFILE), SetupError::Skip { remedy, .. } if remedy.starts_with("ulimit -n"))
        );
        assert!(matches!(of(libc::ENFILE), SetupError::Skip { .. }));
        assert!(matches!(of(libc::EFAULT), SetupError::Fail(_)));
    }

    #[test]
    fn the_loopback_counts_its_turns() {
        let mut alone = Loopback::new(4096, 64).unwrap();
        alone.turns(25);
        assert_eq!((alone.check(), alone.turns), (Ok(()), 25));
        // A token too many in the pipe: what comes back is not what was sent.
        send(alone.write.as_raw_fd(), 7).unwrap();
        alone.turns(1);
        assert!(alone.check().is_err());
    }
}
