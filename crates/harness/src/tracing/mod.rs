//! A trace of the kernel around something that is set up: the instrument for
//! what a program cannot see of itself. What is traced is not timed in the same
//! breath, because tracing costs.

mod ring;
mod summed;
#[cfg(test)]
mod testing;

pub use probe::tracefs::functions::{ALL, FunctionWish};
pub use ring::{Plan, RingError, prepare};
pub use summed::{Method, Summed};

use crate::journal::Journal;
use crate::subject::SetupError;
use probe::tracefs::functions::Functions;
use probe::tracefs::{
    Recording, Selection, Settings, Specification, Tracefs, TracefsError, default_buffer_kib,
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
    notes: Vec<String>,
}

impl Tracing {
    /// Records `events` (`sched:sched_switch`, a set of `pontage trace record`) of
    /// all tasks, stamped by CLOCK_MONOTONIC; files go to `scratch`.
    ///
    /// # Errors
    /// `Skip` where this machine or this user has no tracing.
    pub fn start(events: &[&str], scratch: &Path) -> Result<Tracing, SetupError> {
        Tracing::open(events, None, &[], scratch).map_err(skipped)
    }

    /// Entries and exits of functions, of these tasks (none: of all), with
    /// `events`.
    ///
    /// # Errors
    /// `Skip` where this machine has no function tracer, or another process uses it.
    pub fn start_functions(
        wish: &FunctionWish,
        events: &[&str],
        pids: &[u32],
        scratch: &Path,
    ) -> Result<Tracing, SetupError> {
        let opened = Tracing::open(events, Some(wish), pids, scratch);
        opened.map_err(|error| match error {
            // Another process uses it: a state of the machine, as other lacks are.
            RingError::Tracefs(TracefsError::Refused { cause, .. }) => SetupError::skip(
                format!("no function tracing: {cause}"),
                "sudo pontage restore, if it was a killed run of this program",
            ),
            other => skipped(other),
        })
    }

    /// Either of them.
    ///
    /// # Errors
    /// What the kernel lacks or refuses, what another process uses.
    pub fn open(
        events: &[&str],
        wish: Option<&FunctionWish>,
        pids: &[u32],
        scratch: &Path,
    ) -> Result<Tracing, RingError> {
        let root = Path::new("/");
        let tracefs = Tracefs::find(root)?;
        let wishes: Vec<Specification> = events
            .iter()
            .map(|event| {
                let Ok(wish) = event.parse();
                wish
            })
            .collect();
        let selection = Selection::resolve(&tracefs, &wishes, None)?;
        let resolve = |wish| Functions::resolve(&tracefs, wish);
        let functions = wish.map(resolve).transpose()?;
        let settings = Settings {
            clock: "mono".to_owned(),
            buffer_kib: default_buffer_kib(root),
            overwrite: true,
            pids: pids.to_vec(),
        };
        let plan = Plan {
            selection: &selection,
            functions: functions.as_ref(),
            settings: &settings,
        };
        let mut journal = Journal::here();
        let prepared = prepare(&tracefs, &mut journal, plan)?;
        let notes = prepared.notes.clone();
        let file = scratch.join("trace.dat");
        let recording = Recording::start(&tracefs, prepared, &selection, &file)?;
        Ok(Tracing {
            recording,
            journal,
            file,
            notes,
        })
    }

    /// What is not as asked, and where the recording goes if not to an instance.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Ends the recording and opens what it gave.
    ///
    /// # Errors
    /// What could not be read or written; loss of events is no error, the
    /// capture reports it.
    pub fn stop(self) -> Result<Capture, SetupError> {
        let Tracing {
            recording,
            mut journal,
            file,
            ..
        } = self;
        let stopped = recording.stop().map_err(refused)?;
        journal.undo();
        if let Some(trouble) = stopped.trouble {
            return Err(SetupError::Fail(format!("cannot store a trace: {trouble}")));
        }
        stopped.spool.write_file(&stopped.head).map_err(refused)?;
        let capture = trace::file::open(&file);
        // The capture has the file mapped.
        let _ = std::fs::remove_file(&file);
        capture.map_err(|cause| SetupError::Fail(cause.to_string()))
    }
}

fn skipped(error: RingError) -> SetupError {
    match error {
        RingError::Journal(cause) => {
            let remedy = cause.hint();
            let remedy = remedy.unwrap_or_else(|| "sudo pontage run ...".to_owned());
            SetupError::skip(format!("no tracing: {cause}"), remedy)
        }
        RingError::Tracefs(cause) => refused(cause),
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
