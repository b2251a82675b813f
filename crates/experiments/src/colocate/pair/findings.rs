//! Gains of both members, as the log that this is from has them.

use super::SPEEDUP;
use analysis::conclusion::Conclusion;
use analysis::{ExperimentTable, PointView, Summary};
use record::{Finding, Unit, Verdict};

/// Both members of a pair, mixed.
#[derive(Clone, Copy)]
struct Pair<'a> {
    a: (&'a PointView, &'a Summary),
    b: (&'a PointView, &'a Summary),
}

/// One finding for each pair and placement: throughput with mixed neighbours over like
/// neighbours.
pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    pairs(table).into_iter().enumerate().map(finding).collect()
}

fn pairs<'a>(table: &'a ExperimentTable) -> Vec<Pair<'a>> {
    let mixed = |member: &'static str| {
        let here = move |p: &&PointView| p.has(&[("member", member), ("pairing", "mixed")]);
        let points = table.points.iter().filter(here);
        points.filter_map(|p| Some((p, p.summary(SPEEDUP)?)))
    };
    let alike = |a: &PointView, b: &PointView| {
        let apart = ["member", "pairing"];
        a.all_but(&apart) == b.all_but(&apart)
    };
    let pair = |a: (&'a PointView, &'a Summary)| {
        let b = mixed("b").find(|b| alike(a.0, b.0))?;
        Some(Pair { a, b })
    };
    mixed("a").filter_map(pair).collect()
}

fn finding((number, pair): (usize, Pair)) -> Finding {
    let point = pair.a.0;
    let tasks = |axis: &str| point.int(axis).unwrap_or(0);
    let change = |s: &Summary| {
        let [median, low, high] =
            [s.median.center, s.median.low, s.median.high].map(|ratio| (ratio - 1.0) * 100.0);
        format!("{median:+.1} % ({low:+.1} to {high:+.1})")
    };
    let ((_, a), (_, b)) = (pair.a, pair.b);
    // Both rates together, each held against its own before.
    let both = (a.median.center * b.median.center).sqrt();
    let clear = |s: &Summary| s.median.low > 1.0 || s.median.high < 1.0;
    let (text, verdict) = match (clear(a) || clear(b), both >= 1.0) {
        (false, _) => ("no difference that clears the noise", Verdict::Undecided),
        (true, true) => ("mixing is worth it", Verdict::Stated),
        (true, false) => ("pair like with like", Verdict::Stated),
    };
    Conclusion::on(format!("pair_{number}"))
        .unit(Unit::Ratio)
        .sure(a.median.level.min(b.median.level))
        .between(
            both,
            (a.median.low * b.median.low).sqrt(),
            (a.median.high * b.median.high).sqrt(),
        )
        .verdict(verdict)
        .say(format!(
            "{} + {}, {} and {} tasks, {}: mixed, {} works at {} and {} at {} of its speed next \
             to its own kind: {text}",
            point.word("a"),
            point.word("b"),
            tasks("a_tasks"),
            tasks("b_tasks"),
            point.word("placement").replace('_', " "),
            point.word("a"),
            change(a),
            point.word("b"),
            change(b),
        ))
}
