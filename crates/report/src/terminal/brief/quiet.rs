//! One line for each experiment.

use crate::document::{Document, Table};
use crate::format::{counted, percent, time_ns};
use crate::label::{label, varying};
use analysis::{ExperimentTable, PointView, RunView};
use record::PointState;
use summary::typical_half_width;

/// A longer name of a point is left out: the line stays one.
const LABEL: usize = 18;

/// Each experiment with what it came to.
pub fn document(view: &RunView) -> Document {
    let mut table = Table::of(1, ["", ""]);
    table.columns[1].align = crate::document::Align::Left;
    for experiment in &view.tables {
        table.row([experiment.head.id.clone(), said(experiment)]);
    }
    table.fitting().into()
}

/// What an experiment came to, in a line.
pub fn said(table: &ExperimentTable) -> String {
    let measured: Vec<&PointView> = table
        .points
        .iter()
        .filter(|p| p.primary().is_some())
        .collect();
    let typical = typical_half_width(&measured);
    let typical = typical.map_or_else(String::new, |share| format!(" ±{}", percent(share)));
    let ns = |p: &PointView| p.median_ns().unwrap_or(f64::NAN);
    let by_time = |a: &&&PointView, b: &&&PointView| ns(a).total_cmp(&ns(b));
    match measured.as_slice() {
        [] => absent(table),
        [one] => format!("{}{typical}", time_ns(ns(one), 3)),
        several => {
            let axes = varying(table, several);
            let least = several.iter().min_by(by_time);
            let most = several.iter().max_by(by_time);
            let end = |p: Option<&&PointView>| {
                p.map_or_else(String::new, |p| {
                    let time = time_ns(ns(p), 3);
                    let label = label(p, &axes);
                    match label.chars().count() > LABEL {
                        true => time,
                        false => format!("{time} ({label})"),
                    }
                })
            };
            format!(
                "{}: {} .. {}{typical}",
                counted(several.len(), "point", "points"),
                end(least),
                end(most)
            )
        }
    }
}

/// Why nothing of it was measured.
fn absent(table: &ExperimentTable) -> String {
    let first = table.points.iter().find_map(|p| match &p.head.state {
        PointState::Skipped { reason, .. } => Some(format!("SKIP: {reason}")),
        PointState::Failed { reason } => Some(format!("FAIL: {reason}")),
        _ => None,
    });
    first.unwrap_or_else(|| "not measured".to_owned())
}
