//! The system call behind [`crate::perf`].

use crate::perf_attr::Attr;
use std::fs::File;
use std::os::fd::FromRawFd;

/// Opens one event and closes it again. Replaced in tests.
pub trait Opener {
    /// # Errors
    /// The errno of perf_event_open(2).
    fn open(&mut self, attr: &Attr) -> Result<(), i32>;
}

/// The running kernel.
#[derive(Debug, Clone, Copy)]
pub struct System;

impl Opener for System {
    fn open(&mut self, attr: &Attr) -> Result<(), i32> {
        const THIS_PROCESS: libc::pid_t = 0;
        const ANY_CPU: libc::c_int = -1;
        const NO_GROUP: libc::c_int = -1;
        const CLOSE_ON_EXEC: libc::c_ulong = 1 << 3;
        let mut attr = attr.clone();
        // SAFETY: `attr` is a live structure of our own in the published
        // layout that states its own size; the kernel reads that much and at
        // most writes its own size into the size field.
        let fd = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                &raw mut attr,
                THIS_PROCESS,
                ANY_CPU,
                NO_GROUP,
                CLOSE_ON_EXEC,
            )
        };
        if fd < 0 {
            let error = std::io::Error::last_os_error();
            return Err(error.raw_os_error().unwrap_or(libc::EINVAL));
        }
        // SAFETY: the call just returned this descriptor; nobody else owns it.
        drop(unsafe { File::from_raw_fd(fd as i32) });
        Ok(())
    }
}
