//! What an analysis of a trace says, as documents, and as JSON for pipes.

pub mod comparison;
pub mod functions;
pub mod interrupts;
pub mod recorded;
pub mod sentences;
pub mod slices;
pub mod stats;
pub mod syscalls;
pub mod timers;

use crate::document::{Document, Text};
use crate::format::time_ns;
use trace::analyse::Pass;

/// A time in a cell.
fn time(ns: u64) -> String {
    time_ns(ns as f64, 3)
}

/// A time of a distribution that may be empty.
fn time_of(count: u64, ns: u64) -> String {
    match count {
        0 => "-".to_owned(),
        _ => time(ns),
    }
}

/// What was lost, for the foot of a text; empty where nothing was.
fn losses(pass: &Pass, by_kernel: Option<u64>) -> Document {
    let mut found = Document::new();
    if pass.gaps > 0 {
        let uncounted = match pass.gaps_uncounted {
            0 => String::new(),
            n => format!(", and unknown numbers in {n}"),
        };
        found.line(format!(
            "! events lost: {} (gaps: {}{uncounted}); nothing is counted across a gap",
            pass.lost_events, pass.gaps
        ));
    }
    if let Some(lost) = by_kernel.filter(|lost| *lost > 0) {
        found.line(format!(
            "! the kernel's rings lost {lost} events while recording"
        ));
    }
    if let Some(damage) = &pass.damage {
        found.line(format!(
            "! pages that could not be read: {}; the first: {damage}",
            pass.damaged_pages
        ));
    }
    if pass.short_events > 0 {
        let short = pass.short_events;
        found.line(format!("! events shorter than their format: {short}"));
    }
    found
}

/// How to see the rows that a table leaves off.
fn more(all: usize, top: usize) -> Option<Text> {
    (all > top).then(|| Text::line(format!("{} more: --top {all}", all - top)))
}
