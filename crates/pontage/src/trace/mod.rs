//! `pontage trace`: traces of the kernel, live or from files. Arguments and
//! output; what happens is in the crates `trace` and `probe`.

mod analysis;
pub mod arguments;

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
        TraceCommand::Callpath(a) => analysis::callpath(a),
        TraceCommand::Compare(a) => analysis::compare(a),
        TraceCommand::Explain(a) => analysis::explain(a),
        TraceCommand::Profile(a) => analysis::profile(a),
        TraceCommand::Slices(a) => analysis::slices(a),
        TraceCommand::Stats(a) => analysis::stats(a),
        TraceCommand::Timers(a) => analysis::timers(a),
    }
}
