//! Two runs side by side: what changed beyond noise, and what cannot be said.

use crate::document::{Cell, Document, Phrase, Table, Text, Tone};
use crate::format::{counted, percent, plus_minus, quantity, significant};
use crate::grouped::tallied;
use analysis::{Comparison, ExperimentChange, Outcome, PointChange, Side};

/// The comparison: what differs around the runs,
/// every point that got better or worse, why points cannot be compared, and a
/// line for each experiment. Ratios are B over A.
pub fn document(comparison: &Comparison) -> Document {
    let parts = [
        heading(comparison),
        changes(comparison, Outcome::Worse),
        changes(comparison, Outcome::Better),
        incomparable(comparison),
        experiments(comparison),
        verdict(comparison),
    ];
    Document::sections(parts)
}

fn heading(c: &Comparison) -> Document {
    let mut document = Document::new();
    document.text(Text::new(c.a.as_str()).lead("A  "));
    document.text(Text::new(c.b.as_str()).lead("B  "));
    for d in &c.differences {
        let (a, b) = (side(&d.a), side(&d.b));
        let sentence = format!("{} differs: {a} in A, {b} in B", d.field);
        let (mark, tone) = match d.matters {
            true => ("!  ", Tone::Caution),
            false => ("   ", Tone::Soft),
        };
        document.text(Text::new(sentence).lead(mark).tone(tone));
    }
    document
}

fn side(fact: &str) -> &str {
    match fact {
        "" => "nothing stated",
        fact => fact,
    }
}

fn changes(c: &Comparison, outcome: Outcome) -> Document {
    let mut found: Vec<&PointChange> = c.points.iter().filter(|p| p.outcome == outcome).collect();
    if found.is_empty() {
        return Document::new();
    }
    found.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
    let (title, tone) = match outcome {
        Outcome::Worse => ("Worse", Tone::Bad),
        _ => ("Better", Tone::Good),
    };
    let heads = ["point", "A", "B", "B / A", "interval"];
    let mut table = Table::of(1, heads).indent(1).fitting();
    found.iter().for_each(|change| table.row(row(change)));
    Document::from(table).headed(Phrase::toned(title, tone))
}

/// How far the ratio is from no change, in either direction.
fn distance(change: &PointChange) -> f64 {
    let ratio = change.ratio.filter(|r| r.center > 0.0);
    ratio.map_or(0.0, |r| r.center.ln().abs())
}

fn row(change: &PointChange) -> [Cell; 5] {
    let written = |s: Side| {
        let median = quantity(s.median.center, change.unit, 4);
        format!("{median} {}", plus_minus(&s.median))
    };
    let side = |s: Option<Side>| s.map_or_else(|| "-".to_owned(), written);
    let dash = || "-".to_owned();
    let interval = |low, high| format!("{} .. {}", percent_change(low), percent_change(high));
    [
        point_name(change),
        side(change.a),
        side(change.b),
        change.ratio.map_or_else(dash, |r| percent_change(r.center)),
        change.ratio.map_or_else(dash, |r| interval(r.low, r.high)),
    ]
    .map(Cell::from)
}

fn point_name(change: &PointChange) -> String {
    let metric = match change.metric == "latency" {
        true => String::new(),
        false => format!(" [{}]", change.metric),
    };
    let name = format!("{} {}{metric}", change.experiment, change.label());
    name.trim_end().to_owned()
}

/// `+7.2 %` for a ratio of 1.072.
fn percent_change(ratio: f64) -> String {
    if !ratio.is_finite() {
        return "-".to_owned();
    }
    let change = ratio - 1.0;
    let sign = if change < 0.0 { "-" } else { "+" };
    // Beyond a doubling a factor says more than a percentage.
    if ratio >= 2.0 {
        return format!("x{}", significant(ratio, 3));
    }
    format!("{sign}{}", percent(change))
}

/// Reasons, with the number of points each takes away.
fn incomparable(c: &Comparison) -> Document {
    let points = c
        .points
        .iter()
        .filter(|p| p.outcome == Outcome::NotComparable);
    let reasons = tallied(points.map(|p| p.reason.clone()));
    let sentence = |(reason, n): &(Option<String>, usize)| {
        let points = counted(*n, "point", "points");
        let reason = reason.as_deref().unwrap_or("no reason recorded");
        Text::new(format!("{points}: {reason}")).lead("  ").hang(4)
    };
    let mut document = Document::new();
    document.list("", reasons.iter().map(sentence));
    document.headed("Not comparable")
}

/// Columns of an experiment's name.
const NAME: usize = 21;

fn experiments(c: &Comparison) -> Document {
    let mut document = Document::new();
    document.heading(2, "Experiments");
    for e in &c.experiments {
        document.text(Text::new(counts(e)).label(2, e.experiment.as_str(), NAME));
    }
    document
}

fn counts(e: &ExperimentChange) -> String {
    let counts = [
        (e.worse, "worse"),
        (e.better, "better"),
        (e.same, "same"),
        (e.not_comparable, "not comparable"),
    ];
    let there = counts.into_iter().filter(|(n, _)| *n > 0);
    let mut parts: Vec<String> = there.map(|(n, word)| format!("{n} {word}")).collect();
    if let Some(ratio) = e.median_ratio {
        parts.push(format!("B is typically {}", percent_change(ratio)));
    }
    match parts.is_empty() {
        true => "nothing to compare".to_owned(),
        false => parts.join(", "),
    }
}

fn verdict(c: &Comparison) -> Document {
    let (worse, better) = (c.count(Outcome::Worse), c.count(Outcome::Better));
    let same = c.count(Outcome::Same);
    let judged = worse + better + same;
    if judged == 0 {
        return Text::line("no point could be compared")
            .tone(Tone::Caution)
            .into();
    }
    let sentence = format!(
        "{worse} worse, {better} better, {same} same of {} compared, beyond {} and noise",
        counted(judged, "point", "points"),
        percent(c.threshold),
    );
    let tone = if worse > 0 { Tone::Bad } else { Tone::Good };
    Text::new(sentence).tone(tone).into()
}
