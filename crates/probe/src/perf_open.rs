//! The system call behind [`crate::perf`].

use crate::perf_attr::Attr;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};

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
        open(attr, THIS_PROCESS, None).map(drop)
    }
}

/// perf_event_open(2) of a task on whatever CPU it runs, as a member of `group`
/// where there is one.
///
/// # Errors
/// The errno of the call.
pub(crate) fn open(attr: &Attr, pid: libc::pid_t, group: Option<&File>) -> Result<File, i32> {
    const ANY_CPU: libc::c_int = -1;
    const NO_GROUP: libc::c_int = -1;
    const CLOSE_ON_EXEC: libc::c_ulong = 1 << 3;
    let mut attr = attr.clone();
    // SAFETY: `attr` is a live structure of our own in the published
    // layout that states its own size; the kernel reads that much and at
    // most writes its own size into the size field. The rest are numbers.
    let returned = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw mut attr,
            pid,
            ANY_CPU,
            group.map_or(NO_GROUP, AsRawFd::as_raw_fd),
            CLOSE_ON_EXEC,
        )
    };
    let fd = descriptor(returned).ok_or_else(errno)?;
    // SAFETY: the call just returned this descriptor; nothing else owns it.
    Ok(unsafe { File::from_raw_fd(fd) })
}

/// What a call returns is as wide as the architecture; a descriptor is an int.
fn descriptor(returned: impl TryInto<libc::c_int>) -> Option<libc::c_int> {
    returned.try_into().ok().filter(|fd| *fd >= 0)
}

/// Of the call that just failed.
pub(crate) fn errno() -> i32 {
    let error = std::io::Error::last_os_error();
    error.raw_os_error().unwrap_or(libc::EINVAL)
}
