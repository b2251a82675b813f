//! A trace of the kernel around something that is set up: the instrument for
//! what a program cannot see of itself. What is traced is not timed in the same
//! breath, because tracing costs.

use crate::journal::{self, Journal};
use crate::subject::SetupError;
use probe::tracefs::{
    Instance, Recording, Selection, Settings, Specification, Tracefs, TracefsError,
    default_buffer_kib,
};
use std::path::{Path, PathBuf};
use trace::Capture;

/// A recording under way. Dropping it leaves nothing behind either.
#[derive(Debug)]
pub struct Tracing {
    // Ends before the journal removes its instance.
    recording: Recording,
    journal: Journal,
    file: PathBuf,
}

impl Tracing {
    /// Records `events` (`sched:sched_switch`, a set of `pontage trace record`) of
    /// all tasks, stamped by CLOCK_MONOTONIC; files go to `scratch`.
    ///
    /// # Errors
    /// `Skip` where this machine or this user has no tracing.
    pub fn start(events: &[&str], scratch: &Path) -> Result<Tracing, SetupError> {
        let root = Path::new("/");
        let tracefs = Tracefs::find(root).map_err(refused)?;
        let wishes: Vec<Specification> = events
            .iter()
            .map(|event| {
                let Ok(wish) = event.parse();
                wish
            })
            .collect();
        let selection = Selection::resolve(&tracefs, &wishes, None).map_err(refused)?;
        let mut journal = Journal::new(&journal::default_dir());
        let path = tracefs.instance_path();
        journal.make_instance(&path).map_err(|cause| {
            SetupError::skip(format!("no tracing: {cause}"), "sudo pontage run ...")
        })?;
        let settings = Settings {
            clock: "mono".to_owned(),
            buffer_kib: default_buffer_kib(root),
            overwrite: true,
            pids: Vec::new(),
        };
        let prepared = Instance::at(path)
            .prepare(&settings, &selection)
            .map_err(refused)?;
        let file = scratch.join("trace.dat");
        let recording = Recording::start(&tracefs, prepared, &selection, &file).map_err(refused)?;
        Ok(Tracing {
            recording,
            journal,
            file,
        })
    }

    /// Ends the recording and opens what it gave.
    ///
    /// # Errors
    /// What could not be read or written; loss of events is none, the capture
    /// tells of it.
    pub fn stop(self) -> Result<Capture, SetupError> {
        let Tracing {
            recording,
            mut journal,
            file,
        } = self;
        let stopped = recording.stop().map_err(refused)?;
        journal.undo();
        if let Some(trouble) = stopped.trouble {
            return Err(SetupError::Fail(format!("cannot keep a trace: {trouble}")));
        }
        stopped.spool.write_file(&stopped.head).map_err(refused)?;
        let capture = trace::file::open(&file);
        // The capture has the file mapped.
        let _ = std::fs::remove_file(&file);
        capture.map_err(|cause| SetupError::Fail(cause.to_string()))
    }
}

fn refused(error: TracefsError) -> SetupError {
    match error {
        TracefsError::Absent { reason, remedy } => {
            SetupError::skip(format!("no tracing: {reason}"), remedy)
        }
        other => SetupError::Fail(other.to_string()),
    }
}
