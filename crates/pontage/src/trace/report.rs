//! `pontage trace report`: the events, one a line.

use super::arguments::{Report, ReportFormat};
use super::stream;
use crate::failure::Outcome;
use ::trace::text::Style;

/// # Errors
/// A file that cannot be read; events, CPUs or tasks that it does not have.
pub fn run(arguments: &Report) -> Outcome {
    let style = match arguments.format {
        ReportFormat::Text => Style::Text,
        ReportFormat::Json => Style::Json,
        ReportFormat::Csv => Style::Csv,
    };
    let capture = arguments.trace.open()?;
    let wanted = stream::Wanted {
        selection: arguments
            .range
            .selection(&capture, arguments.cpu.as_deref())?,
        events: &arguments.event,
        tasks: &arguments.task,
    };
    stream::to_standard_output(&capture, &wanted, style, arguments.raw)
}
