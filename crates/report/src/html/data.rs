//! The figures as data for the script of the page.

use crate::figure::ticks::{axis_label, ticks};
use crate::figure::{Axis, DataPoint, Figure, Mark, MarkRole, Panel, Scale, Series};
use crate::format::significant;
use crate::packed::packed_parts;
use analysis::view::ContaminationLevel;
use maud::PreEscaped;
use serde_json::{Value, json};
use std::iter::once;

/// All figures, by id, as JSON that is deflated and written in base64: a page carries thousands of
/// points, and most are never looked at.
pub fn of(figures: &[Figure]) -> PreEscaped<String> {
    // A matrix answers by itself: its cells have titles.
    let drawn = figures
        .iter()
        .filter(|f| !f.is_empty() && f.matrix.is_none());
    // One figure after the other: as values, those of 10^5 points take 20 times their text.
    let entries = drawn.enumerate().map(|(at, f)| {
        let comma = if at == 0 { "" } else { "," };
        format!("{comma}{}:{}", json!(f.id), figure(f))
    });
    let (open, close) = (once("{".to_owned()), once("}".to_owned()));
    PreEscaped(packed_parts(open.chain(entries).chain(close)))
}

/// Four digits are more than a plot can show.
fn short(value: f64) -> f64 {
    significant(value, 4).parse().unwrap_or(value)
}

fn figure(f: &Figure) -> Value {
    json!({
        "title": f.title,
        "x": axis(&f.x, 9),
        "y": axis(&f.y, 6),
        "series": f.series.iter().map(series).collect::<Vec<_>>(),
        "marks": f.marks.iter().map(mark).collect::<Vec<_>>(),
        "regions": f.regions.iter().map(|r| json!([r.from, r.to, r.name])).collect::<Vec<_>>(),
        "below": f.below.iter().map(panel).collect::<Vec<_>>(),
    })
}

/// Series of a panel stand in the figure's order and colours.
fn panel(p: &Panel) -> Value {
    json!({
        "y": axis(&p.y, 3),
        "series": p.series.iter().map(series).collect::<Vec<_>>(),
    })
}

fn axis(a: &Axis, target: usize) -> Value {
    let scale = match a.scale {
        Scale::Linear => "linear",
        Scale::Log2 => "log2",
        Scale::Log10 => "log10",
        Scale::Categories(_) => "words",
    };
    let labels = ticks(a, target).into_iter().filter_map(|t| t.label);
    let words: Vec<String> = labels.filter(|_| scale == "words").collect();
    json!({
        "label": axis_label(a),
        "unit": a.unit,
        "scale": scale,
        "range": [a.range.0, a.range.1],
        "words": words,
    })
}

fn series(s: &Series) -> Value {
    json!({
        "name": s.name,
        "colour": s.colour.variable(),
        "points": s.points.iter().map(point).collect::<Vec<_>>(),
    })
}

/// `[x, y, low, high, n, level, flag, remark]`; flag 0 clean, 1 disturbed, 2
/// contaminated.
fn point(p: &DataPoint) -> Value {
    let flag = match p.flag {
        ContaminationLevel::Clean => 0,
        ContaminationLevel::Disturbed => 1,
        ContaminationLevel::Contaminated => 2,
    };
    let remark = [p.reason.as_str(), p.modes.as_deref().unwrap_or("")];
    let remark: Vec<&str> = remark.into_iter().filter(|t| !t.is_empty()).collect();
    let remark = remark.join("; ");
    let level = (p.y.level * 1000.0).round() / 1000.0;
    json!([
        p.x,
        short(p.y.center),
        short(p.y.low),
        short(p.y.high),
        p.samples,
        level,
        flag,
        remark
    ])
}

fn mark(m: &Mark) -> Value {
    let role = match m.role {
        MarkRole::Reference => "reference",
        MarkRole::Knee => "knee",
    };
    json!({ "x": m.x.center, "low": m.x.low, "high": m.x.high, "label": m.label, "role": role })
}
