//! A child process that cannot outlive its parent, and is always reaped.

use harness::{SetupError, affinity};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;

/// Why a child left by itself; its exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Departure {
    /// The pipe behind it ended: its neighbour had left.
    NeighbourGone = 1,
    /// The token had another value than the order of the ring gives.
    WrongToken = 2,
    PipeFailed = 3,
    NotPinned = 4,
    Panicked = 5,
    ParentGone = 6,
    NotLowered = 7,
    NotScheduled = 8,
    Done = 9,
}

impl Departure {
    /// Whether `reason`, of [`Child::departure`], is this one.
    pub fn is(self, reason: &str) -> bool {
        reason.ends_with(Departure::text(self as i32))
    }

    fn text(status: i32) -> &'static str {
        match status {
            1 => "stopped because its neighbour had stopped",
            2 => "got the token out of order",
            3 => "could not use its pipe",
            4 => "could not be pinned to its CPU",
            5 => "panicked",
            6 => "lost its parent",
            7 => "could not be given the lowest scheduling class",
            8 => "could not be given its scheduling policy",
            9 => "had done its work",
            _ => "left",
        }
    }
}

/// Why no process or thread can be had: a limit is a skip that says how to raise
/// it.
pub fn not_started(doing: &str, cause: &io::Error) -> SetupError {
    match cause.raw_os_error() {
        Some(libc::EAGAIN) => SetupError::skip(
            format!("cannot {doing}: this user may not have more processes: {cause}"),
            "ulimit -u 4096 (in a container: raise pids.max of its cgroup)",
        ),
        _ => SetupError::fail(doing, cause),
    }
}

/// A running child. Dropping it kills and reaps it.
#[derive(Debug)]
pub struct Child {
    pid: libc::pid_t,
    reaped: bool,
}

impl Child {
    /// Forks; the child ignores signals of the terminal (the parent ends it),
    /// closes every descriptor above 2 except `keep`, runs on `cpu` only, and
    /// leaves with what `body` returns. `body` must not allocate or lock:
    /// other threads of the parent may have held locks while it forked.
    ///
    /// # Errors
    /// What fork says.
    pub fn fork(cpu: u32, keep: &[RawFd], body: impl FnOnce() -> Departure) -> io::Result<Child> {
        // SAFETY: takes no arguments.
        let parent = unsafe { libc::getpid() };
        // SAFETY: the child runs only what the comment above allows, then exits.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => run(parent, cpu, keep, body),
            pid => Ok(Child { pid, reaped: false }),
        }
    }

    /// Its process number.
    pub fn id(&self) -> libc::pid_t {
        self.pid
    }

    /// How the child left, if it has.
    pub fn departure(&mut self) -> Option<String> {
        if self.reaped {
            return None;
        }
        let mut status = 0;
        // SAFETY: waits for this object's own child and writes one int.
        let pid = unsafe { libc::waitpid(self.pid, &raw mut status, libc::WNOHANG) };
        if pid != self.pid {
            return None;
        }
        self.reaped = true;
        let signal = libc::WTERMSIG(status);
        Some(match libc::WIFSIGNALED(status) {
            true => format!("process {pid} was killed by signal {signal}"),
            false => {
                let how = Departure::text(libc::WEXITSTATUS(status));
                format!("process {pid} {how}")
            }
        })
    }

    /// Ends the child without waiting for it.
    pub fn kill(&self) {
        if !self.reaped {
            // SAFETY: not reaped yet, so the id still names this child.
            unsafe { libc::kill(self.pid, libc::SIGKILL) };
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
        while !self.reaped {
            // SAFETY: waits for this object's own child.
            let pid = unsafe { libc::waitpid(self.pid, std::ptr::null_mut(), 0) };
            self.reaped =
                pid == self.pid || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted;
        }
    }
}

/// Ends the process where a panic would unwind into the parent's code.
struct NoUnwinding;

impl Drop for NoUnwinding {
    fn drop(&mut self) {
        leave(Departure::Panicked);
    }
}

fn leave(with: Departure) -> ! {
    // SAFETY: ends the process without running the parent's exit handlers.
    unsafe { libc::_exit(with as i32) }
}

fn run(parent: libc::pid_t, cpu: u32, keep: &[RawFd], body: impl FnOnce() -> Departure) -> ! {
    let _guard = NoUnwinding;
    // SAFETY: plain system calls on this process, allowed after fork.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // The parent may have died before the line above.
        if libc::getppid() != parent {
            leave(Departure::ParentGone);
        }
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGPIPE] {
            libc::signal(signal, libc::SIG_IGN);
        }
    }
    close_others(keep);
    if affinity::pin(&[cpu]).is_err() {
        leave(Departure::NotPinned);
    }
    leave(body())
}

/// Closes every descriptor above standard error but `keep`, which is short.
pub fn close_others(keep: &[RawFd]) {
    let mut from = 3;
    loop {
        let next = keep.iter().copied().filter(|fd| *fd >= from).min();
        close_range(from, next.map_or(libc::c_int::MAX, |fd| fd - 1));
        match next {
            Some(fd) => from = fd + 1,
            None => return,
        }
    }
}

fn close_range(first: RawFd, last: RawFd) {
    if first > last {
        return;
    }
    // SAFETY: closes descriptors of this process that its body does not use.
    if unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) } == 0 {
        return;
    }
    // Before Linux 5.9, or forbidden: one by one, as far as usual limits go.
    for fd in first..=last.min(4096) {
        // SAFETY: as above.
        unsafe { libc::close(fd) };
    }
}

/// Keeps the death of a neighbour an error to read (EPIPE) instead of a signal
/// that ends this process, for as long as it lives.
#[derive(Debug)]
pub struct NoPipeSignal {
    before: Option<libc::sigaction>,
}

impl NoPipeSignal {
    /// Ignores SIGPIPE until it is dropped.
    #[must_use]
    pub fn hold() -> NoPipeSignal {
        let mut before = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: asks for the present action; the structure is the call's own.
        let before = unsafe {
            libc::sigaction(libc::SIGPIPE, std::ptr::null(), before.as_mut_ptr());
            before.assume_init()
        };
        if before.sa_sigaction != libc::SIG_DFL {
            return NoPipeSignal { before: None };
        }
        // SAFETY: ignoring a signal runs no code.
        unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
        NoPipeSignal {
            before: Some(before),
        }
    }
}

impl Drop for NoPipeSignal {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // SAFETY: restores what the kernel gave.
            unsafe { libc::sigaction(libc::SIGPIPE, before, std::ptr::null_mut()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::not_started;
    use std::io;

    #[test]
    fn a_limit_on_processes_is_skipped_with_the_limit_named() {
        let of = |errno| not_started("start it", &io::Error::from_raw_os_error(errno));
        assert!(matches!(
            of(libc::EAGAIN),
            harness::SetupError::Skip { reason, remedy }
                if reason.starts_with("cannot start it: ") && remedy.contains("ulimit -u")
        ));
        assert!(matches!(of(libc::EINVAL), harness::SetupError::Fail(_)));
    }
}
