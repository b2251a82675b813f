//! The answer in ten seconds: one pure function from a record to what a reader needs first.
//!
//! How far the run is to be trusted, the portrait of the machine, the toll map, at most ten
//! findings in the order of what they change, and what was not measured. Terminal, page and card are
//! drawn from this. Reads an [`analysis::RunView`]; no drawing, no printing, no clock.
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]
#![cfg_attr(
    all(not(test), target_pointer_width = "64"),
    deny(clippy::cast_possible_truncation)
)]
#![forbid(unsafe_code)]

mod absent;
mod choices;
mod grade;
mod merged;
mod order;
mod portrait;
mod ranked;
mod short;
mod surprises;
pub mod toll;

pub use absent::{Absent, Cause};
pub use choices::crossing;
pub use grade::{Check, Grade, Letter, has_interval, typical_half_width};
pub use order::MOST;
pub use portrait::{Bounds, Capacity, CapacityStand, Fact, Level, Portrait};
pub use ranked::{Class, Ranked, Trust};
pub use toll::TollMap;

use analysis::RunView;
use serde::Serialize;

/// What a reader of a run needs first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSummary {
    pub grade: Grade,
    pub portrait: Portrait,
    pub toll: TollMap,
    /// All that change something for the reader, in order; the first [`MOST`] are shown first.
    pub findings: Vec<Ranked>,
    /// Sentences in the record, merged or not.
    pub recorded_findings: usize,
    pub absent: Absent,
}

impl RunSummary {
    /// The summary of a run.
    pub fn of(view: &RunView) -> RunSummary {
        let grade = Grade::of(view);
        let portrait = Portrait::of(view);
        let toll = TollMap::of(view);
        RunSummary {
            findings: order::ranked(view, &toll, &portrait, &grade),
            recorded_findings: view.head.findings.len(),
            absent: Absent::of(view),
            grade,
            portrait,
            toll,
        }
    }

    /// The findings to show first.
    pub fn first_findings(&self) -> &[Ranked] {
        &self.findings[..self.findings.len().min(MOST)]
    }
}
