//! What the curves of mem/latency say, compared with the card.

mod caches;
mod lines;
mod translation;

use super::{RANDOM_LINE, RANDOM_PAGE};
use analysis::ExperimentTable;
use analysis::staircase::{Reading, curve, staircase};
use record::{Finding, MachineCard};
use stats::CurvePoint;

/// Levels that differ by less are one.
const SMALLEST_STEP: f64 = 1.3;

/// Fewer points than this on a curve decide nothing.
const ENOUGH_POINTS: usize = 6;

/// Cache levels, lines and reach of the TLB, as the latency curves show them.
pub fn findings(table: &ExperimentTable, card: &MachineCard) -> Vec<Finding> {
    let Some(lines) = lines_curve(table) else {
        return Vec::new();
    };
    let alone = translation::alone(&pages_curve(table), &lines.fastest);
    let caches_alone = match lines.huge_pages {
        true => lines.clone(),
        false => lines.less(&alone),
    };
    let stairs = staircase(&caches_alone.fastest, SMALLEST_STEP);
    let mut found = match stairs.map(|s| s.releveled(&caches_alone.medians)) {
        Some(stairs) => caches::findings(&stairs, &caches_alone, card),
        None => Vec::new(),
    };
    found.extend(lines::findings(table, card));
    found.extend(translation::findings(&alone));
    found
}

/// The curve over lines in random order that cache levels are read off.
#[derive(Clone)]
struct LinesCurve {
    /// Treads and risers are sought here.
    fastest: Vec<CurvePoint>,
    /// Their levels are found from here.
    medians: Vec<CurvePoint>,
    huge_pages: bool,
    /// Whether the cost of translation was taken off.
    less_translation: bool,
}

impl LinesCurve {
    /// The curve without what translation adds to it: with base pages the
    /// reach of a buffer would pass for a cache.
    fn less(&self, alone: &[CurvePoint]) -> Self {
        let extra = |x: f64| translation::extra_at(alone, x);
        let off = |points: &[CurvePoint]| {
            let lowered = points.iter().map(|p| p.map(|ns| ns - extra(p.x)));
            lowered.filter(|p| p.y.low > 0.0).collect()
        };
        LinesCurve {
            fastest: off(&self.fastest),
            medians: off(&self.medians),
            huge_pages: false,
            less_translation: !alone.is_empty(),
        }
    }

    /// Which pages, for a sentence.
    fn pages(&self) -> &'static str {
        match (self.huge_pages, self.less_translation) {
            (true, _) => "huge pages",
            (false, true) => "base pages, translation subtracted",
            (false, false) => "base pages",
        }
    }
}

/// The finer one of the curves with huge and with base pages; with huge pages
/// if they are equal.
fn lines_curve(table: &ExperimentTable) -> Option<LinesCurve> {
    let on = |pages: &str| {
        let only = [("pattern", RANDOM_LINE), ("pages", pages)];
        LinesCurve {
            fastest: curve(table, "size", &only, Reading::Quarter),
            medians: curve(table, "size", &only, Reading::Median),
            huge_pages: pages == "thp",
            less_translation: false,
        }
    };
    let (base, huge) = (on("base"), on("thp"));
    let finer = match huge.medians.len() >= base.medians.len() {
        true => huge,
        false => base,
    };
    (finer.medians.len() >= ENOUGH_POINTS).then_some(finer)
}

/// The curve over one line a page, base pages.
fn pages_curve(table: &ExperimentTable) -> Vec<CurvePoint> {
    let only = [("pattern", RANDOM_PAGE), ("pages", "base")];
    curve(table, "size", &only, Reading::Quarter)
}

#[cfg(test)]
mod tests;
