//! Child processes that must not outlive their parent.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Makes the calling process receive `signal` when its parent, `parent`, dies.
/// To be called in a child right after fork; a subject that forks calls it
/// with `SIGKILL`, so that a killed run leaves nothing behind.
///
/// # Errors
/// As prctl(2); `NotFound` when the parent is dead already.
pub fn die_with_parent(parent: libc::pid_t, signal: i32) -> io::Result<()> {
    // SAFETY: PR_SET_PDEATHSIG takes a number.
    if unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, signal) } < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: takes nothing and cannot fail.
    if unsafe { libc::getppid() } == parent {
        Ok(())
    } else {
        // It died between fork and prctl.
        Err(io::Error::from(io::ErrorKind::NotFound))
    }
}

/// Has `command` start in a process group of its own, which ends with us by
/// `signal`. The kernel ties this to the starting thread, which must live as
/// long as the child.
pub(crate) fn tie_to_us(command: &mut Command, signal: i32) {
    // SAFETY: takes nothing and cannot fail.
    let us = unsafe { libc::getpid() };
    command.process_group(0);
    // SAFETY: between fork and exec only system calls are made; an error made
    // from an errno or a kind does not allocate.
    unsafe {
        command.pre_exec(move || die_with_parent(us, signal));
    }
}

/// Sends `signal` to a process group; one that is gone is none to end.
pub(crate) fn signal_group(leader: u32, signal: i32) {
    if let Ok(group) = libc::pid_t::try_from(leader) {
        // SAFETY: takes numbers only; the group is our child's, not yet reaped
        // or with its number not yet reused.
        unsafe { libc::kill(-group, signal) };
    }
}
