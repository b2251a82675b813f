//! The contract between a transport and the engine.

use super::control::ControlBlock;
use harness::SetupError;
use std::io;
use std::os::fd::RawFd;

/// What the point asks of a transport.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Bytes of a message, at least 1.
    pub message_bytes: usize,
    /// Capacity that is asked for (of a pipe, of a socket's buffers, of a ring);
    /// None: the system's default.
    pub buffer_bytes: Option<usize>,
    /// Both ends are used by the same thread, so none may ever wait.
    pub alone: bool,
    /// The ends poll instead of sleeping, while the control block requests it.
    pub polling: bool,
    /// The other end will be used by another process.
    pub processes: bool,
    /// Port that the listening side binds, where there is one; 0: one that is
    /// free.
    pub port: u16,
}

/// How long to wait for bytes, or for room.
#[derive(Clone, Copy)]
pub enum Wait<'a> {
    /// Not at all: `WouldBlock` says that there is nothing.
    Never,
    /// Sleep in the kernel. Where the kernel would sleep for ever although the
    /// other side has gone, look at the control block from time to time.
    Asleep(&'a ControlBlock),
    /// Poll while the control block requests it, else sleep.
    Awake(&'a ControlBlock),
}

impl<'a> Wait<'a> {
    /// Polling where the ends poll, else asleep.
    #[inline]
    pub fn by(polling: bool, control: &'a ControlBlock) -> Wait<'a> {
        match polling {
            true => Wait::Awake(control),
            false => Wait::Asleep(control),
        }
    }
}

/// One end of a two-way transport. Both directions work alike.
///
/// An end that still waits when the other has gone returns; it may use the
/// control block's `leaving` for that where the kernel does not report it.
pub trait End: Send + 'static {
    /// Hands over one whole message, or with `Wait::Never` a part of it.
    /// Returns how much.
    ///
    /// # Errors
    /// `WouldBlock` where nothing can be handed over now (`Wait::Never`);
    /// `BrokenPipe` and others where the other side has gone.
    fn send(&mut self, message: &[u8], wait: Wait<'_>) -> io::Result<usize>;

    /// The next bytes, in order: of a stream as many as there are, of messages
    /// one. 0: the other side has gone.
    ///
    /// # Errors
    /// As `send`.
    fn receive(&mut self, into: &mut [u8], wait: Wait<'_>) -> io::Result<usize>;

    /// Returns once the bytes of all messages handed over may be overwritten.
    /// At once where `send` copies them.
    ///
    /// # Errors
    /// As `send`.
    #[inline]
    fn reclaim(&mut self, wait: Wait<'_>) -> io::Result<()> {
        let _ = wait;
        Ok(())
    }

    /// What the end knows about a fault beyond the call that failed.
    fn complaint(&mut self) -> Option<String> {
        None
    }
    /// The caller has written into its message since the last `send`. An end that
    /// hands over memory of its own writes the message there anew; else it may
    /// hand over what is there already, as a program does that builds its
    /// messages in place.
    fn changed(&mut self) {}

    /// System calls made so far by this end.
    fn calls(&self) -> u64;

    /// Descriptors that a child process with this end has to keep.
    fn fds(&self) -> Vec<RawFd>;

    /// Called once in the task that will use this end, before its first use.
    ///
    /// # Errors
    /// What cannot be had there.
    fn settle(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// What was really obtained (`pipe capacity 64 KiB`); asked at the end of
    /// the point.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A way to hand bytes over.
pub trait Transport {
    type End: End;

    /// Two connected ends.
    ///
    /// # Errors
    /// `Skip` where this machine or this user cannot have them.
    fn pair(options: &Options) -> Result<(Self::End, Self::End), SetupError>;

    /// Largest message that can be handed over at once; None: any.
    ///
    /// # Errors
    /// `Skip` where even that is unknown.
    fn largest_message(options: &Options) -> Option<(usize, String)> {
        let _ = options;
        None
    }
}
