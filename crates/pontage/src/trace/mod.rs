//! `pontage trace`: traces of the kernel, live or from files. Arguments and
//! output; what happens is in the crates `trace` and `probe`.

pub mod arguments;
mod command;
mod interrupts;
mod record;

use crate::failure::Outcome;
use arguments::TraceCommand;

/// # Errors
/// What the subcommand says.
pub fn run(command: &TraceCommand) -> Outcome {
    match command {
        TraceCommand::Interrupts(a) => interrupts::run(a),
        TraceCommand::Record(a) => record::run(a),
    }
}
