//! What the curves of mem/latency say.

mod added;
mod caches;
mod lines;
mod pieces;
mod translation;

use super::{RANDOM_LINE, RANDOM_PAGE, RANDOM_PAGE_APART};
use crate::quantities::translation::{APART, BASE_PAGES, PAGES, WALK};
use added::Added;
use analysis::ExperimentTable;
use analysis::inference::Answer;
use analysis::staircase::{Reading, curve};
use engines::memory::buffer::page_bytes;
use engines::memory::card::card_line;
use record::{Finding, MachineCard};
use stats::CurvePoint;
use translation::Order;

/// Fewer points than this on a curve decide nothing.
const ENOUGH_POINTS: usize = 6;

/// What order is worth.
pub fn findings(table: &ExperimentTable, _: &MachineCard) -> Vec<Finding> {
    lines::findings(table)
}

/// What the curves say of quantities that other experiments measure as well.
pub fn answers(table: &ExperimentTable, card: &MachineCard) -> Vec<Answer> {
    let [huge, base] = ["thp", "base"].map(|pages| lines_curve(table, pages));
    let Some(finer) = [&huge, &base]
        .into_iter()
        .flatten()
        .max_by_key(|c| c.medians.len())
    else {
        return lines::answer(table).into_iter().collect();
    };
    let page = page_of(card);
    let denser = page / card_line(card).unwrap_or(super::USUAL_LINE) as f64;
    let pages = |pattern| pages_curve(table, pattern);
    let alone = translation::alone(&pages(RANDOM_PAGE), &finer.fastest, denser);
    let apart = translation::alone(&pages(RANDOM_PAGE_APART), &finer.fastest, denser);
    let added = Added::of(&alone);
    let (measured, base) = (base.clone(), base.as_ref().map(|curve| curve.less(&added)));
    let both = measured.as_ref().zip(huge.as_ref());
    let in_pieces =
        both.is_some_and(|(base, huge)| pieces::pay(&huge.fastest, &base.fastest, &added));
    let of_huge = huge.as_ref().map(|huge| match in_pieces {
        true => huge.less(&added),
        false => huge.clone(),
    });
    let chased = of_huge.as_ref().or(base.as_ref());
    let mut all = chased.map_or_else(Vec::new, caches::by_chase);
    let curves = base.as_ref().zip(measured.as_ref());
    all.extend(
        curves
            .iter()
            .flat_map(|(less, raw)| caches::by_placement(less, raw, page, of_huge.as_ref())),
    );
    all.extend(lines::answer(table));
    all.extend(lines::in_order(table));
    let colours = !ways_lie_in_a_page(card, page);
    let first_cache = caches::first_end(finer).filter(|_| colours);
    let first_cache = first_cache.map(|bytes| bytes * denser);
    all.extend(translation::answers(&alone, first_cache, PAGES));
    all.extend(translation::answers(&apart, first_cache, APART));
    all.extend(translation::walk(
        &alone,
        &alone,
        first_cache,
        Order::Round,
        PAGES,
    ));
    all.extend(translation::walk(
        &apart,
        &apart,
        first_cache,
        Order::Round,
        APART,
    ));
    all.extend(measured.zip(huge).and_then(|(base, huge)| {
        let over = translation::alone(&base.fastest, &huge.fastest, 1.0);
        match in_pieces {
            true => Some(Answer::nothing(WALK.key, BASE_PAGES, pieces::WALK_TOO)),
            false => translation::walk(&alone, &over, first_cache, Order::Random, BASE_PAGES),
        }
    }));
    all
}

fn page_of(card: &MachineCard) -> f64 {
    match card.page_bytes {
        0 => page_bytes() as f64,
        bytes => bytes as f64,
    }
}

/// Whether the place in the page alone chooses a line's set of the first cache, as the card says:
/// then pages fill its sets evenly wherever their frames lie.
fn ways_lie_in_a_page(card: &MachineCard, page: f64) -> bool {
    let first = card.data_caches().into_iter().find(|c| c.level == 1);
    let way_bytes = first.and_then(|c| Some(c.size_bytes as f64 / f64::from(c.ways?)));
    way_bytes.is_some_and(|bytes| bytes <= page)
}

/// A curve over lines in random order.
#[derive(Clone)]
struct LinesCurve {
    /// Treads and risers are sought here.
    fastest: Vec<CurvePoint>,
    /// Their levels are found from here.
    medians: Vec<CurvePoint>,
}

impl LinesCurve {
    /// The curve without what translation adds to it: with base pages the
    /// reach of a buffer would pass for a cache.
    fn less(&self, added: &Added) -> Self {
        let off = |points: &[CurvePoint]| {
            let lowered = points.iter().map(|p| p.map(|ns| ns - added.at(p.x)));
            lowered.filter(|p| p.y.low > 0.0).collect()
        };
        LinesCurve {
            fastest: off(&self.fastest),
            medians: off(&self.medians),
        }
    }
}

fn lines_curve(table: &ExperimentTable, pages: &str) -> Option<LinesCurve> {
    let only = [("pattern", RANDOM_LINE), ("pages", pages)];
    let curve = LinesCurve {
        fastest: curve(table, "size", &only, Reading::Quarter),
        medians: curve(table, "size", &only, Reading::Median),
    };
    (curve.medians.len() >= ENOUGH_POINTS).then_some(curve)
}

/// The curve over one line a page, base pages.
fn pages_curve(table: &ExperimentTable, pattern: &str) -> Vec<CurvePoint> {
    let only = [("pattern", pattern), ("pages", "base")];
    curve(table, "size", &only, Reading::Quarter)
}

#[cfg(test)]
mod tests;
