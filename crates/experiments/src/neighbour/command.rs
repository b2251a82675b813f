//! A command of the user's as a task. Nothing of it survives us: it runs in a
//! process group of its own, and a guard, which nothing but our end ends, kills
//! that group.

use crate::neighbour::board::{Asked, Board};
use harness::SetupError;
use harness::children::{die_with_parent, usual_signals};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ExitStatus, Stdio};
use std::time::Duration;

/// What the shell makes of the line.
const ONCE: &str = r#"eval "$1""#;
/// Without a pause in between; ends with the first that fails.
const AGAIN: &str = r#"while :; do (eval "$1") || exit; done"#;

/// A line for the shell, run again and again.
pub struct Command {
    line: String,
    deadline: Duration,
    guard: Guard,
    wrong: Option<String>,
}

impl Command {
    /// # Errors
    /// `Fail` where no guard can be had.
    pub fn prepare(line: &str, deadline: Duration) -> Result<Command, SetupError> {
        let guard = Guard::start(deadline).map_err(|e| SetupError::fail("start a guard", e))?;
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
        let ended = self.start(ONCE).and_then(|mut child| {
            let status = child.wait();
            self.tell(0);
            status
        });
        self.judge(ended);
    }

    /// Runs it, again where it ends, until something else is asked.
    pub fn accompany(&mut self, board: &Board, asked: &Asked) {
        let started = self.start(AGAIN);
        board.answer(asked);
        let mut child = match started {
            Ok(child) => child,
            Err(cause) => return self.judge(Err(cause)),
        };
        while board.holds(asked) {
            board.sleep_while(asked);
        }
        match child.try_wait() {
            Ok(Some(status)) => self.judge(Ok(status)),
            _ => {
                end_group(child.id());
                let _ = child.wait();
            }
        }
        self.tell(0);
    }

    /// # Errors
    /// How it ended, where not well.
    pub fn verify(&self) -> Result<(), String> {
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
                die_with_parent(us, libc::SIGKILL)
            });
        }
        let child = shell.spawn()?;
        self.tell(child.id());
        Ok(child)
    }

    /// Tells the guard which group to watch; 0: none.
    fn tell(&self, group: u32) {
        let Some(end) = &self.guard.end else { return };
        let word = group.to_ne_bytes();
        // SAFETY: reads four live bytes.
        unsafe { libc::write(end.as_raw_fd(), word.as_ptr().cast(), word.len()) };
    }

    fn judge(&mut self, ended: io::Result<ExitStatus>) {
        let line = &self.line;
        self.wrong = match ended {
            Ok(status) if status.success() => None,
            Ok(status) if status.signal() == Some(libc::SIGKILL) => Some(format!(
                "`{line}` was killed: it had not ended within {} s",
                self.deadline.as_secs()
            )),
            Ok(status) => Some(format!(
                "`{line}` failed: {status} (run it by hand to see why)"
            )),
            Err(cause) => Some(format!("cannot run `{line}`: {cause}")),
        };
    }
}

fn end_group(leader: u32) {
    if let Ok(group) = libc::pid_t::try_from(leader) {
        // SAFETY: the group of a child that is not reaped yet.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

/// A process that lives until our end of its pipe closes, and ends the last group
/// that it was told of, then or when the deadline passes.
struct Guard {
    end: Option<OwnedFd>,
    process: libc::pid_t,
}

impl Guard {
    fn start(deadline: Duration) -> io::Result<Guard> {
        let mut ends = [-1; 2];
        // SAFETY: the array takes the two descriptors that the call makes.
        if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: both are new and nobody else's.
        let [read, write] = ends.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) });
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
                // As the child does, whoever comes first; then it is there already.
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

fn watch(told: &OwnedFd, deadline: Duration) -> ! {
    let limit_ms = libc::c_int::try_from(deadline.as_millis()).unwrap_or(libc::c_int::MAX);
    let mut group = 0u32;
    loop {
        let mut wanted = libc::pollfd {
            fd: told.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        let patience = if group == 0 { -1 } else { limit_ms };
        let mut word = [0u8; 4];
        // SAFETY: one live structure; then four live bytes.
        let (ready, read) = unsafe {
            let ready = libc::poll(&raw mut wanted, 1, patience);
            let read = match ready {
                0 => 0,
                _ => libc::read(told.as_raw_fd(), word.as_mut_ptr().cast(), word.len()),
            };
            (ready, read)
        };
        if read == 4 {
            group = u32::from_ne_bytes(word);
            continue;
        }
        if group != 0 {
            end_group(group);
        }
        group = 0;
        if ready != 0 {
            // SAFETY: ends this process without its parent's exit handlers.
            unsafe { libc::_exit(0) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Command;
    use crate::testing::{context, exists};
    use std::time::Duration;

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
        let why = ill.verify().unwrap_err();
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
        let why = endless.verify().unwrap_err();
        assert!(why.contains("was killed: it had not ended"), "{why}");
        let told = std::fs::read_to_string(file).unwrap();
        assert!(gone(told.trim().parse().unwrap()));
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
