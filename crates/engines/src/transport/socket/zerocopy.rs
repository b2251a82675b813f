//! An end of a TCP connection that sends without copying: the kernel reads the
//! message in place, and reports when it may be overwritten.

use super::buffers::set;
use super::{Socket, inet};
use crate::transport::control::ControlBlock;
use crate::transport::end::{End, Options, Wait};
use crate::transport::fds::{Patience, until, whole};
use harness::SetupError;
use std::io;
use std::os::fd::RawFd;

/// The `libc` crate has no name for these two of linux/errqueue.h.
const SO_EE_ORIGIN_ZEROCOPY: u8 = 5;
const SO_EE_CODE_ZEROCOPY_COPIED: u8 = 1;

/// Sends without completion after which the sender asks for completions.
const FREELY: u32 = 32;
/// A send is not cut into smaller pieces than this.
const LEAST: usize = 4096;

/// A socket that sends with MSG_ZEROCOPY.
#[derive(Debug)]
pub struct ZeroCopyEnd {
    socket: Socket,
    noted: Vec<String>,
    /// Sends so far, and how many of them are complete; they wrap as the
    /// kernel's own count does.
    sent: u32,
    complete: u32,
    /// Complete ones whose bytes the kernel copied after all.
    copied: u64,
    completed: u64,
    /// Largest piece that goes at once; shrinks where the kernel refuses.
    piece: usize,
}

/// A range of sends that are complete.
struct Completion {
    sends: u32,
    copied: bool,
}

/// Two ends of a connection.
///
/// # Errors
/// `Skip` where the kernel does not send this way, or reports no completion.
pub fn ends(options: &Options) -> Result<(ZeroCopyEnd, ZeroCopyEnd), SetupError> {
    let (main, partner) = inet::connection(options)?;
    let noted = inet::notes(&main);
    let end = |fd, noted| {
        set::<libc::c_int>(&fd, libc::SOL_SOCKET, libc::SO_ZEROCOPY, 1).map_err(|e| lacking(&e))?;
        Ok::<_, SetupError>(ZeroCopyEnd {
            socket: Socket::new(fd, options)?,
            noted,
            sent: 0,
            complete: 0,
            copied: 0,
            completed: 0,
            piece: usize::MAX,
        })
    };
    let (mut main, mut partner) = (end(main, noted)?, end(partner, Vec::new())?);
    try_one(&mut main, &mut partner)?;
    try_one(&mut partner, &mut main)?;
    Ok((main, partner))
}

fn lacking(cause: &io::Error) -> SetupError {
    match cause.raw_os_error() {
        Some(libc::ENOPROTOOPT | libc::EOPNOTSUPP | libc::EINVAL) => SetupError::skip(
            format!("the kernel cannot send without a copy: {cause}"),
            "Linux 4.14 or newer",
        ),
        Some(libc::ENOBUFS) => SetupError::skip(
            format!("the kernel may not pin this user's memory while it sends: {cause}"),
            "ulimit -l unlimited, sudo sysctl net.core.optmem_max=131072",
        ),
        _ => super::refusal::refused("send without a copy", cause),
    }
}

/// One byte there, and its completion.
fn try_one(from: &mut ZeroCopyEnd, to: &mut ZeroCopyEnd) -> Result<(), SetupError> {
    let failed = |e| SetupError::fail("map the memory of an exchange", e);
    let control = ControlBlock::map().map_err(failed)?;
    let wait = Wait::Asleep(&control);
    let byte = [7u8];
    from.send(&byte, wait).map_err(|e| lacking(&e))?;
    to.receive(&mut [0u8], wait).map_err(|e| lacking(&e))?;
    from.reclaim(wait).map_err(|cause| {
        SetupError::skip(
            format!("the kernel does not report when a zero-copy buffer is free: {cause}"),
            "Linux 4.14 or newer",
        )
    })
}

impl ZeroCopyEnd {
    fn outstanding(&self) -> u32 {
        self.sent.wrapping_sub(self.complete)
    }

    /// Sends some of `bytes`; what it counts as a send is what the kernel counts.
    fn part(&mut self, bytes: &[u8], wait: Wait<'_>) -> io::Result<usize> {
        if self.outstanding() >= FREELY {
            self.collect()?;
        }
        loop {
            let piece = &bytes[..bytes.len().min(self.piece)];
            match self.socket.send(piece, wait, libc::MSG_ZEROCOPY) {
                Ok(0) => return Ok(0),
                Ok(n) => {
                    self.sent = self.sent.wrapping_add(1);
                    return Ok(n);
                }
                Err(e) if e.raw_os_error() == Some(libc::ENOBUFS) => {
                    self.make_room(piece.len(), wait, e)?;
                }
                Err(e) => return Err(e),
            }
        }
    }

    /// The kernel holds as much of our memory, or as many notices, as this user
    /// may have: completions free some. Without any outstanding the piece is too
    /// large.
    fn make_room(&mut self, piece: usize, wait: Wait<'_>, cause: io::Error) -> io::Result<()> {
        if self.outstanding() == 0 {
            if piece <= LEAST {
                return Err(cause);
            }
            self.piece = (piece / 2).max(LEAST);
            return Ok(());
        }
        self.await_one(wait)
    }

