//! A command of the user's as a task. Nothing of it survives this process: it runs in
//! a process group of its own, and a guard process ends that group when this process
//! has ended. The group gets SIGTERM first, so that it can remove its own files.

use crate::crew::poll;
use crate::tasks::mailbox::{Asked, Mailbox};
use harness::children::{
    GRACE, die_with_parent, end_group, has_ended, signal_group, usual_signals,
};
use harness::{Fault, SetupError};
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ExitStatus, Stdio};
use std::time::Duration;

/// What the shell makes of the line. With a trap it waits for what it runs before it
/// leaves: the shell's end is the line's.
const ONCE: &str = r#"trap 'exit 143' TERM; eval "$1""#;
/// Without a pause in between; ends with the first that fails.
const AGAIN: &str =
    r#"trap 'exit 143' TERM; while :; do (trap 'exit 143' TERM; eval "$1") || exit; done"#;
/// The shell's status when it was asked to end.
const ASKED: i32 = 143;

/// A line for the shell, run again and again.
pub struct Command {
    line: String,
    deadline: Duration,
    guard: Guard,
    wrong: Option<Fault>,
}

impl Command {
    /// # Errors
    /// `Fail` where no guard can be had.
    pub fn prepare(line: &str, deadline: Duration) -> Result<Command, SetupError> {
        // Later than our own check of the deadline: the guard is for when we are gone.
        let guard =
            Guard::start(deadline + GRACE).map_err(|e| SetupError::fail("start a guard", e))?;
        Ok(Command {
            line: line.to_owned(),
            deadline,
            guard,
            wrong: None,
        })
    }

    /// Runs it once, to its end or its deadline.
    pub fn run(&mut self) {
        // A command that went wrong is not run again: it may take its time.
        if self.wrong.is_some() {
            return;
        }
        let mut late = false;
        let ended = self.start(ONCE).and_then(|mut child| {
            late = !has_ended(child.id(), self.deadline);
            if late {
                end_group(child.id());
            }
            self.collect(&mut child)
        });
        self.judge(ended, late);
    }

    /// Runs it, again where it ends, until something else is asked.
    pub fn accompany(&mut self, mailbox: &Mailbox, asked: &Asked) {
        let started = self.start(AGAIN);
        mailbox.answer(asked);
        let mut child = match started {
            Ok(child) => child,
            Err(cause) => return self.judge(Err(cause), false),
        };
        while mailbox.holds(asked) {
            mailbox.sleep_while(asked);
        }
        let by_itself = has_ended(child.id(), Duration::ZERO);
        if !by_itself {
            end_group(child.id());
        }
        let ended = self.collect(&mut child);
        if by_itself {
            // Only the guard may end it meanwhile.
            let of_guard = |s: &ExitStatus| s.code() == Some(ASKED) || s.signal().is_some();
            let late = ended.as_ref().is_ok_and(of_guard);
            self.judge(ended, late);
        }
    }

    /// # Errors
    /// How it ended, where not well.
    pub fn verify(&self) -> Result<(), Fault> {
        self.wrong.clone().map_or(Ok(()), Err)
    }

    fn start(&self, script: &str) -> io::Result<Child> {
        // SAFETY: takes nothing and cannot fail.
        let us = unsafe { libc::getpid() };
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", script, "sh", &self.line]);
        shell.stdin(Stdio::null());
        shell.stdout(Stdio::null()).stderr(Stdio::null());
        shell.process_group(0);
        // SAFETY: between fork and exec only system calls are made.
        unsafe {
            shell.pre_exec(move || {
                usual_signals();
                die_with_parent(us, libc::SIGTERM)
            });
        }
        let child = shell.spawn()?;
        self.tell(child.id());
        Ok(child)
    }

    /// Gives the guard the group to watch; 0: none.
    fn tell(&self, group: u32) {
        if let Some(mut end) = self.guard.end.as_ref() {
            // A guard that has gone has nothing left to watch.
            let _ = end.write(&group.to_ne_bytes());
        }
    }

    /// Ends what the line left behind, and only then gives its number back.
    fn collect(&self, child: &mut Child) -> io::Result<ExitStatus> {
        signal_group(child.id(), libc::SIGKILL);
        let status = child.wait();
        self.tell(0);
        status
    }

    fn judge(&mut self, ended: io::Result<ExitStatus>, late: bool) {
        let line = &self.line;
        self.wrong = match ended {
            Ok(_) if late => Some(Fault::wrong(format!(
                "`{line}` was killed: it ran longer than {} s",
                self.deadline.as_secs()
            ))),
            Ok(status) if status.success() => None,
            Ok(status) => Some(Fault::wrong(format!(
                "`{line}` failed: {status} (run it by hand to see why)"
            ))),
            Err(cause) => Some(Fault::refused(&format!("run `{line}`"), cause)),
        };
    }
}

/// A process that lives until our end of its pipe closes, and ends the last group
/// that was announced to it, then or when the deadline passes.
struct Guard {
    end: Option<PipeWriter>,
    process: libc::pid_t,
}

