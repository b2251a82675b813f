//! Two runs side by side: what changed beyond noise, and what cannot be said.

pub mod brief;

use crate::document::{Cell, Document, Phrase, Table, Text, Tone};
use crate::format::{counted, percent, plus_minus, quantity, significant};
use crate::grouped::grouped;
use analysis::compare::{
    ASSUMED_RUN_SD, Shift, ShiftOutcome, Verdict, cpu_sentence, shared_sentence,
};
use analysis::{Comparison, ExperimentChange, Outcome, PointChange, Side};

/// What else changed at a point: so many are named.
const ALONG: usize = 3;
/// Metrics that decide nothing: so many are named.
const NAMED: usize = 4;

/// The comparison: the verdict with the points that matter, what differs around the runs, what
/// moved as a whole, every point that got better or worse, why points cannot be compared, and a
/// line for each experiment. Ratios are B over A.
pub fn document(comparison: &Comparison) -> Document {
    let parts = [
        heading(comparison),
        verdict(comparison),
        shifts(comparison),
        cpu(comparison),
        changes(comparison, Outcome::Worse),
        changes(comparison, Outcome::Better),
        incomparable(comparison),
        experiments(comparison),
        counted_outcomes(comparison),
    ];
    Document::sections(parts)
}

fn verdict(c: &Comparison) -> Document {
    let gate = &c.gate;
    let (word, tone) = match gate.verdict {
        Verdict::Passed => ("No regression shown", Tone::Good),
        Verdict::Failed => ("Worse", Tone::Bad),
        Verdict::Unknown => ("No verdict", Tone::Caution),
    };
    let mut document = Document::new();
    let sentence = match gate.verdict {
        Verdict::Unknown => word.to_owned(),
        _ => format!(
            "{word}; a false alarm in at most {} of comparisons, all points together",
            percent(gate.family_error)
        ),
    };
    document.text(Text::new(sentence).tone(tone));
    let reasons = gate.reasons.iter().map(|r| Text::new(r.as_str()));
    let worst = gate.worst.iter().filter_map(|at| c.points.get(*at));
    let worst = worst.map(|p| {
        let ratio = p.ratio.map_or_else(String::new, |r| {
            format!(
                ": {} ({})",
                percent_change(r.center),
                interval(r.low, r.high)
            )
        });
        Text::new(format!("{}{ratio}{}", point_name(p), along(c, p)))
    });
    document.list("", reasons.chain(worst).map(|text| text.lead("  ").hang(4)));
    document
}

/// `, with voluntary_switches x2`: what else of the point changed, and may explain it.
fn along(c: &Comparison, point: &PointChange) -> String {
    let changed = c.along(point).into_iter().take(ALONG);
    let named = changed.filter_map(|p| {
        let ratio = p.ratio?;
        Some(format!("{} {}", p.metric, percent_change(ratio.center)))
    });
    let named: Vec<String> = named.collect();
    match named.is_empty() {
        true => String::new(),
        false => format!(", with {}", named.join(", ")),
    }
}

/// What points have in common, and what is known of how runs differ.
fn shifts(c: &Comparison) -> Document {
    let mut document = Document::new();
    if c.gate.judged == 0 {
        return document;
    }
    let moved = |s: &&Shift| {
        s.outcome != ShiftOutcome::Usual || (s.ratio.center.ln()).abs() > c.threshold.ln_1p()
    };
    let moved = c.gate.shifts.iter().filter(moved);
    document.list(
        "",
        moved.map(|s| Text::new(s.sentence()).lead("  ").hang(4)),
    );
    document.text(Text::new(known_of_runs(c)).tone(Tone::Soft));
    document
}

/// How fast the CPU itself was: what may be put down to it.
fn cpu(c: &Comparison) -> Document {
    let mut document = Document::new();
    let found = |of: fn(&PointChange) -> Option<f64>| -> Vec<f64> {
        let decide = c.points.iter().filter(|p| p.decides);
        decide.filter_map(of).collect()
    };
    let (in_a, in_b): (Vec<f64>, Vec<f64>) =
        found(|p| p.core_ratio).into_iter().partition(|r| *r < 1.0);
    document.extend(put_down(&found(|p| p.cycle_ratio), cpu_sentence));
    document.extend(put_down(&in_a, shared_sentence));
    document.extend(put_down(&in_b, shared_sentence));
    document
}

