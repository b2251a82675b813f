//! `pontage trace cut`.

use super::arguments::Cut;
use crate::failure::{Failure, Outcome};

/// # Errors
/// A file that cannot be read.
pub fn run(arguments: &Cut) -> Outcome {
    let capture = ::trace::file::open(&arguments.file)?;
    let events = capture.merged().count();
    Err(Failure::new(format!(
        "cannot cut {events} events: not there yet"
    )))
}
