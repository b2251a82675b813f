//! What a sandbox or a limit refuses is absence, not an error: the point is skipped and
//! says what would allow it. Which errors mean that, in one place.

use std::fmt;
use std::io;

/// Why something could not be had, with the number of the system's error where it is one.
pub trait Cause: fmt::Display {
    fn error_number(&self) -> Option<i32> {
        None
    }
}

impl Cause for io::Error {
    fn error_number(&self) -> Option<i32> {
        self.raw_os_error()
    }
}

impl Cause for str {}
impl Cause for String {}
impl Cause for crate::Fault {}
impl Cause for io::ErrorKind {}
impl Cause for std::ffi::NulError {}
impl Cause for std::path::StripPrefixError {}

impl<T: Cause + ?Sized> Cause for &T {
    fn error_number(&self) -> Option<i32> {
        (**self).error_number()
    }
}

/// Commands that lift what refused a system call with this error; None: the error says
/// that something is wrong, not that something is refused.
pub fn remedy(errno: i32) -> Option<&'static str> {
    let is_root = rustix::process::geteuid().is_root();
    match errno {
        libc::EPERM | libc::EACCES if is_root => {
            Some("run outside this sandbox; in a container: docker run --privileged ...")
        }
        libc::EPERM | libc::EACCES => Some(
            "sudo pontage run ...; in a container: docker run --security-opt seccomp=unconfined ...",
        ),
        libc::ENOSYS => Some(
            "use a kernel with this call; in a container: docker run --security-opt \
             seccomp=unconfined ...",
        ),
        libc::EMFILE => Some("ulimit -n 4096"),
        libc::ENFILE => Some("sysctl -w fs.file-max=1000000"),
        libc::ENOMEM => Some("ulimit -v unlimited; ulimit -l unlimited; free -m"),
        libc::ENOSPC | libc::EDQUOT | libc::EFBIG => {
            Some("df -h; ulimit -f unlimited; or TMPDIR=/a/folder/with/room pontage run ...")
        }
        libc::EROFS => Some("TMPDIR=/a/folder/that/can/be/written pontage run ..."),
        libc::EAFNOSUPPORT | libc::EPROTONOSUPPORT => Some(
            "use a kernel with this socket family; in a container: docker run --security-opt \
             seccomp=unconfined ...",
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::SetupError;
    use std::io;

    #[test]
    fn a_refusal_is_a_skip_and_a_fault_is_not() {
        let of = |errno| SetupError::fail("create x", io::Error::from_raw_os_error(errno));
        for refused in [libc::EPERM, libc::ENOSYS, libc::EMFILE, libc::ENOMEM] {
            let SetupError::Skip { reason, remedy } = of(refused) else {
                panic!("{refused}: no skip");
            };
            assert!(reason.starts_with("cannot create x: "), "{reason}");
            assert!(!remedy.is_empty());
        }
        for fault in [libc::EINVAL, libc::EBADF, libc::EFAULT, libc::EIO] {
            assert!(matches!(of(fault), SetupError::Fail(_)), "{fault}");
        }
        assert!(matches!(
            SetupError::fail("x", "EPERM"),
            SetupError::Fail(_)
        ));
    }
}
