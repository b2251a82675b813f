//! Copies that the kernel makes in system calls: copy_from_user and copy_to_user
//! on the way to and from the page cache, and between two processes' memory.

use super::{Buffers, Way, fill, same};
use crate::memory::buffer::Buffer;
use crate::memory::file::memory_file;
use harness::{Context, Fault, SetupError};
use record::axis::human_bytes;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    FromUser,
    ToUser,
    Both,
}

/// pwrite and pread on a file with all pages present.
pub struct Calls {
    direction: Direction,
    file: File,
    user: Buffer,
    note: String,
}

impl Calls {
    /// The method of a point over `span` bytes.
    ///
    /// # Errors
    /// `Skip` where the file or the memory cannot be had.
    pub fn new(method: &str, span: usize, context: &Context) -> Result<Calls, SetupError> {
        let (direction, name) = match method {
            "from_user" => (Direction::FromUser, "copy_from_user in pwrite"),
            "both" => (
                Direction::Both,
                "copy_from_user in pwrite and copy_to_user in pread",
            ),
            _ => (Direction::ToUser, "copy_to_user in pread"),
        };
        let of_disk = method == "read_file";
        let fail = |e| SetupError::fail("create a file to copy from", e);
        let mut file = match of_disk {
            true => scratch(context),
            false => memory_file(c"pontage-pollution", 0),
        }
        .map_err(fail)?;
        let mut user = Buffer::touched(span).map_err(|e| SetupError::fail("map a buffer", e))?;
        fill(user.as_mut_slice(), span as u64 + 1);
        file.write_all(user.as_slice()).map_err(fail)?;
        if of_disk {
            // Dirty pages would be written back, and changed, while others measure.
            file.sync_all().map_err(fail)?;
        }
        let on = match of_disk {
            true => "the scratch folder's file system",
            false => "tmpfs",
        };
        let span = human_bytes(span as u64);
        Ok(Calls {
            direction,
            file,
            user,
            note: format!("{name}, a cached file on {on}, {span}"),
        })
    }

    fn call(&mut self, from_user: bool, at: usize, len: usize) -> Result<(), Fault> {
        let fd = self.file.as_raw_fd();
        // SAFETY: the buffer holds `at + len` bytes.
        let done = unsafe {
            let user = self.user.as_mut_ptr().add(at);
            match from_user {
                true => libc::pwrite(fd, user.cast(), len, at as libc::off_t),
                false => libc::pread(fd, user.cast(), len, at as libc::off_t),
            }
        };
        match usize::try_from(done) {
            Ok(n) if n == len => Ok(()),
            Ok(n) => Err(Fault::wrong(format!("{n} of {len} bytes were copied"))),
            Err(_) => Err(Fault::wrong(format!(
                "cannot copy: {}",
                io::Error::last_os_error()
            ))),
        }
    }
}

impl Way for Calls {
    fn copy(&mut self, at: usize, len: usize) -> Result<(), Fault> {
        if self.direction != Direction::ToUser {
            self.call(true, at, len)?;
        }
        if self.direction != Direction::FromUser {
            self.call(false, at, len)?;
        }
        Ok(())
    }

    fn check(&self, at: usize, len: usize) -> Result<(), Fault> {
        let mut there = vec![0; len];
        let read = self.file.read_exact_at(&mut there, at as u64);
        read.map_err(|e| Fault::refused("read the file back", e))?;
        same(&self.user.as_slice()[at..at + len], &there, at)
    }

    fn note(&self) -> String {
        self.note.clone()
    }
}

fn scratch(context: &Context) -> io::Result<File> {
    let path = context
        .scratch
        .join(format!("pollution-{}", std::process::id()));
    let opened = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(&path);
    // Open files live on without a name.
    let _ = std::fs::remove_file(&path);
    opened
}

/// process_vm_readv(2) from this process itself.
pub struct ProcessVm(Buffers);

impl ProcessVm {
    /// Over `span` bytes of this process.
    ///
    /// # Errors
    /// `Skip` where the call is refused.
    pub fn new(span: usize) -> Result<ProcessVm, SetupError> {
        let mut way = ProcessVm(Buffers::new(span)?);
        way.copy(0, 1).map_err(|why| {
            SetupError::skip(
                format!("process_vm_readv is not allowed here: {why}"),
                "run outside the container, or start it with: docker run --cap-add SYS_PTRACE",
            )
        })?;
        Ok(way)
    }
}

impl Way for ProcessVm {
    fn copy(&mut self, at: usize, len: usize) -> Result<(), Fault> {
        let piece = |start: *mut u8| libc::iovec {
            iov_base: start.cast(),
            iov_len: len,
        };
        // SAFETY: both vectors name `len` bytes of live buffers.
        let done = unsafe {
            let local = piece(self.0.to.as_mut_ptr().add(at));
            let remote = piece(self.0.from.as_mut_ptr().add(at));
            libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0)
        };
        match usize::try_from(done) {
            Ok(n) if n == len => Ok(()),
            Ok(n) => Err(Fault::wrong(format!("{n} of {len} bytes were copied"))),
            Err(_) => Err(Fault::refused("copy", io::Error::last_os_error())),
        }
    }

    fn check(&self, at: usize, len: usize) -> Result<(), Fault> {
        self.0.check(at, len)
    }

    fn note(&self) -> String {
        let span = human_bytes(self.0.from.bytes() as u64);
        format!("process_vm_readv within this process, {span}")
    }
}
