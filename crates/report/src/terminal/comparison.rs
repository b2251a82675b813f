//! Two runs side by side: what changed beyond noise, and what cannot be said.

use super::paint::{painted, wrapped};
use super::{LEAST_WIDTH, Page, Paint};
use crate::format::{counted, percent, plus_minus, quantity, significant};
use analysis::{Comparison, ExperimentChange, Outcome, PointChange, Side};
use comfy_table::{CellAlignment, ContentArrangement, Table};

/// The comparison as text, `width` columns wide: what differs around the runs,
/// every point that got better or worse, why points cannot be compared, and a
/// line for each experiment. Ratios are B over A.
#[must_use]
pub fn render_comparison(comparison: &Comparison, width: usize, colour: bool) -> String {
    let page = Page {
        width: width.max(LEAST_WIDTH),
        paint: Paint::new(colour),
    };
    let sections = [
        heading(comparison, &page),
        changes(comparison, Outcome::Worse, "Worse", &page),
        changes(comparison, Outcome::Better, "Better", &page),
        incomparable(comparison, &page),
        experiments(comparison, &page),
        verdict(comparison, &page),
    ];
    let found: Vec<String> = sections.into_iter().filter(|s| !s.is_empty()).collect();
    found.join("\n")
}

fn heading(c: &Comparison, page: &Page) -> String {
    let mut text = wrapped(&c.a, page.width, "A  ", "   ");
    text.push_str(&wrapped(&c.b, page.width, "B  ", "   "));
    for d in &c.differences {
        let (a, b) = (side(&d.a), side(&d.b));
        let sentence = format!("{} differs: {a} in A, {b} in B", d.field);
        text.push_str(&if d.matters {
            painted(&sentence, page.width, "!  ", "   ", |l| {
                page.paint.yellow(l)
            })
        } else {
            painted(&sentence, page.width, "   ", "   ", |l| page.paint.dim(l))
        });
    }
    text
}

fn side(fact: &str) -> &str {
    if fact.is_empty() {
        "nothing told"
    } else {
        fact
    }
}

fn changes(c: &Comparison, outcome: Outcome, title: &str, page: &Page) -> String {
    let mut found: Vec<&PointChange> = c.points.iter().filter(|p| p.outcome == outcome).collect();
    if found.is_empty() {
        return String::new();
    }
    found.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
    let title = match outcome {
        Outcome::Worse => page.paint.red(title),
        _ => page.paint.green(title),
    };
    format!("{title}\n{}\n", table(&found, page.width))
}

/// How far the ratio is from no change, in either direction.
fn distance(change: &PointChange) -> f64 {
    change
        .ratio
        .filter(|r| r.center > 0.0)
        .map_or(0.0, |r| r.center.ln().abs())
}

fn table(found: &[&PointChange], width: usize) -> Table {
    let mut table = Table::new();
    table
        .load_preset(comfy_table::presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(width).unwrap_or(u16::MAX));
    table.set_header(["point", "A", "B", "B / A", "interval"]);
    for change in found {
        table.add_row(row(change));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn row(change: &PointChange) -> [String; 5] {
    let side = |s: Option<Side>| {
        s.map_or_else(
            || "-".to_owned(),
            |s| {
                format!(
                    "{} {}",
                    quantity(s.median, change.unit, 4),
                    plus_minus(s.median, s.low, s.high)
                )
            },
        )
    };
    let (ratio, interval) = change.ratio.map_or_else(
        || ("-".to_owned(), "-".to_owned()),
        |r| {
            (
                percent_change(r.center),
                format!("{} .. {}", percent_change(r.low), percent_change(r.high)),
            )
        },
    );
    [
        point_name(change),
        side(change.a),
        side(change.b),
        ratio,
        interval,
    ]
}

fn point_name(change: &PointChange) -> String {
    let label = change.label();
    let metric = if change.metric == "latency" {
        String::new()
    } else {
        format!(" [{}]", change.metric)
    };
    escape::terminal(format!("{} {label}{metric}", change.experiment).trim_end()).into_owned()
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
fn incomparable(c: &Comparison, page: &Page) -> String {
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for point in c
        .points
        .iter()
        .filter(|p| p.outcome == Outcome::NotComparable)
    {
        let reason = point.reason.as_deref().unwrap_or("no reason recorded");
        match reasons.iter_mut().find(|(r, _)| *r == reason) {
            Some((_, n)) => *n += 1,
            None => reasons.push((reason, 1)),
        }
    }
    if reasons.is_empty() {
        return String::new();
    }
    let mut text = page.paint.bold("Not comparable");
    text.push('\n');
    for (reason, n) in reasons {
        let sentence = format!("{}: {reason}", counted(n, "point", "points"));
        text.push_str(&wrapped(&sentence, page.width, "  ", "    "));
    }
    text
}

fn experiments(c: &Comparison, page: &Page) -> String {
    let mut text = page.paint.bold("Experiments");
    text.push('\n');
    for e in &c.experiments {
        let first = format!("  {:<20} ", escape::terminal(&e.experiment));
        text.push_str(&wrapped(&counts(e), page.width, &first, &" ".repeat(23)));
    }
    text
}

fn counts(e: &ExperimentChange) -> String {
    let mut parts: Vec<String> = [
        (e.worse, "worse"),
        (e.better, "better"),
        (e.same, "same"),
        (e.not_comparable, "not comparable"),
    ]
    .into_iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, word)| format!("{n} {word}"))
    .collect();
    if let Some(ratio) = e.median_ratio {
        parts.push(format!("B is typically {}", percent_change(ratio)));
    }
    if parts.is_empty() {
        "nothing to compare".to_owned()
    } else {
        parts.join(", ")
    }
}

fn verdict(c: &Comparison, page: &Page) -> String {
    let (worse, better) = (c.count(Outcome::Worse), c.count(Outcome::Better));
    let same = c.count(Outcome::Same);
    let judged = worse + better + same;
    if judged == 0 {
        return page.paint.yellow("no point could be compared") + "\n";
    }
    let sentence = format!(
        "{worse} worse, {better} better, {same} same of {} compared, beyond {} and noise",
        counted(judged, "point", "points"),
        percent(c.threshold),
    );
    painted(&sentence, page.width, "", "", |l| {
        if worse > 0 {
            page.paint.red(l)
        } else {
            page.paint.green(l)
        }
    })
}
