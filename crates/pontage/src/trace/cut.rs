//! `pontage trace cut`: a part of a trace as a file of its own.

use super::arguments;
use crate::failure::{DONE, Failure, Outcome};
use ::trace::{Capture, Selection};
use std::path::Path;

/// # Errors
/// A file that cannot be read or written; a range that is none.
pub fn run(arguments: &arguments::Cut) -> Outcome {
    let capture = ::trace::file::open(&arguments.file)?;
    let selection = arguments
        .range
        .selection(&capture, arguments.cpu.as_deref())?;
    write(&capture, &selection, &arguments.file, &arguments.out)
}

/// Writes a trace.dat, and says what it is made of.
pub fn write(capture: &Capture, selection: &Selection, file: &Path, out: &Path) -> Outcome {
    // Pages are read while they are written.
    let same = |a: &Path, b: &Path| a.canonicalize().ok().zip(b.canonicalize().ok());
    if same(file, out).is_some_and(|(a, b)| a == b) {
        return Err(
            Failure::new(format!("cannot write {}: it is being read", out.display()))
                .hint("give another name with --out"),
        );
    }
    let done = ::trace::cut(capture, selection, out)?;
    eprintln!(
        "pontage: {}: {} pages as they are, {} in part",
        out.display(),
        done.pages_copied,
        done.pages_opened
    );
    match done.damaged {
        0 => Ok(DONE),
        n => Err(Failure::new(format!("cannot read {n} places of the trace"))
            .hint("everything else was written; the file is damaged or cut")),
    }
}
