//! The line size, and what is fetched together, compared with the card.

use super::{PAIR, PAIR_FAR, WALK};
use analysis::ExperimentTable;
use analysis::conclusion::Conclusion;
use analysis::staircase::{Reading, agreement, curve};
use catalogue::Claim;
use engines::memory::card::card_line;
use record::{Finding, MachineCard, Unit};
use stats::CurvePoint;

const CARD: &str = "machine card, L1d line";

/// The levels of a pair curve must differ by this factor to be two.
const TWO_LEVELS: f64 = 1.15;

/// A doubled step within the line doubles the misses of an access; beyond it
/// the time stays. The border between the two.
const STILL_GROWING: f64 = 1.4;

/// Claims of `mem/line`: pairs of loads show two levels.
pub const CLAIMS: &[Claim] = &[Claim {
    text: "within a line the second of two loads hits, beyond it misses",
    check: pairs_have_two_levels,
}];

/// Line size, lines fetched together, and the walk's own estimate, compared with the
/// machine card.
pub fn findings(table: &ExperimentTable, card: &MachineCard) -> Vec<Finding> {
    let line = line_size(table, card);
    let known = line.as_ref().and_then(|f| f.value);
    let all = [line, together(table, known), walk(table, known, card)];
    all.into_iter().flatten().collect()
}

fn steps(table: &ExperimentTable, method: &str) -> Vec<CurvePoint> {
    curve(table, "step", &[("method", method)], Reading::Quarter)
}

fn line_size(table: &ExperimentTable, card: &MachineCard) -> Option<Finding> {
    let points = steps(table, PAIR);
    let (riser, share) = agreement(&points, riser);
    if points.is_empty() {
        return None;
    }
    let Some(line) = riser else {
        let why = "the second load of a pair takes the same time at every step";
        return Some(Conclusion::undecided("line_size", Unit::Bytes, why));
    };
    let c = against_card("line_size", share, line, card);
    let on_card = match (card_line(card), c.disagrees()) {
        (Some(l), true) => format!("; the card says {l} B"),
        _ => String::new(),
    };
    Some(c.say(format!("the cache line is {line:.0} B{on_card}")))
}

/// A number of bytes that the card's line is held against.
fn against_card(key: &str, share: f64, bytes: f64, card: &MachineCard) -> Conclusion {
    let seen = Conclusion::on(key).redrawn_step(Unit::Bytes, share, bytes);
    seen.against(card_line(card).map(|l| l as f64), CARD, 0.0)
}

/// What arrives from beyond the second cache in one go.
fn together(table: &ExperimentTable, line: Option<f64>) -> Option<Finding> {
    let points = steps(table, PAIR_FAR);
    let line = line?;
    let (Some(block), share) = agreement(&points, riser) else {
        return None;
    };
    if block < line {
        let why = "the pairs beyond the second cache were disturbed: their time rises within a \
                   line";
        return Some(Conclusion::undecided("fetched_together", Unit::Bytes, why));
    }
    let what = if block > line {
        format!(
            "lines beyond the second cache are fetched {:.0} at a time ({block:.0} B): a walk may \
             show {block:.0} B as the line",
            block / line
        )
    } else {
        "lines beyond the second cache are fetched one by one, without a neighbour".to_owned()
    };
    let together = Conclusion::on("fetched_together");
    Some(together.redrawn_step(Unit::Bytes, share, block).say(what))
}

fn walk(table: &ExperimentTable, line: Option<f64>, card: &MachineCard) -> Option<Finding> {
    let points = steps(table, WALK);
    let (Some(knee), share) = agreement(&points, walk_knee) else {
        return None;
    };
    let c = against_card("walk_knee", share, knee, card);
    let why = match line {
        Some(line) if knee > line => {
            ": prefetchers also load the lines between the accesses, so this is not the line"
        }
        Some(line) if knee < line => ": the core is still busy computing below, not waiting",
        _ => "",
    };
    Some(c.say(format!(
        "walking through an array, the time of an access grows up to a step of {knee:.0} B{why}"
    )))
}

/// The first step of the upper of two levels, the steps below it all lower
/// and those above all higher than half-way.
fn riser(points: &[CurvePoint]) -> Option<f64> {
    let lowest = |wanted: fn(f64) -> bool| {
        let there = points.iter().filter(|p| wanted(p.x));
        there.map(|p| p.y.center).min_by(f64::total_cmp)
    };
    // No line is shorter than 16 B or longer than 256 B.
    let floor = lowest(|x| x <= 16.0)?;
    let ceiling = lowest(|x| x >= 256.0)?;
    if ceiling < TWO_LEVELS * floor {
        return None;
    }
    let border = (floor * ceiling).sqrt();
    let first = points.iter().find(|p| p.y.center > border)?;
    let mut beyond = points.iter().filter(|p| p.x > first.x);
    beyond.all(|p| p.y.center > border).then_some(first.x)
}

/// The smallest step from which on doubling the step never nearly doubles the
/// time.
fn walk_knee(points: &[CurvePoint]) -> Option<f64> {
    let doubled = |p: &CurvePoint| {
        let twice = points.iter().find(|q| q.x == 2.0 * p.x)?;
        Some((p.x, twice.y.center / p.y.center))
    };
    let doublings: Vec<(f64, f64)> = points.iter().filter_map(doubled).collect();
    let last_growing = doublings.iter().rposition(|(_, g)| *g >= STILL_GROWING)?;
    doublings.get(last_growing + 1).map(|(x, _)| *x)
}

fn pairs_have_two_levels(table: &ExperimentTable) -> Option<(bool, String)> {
    let points = steps(table, PAIR);
    let (first, last) = (points.first()?, points.last()?);
    let text = format!(
        "{:.1} ns at {:.0} B, {:.1} ns at {:.0} B",
        first.y.center, first.x, last.y.center, last.x
    );
    Some((riser(&points).is_some(), text))
}

#[cfg(test)]
mod tests;
