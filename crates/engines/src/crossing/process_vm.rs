//! process_vm_readv(2) and process_vm_writev(2), with this process as its own
//! partner: the kernel pins the other side's pages and copies between them and
//! the caller's buffer.

use super::{Direction, Way};
use crate::loops::flush::Flusher;
use crate::memory::buffer::Buffer;
use harness::{Fault, SetupError};
use std::io;

/// Both sides in one process: no second process has to be scheduled.
#[derive(Debug)]
pub struct ProcessVm {
    direction: Direction,
    pid: libc::pid_t,
    other: Buffer,
}

impl ProcessVm {
    /// # Errors
    /// `Skip` where the call is filtered or missing.
    pub fn new(direction: Direction, bytes: usize) -> Result<ProcessVm, SetupError> {
        let other = Buffer::touched(bytes.max(1))
            .map_err(|cause| SetupError::fail("map the other side's buffer", cause))?;
        // SAFETY: getpid has no arguments and cannot fail.
        let pid = unsafe { libc::getpid() };
        let mut way = ProcessVm {
            direction,
            pid,
            other,
        };
        let mut byte = 0u8;
        // SAFETY: one byte on the stack is valid.
        if unsafe { way.cross(&raw mut byte, 1) } == 1 {
            return Ok(way);
        }
        Err(SetupError::skip(
            format!(
                "process_vm_readv is not allowed here: {}",
                io::Error::last_os_error()
            ),
            "run outside the container, or start it with: docker run --cap-add SYS_PTRACE",
        ))
    }
}

impl Way for ProcessVm {
    unsafe fn cross(&mut self, user: *mut u8, len: usize) -> isize {
        let local = libc::iovec {
            iov_base: user.cast(),
            iov_len: len,
        };
        let remote = libc::iovec {
            iov_base: self.other.as_mut_ptr().cast(),
            iov_len: len,
        };
        let (local, remote) = (&raw const local, &raw const remote);
        // SAFETY: both vectors name memory that is valid for `len` bytes and
        // live through the call.
        unsafe {
            match self.direction {
                Direction::ToUser => libc::process_vm_readv(self.pid, local, 1, remote, 1, 0),
                Direction::FromUser => libc::process_vm_writev(self.pid, local, 1, remote, 1, 0),
            }
        }
    }

    fn chill(&self, flusher: &Flusher, len: usize) {
        // SAFETY: the buffer holds at least `len` bytes.
        unsafe { flusher.flush(self.other.as_ptr(), len) };
    }

    fn other_side(&mut self, len: usize) -> Result<Vec<u8>, Fault> {
        Ok(self.other.as_slice()[..len].to_vec())
    }

    fn notes(&self) -> Vec<String> {
        vec!["the other process is this process itself".to_owned()]
    }
}
