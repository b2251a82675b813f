//! `pontage trace cut`: a part of a trace as a file of its own.

use super::arguments;
use crate::failure::{Failure, Outcome};
use crate::output;
use ::trace::{Capture, Selection};
use std::path::Path;

/// # Errors
/// A file that cannot be read or written; a range that is none.
pub fn run(arguments: &arguments::Cut) -> Outcome {
    let capture = arguments.trace.open()?;
    let selection = arguments
        .range
        .selection(&capture, arguments.cpu.as_deref())?;
    refuse_same(&arguments.trace.file, &arguments.out, "--out")?;
    write(&capture, &selection, &arguments.out)
}

/// A trace is read while the output is written: it may not be written over. Nor may a
/// file of a record.
pub fn refuse_same(file: &Path, out: &Path, option: &str) -> Result<(), Failure> {
    output::spare_records(out)?;
    let both = file.canonicalize().ok().zip(out.canonicalize().ok());
    match both.is_some_and(|(a, b)| a == b) {
        false => Ok(()),
        true => Err(
            Failure::new(format!("cannot write {}: it is being read", out.display()))
                .hint(format!("give another name with {option}")),
        ),
    }
}

/// Writes a trace.dat, and says what it is made of.
pub fn write(capture: &Capture, selection: &Selection, out: &Path) -> Outcome {
    let done = ::trace::cut(capture, selection, out)?;
    harness::message!(
        "pontage: {}: {} pages unchanged, {} in part",
        out.display(),
        done.pages_copied,
        done.pages_opened
    );
    super::unread(done.damaged)
}
