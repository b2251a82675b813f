//! The two pipes of a measuring process.

use super::job::{Event, Job};
use crate::error::HarnessError;
use record::{FrameReader, write_frame};
use std::fs::File;
use std::io;
use std::os::fd::{FromRawFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};

/// Reads the job from standard input, and has `STOP` set when the input ends.
pub fn receive_job() -> Result<Job, HarnessError> {
    let unread = |cause: String| HarnessError::ReadJob { cause };
    let payload = FrameReader::new(io::stdin().lock())
        .next()
        .map_err(|e| unread(e.to_string()))?
        .ok_or_else(|| {
            unread("standard input is empty (this argument is for internal use)".to_owned())
        })?;
    let job = serde_json::from_slice(&payload).map_err(|e| unread(e.to_string()))?;
    hear_the_end(0).map_err(|e| unread(format!("cannot wait for its end: {e}")))?;
    Ok(job)
}

/// Set when the job's pipe ends: nobody is there any more, or wants no more. Relaxed: no
/// data comes with it, and one batch more or less does not matter.
pub static STOP: AtomicBool = AtomicBool::new(false);

extern "C" fn ended(_: libc::c_int) {
    STOP.store(true, Ordering::Relaxed);
}

/// Has a signal come when `pipe` ends. Not a thread that waits for it: in a process
/// of several threads every call on a descriptor takes a reference to the file, and
/// all system calls measured here would cost what no program of one thread pays.
fn hear_the_end(pipe: RawFd) -> io::Result<()> {
    let handler: extern "C" fn(libc::c_int) = ended;
    // SAFETY: the handler only stores an atomic; the structure is zeroed, which is
    // valid, and lives through the call. The rest takes numbers.
    let heard = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(libc::SIGIO, &raw const action, std::ptr::null_mut()) == 0
            && libc::fcntl(pipe, libc::F_SETOWN, libc::getpid()) == 0
            && libc::fcntl(pipe, libc::F_SETFL, libc::O_ASYNC) == 0
    };
    if !heard {
        return Err(io::Error::last_os_error());
    }
    // It may have ended before.
    let mut now = libc::pollfd {
        fd: pipe,
        events: 0,
        revents: 0,
    };
    // SAFETY: one structure, and the count is one; it does not wait.
    if unsafe { libc::poll(&raw mut now, 1, 0) } == 1 {
        STOP.store(true, Ordering::Relaxed);
    }
    Ok(())
}

/// Where events go.
pub struct Events {
    out: File,
}

impl Events {
    /// Takes standard output for the events and lets everything else that
    /// prints there go to standard error.
    ///
    /// # Errors
    /// When the descriptors cannot be duplicated.
    pub fn open() -> Result<Self, HarnessError> {
        // SAFETY: works on descriptor numbers only; 1 and 2 are open, the
        // coordinator gave them.
        let (own, swapped) = unsafe {
            let own = libc::fcntl(1, libc::F_DUPFD_CLOEXEC, 3);
            (own, libc::dup2(2, 1))
        };
        if own < 0 || swapped < 0 {
            return Err(HarnessError::SendEvent {
                what: "readiness".to_owned(),
                source: io::Error::last_os_error(),
            });
        }
        // SAFETY: `own` was just made and belongs to nobody else.
        let out = unsafe { File::from_raw_fd(own) };
        super::forbidden::report_on(own);
        Ok(Events { out })
    }

    /// # Errors
    /// When the coordinator is gone.
    pub fn send(&mut self, event: &Event) -> Result<(), HarnessError> {
        let failed = |source: io::Error| HarnessError::SendEvent {
            what: name(event),
            source,
        };
        let payload = serde_json::to_vec(event).map_err(|e| failed(e.into()))?;
        write_frame(&mut self.out, &payload).map_err(failed)
    }
}

fn name(event: &Event) -> String {
    match event {
        Event::Ready { .. } => "readiness".to_owned(),
        Event::PointStarted { index } => format!("the start of point {index}"),
        Event::Sampling { indices } => format!("the sampling of points {indices:?}"),
        Event::PointDone { index, .. } => format!("the end of point {index}"),
        Event::Forbidden { call } => format!("forbidden system call {call}"),
        Event::Finished { .. } => "the end of the job".to_owned(),
    }
}
