//! Two runs as data: a row for each value that both have, or that one lacks.

use crate::sheet::{Sheet, number};
use analysis::{Comparison, Outcome, PointChange};

const HEADS: [&str; 18] = [
    "experiment",
    "settings",
    "metric",
    "unit",
    "lower_is_better",
    "a",
    "a_low",
    "a_high",
    "b",
    "b_low",
    "b_high",
    "ratio",
    "ratio_low",
    "ratio_high",
    "adjusted_p",
    "decides",
    "verdict",
    "reason",
];

/// A row for each compared value, with its verdict.
pub fn sheet(comparison: &Comparison) -> Sheet {
    let mut sheet = Sheet::new(HEADS);
    for point in &comparison.points {
        sheet.row(cells(point));
    }
    sheet
}

fn cells(point: &PointChange) -> Vec<String> {
    let settings = point.settings.iter();
    let settings: Vec<String> = settings
        .map(|s| format!("{}={}", s.axis, s.value))
        .collect();
    let interval = |value: Option<&analysis::Interval>| {
        let ends = value.filter(|v| !v.is_none());
        [
            number(value.map(|v| v.center)),
            number(ends.map(|v| v.low)),
            number(ends.map(|v| v.high)),
        ]
    };
    let mut cells = vec![
        point.experiment.clone(),
        settings.join(" "),
        point.metric.clone(),
        point.unit.symbol().to_owned(),
        point.lower_is_better.to_string(),
    ];
    cells.extend(interval(point.a.as_ref().map(|side| &side.median)));
    cells.extend(interval(point.b.as_ref().map(|side| &side.median)));
    cells.extend(interval(point.ratio.as_ref()));
    cells.extend([
        number(point.adjusted_p),
        point.decides.to_string(),
        word(point.outcome).to_owned(),
        point.reason.clone().unwrap_or_default(),
    ]);
    cells
}

/// As in JSON.
fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Better => "better",
        Outcome::Worse => "worse",
        Outcome::Same => "same",
        Outcome::NotComparable => "not_comparable",
        Outcome::Skipped => "skipped",
    }
}
