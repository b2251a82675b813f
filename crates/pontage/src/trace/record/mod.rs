//! `pontage trace record`.

mod progress;
mod summary;

use super::arguments::Record;
use super::command::{self, Running};
use crate::commands;
use crate::failure::{DONE, FAILED, Failure, Outcome};
use harness::error::HarnessError;
use harness::journal::Journal;
use harness::tracing::{Plan, RingError};
use probe::tracefs::functions::Functions;
use probe::tracefs::{
    DEFAULT, Recording, Selection, Settings, Specification, Spool, Stopped, Tracefs, TracefsError,
    default_buffer_kib,
};
use progress::Progress;
use std::io::ErrorKind;
use std::path::Path;

/// # Errors
/// What the kernel refused, or a file that cannot be written.
pub fn run(arguments: &Record) -> Outcome {
    if let Some(folder) = &arguments.recover {
        return recover(folder);
    }
    record(arguments).or_else(|ended| ended.outcome("record"))
}

/// Why nothing was recorded.
pub enum Ended {
    Absent { reason: String, remedy: String },
    Failed(Failure),
}

impl Ended {
    /// How the command ends: absence is a SKIP.
    ///
    /// # Errors
    /// What failed.
    pub fn outcome(self, command: &str) -> Outcome {
        match self {
            Ended::Absent { reason, remedy } => Ok(crate::trace::absent(command, &reason, &remedy)),
            Ended::Failed(failure) => Err(failure),
        }
    }
}

impl From<TracefsError> for Ended {
    fn from(error: TracefsError) -> Self {
        match error {
            TracefsError::Absent { reason, remedy } => Ended::Absent { reason, remedy },
            other => Ended::Failed(Failure::new(other)),
        }
    }
}

impl From<RingError> for Ended {
    fn from(error: RingError) -> Self {
        match error {
            RingError::Journal(error) => refused(error),
            RingError::Tracefs(error) => error.into(),
        }
    }
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Ended::Failed(failure)
    }
}

/// A file of no record, and no device: a trace is put together out of order, and must
/// not take a device's place.
fn may_write(out: &Path) -> Result<(), Failure> {
    crate::output::spare_records(out)?;
    files::output::check_file(out).map_err(|e| {
        Failure::new(format!("cannot write {}: {e}", out.display()))
            .hint("name a file: pontage trace record -o trace.dat")
    })
}

fn record(arguments: &Record) -> Result<u8, Ended> {
    may_write(&arguments.out)?;
    commands::check_program(&arguments.command)?;
    let tracefs = Tracefs::find(Path::new("/"))?;
    let filter = arguments.wishes.filter.as_deref();
    let selection = Selection::resolve(&tracefs, &wishes(arguments), filter)?;
    let wish = arguments.functions.wish();
    let resolve = |wish| Functions::resolve(&tracefs, wish);
    let functions = wish.as_ref().map(resolve).transpose()?;
    tasks_exist(&arguments.pid)?;
    let stop = harness::signals::stop_flag()
        .map_err(|e| Failure::new(format!("cannot watch for signals: {e}")))?;
    // Declared before all that holds files of the instance open: it is undone
    // after them.
    let mut journal = Journal::here();
    let plan = Plan {
        selection: &selection,
        functions: functions.as_ref(),
        settings: &settings(arguments, &tracefs),
    };
    let prepared = harness::tracing::prepare(&tracefs, &mut journal, plan)?;
    summary::before(&tracefs, &prepared, &selection);
    let buffer_kib = prepared.buffer_kib;
    // What the rings hold when this is killed goes to the spool too.
    let spool = Spool::folder_of(&arguments.out);
    let announced = journal.announce_recording(prepared.instance.folder(), &spool);
    announced.map_err(RingError::from)?;
    let recording = Recording::start(&tracefs, prepared, &selection, &arguments.out)?;
    let mut running = Running::start_any(&arguments.command)?;
    let mut progress = Progress::new();
    command::look_on(running.as_mut(), arguments.seconds, &stop, || {
        let failed = recording.has_failed();
        if !failed {
            progress.update(recording.bytes());
        }
        failed
    });
    progress.finish();
    let stopped = recording.stop()?;
    let undone = journal.undo();
    for restored in undone.iter().filter(|r| r.outcome.is_trouble()) {
        harness::message!("pontage: {restored}");
    }
    let status = running.map(Running::finish).transpose()?;
    let stopped = noted(stopped, arguments, status.as_ref());
    summary::after(&stopped, buffer_kib, &arguments.out);
    let whole = stopped.trouble.is_none();
    write(stopped, &arguments.out)?;
    Ok(match (whole, status) {
        (false, _) => FAILED,
        (true, Some(status)) => command::exit_status(status),
        (true, None) => DONE,
    })
}

