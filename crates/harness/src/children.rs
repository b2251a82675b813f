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

/// Gives the signals that tasks of ours ignore their usual meaning again, for a command
/// of somebody else's: an ignored signal stays ignored through exec(2). To be called
/// right before.
pub fn usual_signals() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGPIPE] {
        // SAFETY: the default of a signal runs no code of ours.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
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

#[cfg(test)]
mod tests {
    use super::usual_signals;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    fn ignored_by(prepare: fn()) -> u64 {
        let mut grep = Command::new("grep");
        grep.args(["^SigIgn:", "/proc/self/status"]);
        // SAFETY: between fork and exec only system calls are made.
        unsafe {
            grep.pre_exec(move || {
                libc::signal(libc::SIGTERM, libc::SIG_IGN);
                libc::signal(libc::SIGHUP, libc::SIG_IGN);
                prepare();
                Ok(())
            })
        };
        let output = grep.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        u64::from_str_radix(text.split_whitespace().nth(1).unwrap(), 16).unwrap()
    }

    #[test]
    fn a_command_does_not_inherit_ignored_signals() {
        let of = |signal: i32| 1 << (signal - 1);
        let ours = of(libc::SIGTERM) | of(libc::SIGHUP) | of(libc::SIGINT) | of(libc::SIGPIPE);
        assert_ne!(ignored_by(|| ()) & ours, 0, "exec keeps them");
        assert_eq!(ignored_by(usual_signals) & ours, 0);
    }
}
