//! The figure of an experiment that has no axes to draw: how its samples lie.

use super::axes::{extent, linear_range};
use super::{Axis, DataPoint, Figure, Scale, Series, Verdict, alone, palette};
use analysis::view::ContaminationLevel;
use analysis::{ExperimentTable, PointView, Summary};
use record::{PointState, Unit};

/// With more points the rows could not be distinguished.
const MOST_POINTS: usize = 6;
/// A longer tail than this, largest over smallest, needs a logarithmic axis.
const LINEAR_SPAN: f64 = 4.0;
const ROWS: [&str; 7] = ["fastest", "p25", "median", "p75", "p90", "p99", "slowest"];

/// Quantiles of the primary metric, one series for each measured point.
pub fn build(table: &ExperimentTable) -> Option<Figure> {
    let done = table
        .points
        .iter()
        .filter(|p| p.head.state == PointState::Done);
    let measured = done.filter_map(|p| Some((p, p.primary()?)));
    let measured: Vec<(&PointView, &Summary)> = measured
        .filter(|(_, s)| s.median.center.is_finite())
        .collect();
    if measured.is_empty() || measured.len() > MOST_POINTS {
        return None;
    }
    let count = measured.len();
    // A quantile that no point's samples carry has no row.
    let rows: Vec<usize> = (0..ROWS.len())
        .filter(|row| measured.iter().any(|(_, s)| at(s, *row).is_some()))
        .collect();
    let series = measured.iter().enumerate().map(|(i, (point, s))| Series {
        name: point.head.in_words(),
        colour: palette::series_colour(i, count, false),
        points: quantiles(point, s, &rows),
    });
    let series: Vec<Series> = series.collect();
    let mut verdict = Verdict::default();
    for (point, _) in &measured {
        verdict.count(point);
    }
    let x = Axis {
        label: "quantile".to_owned(),
        unit: Unit::Word,
        scale: Scale::Categories(rows.iter().map(|row| ROWS[*row].to_owned()).collect()),
        range: (-0.5, rows.len() as f64 - 0.5),
    };
    let y = value_axis(&series);
    Some(Figure {
        title: "Distribution of the samples".to_owned(),
        series,
        verdict,
        ..Figure::empty(table, 0, x, y)
    })
}

/// The value of a row of `ROWS`.
fn at(s: &Summary, row: usize) -> Option<f64> {
    let (min, p25, median) = (Some(s.min), Some(s.p25), Some(s.median.center));
    let all = [min, p25, median, Some(s.p75), s.p90, s.p99, Some(s.max)];
    all[row].filter(|v| v.is_finite())
}

fn quantiles(point: &PointView, s: &Summary, rows: &[usize]) -> Vec<DataPoint> {
    let flag = point
        .contamination
        .as_ref()
        .map_or(ContaminationLevel::Clean, |c| c.level);
    rows.iter()
        .enumerate()
        .filter_map(|(place, row)| Some((place, ROWS[*row], at(s, *row)?)))
        .map(|(place, row, v)| {
            let is_median = row == "median";
            DataPoint {
                x: place as f64,
                y: if is_median { s.median } else { alone(v) },
                samples: s.samples,
                flag,
                reason: point
                    .contamination
                    .as_ref()
                    .map_or_else(String::new, |c| c.reason.clone()),
                modes: crate::format::modes(s, Unit::Nanoseconds),
            }
        })
        .collect()
}

fn value_axis(series: &[Series]) -> Axis {
    let (low, high) = extent(series.iter().flat_map(|s| &s.points).map(|p| p.y.center));
    let log = low > 0.0 && high / low > LINEAR_SPAN;
    let range = if log {
        (low / 1.1, high * 1.1)
    } else {
        linear_range(low, high)
    };
    Axis {
        label: "latency per operation".to_owned(),
        unit: Unit::Nanoseconds,
        scale: if log { Scale::Log10 } else { Scale::Linear },
        range,
    }
}
