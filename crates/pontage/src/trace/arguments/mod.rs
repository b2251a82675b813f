//! What can be typed behind `pontage trace`.

pub mod files;
pub mod recording;
mod wishes;

pub use files::{Cut, Export, Range, Report, Timeline, TraceFile, TraceFormat};
pub use recording::{Interrupts, Record};

use super::analysis::arguments as analysis;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum TraceCommand {
    /// Show the calls below a function by time (function_graph)
    Callpath(analysis::Callpath),
    /// Compare two traces: latencies, slices, rates, functions
    Compare(analysis::Compare),
    /// Write a part of a trace: a range of time, some CPUs
    Cut(Cut),
    /// Explain a trace in sentences: who ran, who waited for whom, interrupt storms
    Explain(analysis::Explain),
    /// Write a trace in another format
    Export(Export),
    /// Count interrupts, softirqs and CPU time by CPU around a command
    Interrupts(Interrupts),
    /// Show hits and times by function, of a trace or of the running kernel
    Profile(analysis::Profile),
    /// Record events of the kernel while a command runs, or until Ctrl-C
    Record(Record),
    /// Print the events of a trace
    Report(Report),
    /// Show how long each slice of a task was, what ended it, and how long the task waited
    Slices(analysis::Slices),
    /// Show sums by CPU, task and interrupt
    Stats(analysis::Stats),
    /// Show how timers went from interrupt to function, and how late
    Timers(analysis::Timers),
    /// Draw a trace: who ran, who waited, who woke whom
    Timeline(Timeline),
}