    /// Sleeps until at least one completion is there.
    fn await_one(&mut self, wait: Wait<'_>) -> io::Result<()> {
        let fd = self.socket.fd();
        let mut found = None;
        // Completions arrive as errors do: poll needs no word for them.
        until(
            (fd, 0),
            wait,
            Patience::Limited,
            &mut self.socket.calls,
            || {
                let (got, completion) = completion(fd);
                found = completion;
                got
            },
        )?;
        match found {
            Some(completion) => {
                self.note(&completion);
                Ok(())
            }
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Takes the completions that are there.
    fn collect(&mut self) -> io::Result<()> {
        while self.outstanding() > 0 {
            match self.await_one(Wait::Never) {
                Ok(()) => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn note(&mut self, completion: &Completion) {
        self.complete = self.complete.wrapping_add(completion.sends);
        self.completed += u64::from(completion.sends);
        if completion.copied {
            self.copied += u64::from(completion.sends);
        }
    }
}

/// The next notice of the error queue: what recvmsg returned, and what it is.
fn completion(fd: RawFd) -> (isize, Option<Completion>) {
    // Aligned as a control message has to be.
    let mut control = [0u64; 16];
    // SAFETY: an all-zero header is valid.
    let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
    header.msg_control = control.as_mut_ptr().cast();
    header.msg_controllen = size_of_val(&control) as _;
    let flags = libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT;
    // SAFETY: the header names a control buffer that lives, of its size.
    let got = unsafe { libc::recvmsg(fd, &raw mut header, flags) };
    if got < 0 {
        return (got, None);
    }
    // SAFETY: the kernel has filled header and control buffer.
    let first = unsafe { libc::CMSG_FIRSTHDR(&raw const header) };
    if first.is_null() {
        return (got, None);
    }
    // SAFETY: not null, so it points into the control buffer; the structure that
    // follows was written by the kernel, or is the buffer's zeros.
    let (level, kind, error) = unsafe {
        let data: *const libc::sock_extended_err = libc::CMSG_DATA(first).cast();
        (
            (*first).cmsg_level,
            (*first).cmsg_type,
            data.read_unaligned(),
        )
    };
    if (level, kind) != (libc::SOL_IP, libc::IP_RECVERR)
        || error.ee_origin != SO_EE_ORIGIN_ZEROCOPY
        || error.ee_errno != 0
    {
        return (got, None);
    }
    let sends = error.ee_data.wrapping_sub(error.ee_info).wrapping_add(1);
    let copied = error.ee_code & SO_EE_CODE_ZEROCOPY_COPIED != 0;
    (got, Some(Completion { sends, copied }))
}

impl End for ZeroCopyEnd {
    #[inline]
    fn send(&mut self, message: &[u8], wait: Wait<'_>) -> io::Result<usize> {
        whole(message, wait, |rest, wait| self.part(rest, wait))
    }

    #[inline]
    fn receive(&mut self, into: &mut [u8], wait: Wait<'_>) -> io::Result<usize> {
        self.socket.receive(into, wait, Patience::EverLasting)
    }

    fn reclaim(&mut self, wait: Wait<'_>) -> io::Result<()> {
        while self.outstanding() > 0 {
            self.await_one(wait)?;
        }
        Ok(())
    }

    fn calls(&self) -> u64 {
        self.socket.calls
    }

    fn fds(&self) -> Vec<RawFd> {
        vec![self.socket.fd()]
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.noted.clone();
        notes.push(share_copied(self.copied, self.completed));
        if self.piece != usize::MAX {
            notes.push(format!(
                "sent in pieces of {} bytes: the kernel refused larger ones",
                self.piece
            ));
        }
        notes
    }
}

fn share_copied(copied: u64, completed: u64) -> String {
    let how_many = match copied {
        0 => "none".to_owned(),
        n if n == completed => "all".to_owned(),
        n => format!("{} %", n * 100 / completed.max(1)),
    };
    format!("the kernel reports that it copied {how_many} of the sends")
}

#[cfg(test)]
mod tests {
    use super::{Options, ends, lacking, share_copied};
    use crate::transport::Wait;
    use crate::transport::control::ControlBlock;
    use crate::transport::end::End;
    use harness::SetupError;
    use std::io;

    #[test]
    fn a_kernel_or_a_limit_that_forbids_it_is_a_skip() {
        for (code, part) in [
            (libc::ENOPROTOOPT, "4.14"),
            (libc::ENOBUFS, "ulimit -l"),
            (libc::EPERM, "sandbox"),
        ] {
            match lacking(&io::Error::from_raw_os_error(code)) {
                SetupError::Skip { remedy, .. } => assert!(remedy.contains(part), "{remedy}"),
                SetupError::Fail(why) => panic!("{why}"),
            }
        }
    }

    #[test]
    fn every_send_is_complete_before_its_bytes_are_given_back() {
        let options = Options {
            processes: false,
            port: 0,
            message_bytes: 100_000,
            buffer_bytes: None,
            alone: false,
            polling: false,
        };
        let (mut from, mut to) = ends(&options).unwrap();
        let control = ControlBlock::map().unwrap();
        let wait = Wait::Asleep(&control);
        let (message, mut into) = ([1u8; 5000], [0u8; 5000]);
        let before = from.completed;
        for _ in 0..100 {
            from.send(&message, wait).unwrap();
            let mut got = 0;
            while got < into.len() {
                got += to.receive(&mut into[got..], wait).unwrap();
            }
        }
        from.reclaim(wait).unwrap();
        assert_eq!(from.outstanding(), 0);
        assert!(from.completed - before >= 100);
        assert!(from.copied <= from.completed);
    }

    #[test]
    fn the_note_says_how_many_were_copied() {
        assert!(share_copied(0, 9).ends_with("copied none of the sends"));
        assert!(share_copied(9, 9).ends_with("copied all of the sends"));
        assert!(share_copied(1, 4).contains("copied 25 % of"));
    }
}
