//! A pipe within one thread: one end is timed, the other end refills or drains
//! it in between.

use super::{Direction, Way};
use crate::memory::buffer::Buffer;
use harness::{Fault, SetupError};
use machine::tunable::{PIPE_MAX_SIZE, PIPE_USER_PAGES_SOFT};
use record::axis::human_bytes;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Neither end ever waits: a pipe that is too small gives a short count, which
/// fails the point, instead of a process that hangs.
#[derive(Debug)]
pub struct Pipe {
    direction: Direction,
    reader: OwnedFd,
    writer: OwnedFd,
    /// What the untimed end sends, or where it drains to.
    stock: Buffer,
    capacity: usize,
    /// Bytes that the untimed end has put in and that are still unread.
    held: usize,
}

impl Pipe {
    /// A pipe that holds at least `bytes`.
    ///
    /// # Errors
    /// `Skip` when the kernel does not give this user so large a pipe.
    pub fn new(direction: Direction, bytes: usize) -> Result<Pipe, SetupError> {
        let mut ends = [0; 2];
        // SAFETY: the array has room for two descriptors.
        if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK) } != 0 {
            return Err(SetupError::fail(
                "create a pipe",
                io::Error::last_os_error(),
            ));
        }
        // SAFETY: both descriptors are new and owned here only.
        let (reader, writer) =
            unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) };
        let capacity = widen(&writer, bytes)?;
        let stock = Buffer::touched(bytes)
            .map_err(|cause| SetupError::fail("map the buffer of the pipe's other end", cause))?;
        Ok(Pipe {
            direction,
            reader,
            writer,
            stock,
            capacity,
            held: 0,
        })
    }

    /// Empties the pipe into the stock, from its start. Returns how much there
    /// was.
    fn drain(&mut self) -> usize {
        let mut total = 0;
        loop {
            let got = read_some(&self.reader, &mut self.stock.as_mut_slice()[total..]);
            if got == 0 {
                return total;
            }
            total += got;
        }
    }

    /// Empties the pipe and keeps nothing.
    fn discard(&mut self) {
        let mut waste = [0; 4096];
        while read_some(&self.reader, &mut waste) > 0 {}
        self.held = 0;
    }
}

/// What one read gives; 0 also when the pipe is empty or `room` has no room.
fn read_some(pipe: &OwnedFd, room: &mut [u8]) -> usize {
    let (at, len) = (room.as_mut_ptr(), room.len());
    // SAFETY: `len` bytes at `at` are ours to write.
    let got = unsafe { libc::read(pipe.as_raw_fd(), at.cast(), len) };
    usize::try_from(got).unwrap_or(0)
}

/// Raises the capacity to `bytes` where it is less; returns what it is then.
fn widen(pipe: &OwnedFd, bytes: usize) -> Result<usize, SetupError> {
    let fd = pipe.as_raw_fd();
    // SAFETY: reads a property of our own pipe.
    let now = unsafe { libc::fcntl(fd, libc::F_GETPIPE_SZ) };
    if usize::try_from(now).is_ok_and(|now| now >= bytes) {
        return Ok(now.unsigned_abs() as usize);
    }
    let wanted = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX);
    // SAFETY: sets a property of our own pipe.
    let given = unsafe { libc::fcntl(fd, libc::F_SETPIPE_SZ, wanted) };
    if usize::try_from(given).is_ok_and(|given| given >= bytes) {
        return Ok(given.unsigned_abs() as usize);
    }
    let cause = io::Error::last_os_error();
    Err(SetupError::skip(
        format!(
            "this user cannot have a pipe of {}: {cause}",
            human_bytes(bytes as u64)
        ),
        remedy(bytes, PIPE_MAX_SIZE.value()),
    ))
}

/// Two limits apply to a user without privilege: one pipe's size, and the pages
/// of all pipes together.
fn remedy(bytes: usize, limit: Option<usize>) -> String {
    match limit {
        Some(limit) if limit >= bytes => PIPE_USER_PAGES_SOFT.set(0),
        _ => PIPE_MAX_SIZE.set(bytes),
    }
}

