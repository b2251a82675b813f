//! An io_uring with one request at a time, on memory and a socket that are
//! registered with it.
//!
//! One request at a time is what a task does that needs the answer before it
//! goes on. What io_uring gains by many requests for one system call is another
//! question than the price of a message.

use super::control::ControlBlock;
use super::end::Wait;
use super::fds::{LOOK_TURNS, pause};
use super::own::{News, Own};
use crate::memory::buffer::page_bytes;
use io_uring::{IoUring, opcode, squeue, types};
use std::io;
use std::os::fd::RawFd;

const ENTRIES: u32 = 4;
const SOCKET: types::Fixed = types::Fixed(0);
const OUT: u16 = 0;
const INTO: u16 = 1;
/// How often, and how long in ms, memory is waited for that others give back.
const TRIES: u32 = 50;
const TRY_MS: libc::c_int = 10;

/// Of one task: made by it, used by it alone.
pub struct SocketRing {
    /// Dropped first: no request may outlive the memory.
    ring: IoUring,
    pub own: Own,
    cooperative: bool,
    /// A request has been submitted and is not complete. The caller who could not
    /// wait for it comes back with the same.
    pending: bool,
}

impl std::fmt::Debug for SocketRing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SocketRing").finish_non_exhaustive()
    }
}

impl SocketRing {
    /// As `with`, and where this user may lock as much as two such rings need,
    /// waits for a while until that is free: what a process has locked that was
    /// killed, the kernel gives back some time after its death.
    ///
    /// # Errors
    /// As `with`.
    pub fn patiently(socket: RawFd, message_bytes: usize, news: &News) -> io::Result<SocketRing> {
        for _ in 0..TRIES {
            match SocketRing::with(socket, message_bytes, news.clone()) {
                Err(e) if e.raw_os_error() == Some(libc::ENOMEM) && may_lock(message_bytes) => {
                    pause(TRY_MS);
                }
                other => return other,
            }
        }
        SocketRing::with(socket, message_bytes, news.clone())
    }

    /// # Errors
    /// What io_uring_setup or io_uring_register says: ENOSYS without io_uring,
    /// EPERM where it is forbidden, ENOMEM where so much may not be locked.
    pub fn with(socket: RawFd, message_bytes: usize, news: News) -> io::Result<SocketRing> {
        let (ring, cooperative) = match build(true) {
            // Before Linux 5.19.
            Err(e) if e.raw_os_error() == Some(libc::EINVAL) => (build(false)?, false),
            other => (other?, true),
        };
        let mut own = Own::with(0, message_bytes, news)?;
        let of = |place: &mut [u8]| libc::iovec {
            iov_base: place.as_mut_ptr().cast(),
            iov_len: place.len(),
        };
        let places = [of(own.outgoing()), of(own.incoming())];
        // SAFETY: both places live as long as the ring.
        unsafe { ring.submitter().register_buffers(&places)? };
        ring.submitter().register_files(&[socket])?;
        Ok(SocketRing {
            ring,
            own,
            cooperative,
            pending: false,
        })
    }

    /// Whether completions wait for this task to look instead of interrupting it.
    pub fn cooperative(&self) -> bool {
        self.cooperative
    }

    /// Writes from the place at offset `at`; how much was taken.
    ///
    /// # Errors
    /// `WouldBlock` with `Wait::Never` while the request is not complete: it stays
    /// submitted, and the next call must be for the same. Else what the socket says.
    #[inline]
    pub fn write(
        &mut self,
        at: usize,
        bytes: usize,
        wait: Wait<'_>,
        calls: &mut u64,
    ) -> io::Result<usize> {
        let from = self.own.outgoing()[at..][..bytes].as_ptr();
        let entry = opcode::WriteFixed::new(SOCKET, from, length(bytes), OUT).build();
        self.request(&entry, wait, calls)
    }

    /// Reads up to `bytes` into the place; 0 at the end of the stream.
    ///
    /// # Errors
    /// As `write`.
    #[inline]
    pub fn read(&mut self, bytes: usize, wait: Wait<'_>, calls: &mut u64) -> io::Result<usize> {
        let into = self.own.incoming()[..bytes].as_mut_ptr();
        let entry = opcode::ReadFixed::new(SOCKET, into, length(bytes), INTO).build();
        self.request(&entry, wait, calls)
    }

    #[inline]
    fn request(
        &mut self,
        entry: &squeue::Entry,
        wait: Wait<'_>,
        calls: &mut u64,
    ) -> io::Result<usize> {
        if !self.pending {
            // SAFETY: the entry names registered memory that outlives the ring.
            unsafe { self.ring.submission().push(entry) }
                .map_err(|_| io::Error::other("the submission queue is full"))?;
            self.pending = true;
        }
        match wait {
            Wait::Never => self.submit(calls)?,
            Wait::Awake(control) if control.awake() => {
                self.submit(calls)?;
                self.spin(control, calls)?;
            }
            Wait::Awake(_) | Wait::Asleep(_) => {}
        }
        loop {
            if let Some(done) = self.ring.completion().next() {
                self.pending = false;
                return match done.result() {
                    moved @ 0.. => Ok(moved.cast_unsigned() as usize),
                    code => Err(io::Error::from_raw_os_error(-code)),
                };
            }
            if matches!(wait, Wait::Never) {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            // What was submitted above is not submitted again. A socket reports
            // when the other side has gone, so this needs no limit.
            *calls += 1;
            match self.ring.submit_and_wait(1) {
                Err(e) if e.kind() != io::ErrorKind::Interrupted => return Err(e),
                _ => {}
            }
        }
    }

    #[inline]
    fn submit(&mut self, calls: &mut u64) -> io::Result<()> {
        *calls += 1;
        self.ring.submit().map(|_| ())
    }

    /// Looks at the completion queue again and again, without a system call but
    /// where the kernel asks for one to finish its work.
    fn spin(&mut self, control: &ControlBlock, calls: &mut u64) -> io::Result<()> {
        let mut turns = 0u32;
        while self.ring.completion().is_empty() && control.awake() && !control.leaving() {
            if self.ring.submission().taskrun() {
                self.submit(calls)?;
            }
            turns = turns.wrapping_add(1);
            if turns.is_multiple_of(LOOK_TURNS) && control.lost() {
                break;
            }
            std::hint::spin_loop();
        }
        Ok(())
    }
}

impl Drop for SocketRing {
    /// Else the memory stays locked until the kernel has taken the ring apart,
    /// some time later, and counts against the next one. While a request uses it
    /// this would wait for that.
    fn drop(&mut self) {
        if !self.pending {
            // What fails here, the kernel does later.
            let _ = self.ring.submitter().unregister_buffers();
        }
    }
}

/// Bytes that both ends lock: a buffer to send, one to receive, and a page for
/// each of the two queues.
pub fn locked_bytes(message_bytes: usize) -> usize {
    let page = page_bytes();
    message_bytes
        .checked_next_multiple_of(page)
        .and_then(|place| place.checked_add(page))
        .map_or(usize::MAX, |each| each.saturating_mul(4))
}

/// Whether the limit alone leaves room for both ends.
fn may_lock(message_bytes: usize) -> bool {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the structure lives.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_MEMLOCK, &raw mut limit) } == 0;
    known && limit.rlim_cur >= locked_bytes(message_bytes) as libc::rlim_t
}

fn build(cooperative: bool) -> io::Result<IoUring> {
    let mut builder = IoUring::builder();
    builder.dontfork();
    if cooperative {
        builder.setup_coop_taskrun().setup_taskrun_flag();
    }
    builder.build(ENTRIES)
}

fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