/// What so many points have in common, by the one in the middle.
fn put_down(ratios: &[f64], sentence: fn(f64) -> String) -> Option<Text> {
    let middle = analysis::median(ratios).ok()?;
    let sentence = format!(
        "{} ({}): changes up to that are put down to it, and a change the other way may be hidden",
        sentence(middle),
        counted(ratios.len(), "point", "points")
    );
    Some(Text::new(sentence).tone(Tone::Caution))
}

fn known_of_runs(c: &Comparison) -> String {
    match c.gate.history {
        0 => format!(
            "How far runs of this machine differ is not known: no three runs of this recipe are \
             there. A standard deviation of {} is assumed, and a point counts as changed where it \
             stands out from what its experiment has in common.",
            percent(ASSUMED_RUN_SD)
        ),
        runs => format!("How far runs of this machine differ is known from {runs} runs."),
    }
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

pub(super) fn interval(low: f64, high: f64) -> String {
    format!("{} .. {}", percent_change(low), percent_change(high))
}

/// `+7.2 %` for a ratio of 1.072.
pub(super) fn percent_change(ratio: f64) -> String {
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

/// Reasons, with the number of points each takes away. What disturbed each contaminated point is
/// its own story: they are counted together, with one of them as an example.
fn incomparable(c: &Comparison) -> Document {
    let points = c
        .points
        .iter()
        .filter(|p| p.outcome == Outcome::NotComparable && p.decides);
    let kinds = grouped(points.map(|p| (kind(p.reason.as_deref()), p.reason.clone())));
    let sentence = |(kind, reasons): &(String, Vec<Option<String>>)| {
        let points = counted(reasons.len(), "point", "points");
        let first = reasons.first().and_then(|r| r.as_deref());
        let said = match (first, reasons.len()) {
            (Some(reason), 1) => reason.to_owned(),
            (Some(reason), _) if reason != kind => format!("{kind}, one of them: {reason}"),
            _ => kind.clone(),
        };
        Text::new(format!("{points}: {said}")).lead("  ").hang(4)
    };
    let mut document = Document::new();
    document.list("", kinds.iter().map(sentence));
    document.extend(skipped(c).map(|text| text.lead("  ").hang(4)));
    document.extend(explaining(c).map(|text| text.lead("  ").hang(4)));
    document.headed("Not comparable")
}

/// What neither run could measure.
fn skipped(c: &Comparison) -> Option<Text> {
    let skipped = c.points.iter().filter(|p| p.outcome == Outcome::Skipped);
    let points = skipped.count();
    let sentence = format!(
        "{} skipped on both sides: pontage report says why, and what would help",
        counted(points, "point", "points")
    );
    (points > 0).then(|| Text::new(sentence))
}

/// What is shown and is no cost.
fn explaining(c: &Comparison) -> Option<Text> {
    let rows: Vec<&PointChange> = c.points.iter().filter(|p| !p.decides).collect();
    let mut names: Vec<&str> = Vec::new();
    for row in &rows {
        if !names.contains(&row.metric.as_str()) {
            names.push(&row.metric);
        }
    }
    let more = names.len().saturating_sub(NAMED);
    let more = match more {
        0 => String::new(),
        more => format!(" and {}", counted(more, "other", "others")),
    };
    let sentence = format!(
        "{} decide nothing: they explain a cost, or describe the system ({}{more})",
        counted(rows.len(), "figure", "figures"),
        names[..names.len().min(NAMED)].join(", ")
    );
    (!rows.is_empty()).then(|| Text::new(sentence))
}

/// `contaminated in B` of a longer reason.
fn kind(reason: Option<&str>) -> String {
    let reason = reason.unwrap_or("no reason recorded");
    let first = reason.split(':').next().unwrap_or(reason);
    match first.starts_with("contaminated") {
        true => first.to_owned(),
        false => reason.to_owned(),
    }
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
        (e.skipped, "skipped on both sides"),
    ];
    let there = counts.into_iter().filter(|(n, _)| *n > 0);
    let mut parts: Vec<String> = there.map(|(n, word)| format!("{n} {word}")).collect();
    if let Some(ratio) = e.median_ratio {
        parts.push(format!("B is typically {}", percent_change(ratio)));
    }
    match parts.is_empty() {
        true => "explains costs, and decides nothing".to_owned(),
        false => parts.join(", "),
    }
}

fn counted_outcomes(c: &Comparison) -> Document {
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