impl Way for Pipe {
    unsafe fn cross(&mut self, user: *mut u8, len: usize) -> isize {
        self.held = 0;
        // SAFETY: the caller's buffer holds `len` bytes.
        unsafe {
            match self.direction {
                Direction::ToUser => libc::read(self.reader.as_raw_fd(), user.cast(), len),
                Direction::FromUser => libc::write(self.writer.as_raw_fd(), user.cast(), len),
            }
        }
    }

    fn ready(&mut self, len: usize) -> Result<(), Fault> {
        if self.direction == Direction::FromUser {
            self.drain();
            return Ok(());
        }
        if self.held == len {
            return Ok(());
        }
        if self.held > 0 {
            self.discard();
        }
        let stock = self.stock.as_ptr();
        // SAFETY: the stock holds at least `len` bytes.
        let put = unsafe { libc::write(self.writer.as_raw_fd(), stock.cast(), len) };
        if put == len as isize {
            self.held = len;
            Ok(())
        } else {
            Err(Fault::wrong(format!(
                "cannot fill the pipe: {put} of {len} bytes went in"
            )))
        }
    }

    fn other_side(&mut self, len: usize) -> Result<Vec<u8>, Fault> {
        if self.direction == Direction::FromUser {
            let got = self.drain();
            if got != len {
                return Err(Fault::wrong(format!("the pipe held {got} of {len} bytes")));
            }
        }
        Ok(self.stock.as_slice()[..len].to_vec())
    }

    fn notes(&self) -> Vec<String> {
        vec![format!(
            "pipe capacity {}",
            human_bytes(self.capacity as u64)
        )]
    }
}

#[cfg(test)]
mod tests {
    use super::{PIPE_MAX_SIZE, PIPE_USER_PAGES_SOFT, Pipe, remedy};
    use crate::crossing::{Direction, Way};
    use harness::SetupError;

    #[test]
    fn the_remedy_names_the_limit_that_binds() {
        assert!(remedy(2 << 20, Some(1 << 20)).contains(PIPE_MAX_SIZE.path()));
        assert!(remedy(2 << 20, None).starts_with("echo 2097152 |"));
        assert!(remedy(1 << 20, Some(1 << 20)).contains(PIPE_USER_PAGES_SOFT.path()));
    }

    #[test]
    fn preparing_twice_or_for_another_length_leaves_the_right_bytes() {
        let mut pipe = Pipe::new(Direction::ToUser, 60_000).expect("a default pipe");
        for len in [60_000, 60_000, 1, 60_000] {
            pipe.ready(len).expect("room for one filling");
        }
        let mut out = vec![0u8; 60_000];
        // SAFETY: the vector holds that many bytes.
        let got = unsafe { pipe.cross(out.as_mut_ptr(), out.len()) };
        assert_eq!(got, 60_000);
        assert_eq!(pipe.other_side(60_000), Ok(out));
    }

    #[test]
    fn a_pipe_beyond_any_limit_is_skipped_with_the_limit_named() {
        match Pipe::new(Direction::ToUser, 1 << 33) {
            Err(SetupError::Skip { remedy, .. }) => assert!(remedy.contains(PIPE_MAX_SIZE.path())),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_pipe_never_waits() {
        let mut pipe = Pipe::new(Direction::ToUser, 4096).expect("a default pipe");
        let mut byte = 0u8;
        // SAFETY: one byte is valid. The pipe is empty.
        assert_eq!(unsafe { pipe.cross(&raw mut byte, 1) }, -1);
        let mut full = Pipe::new(Direction::FromUser, 4096).expect("a default pipe");
        let mut big = vec![0u8; 2 * full.capacity];
        // SAFETY: the vector holds that many bytes.
        let put = unsafe { full.cross(big.as_mut_ptr(), big.len()) };
        assert_eq!(put, full.capacity as isize);
    }
}
