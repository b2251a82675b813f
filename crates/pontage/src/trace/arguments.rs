//! What can be typed behind `pontage trace`.

use super::analysis::arguments as analysis;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum TraceCommand {
    /// Show the calls below a function by time (function_graph)
    Callpath(analysis::Callpath),
    /// Hold two traces against each other: latencies, slices, rates, functions
    Compare(analysis::Compare),
    /// Tell in sentences what a trace shows: who ran, who waited for whom, storms
    Explain(analysis::Explain),
    /// Show hits and times by function (function_graph)
    Profile(analysis::Profile),
    /// Show how long tasks ran at a time, what ended it, and how long they waited
    Slices(analysis::Slices),
    /// Show sums by CPU, task and interrupt
    Stats(analysis::Stats),
    /// Show how timers went from interrupt to function, and how late
    Timers(analysis::Timers),
}
