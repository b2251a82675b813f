//! `pontage trace report`: the events, one a line.

use super::arguments::Report;
use super::stream;
use crate::failure::Outcome;

/// # Errors
/// A file that cannot be read; events, CPUs or tasks that it does not have.
pub fn run(arguments: &Report) -> Outcome {
    let capture = arguments.trace.open()?;
    let wanted = stream::Wanted {
        selection: arguments
            .range
            .selection(&capture, arguments.cpu.as_deref())?,
        events: &arguments.event,
        tasks: &arguments.task,
    };
    stream::to_standard_output(&capture, &wanted, arguments.format, arguments.raw)
}
