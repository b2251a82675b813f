//! Files that are memory: pages without a disk behind them. memfd_create(2).

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::FromRawFd;

/// An empty one, closed on exec, with further flags of memfd_create.
///
/// # Errors
/// What the kernel says.
pub fn memory_file(name: &CStr, flags: libc::c_uint) -> io::Result<File> {
    // SAFETY: the name ends with NUL.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), flags | libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new and owned here only.
    Ok(unsafe { File::from_raw_fd(fd) })
}
