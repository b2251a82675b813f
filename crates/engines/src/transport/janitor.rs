//! Removes System V queues, which would outlive their makers: they belong to no process,
//! so a process that is killed leaves them behind for ever, and one that sleeps on a
//! queue does not learn that the other side has gone.
//!
//! The janitor is a process that makes the queues, sleeps until one side has
//! gone, however it went, and removes them, which wakes all who sleep on them.
//! Where the janitor is killed with both, the journal knows the keys.

use super::socket::refusal::refused;
use super::tether::Tether;
use crate::crew::child::{close_others, not_started};
use crate::crew::poll;
use harness::SetupError;
use harness::queue_keys::{NoKeys, QueueKeys};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;

/// What the janitor says of the queues: their numbers, or why there are none.
struct Report {
    queues: [libc::c_int; 2],
    errno: libc::c_int,
}

/// Two queues that go with the first of three: the main side's tether, the
/// partner's, or the janitor. Dropped after the tethers.
#[derive(Debug)]
pub struct Janitor {
    process: libc::pid_t,
    queues: [libc::c_int; 2],
    /// Given back when the queues are gone.
    _keys: QueueKeys,
}

/// The janitor and, for each side, what holds the queues in being.
#[derive(Debug)]
pub struct Watched {
    pub janitor: Janitor,
    pub main: Tether,
    pub partner: Tether,
}

impl Janitor {
    /// Makes two queues that only this user can use.
    ///
    /// # Errors
    /// `Err(Ok(cause))`: what msgget says; `Err(Err(e))`: no process can be had.
    pub fn hire() -> Result<Watched, Result<io::Error, SetupError>> {
        let keys = QueueKeys::take().map_err(|why| match why {
            NoKeys::Kernel(cause) => Ok(cause),
            NoKeys::Journal(error) => Err(no_journal(&error)),
        })?;
        let (main, watched_main) = Tether::pair().map_err(Err)?;
        let (partner, watched_partner) = Tether::pair().map_err(Err)?;
        let (listen, tell) =
            UnixStream::pair().map_err(|e| Err(refused("create a socket pair", &e)))?;
        let watched = [watched_main.fd(), watched_partner.fd()];
        let both = keys.keys();
        // SAFETY: the child makes only system calls on memory of its own stack,
        // and leaves by _exit.
        let process = match unsafe { libc::fork() } {
            -1 => {
                let cause = io::Error::last_os_error();
                return Err(Err(not_started("start the janitor of queues", &cause)));
            }
            0 => clean_after(watched, tell, both),
            child => child,
        };
        drop((watched_main, watched_partner, tell));
        let mut janitor = Janitor {
            process,
            queues: [-1; 2],
            _keys: keys,
        };
        let report = hear(listen).map_err(|e| {
            let doing = "hear from the janitor of queues";
            Err(SetupError::fail(doing, e))
        })?;
        if report.errno != 0 {
            return Err(Ok(io::Error::from_raw_os_error(report.errno)));
        }
        janitor.queues = report.queues;
        Ok(Watched {
            janitor,
            main,
            partner,
        })
    }

    /// Identifiers of the two queues.
    pub fn queues(&self) -> [libc::c_int; 2] {
        self.queues
    }

    /// The janitor's process number.
    pub fn process(&self) -> libc::pid_t {
        self.process
    }
}

impl Drop for Janitor {
    /// Waits for the janitor, who leaves when either tether has been dropped.
    fn drop(&mut self) {
        loop {
            let mut status = 0;
            // SAFETY: a child of our own that is reaped here only.
            let reaped = unsafe { libc::waitpid(self.process, &raw mut status, 0) };
            if reaped == self.process && libc::WIFEXITED(status) {
                return;
            }
            if reaped != -1 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                break;
            }
        }
        // It was killed before its work was done.
        remove(self.queues);
    }
}

fn no_journal(error: &harness::HarnessError) -> SetupError {
    let remedy = error.hint();
    SetupError::skip(
        format!("cannot create a message queue that is removed after a crash: {error}"),
        remedy.unwrap_or_else(|| "PONTAGE_STATE_DIR=DIR, a folder that you own".to_owned()),
    )
}

