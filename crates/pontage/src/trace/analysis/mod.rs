//! What a trace tells, for people and for pipes.

pub mod arguments;
mod callpath;
mod explain;
mod profile;
mod slices;
mod stats;
mod timers;

pub use callpath::callpath;
pub use explain::{compare, explain};
pub use profile::profile;
pub use slices::slices;
pub use stats::stats;
pub use timers::timers;

use super::arguments::TraceFile;
use crate::failure::{Failure, Outcome};
use crate::flags::Format;
use crate::output;
use ::trace::Capture;
use ::trace::analyse::Pass;
use report::document::Document;
use serde::Serialize;
use std::path::Path;

/// Opens a file; that its clock does not count ns is said beside.
fn open(trace: &TraceFile) -> Result<Capture, Failure> {
    let record = "record one: pontage trace record -o trace.dat -- CMD";
    let opened = trace.open().map_err(Failure::from);
    let capture = opened.map_err(|failure| failure.or_hint(record))?;
    if !capture.head.in_nanoseconds() {
        let clock = capture.head.clock.as_deref().unwrap_or("unknown");
        harness::message!(
            "pontage: the trace's clock {clock} does not count ns: all times are in its own steps"
        );
    }
    Ok(capture)
}

/// Writes an analysis; what of the trace is not in it makes a failure.
fn shown<F: Serialize>(
    format: Format,
    document: impl FnOnce() -> Document,
    facts: impl FnOnce() -> F,
    pass: &Pass,
) -> Outcome {
    output::study(format, document, facts)?;
    super::unread(pass.damaged_pages)
}

/// An analysis has nothing to work on.
fn lacks(verb: &str, path: &Path, events: &str, record: &str) -> Failure {
    Failure::new(format!(
        "cannot {verb} of {}: it holds no {events}",
        path.display()
    ))
    .hint(format!("record them: {record} -- CMD"))
}
