//! What can be typed behind `pontage trace`.

mod files;
mod recording;

pub use files::{Cut, Export, Range, Report, ReportFormat, TraceFormat};
pub use recording::{Interrupts, Record};

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum TraceCommand {
    /// Write a part of a trace: a range of time, some CPUs
    Cut(Cut),
    /// Write a trace in another format
    Export(Export),
    /// Count interrupts, softirqs and CPU time by CPU around a command
    Interrupts(Interrupts),
    /// Record events of the kernel while a command runs, or until Ctrl-C
    Record(Record),
    /// Print the events of a trace
    Report(Report),
}
