//! How an end learns that the other has gone, where the kernel does not report it
//! (shared memory, message queues): each holds one end of a socket pair, which
//! closes with its holder, however that ended.

use super::control::ControlBlock;
use super::end::Wait;
use super::socket::refusal::refused;
use crate::crew::poll;
use harness::SetupError;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

/// Turns of a spin between two looks at the tether: some hundreds of
/// microseconds, so that the look itself is not noticed.
const TURNS: u32 = 1 << 17;

/// One end of a socket pair that breaks when the other side is gone.
#[derive(Debug)]
pub struct Tether(OwnedFd);

impl Tether {
    /// Both ends; each side keeps one.
    ///
    /// # Errors
    /// `Skip` where this user may not have more descriptors, or sockets.
    pub fn pair() -> Result<(Tether, Tether), SetupError> {
        let (one, other) = UnixStream::pair().map_err(|e| refused("create a socket pair", &e))?;
        Ok((Tether(one.into()), Tether(other.into())))
    }

    /// Whether the other end has closed.
    pub fn broken(&self) -> bool {
        let mut end = [poll::of(self.fd(), 0)];
        poll::poll(&mut end, 0) == 1 && end[0].revents & (libc::POLLHUP | libc::POLLERR) != 0
    }

    /// Its descriptor, for poll(2).
    pub fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// A duplicate of this end, for a thread that watches it.
    ///
    /// # Errors
    /// What dup says.
    pub fn again(&self) -> io::Result<OwnedFd> {
        self.0.try_clone()
    }

    /// Whether waiting has no sense any more.
    pub fn over(&self, control: &ControlBlock) -> bool {
        control.leaving() || self.broken()
    }

    /// Polls while the control block requests it and `there` is false.
    /// Returns what `there` says.
    ///
    /// # Errors
    /// `BrokenPipe`: the other side has gone, or all shall leave.
    #[inline]
    pub fn spin(
        &self,
        control: &ControlBlock,
        mut there: impl FnMut() -> bool,
    ) -> io::Result<bool> {
        let mut turns = 0u32;
        loop {
            if there() {
                return Ok(true);
            }
            if !control.awake() {
                return Ok(false);
            }
            turns = turns.wrapping_add(1);
            if control.leaving() || (turns.is_multiple_of(TURNS) && self.broken()) {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            std::hint::spin_loop();
        }
    }
}

/// The control block of a wait that may last, and whether it may spin.
#[inline]
pub fn control_of(wait: Wait<'_>) -> Option<(&ControlBlock, bool)> {
    match wait {
        Wait::Never => None,
        Wait::Asleep(control) => Some((control, false)),
        Wait::Awake(control) => Some((control, true)),
    }
}

/// What a receiver returns where a sender says `BrokenPipe`: the end.
///
/// # Errors
/// All others.
#[inline]
pub fn or_end(received: io::Result<usize>) -> io::Result<usize> {
    match received {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::Tether;

    #[test]
    fn a_tether_breaks_with_its_other_end() {
        let (here, there) = Tether::pair().unwrap();
        assert!(!here.broken());
        drop(there);
        assert!(here.broken());
    }
}
