//! `pontage trace`: traces of the kernel, live or from files. Arguments and
//! output; what happens is in the crates `trace` and `probe`.

pub mod arguments;
mod timeline;

use crate::failure::{Failure, Outcome};
use ::trace::TraceError;
use arguments::TraceCommand;

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Self {
        Failure::new(error)
    }
}

/// # Errors
/// What the subcommand says.
pub fn run(command: &TraceCommand) -> Outcome {
    match command {
        TraceCommand::Timeline(a) => timeline::run(a),
    }
}
