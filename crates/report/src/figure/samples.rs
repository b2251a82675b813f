//! Figures of single samples: in their order, or how they are distributed.

use super::axes::{extent, y_axis};
use super::collect::{Collect, absences, key, series_name};
use super::{Axis, DataPoint, Figure, Scale, Series, Verdict, alone, palette};
use crate::format::counted;
use analysis::PointView;
use analysis::view::{ContaminationLevel, InOrder};
use record::{FigureHead, FigureKind, Unit};

/// Points of a distribution's curve: more than a figure has columns.
const CURVE: usize = 400;

/// The figure of single samples that a head asks for.
pub fn build(index: usize, c: &Collect<'_>) -> Figure {
    let mut notes = absences(c.selected);
    let mut verdict = Verdict::default();
    let drawn = c
        .selected
        .iter()
        .filter_map(|p| Some((*p, p.values(c.quantity.metric()?)?)));
    let drawn: Vec<(&PointView, &InOrder)> = drawn.collect();
    let count = drawn.len();
    let mut series = Vec::new();
    for (place, (point, values)) in drawn.into_iter().enumerate() {
        verdict.count(point);
        let name = series_name(c, &key(c, point));
        if values.left_out > 0 {
            let more = counted(values.left_out, "further sample", "further samples");
            notes.push(format!("{name}: {more} not drawn"));
        }
        series.push(Series {
            name,
            colour: palette::series_colour(place, count, false),
            points: match c.head.kind {
                FigureKind::Distribution => longer_than(&values.values),
                _ => one_by_one(&values.values),
            },
        });
    }
    let (x, y) = axes(c, &series);
    Figure {
        series,
        notes,
        verdict,
        ..Figure::empty(c.table, index, x, y)
    }
}

fn axes(c: &Collect<'_>, series: &[Series]) -> (Axis, Axis) {
    let points = || series.iter().flat_map(|s| &s.points);
    let (low, high) = extent(points().map(|p| p.x));
    if c.head.kind == FigureKind::Distribution {
        let share = FigureHead {
            y_log: true,
            ..c.head.clone()
        };
        let x = Axis {
            label: c.quantity.label.clone(),
            unit: c.quantity.unit,
            scale: Scale::Log10,
            range: (low / 1.1, high * 1.1),
        };
        let mut y = y_axis(c.quantity, &share, series);
        (y.label, y.unit) = ("share that is longer".to_owned(), Unit::Ratio);
        return (x, y);
    }
    let x = Axis {
        label: c.head.x.replace('_', " "),
        unit: Unit::Count,
        scale: Scale::Linear,
        range: if low < high {
            (low, high)
        } else {
            (low - 1.0, high + 1.0)
        },
    };
    (x, y_axis(c.quantity, c.head, series))
}

/// Numbered from 1.
fn one_by_one(values: &[f64]) -> Vec<DataPoint> {
    let numbered = values.iter().enumerate();
    numbered
        .map(|(at, value)| single(at as f64 + 1.0, *value))
        .collect()
}

/// For each value the share of samples that are longer. The longest has none,
/// and no place on a logarithmic axis; it stands at half a sample.
fn longer_than(values: &[f64]) -> Vec<DataPoint> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| *v > 0.0).collect();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len();
    let share = |at: usize| ((count - 1 - at) as f64).max(0.5) / count as f64;
    let mut curve = Vec::new();
    for (at, value) in sorted.iter().enumerate() {
        // Every sample of the tail, where they are few; of the rest some.
        let rest = count - at;
        let wanted = rest <= CURVE / 2 || at.is_multiple_of((count / CURVE).max(1));
        let last_of_equals = sorted.get(at + 1) != Some(value);
        if wanted && last_of_equals {
            curve.push(single(*value, share(at)));
        }
    }
    curve
}

fn single(x: f64, y: f64) -> DataPoint {
    DataPoint {
        x,
        y: alone(y),
        samples: 1,
        flag: ContaminationLevel::Clean,
        reason: String::new(),
        modes: None,
    }
}

#[cfg(test)]
mod tests {
    use super::{longer_than, one_by_one};

    #[test]
    fn samples_keep_their_order_and_count_from_one() {
        let drawn: Vec<(f64, f64)> = one_by_one(&[5.0, 3.0])
            .iter()
            .map(|p| (p.x, p.y.center))
            .collect();
        assert_eq!(drawn, [(1.0, 5.0), (2.0, 3.0)]);
    }

    #[test]
    fn a_distribution_falls_to_its_longest_sample() {
        let drawn: Vec<(f64, f64)> = longer_than(&[4.0, 1.0, 2.0, 2.0])
            .iter()
            .map(|p| (p.x, p.y.center))
            .collect();
        assert_eq!(drawn, [(1.0, 0.75), (2.0, 0.25), (4.0, 0.125)]);
        let many: Vec<f64> = (1..=10_000).map(f64::from).collect();
        let curve = longer_than(&many);
        assert!(curve.len() < 1000);
        assert!(
            curve.iter().any(|p| (p.x - 9_999.0).abs() < 0.5),
            "the tail is whole"
        );
        assert!(curve.windows(2).all(|w| w[0].y.center > w[1].y.center));
    }
}
