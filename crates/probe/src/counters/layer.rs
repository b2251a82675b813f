//! The system calls below a group of counters. Tests replay recorded answers
//! instead.

use super::page::UserPage;
use crate::perf_attr::Attr;
use crate::perf_open::{self, errno};
use std::fs::File;
use std::io::Read;
use std::os::fd::AsRawFd;

/// Whose events are counted, on whatever CPU it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The thread that opens the group.
    ThisThread,
    /// Another thread, or the first thread of another process.
    Thread(u32),
}

/// What a group needs of the kernel. Errors are the errno.
pub trait Layer {
    type Handle;

    /// perf_event_open(2), as a member of `leader`'s group where there is one.
    ///
    /// # Errors
    /// The errno of the call.
    fn open(
        &mut self,
        attr: &Attr,
        target: Target,
        leader: Option<&Self::Handle>,
    ) -> Result<Self::Handle, i32>;

    /// The number by which a reading of the group names this event.
    ///
    /// # Errors
    /// The errno of PERF_EVENT_IOC_ID.
    fn id(&mut self, event: &Self::Handle) -> Result<u64, i32>;

    /// Lets a group count that was opened disabled.
    ///
    /// # Errors
    /// The errno of PERF_EVENT_IOC_ENABLE.
    fn enable(&mut self, leader: &Self::Handle) -> Result<(), i32>;

    /// Reads the group; the number of bytes.
    ///
    /// # Errors
    /// The errno of read(2).
    fn read(&mut self, leader: &Self::Handle, into: &mut [u8]) -> Result<usize, i32>;

    /// Count of one event without a system call, where the processor lets user
    /// programs read it and the event is on a counter now.
    fn read_here(&mut self, event: &Self::Handle) -> Option<super::reading::Times> {
        let _ = event;
        None
    }
}

/// The running kernel.
#[derive(Debug, Default, Clone, Copy)]
pub struct System;

/// An open event.
#[derive(Debug)]
pub struct Open {
    file: File,
    page: Option<UserPage>,
}

const GROUP_FLAG: libc::c_ulong = 1;
/// `_IO('$', 0)` and `_IOR('$', 7, __u64 *)`, x86 and ARM alike.
const ENABLE: libc::c_ulong = 0x2400;
const ID: libc::c_ulong = 0x8008_2407;

impl Layer for System {
    type Handle = Open;

    fn open(&mut self, attr: &Attr, target: Target, leader: Option<&Open>) -> Result<Open, i32> {
        let pid = match target {
            Target::ThisThread => 0,
            Target::Thread(id) => libc::pid_t::try_from(id).map_err(|_| libc::ESRCH)?,
        };
        let file = perf_open::open(attr, pid, leader.map(|l| &l.file))?;
        // Only the counting thread itself can read its registers.
        let page = match target {
            Target::ThisThread if attr.on_the_processor() => UserPage::map(&file),
            _ => None,
        };
        Ok(Open { file, page })
    }

    fn id(&mut self, event: &Open) -> Result<u64, i32> {
        let mut id = 0u64;
        // SAFETY: the request writes one u64 to the pointer, which is to one.
        let done = unsafe { libc::ioctl(event.file.as_raw_fd(), ID as _, &raw mut id) };
        if done < 0 { Err(errno()) } else { Ok(id) }
    }

    fn enable(&mut self, leader: &Open) -> Result<(), i32> {
        let fd = leader.file.as_raw_fd();
        // SAFETY: the request takes a number and touches no memory of ours.
        let done = unsafe { libc::ioctl(fd, ENABLE as _, GROUP_FLAG) };
        if done < 0 { Err(errno()) } else { Ok(()) }
    }

    fn read(&mut self, leader: &Open, into: &mut [u8]) -> Result<usize, i32> {
        let read = (&leader.file).read(into);
        read.map_err(|e| e.raw_os_error().unwrap_or(libc::EIO))
    }

    fn read_here(&mut self, event: &Open) -> Option<super::reading::Times> {
        event.page.as_ref()?.read()
    }
}
