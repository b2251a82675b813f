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

pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    pairs(table).into_iter().enumerate().map(said).collect()
}

fn pairs(table: &ExperimentTable) -> Vec<Pair<'_>> {
    let mixed = |member: &str| {
        let points = table.points.iter();
        let member = member.to_owned();
        points.filter_map(move |p| {
            let here = p.word("member") == member && p.word("company") == "mixed";
            Some((p, p.summary(SPEEDUP).filter(|_| here)?))
        })
    };
    let setting = |p: &PointView| -> Vec<String> {
        let apart = ["member", "company"];
        let settings = p.head.settings.iter();
        let fixed = settings.filter(|s| !apart.contains(&s.axis.as_str()));
        fixed.map(|s| s.value.to_string()).collect()
    };
    mixed("a")
        .filter_map(|a| {
            let b = mixed("b").find(|b| setting(b.0) == setting(a.0))?;
            Some(Pair { a, b })
        })
        .collect()
}

fn said((number, pair): (usize, Pair)) -> Finding {
    let point = pair.a.0;
    let tasks = |axis: &str| point.int(axis).unwrap_or(0);
    let change = |s: &Summary| {
        format!(
            "{:+.1} % ({:+.1} to {:+.1})",
            (s.median.center - 1.0) * 100.0,
            (s.median.low - 1.0) * 100.0,
            (s.median.high - 1.0) * 100.0
        )
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
