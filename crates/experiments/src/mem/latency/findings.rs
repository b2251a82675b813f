//! What the curves of mem/latency say, beside what the card says.

mod caches;
mod lines;
mod translation;

use super::{RANDOM_LINE, RANDOM_PAGE};
use crate::memory::staircase::{Reading, curve, staircase};
use analysis::ExperimentTable;
use record::{Finding, MachineCard};
use stats::CurvePoint;

const ID: &str = "mem/latency";

/// Levels that differ by less are one.
const SMALLEST_STEP: f64 = 1.3;

/// Fewer points than this on a curve decide nothing.
const ENOUGH_POINTS: usize = 6;

pub fn findings(table: &ExperimentTable, card: &MachineCard) -> Vec<Finding> {
    let Some(lines) = lines_curve(table) else {
        return Vec::new();
    };
    let stairs = staircase(&lines.fastest, SMALLEST_STEP);
    let mut found = match stairs.map(|s| s.releveled(&lines.medians)) {
        Some(stairs) => caches::findings(&stairs, &lines, card),
        None => Vec::new(),
    };
    found.extend(lines::findings(table, card));
    found.extend(translation::findings(table, &lines.fastest));
    found
}

/// The curve over lines in random order that cache levels are read off.
struct LinesCurve {
    /// Treads and risers are sought here.
    fastest: Vec<CurvePoint>,
    /// Their levels are told from here.
    medians: Vec<CurvePoint>,
    huge_pages: bool,
}

/// With huge pages where they were had, else with base pages.
fn lines_curve(table: &ExperimentTable) -> Option<LinesCurve> {
    ["thp", "base"].iter().find_map(|pages| {
        let only = [("pattern", RANDOM_LINE), ("pages", *pages)];
        let medians = curve(table, "size", &only, Reading::Median);
        (medians.len() >= ENOUGH_POINTS).then(|| LinesCurve {
            fastest: curve(table, "size", &only, Reading::Quarter),
            medians,
            huge_pages: *pages == "thp",
        })
    })
}

/// The curve over one line a page, base pages.
fn pages_curve(table: &ExperimentTable) -> Vec<CurvePoint> {
    let only = [("pattern", RANDOM_PAGE), ("pages", "base")];
    curve(table, "size", &only, Reading::Quarter)
}

#[cfg(test)]
mod tests;
