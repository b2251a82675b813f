//! `pontage trace stats`: sums by CPU, task and interrupt.

use super::arguments::Stats;
use super::{lacks, open, shown};
use crate::failure::Outcome;
use ::trace::analyse::summary::Summary;
use report::analyses::{stats as sums, syscalls as calls};

/// # Errors
/// A file that is no trace, or holds none of the events.
pub fn stats(arguments: &Stats) -> Outcome {
    let summary = Summary::of(&open(&arguments.trace)?);
    if arguments.syscalls {
        return syscalls(arguments, &summary);
    }
    let interrupts = !summary.interrupts.sources().is_empty();
    if !summary.has_switches() && !interrupts && summary.idle.is_empty() {
        let events = "sched_switch and no entries of interrupts";
        return Err(lacks(
            "show sums",
            &arguments.trace.file,
            events,
            "pontage trace record -e sched -e irq",
        ));
    }
    let document = || sums::document(&summary, arguments.top);
    shown(
        arguments.format,
        document,
        || sums::json(&summary),
        &summary.pass,
    )
}

/// `--syscalls`: calls by task and name.
fn syscalls(arguments: &Stats, s: &Summary) -> Outcome {
    if s.syscalls.calls.is_empty() {
        return Err(lacks(
            "show system calls",
            &arguments.trace.file,
            "system call that was entered and left",
            "pontage trace record -e sched -e raw_syscalls",
        ));
    }
    let document = || calls::document(s, arguments.top);
    shown(arguments.format, document, || calls::json(s), &s.pass)
}
