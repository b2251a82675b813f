//! `pontage trace`: traces of the kernel, live or from files. Arguments and
//! output; what happens is in the crates `trace` and `probe`.

mod analysis;
pub mod arguments;
mod command;
mod cut;
mod export;
mod interrupts;
mod record;
mod report;
mod stream;
mod timeline;

use crate::failure::{DONE, Failure, NOTHING_RUNS, Outcome, say_skip};
use ::trace::{Capture, Selection, TraceError};
use arguments::{Range, TraceCommand, TraceFile};
use std::io::ErrorKind;

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Self {
        let hint = match &error {
            TraceError::NoInstance { has, .. } => has
                .first()
                .map(|name| format!("choose one: --instance {}", escape::terminal(name))),
            TraceError::File { cause, .. } if cause.kind() == ErrorKind::InvalidInput => {
                Some("write it into a file first: cat FROM > trace.dat".to_owned())
            }
            _ => None,
        };
        // A message is a line, whatever names of a file are in it.
        Failure::new(escape::terminal(&error.to_string())).hinted(hint)
    }
}

impl TraceFile {
    /// # Errors
    /// A file that is no trace; an instance that it does not have.
    fn open(&self) -> Result<Capture, TraceError> {
        let capture = ::trace::file::open_instance(&self.file, self.instance.as_deref())?;
        if self.instance.is_none() && !capture.other_rings.is_empty() {
            let others = capture.other_rings.join(", ");
            harness::message!(
                "pontage: {} also has events of other ring buffers, which are left out: {}\nhint: \
                 to read one of them: --instance {}",
                escape::terminal(&self.file.to_string_lossy()),
                escape::terminal(&others),
                escape::terminal(&capture.other_rings[0]),
            );
        }
        Ok(capture)
    }
}

/// How a command ends that could not read so many places of a trace.
fn unread(places: u64) -> Outcome {
    match places {
        0 => Ok(DONE),
        n => Err(Failure::new(format!("cannot read {n} places of the trace"))
            .hint("everything else was written; the file is damaged or truncated")),
    }
}

/// Reports what this machine lacks; the exit status.
fn absent(command: &str, reason: &str, remedy: &str) -> u8 {
    say_skip(&format!("trace {command}"), reason, remedy);
    NOTHING_RUNS
}

impl Range {
    /// # Errors
    /// A range that ends before it begins or holds nothing of the trace, CPUs that
    /// the trace does not have.
    fn selection(&self, capture: &Capture, cpus: Option<&str>) -> Result<Selection, Failure> {
        let selection = Selection::of(capture, self.from, self.to, cpus)?;
        let Some((begin_ns, end_ns)) = capture.begin_ns().zip(capture.end_ns()) else {
            return Ok(selection);
        };
        if selection.from_ns <= end_ns && selection.to_ns > begin_ns {
            return Ok(selection);
        }
        let stamp = |ns: u64| format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
        let hint = "times with a plus or a unit are relative to its start: --from +1.5 --to 2s";
        if selection.from_ns == selection.to_ns {
            let at = stamp(selection.to_ns);
            let cause =
                format!("cannot use that range: it starts and ends at {at}, so it is empty");
            return Err(Failure::new(cause).hint(hint));
        }
        let (side, limit) = match selection.from_ns > end_ns {
            true => ("after", selection.from_ns),
            false => ("before", selection.to_ns),
        };
        Err(Failure::new(format!(
            "cannot use that range: {} is {side} the trace, which covers {} to {}",
            stamp(limit),
            stamp(begin_ns),
            stamp(end_ns),
        ))
        .hint(hint))
    }
}

/// # Errors
/// What the subcommand says.
pub fn run(command: &TraceCommand) -> Outcome {
    match command {
        TraceCommand::Callpath(a) => analysis::callpath(a),
        TraceCommand::Compare(a) => analysis::compare(a),
        TraceCommand::Cut(a) => cut::run(a),
        TraceCommand::Explain(a) => analysis::explain(a),
        TraceCommand::Export(a) => export::run(a),
        TraceCommand::Interrupts(a) => interrupts::run(a),
        TraceCommand::Profile(a) => analysis::profile(a),
        TraceCommand::Record(a) => record::run(a),
        TraceCommand::Report(a) => report::run(a),
        TraceCommand::Slices(a) => analysis::slices(a),
        TraceCommand::Stats(a) => analysis::stats(a),
        TraceCommand::Timers(a) => analysis::timers(a),
        TraceCommand::Timeline(a) => timeline::run(a),
    }
}
