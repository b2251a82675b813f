//! `pontage trace export`.

use super::arguments::Export;
use crate::failure::{Failure, Outcome};

/// # Errors
/// A file that cannot be read.
pub fn run(arguments: &Export) -> Outcome {
    let capture = ::trace::file::open(&arguments.file)?;
    let events = capture.merged().count();
    Err(Failure::new(format!(
        "cannot export {events} events: not there yet"
    )))
}
