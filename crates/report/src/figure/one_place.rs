//! Lines that all stand at one value of the x axis are no curves: each becomes a row.

use super::collect::{Collect, unit_of};
use super::{DataPoint, Scale, Series, palette};
use crate::format::axis_value;
use analysis::whole;
use record::AxisValue;

/// The lines as rows of one series that is called `label`, each with the name of its line. None
/// where there are less than two, or where they reach from one value to another.
pub fn rows(series: &[Series], label: &str) -> Option<(Scale, Vec<Series>)> {
    let first = series.first()?.points.first()?.x;
    let at_one = |s: &Series| matches!(s.points.as_slice(), [p] if p.x == first);
    if series.len() < 2 || !series.iter().all(at_one) {
        return None;
    }
    let names = series.iter().map(|s| s.name.clone()).collect();
    let points = series.iter().flat_map(|s| &s.points).zip(0..);
    let points = points.map(|(point, row): (&DataPoint, u32)| DataPoint {
        x: f64::from(row),
        ..point.clone()
    });
    let one = Series {
        name: label.to_owned(),
        colour: palette::series_colour(0, 1, false),
        points: points.collect(),
    };
    Some((Scale::Categories(names), vec![one]))
}

/// Where they stand, for the notes.
pub(super) fn note(of: &Collect<'_>, series: &[Series]) -> Option<String> {
    let x = series.first()?.points.first()?.x;
    let name = &of.head.x;
    let value = AxisValue::Int(i64::try_from(whole(x)).unwrap_or(i64::MAX));
    let value = axis_value(&value, unit_of(of.table, name));
    let name = name.replace('_', " ");
    Some(format!("all points are at {name} {value}"))
}

#[cfg(test)]
mod tests {
    use super::super::{ContaminationLevel, alone};
    use super::*;

    fn series(name: &str, xs: &[f64]) -> Series {
        let point = |x: &f64| DataPoint {
            x: *x,
            y: alone(10.0 * x),
            samples: 1,
            flag: ContaminationLevel::Clean,
            reason: String::new(),
            modes: None,
        };
        Series {
            name: name.to_owned(),
            colour: palette::series_colour(0, 2, false),
            points: xs.iter().map(point).collect(),
        }
    }

    #[test]
    fn lines_at_one_value_are_rows_and_no_others() {
        let (names, made) = rows(&[series("a", &[64.0]), series("b", &[64.0])], "y").unwrap();
        assert_eq!(names, Scale::Categories(vec!["a".into(), "b".into()]));
        let xs: Vec<f64> = made[0].points.iter().map(|p| p.x).collect();
        assert_eq!((made.len(), xs), (1, vec![0.0, 1.0]));
        assert!(rows(&[series("a", &[64.0])], "y").is_none(), "one line");
        let apart = [series("a", &[64.0]), series("b", &[128.0])];
        assert!(rows(&apart, "y").is_none(), "two values");
        let curve = [series("a", &[64.0, 128.0]), series("b", &[64.0])];
        assert!(rows(&curve, "y").is_none(), "a curve");
        assert!(rows(&[], "y").is_none());
    }
}
