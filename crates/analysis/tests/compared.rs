//! Points side by side, from tables of known medians.

use analysis::compared::{curve, ratio};
use testbed::{int, measured};

#[test]
fn a_ratio_is_of_times_and_carries_both_intervals() {
    let (a, b) = (measured("x/y", &[], &[10.0]), measured("x/y", &[], &[30.0]));
    let r = ratio(&a, &b).expect("both are measured");
    assert!((r.center - 3.0).abs() < 1e-9);
    assert!(r.low < 3.0 && r.low > 2.95 && r.high > 3.0 && r.high < 3.05);
    assert!(ratio(&a, &measured("x/y", &[], &[])).is_none());
}

#[test]
fn a_curve_holds_measured_positive_points_only() {
    let points = [
        measured("x/y", &[int("size", 64)], &[5.0, -1.0]),
        measured("x/y", &[int("size", 128)], &[]),
        measured("x/y", &[int("size", 256)], &[9.0, 2.0]),
    ];
    let xs = |metric| -> Vec<f64> { curve(&points, "size", metric).iter().map(|p| p.x).collect() };
    assert_eq!(xs(0), [64.0, 256.0]);
    assert_eq!(xs(1), [256.0]);
}