/// What cannot be written is kept, and how to go on is said.
fn write(stopped: Stopped, out: &Path) -> Result<(), Failure> {
    let kept = stopped.spool.folder().display().to_string();
    let bytes = stopped.spool.write_file(&stopped.head).map_err(|error| {
        Failure::new(error).hint(format!(
            "what was recorded is kept; free some space, then: pontage trace record --recover \
             {kept}"
        ))
    })?;
    summary::written(out, bytes);
    Ok(())
}

/// With functions only the switches that put their callers to sleep.
fn wishes(arguments: &Record) -> Vec<Specification> {
    let usual = match arguments.functions.wish() {
        Some(_) => "sched:sched_switch",
        None => DEFAULT,
    };
    let events = &arguments.wishes.events;
    let usual = events.is_empty().then(|| (usual.to_owned(), None));
    let wish = |(text, filter): &(String, Option<String>)| {
        let Ok(wish) = text.parse::<Specification>();
        match filter {
            None => wish,
            Some(filter) => wish.and(filter),
        }
    };
    events.iter().chain(&usual).map(wish).collect()
}

fn settings(arguments: &Record, tracefs: &Tracefs) -> Settings {
    let usual = || default_buffer_kib(tracefs.root());
    Settings {
        clock: arguments.clock.clone(),
        buffer_kib: arguments.buffer_kib.unwrap_or_else(usual),
        overwrite: !arguments.drop_newest,
        pids: arguments.pid.clone(),
    }
}

fn tasks_exist(pids: &[u32]) -> Result<(), Failure> {
    match pids.iter().find(|pid| !machine::task::exists(**pid)) {
        None => Ok(()),
        Some(pid) => Err(Failure::new(format!(
            "cannot record task {pid}: there is no such process"
        ))
        .hint("pgrep NAME prints process numbers")),
    }
}

/// Making the instance needs the right to write tracefs, and a journal.
fn refused(error: HarnessError) -> Ended {
    if let HarnessError::File { verb, source, path } = &error
        && *verb == "create tracefs instance"
    {
        match source.kind() {
            ErrorKind::PermissionDenied => {
                return Ended::Absent {
                    reason: error.to_string(),
                    remedy: "sudo pontage trace record ...".to_owned(),
                };
            }
            ErrorKind::AlreadyExists => {
                let hint = format!("sudo pontage restore, or sudo rmdir {}", path.display());
                return Failure::new(&error).hint(hint).into();
            }
            _ => {}
        }
    }
    Failure::from(error).into()
}

/// What only the front door knows.
fn noted(
    mut stopped: Stopped,
    arguments: &Record,
    status: Option<&std::process::ExitStatus>,
) -> Stopped {
    let words = crate::command_line::typed();
    let notes = &mut stopped.head.notes;
    notes.insert(0, format!("command: {}", words.join(" ")));
    notes.extend(crate::command_line::note());
    if let Some(status) = status {
        notes.push(format!("the recorded command ended with {status}"));
    }
    if arguments.drop_newest {
        notes.push("full ring buffers lost the newest events: gaps are not marked".to_owned());
    }
    stopped
}

fn recover(folder: &Path) -> Outcome {
    let recovered = Spool::recover(Path::new("/"), folder).map_err(Failure::new)?;
    let Some(recovered) = recovered else {
        harness::message!(
            "{}: it was killed before it recorded anything, and is removed",
            folder.display()
        );
        return Ok(DONE);
    };
    harness::message!(
        "{}: {} of events recovered; what was still in the ring buffers is {}",
        recovered.output.display(),
        report::format::decimal_bytes(recovered.bytes),
        match recovered.drained {
            true => "among them",
            false => "missing",
        }
    );
    if let Some(left) = recovered.left {
        harness::message!(
            "pontage: {} is not removed: it has files that do not belong to a recording",
            left.display()
        );
    }
    Ok(DONE)
}