fn hear(mut janitor: UnixStream) -> io::Result<Report> {
    let mut words = [[0; 4]; 3];
    janitor.read_exact(words.as_flattened_mut())?;
    let [first, second, errno] = words.map(libc::c_int::from_ne_bytes);
    Ok(Report {
        queues: [first, second],
        errno,
    })
}

/// The janitor's whole life.
fn clean_after(watched: [RawFd; 2], mut tell: UnixStream, keys: [i32; 2]) -> ! {
    // SAFETY: plain system calls, allowed after fork. A session of its own keeps
    // it out of the signals that end the others.
    unsafe {
        libc::setsid();
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGPIPE] {
            libc::signal(signal, libc::SIG_IGN);
        }
    }
    close_others(&[watched[0], watched[1], tell.as_raw_fd()]);
    let report = make(keys);
    let [first, second] = report.queues;
    let words = [first, second, report.errno].map(libc::c_int::to_ne_bytes);
    // Who does not hear it has gone, and so has a tether.
    let _ = tell.write_all(words.as_flattened());
    drop(tell);
    if report.errno == 0 {
        until_one_goes(watched);
        remove(report.queues);
    }
    // SAFETY: ends the process without running the parent's exit handlers.
    unsafe { libc::_exit(0) }
}

fn make(keys: [i32; 2]) -> Report {
    let flags = libc::IPC_CREAT | libc::IPC_EXCL | 0o600;
    // SAFETY: no pointers.
    let new = |key| unsafe { libc::msgget(key, flags) };
    let mut report = Report {
        queues: [-1; 2],
        errno: 0,
    };
    for (at, key) in keys.into_iter().enumerate() {
        report.queues[at] = new(key);
        if report.queues[at] < 0 {
            report.errno = io::Error::last_os_error().raw_os_error().unwrap_or(-1);
            remove(report.queues);
            break;
        }
    }
    report
}

fn until_one_goes(watched: [RawFd; 2]) {
    let mut both = watched.map(|fd| poll::of(fd, 0));
    while both.iter().all(|one| one.revents == 0) {
        poll::poll(&mut both, -1);
    }
}

fn remove(queues: [libc::c_int; 2]) {
    for queue in queues.into_iter().filter(|queue| *queue >= 0) {
        // SAFETY: no pointers; a queue that is gone is none to remove.
        unsafe { libc::msgctl(queue, libc::IPC_RMID, std::ptr::null_mut()) };
    }
}

#[cfg(test)]
mod tests {
    use super::{Janitor, Watched};

    fn exists(queue: libc::c_int) -> bool {
        // SAFETY: an all-zero structure is valid; the call fills it.
        unsafe {
            let mut about: libc::msqid_ds = std::mem::zeroed();
            libc::msgctl(queue, libc::IPC_STAT, &raw mut about) == 0
        }
    }

    /// None, with a message, where no journal can be kept.
    fn hired() -> Option<Watched> {
        match Janitor::hire() {
            Ok(watched) => Some(watched),
            Err(Err(harness::SetupError::Skip { reason, .. })) => {
                eprintln!("skipped: {reason}");
                None
            }
            Err(why) => panic!("this machine has no System V queues: {why:?}"),
        }
    }

    #[test]
    fn the_queues_go_with_either_side() {
        for leaves_first in ["main", "partner"] {
            let Some(Watched {
                janitor,
                main,
                partner,
            }) = hired()
            else {
                return;
            };
            let queues = janitor.queues();
            assert!(queues.into_iter().all(exists));
            // Either end may be the one that is kept.
            let _kept = if leaves_first == "main" {
                drop(main);
                partner
            } else {
                drop(partner);
                main
            };
            drop(janitor);
            assert!(!queues.into_iter().any(exists), "{leaves_first} left");
        }
    }

    #[test]
    fn a_killed_janitor_leaves_no_queue() {
        let Some(Watched { janitor, .. }) = hired() else {
            return;
        };
        let queues = janitor.queues();
        // SAFETY: a child of our own, not yet reaped.
        unsafe { libc::kill(janitor.process(), libc::SIGKILL) };
        drop(janitor);
        assert!(!queues.into_iter().any(exists));
    }
}
