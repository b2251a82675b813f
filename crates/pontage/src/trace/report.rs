//! `pontage trace report`.

use super::arguments::Report;
use crate::failure::{Failure, Outcome};

/// # Errors
/// A file that cannot be read.
pub fn run(arguments: &Report) -> Outcome {
    let capture = ::trace::file::open(&arguments.file)?;
    let events = capture.merged().count();
    Err(Failure::new(format!(
        "cannot report {events} events: not there yet"
    )))
}
