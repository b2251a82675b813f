//! What an analysis of a trace says, as documents, and as JSON for pipes.

pub mod comparison;
pub mod functions;
pub mod recorded;
pub mod sentences;
pub mod slices;
pub mod stats;
pub mod syscalls;
pub mod timers;

use crate::document::{Document, Text};
use crate::format::time_ns;
use trace::analyse::{Distribution, Pass};

/// A time in a cell.
fn time(ns: u64) -> String {
    time_ns(ns as f64, 3)
}

/// A time of a distribution; a dash where that is empty.
fn time_of(d: &Distribution, of: impl Fn(&Distribution) -> u64) -> String {
    match d.count {
        0 => "-".to_owned(),
        _ => time(of(d)),
    }
}

/// What was lost, for the foot of a text; empty where nothing was.
fn losses(pass: &Pass, by_kernel: Option<u64>) -> Document {
    let uncounted = match pass.gaps_uncounted {
        0 => String::new(),
        n => format!(", and unknown numbers in {n}"),
    };
    let gaps = (pass.gaps > 0).then(|| {
        format!(
            "! events lost: {} (gaps: {}{uncounted}); nothing is counted across a gap",
            pass.lost_events, pass.gaps
        )
    });
    let by_kernel = by_kernel.filter(|lost| *lost > 0);
    let by_kernel = by_kernel.map(|lost| {
        format!(
            "! the kernel's ring buffers lost {lost} events while \
                                      recording"
        )
    });
    let damaged = pass.damage.as_ref().map(|damage| {
        let pages = pass.damaged_pages;
        format!("! pages that could not be read: {pages}; the first: {damage}")
    });
    let short = pass.misfit_events;
    let short = (short > 0).then(|| format!("! events that do not fit their format: {short}"));
    Document::lines([gaps, by_kernel, damaged, short].into_iter().flatten())
}

/// How to see the rows that a table leaves off.
fn more(all: usize, top: usize) -> Option<Text> {
    (all > top).then(|| Text::line(format!("{} more: --top {all}", all - top)))
}
