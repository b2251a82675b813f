//! Why a socket cannot be had: what this machine lacks, and what is a fault.

use harness::SetupError;
use std::io;

/// `cannot <doing>: <cause>`, as a skip with its remedy where the machine, its
/// limits or its rules are the cause.
pub fn refused(doing: &str, cause: &io::Error) -> SetupError {
    let remedy = match cause.raw_os_error() {
        Some(libc::EMFILE) => "ulimit -n 1024",
        Some(libc::ENFILE) => "sudo sysctl fs.file-max=100000",
        Some(libc::EPERM | libc::EACCES) => {
            "run outside the sandbox (seccomp, LSM, firewall) that forbids it"
        }
        Some(libc::EAFNOSUPPORT | libc::EPROTONOSUPPORT | libc::ESOCKTNOSUPPORT) => {
            "a kernel with CONFIG_UNIX and CONFIG_INET"
        }
        Some(libc::EADDRNOTAVAIL | libc::ENETUNREACH | libc::ENETDOWN) => "sudo ip link set lo up",
        // A connection attempt that took too long, or was rejected.
        Some(libc::EINPROGRESS | libc::ETIMEDOUT | libc::EHOSTUNREACH) => {
            "allow packets on lo in the firewall (sudo nft list ruleset)"
        }
        _ => return SetupError::fail(doing, cause),
    };
    SetupError::skip(format!("cannot {doing}: {cause}"), remedy)
}

/// The same for the call that has just failed.
pub fn refused_now(doing: &str) -> SetupError {
    refused(doing, &io::Error::last_os_error())
}

#[cfg(test)]
mod tests {
    use super::refused;
    use harness::SetupError;
    use std::io;

    #[test]
    fn what_the_machine_refuses_is_skipped_with_a_remedy_that_fits() {
        for (code, part) in [
            (libc::EMFILE, "ulimit -n"),
            (libc::ENFILE, "file-max"),
            (libc::EPERM, "sandbox"),
            (libc::EACCES, "sandbox"),
            (libc::EAFNOSUPPORT, "CONFIG_INET"),
            (libc::EADDRNOTAVAIL, "lo up"),
            (libc::ENETUNREACH, "lo up"),
            (libc::EINPROGRESS, "firewall"),
        ] {
            let cause = io::Error::from_raw_os_error(code);
            match refused("create a socket", &cause) {
                SetupError::Skip { reason, remedy } => {
                    assert!(reason.starts_with("cannot create a socket: "), "{reason}");
                    assert!(remedy.contains(part), "{remedy}");
                }
                SetupError::Fail(why) => panic!("{why}"),
            }
        }
    }

    #[test]
    fn what_should_not_happen_is_a_fault() {
        let cause = io::Error::from_raw_os_error(libc::EBADF);
        assert!(matches!(
            refused("create a socket", &cause),
            SetupError::Fail(why) if why.starts_with("cannot create a socket: ")
        ));
    }
}