impl Guard {
    fn start(deadline: Duration) -> io::Result<Guard> {
        let (read, write) = io::pipe()?;
        // SAFETY: the child makes system calls only, and leaves by _exit.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                // Of a group of its own: who ends a measuring process ends its group.
                // SAFETY: takes nothing.
                unsafe { libc::setsid() };
                drop(write);
                watch(&read, deadline)
            }
            process => {
                // The child does the same; whichever is first makes the group.
                // SAFETY: takes numbers, of a child that is not reaped.
                unsafe { libc::setpgid(process, process) };
                Ok(Guard {
                    end: Some(write),
                    process,
                })
            }
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.end = None;
        // SAFETY: waits for this object's own child, which now leaves.
        unsafe { libc::waitpid(self.process, std::ptr::null_mut(), 0) };
    }
}

fn watch(pid_pipe: &PipeReader, deadline: Duration) -> ! {
    let mut group = 0u32;
    loop {
        let patience = (group != 0).then_some(deadline);
        let mut next = heard(pid_pipe, patience);
        if matches!(next, Heard::Nothing) {
            signal_group_if(group, libc::SIGTERM);
            // Whoever started it collects it and says so, if it ends.
            next = heard(pid_pipe, Some(GRACE));
        }
        group = match next {
            Heard::Group(next) => next,
            Heard::Nothing => {
                signal_group_if(group, libc::SIGKILL);
                0
            }
            Heard::End => leave(group),
        };
    }
}

/// Ends the last group, and this process, without its parent's exit handlers.
fn leave(group: u32) -> ! {
    signal_group_if(group, libc::SIGTERM);
    for _ in 0..GRACE.as_millis() {
        if !group_lives(group) {
            break;
        }
        poll::poll(&mut [], 1);
    }
    signal_group_if(group, libc::SIGKILL);
    // SAFETY: ends this process.
    unsafe { libc::_exit(0) }
}

/// 0 is no group, and would be the guard's own.
fn signal_group_if(group: u32, signal: libc::c_int) {
    if group != 0 {
        signal_group(group, signal);
    }
}

fn group_lives(group: u32) -> bool {
    match libc::pid_t::try_from(group) {
        // SAFETY: asks, and sends nothing.
        Ok(group) if group != 0 => unsafe { libc::kill(-group, 0) == 0 },
        _ => false,
    }
}

enum Heard {
    Group(u32),
    Nothing,
    /// The process that could report is gone.
    End,
}

fn heard(mut pid_pipe: &PipeReader, patience: Option<Duration>) -> Heard {
    let limit_ms = patience.map_or(-1, |limit| {
        libc::c_int::try_from(limit.as_millis()).unwrap_or(libc::c_int::MAX)
    });
    let mut word = [0u8; 4];
    let mut end = [poll::of(pid_pipe.as_raw_fd(), libc::POLLIN)];
    if poll::poll(&mut end, limit_ms) == 0 {
        return Heard::Nothing;
    }
    match pid_pipe.read(&mut word) {
        Ok(4) => Heard::Group(u32::from_ne_bytes(word)),
        _ => Heard::End,
    }
}

#[cfg(test)]
mod tests {
    use super::Command;
    use std::time::Duration;
    use testbed::{context, exists};

    fn command(line: &str, deadline: Duration) -> Command {
        Command::prepare(line, deadline).unwrap()
    }

    #[test]
    fn a_command_that_ends_well_is_right_and_one_that_fails_is_named() {
        let mut well = command("exit 0", Duration::from_secs(20));
        well.run();
        well.run();
        assert_eq!(well.verify(), Ok(()));
        let mut ill = command("exit 3", Duration::from_secs(20));
        ill.run();
        let why = ill.verify().unwrap_err().to_string();
        assert!(
            why.contains("`exit 3` failed") && why.contains('3'),
            "{why}"
        );
    }

    #[test]
    fn a_command_that_never_ends_is_ended_with_all_that_it_started() {
        let (context, _keep) = context();
        let file = context.scratch.join("pid");
        let line = format!("sleep 1000 & echo $! > {}; wait", file.display());
        let mut endless = command(&line, Duration::from_secs(4));
        endless.run();
        let why = endless.verify().unwrap_err().to_string();
        assert!(why.contains("was killed: it ran longer"), "{why}");
        let pid = std::fs::read_to_string(file).unwrap();
        assert!(gone(pid.trim().parse().unwrap()));
    }

    #[test]
    fn what_a_command_leaves_running_is_ended_with_it() {
        let (context, _keep) = context();
        let file = context.scratch.join("pid");
        let line = format!("sleep 1000 & echo $! > {}", file.display());
        let mut brief = command(&line, Duration::from_secs(20));
        brief.run();
        assert_eq!(brief.verify(), Ok(()));
        let pid = std::fs::read_to_string(file).unwrap();
        assert!(gone(pid.trim().parse().unwrap()));
    }

    /// As sort(1) does with its temporary files.
    #[test]
    fn who_is_ended_can_clear_up() {
        let (context, _keep) = context();
        let file = context.scratch.join("temporary");
        let name = file.display();
        let line =
            format!("sh -c 'trap \"rm {name}; exit 0\" TERM; : > {name}; sleep 1000 & wait'");
        let mut endless = command(&line, Duration::from_secs(2));
        endless.run();
        assert!(endless.verify().is_err());
        assert!(!file.exists());
    }

    /// Within some seconds.
    fn gone(pid: libc::pid_t) -> bool {
        (0..1000).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            !exists(pid) || is_zombie(pid)
        })
    }

    fn is_zombie(pid: libc::pid_t) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        stat.is_ok_and(|s| s.contains(") Z "))
    }
}
