//! Child processes that must not outlive their parent.

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

/// Between SIGTERM and SIGKILL.
pub const GRACE: Duration = Duration::from_secs(1);
/// Between two looks at a child where the kernel has no pidfd to poll (before Linux
/// 5.3, or in a sandbox).
const LOOK: Duration = Duration::from_millis(5);

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
/// that is not ours: an ignored signal stays ignored through exec(2). To be called
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

/// Asks the group of a child to end (SIGTERM), so that it can remove its files, and
/// kills what is left of it once the child has ended or [`GRACE`] is over. The child
/// itself is left to be collected.
pub fn end_group(child: u32) {
    signal_group(child, libc::SIGTERM);
    let _ = has_ended(child, GRACE);
    signal_group(child, libc::SIGKILL);
}

/// Waits until a child has ended, for as long as `patience`, and leaves it to be
/// collected: until then nobody else can have its number.
#[must_use = "it may still run"]
pub fn has_ended(child: u32, patience: Duration) -> bool {
    let limit = Instant::now() + patience;
    let Some(child) = i32::try_from(child).ok().and_then(Pid::from_raw) else {
        return true;
    };
    // Becomes readable when the process ends.
    let handle = rustix::process::pidfd_open(child, PidfdFlags::empty()).ok();
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    loop {
        let found = rustix::process::waitid(WaitId::Pid(child), options);
        let left = limit.saturating_duration_since(Instant::now());
        match found {
            Ok(None) if left.is_zero() => return false,
            Ok(None) => pause(handle.as_ref(), left),
            // It has ended, or is no child of ours any more.
            _ => return true,
        }
    }
}

/// Until the process behind the handle ends, for `left` at most.
fn pause(handle: Option<&OwnedFd>, left: Duration) {
    let ready = handle.map(|handle| {
        let mut wanted = [PollFd::new(handle, PollFlags::IN)];
        let limit = Timespec::try_from(left.max(Duration::from_millis(1)));
        rustix::event::poll(&mut wanted, Some(&limit.unwrap_or_default()))
    });
    if !matches!(ready, Some(Ok(_))) {
        // No handle, interrupted, or a sandbox that cannot wait for such a handle.
        std::thread::sleep(left.min(LOOK));
    }
}

/// Sends `signal` to a process group; one that is gone is none to end.
pub fn signal_group(leader: u32, signal: i32) {
    if let Ok(group) = libc::pid_t::try_from(leader) {
        // SAFETY: takes numbers only; the group is our child's, not yet reaped
        // or with its number not yet reused.
        unsafe { libc::kill(-group, signal) };
    }
}

#[cfg(test)]
mod tests {
    use super::{end_group, has_ended, usual_signals};
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::Command;
    use std::time::Duration;

    #[test]
    fn a_child_is_awaited_and_left_to_be_collected() {
        let mut brief = Command::new("true").spawn().unwrap();
        assert!(has_ended(brief.id(), Duration::from_secs(60)));
        assert!(has_ended(brief.id(), Duration::ZERO));
        assert!(brief.wait().unwrap().success());
    }

    #[test]
    fn who_does_not_end_when_asked_is_killed() {
        for script in ["sleep 600", "trap '' TERM; sleep 600; sleep 600"] {
            let mut shell = Command::new("sh");
            let mut child = shell.args(["-c", script]).process_group(0).spawn().unwrap();
            assert!(!has_ended(child.id(), Duration::from_millis(50)));
            end_group(child.id());
            assert!(child.wait().unwrap().signal().is_some(), "{script}");
        }
    }

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
