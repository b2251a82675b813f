//! The two pipes of a measuring process.

use super::job::{Event, Job};
use crate::error::HarnessError;
use record::{FrameReader, write_frame};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::FromRawFd;
use std::sync::atomic::{AtomicBool, Ordering};

/// Reads the job from standard input and leaves a thread behind that sets
/// `stop` when the input ends.
pub fn receive_job(stop: &'static AtomicBool) -> Result<Job, HarnessError> {
    let payload = FrameReader::new(io::stdin().lock())
        .next()
        .map_err(|e| HarnessError::ReadJob {
            cause: e.to_string(),
        })?
        .ok_or_else(|| HarnessError::ReadJob {
            cause: "standard input is empty (this argument is for internal use)".to_owned(),
        })?;
    let job = serde_json::from_slice(&payload).map_err(|e| HarnessError::ReadJob {
        cause: e.to_string(),
    })?;
    std::thread::Builder::new()
        .name("stop-listener".to_owned())
        .spawn(move || {
            // End of input and any error mean the same: nobody is there.
            let _ = io::stdin().lock().read(&mut [0]);
            stop.store(true, Ordering::Relaxed);
        })
        .map_err(|e| HarnessError::ReadJob {
            cause: e.to_string(),
        })?;
    Ok(job)
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
        Ok(Events { out })
    }

    /// Events to any file, for a run without a process of its own.
    #[must_use]
    pub fn to_file(out: File) -> Self {
        Events { out }
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
        Event::Finished { .. } => "the end of the job".to_owned(),
    }
}
