//! Staircases whose treads a reader sees.

use super::{TreadOptions, Treads, treads};
use crate::curve::CurvePoint;

const OPTIONS: TreadOptions = TreadOptions {
    smallest_ratio: 1.3,
    redraws: 100,
};

fn curve(values: &[(f64, f64)], spread: f64) -> Treads {
    let point = |(x, y): &(f64, f64)| CurvePoint::new(*x, *y, y / spread, y * spread);
    let points: Vec<CurvePoint> = values.iter().map(point).collect();
    treads(&points, OPTIONS).expect("a curve")
}

/// A curve as it was measured (KiB, ns): a second cache whose rise takes two octaves, a
/// third that creeps, memory with noise.
const MEASURED: [(f64, f64); 36] = [
    (8.0, 0.93),
    (10.0, 0.93),
    (13.0, 0.93),
    (16.0, 0.93),
    (20.0, 0.93),
    (25.0, 0.93),
    (32.0, 0.93),
    (40.0, 0.93),
    (51.0, 2.73),
    (64.0, 3.25),
    (81.0, 3.26),
    (102.0, 3.26),
    (161.0, 3.26),
    (256.0, 3.26),
    (406.0, 3.36),
    (512.0, 3.65),
    (645.0, 3.95),
    (813.0, 4.75),
    (1024.0, 6.36),
    (1290.0, 8.13),
    (1625.0, 9.71),
    (2048.0, 9.87),
    (2580.0, 10.4),
    (3251.0, 10.94),
    (4096.0, 11.5),
    (5161.0, 12.02),
    (6502.0, 13.02),
    (8192.0, 15.56),
    (10321.0, 54.72),
    (13004.0, 55.62),
    (16384.0, 80.14),
    (20643.0, 123.46),
    (26008.0, 132.46),
    (32768.0, 135.54),
    (41285.0, 140.2),
    (65536.0, 146.11),
];

#[test]
fn a_measured_staircase_is_read_as_a_reader_would() {
    for spread in [1.002, 1.02, 1.05] {
        let found = curve(&MEASURED, spread);
        let starts: Vec<f64> = found.all.iter().map(|t| t.from_x).collect();
        assert_eq!(starts, [8.0, 64.0, 1625.0, 20643.0], "{spread}");
        assert!(found.share > 0.9 && found.rises_to.is_none(), "{found:?}");
        let halves: Vec<f64> = found
            .all
            .iter()
            .filter_map(|t| Some(t.rise?.half))
            .collect();
        assert!((40.0..51.0).contains(&halves[0]), "{halves:?}");
        assert!((1024.0..1290.0).contains(&halves[1]), "{halves:?}");
        assert!((8192.0..16384.0).contains(&halves[2]), "{halves:?}");
        assert!(
            found
                .all
                .iter()
                .filter_map(|t| t.rise)
                .all(|r| r.share > 0.9)
        );
    }
}

/// Made after a simulated Skylake-SP (KiB, ns), with fewer sizes and a steeper end: its third
/// cache creeps by half, memory has two points.
const CREEPING: [(f64, f64); 20] = [
    (323.0, 4.49),
    (406.0, 4.49),
    (512.0, 4.50),
    (645.0, 4.51),
    (813.0, 4.53),
    (1024.0, 4.60),
    (1290.0, 19.86),
    (1625.0, 19.77),
    (2048.0, 21.31),
    (2580.0, 21.75),
    (3251.0, 24.46),
    (4096.0, 25.48),
    (6502.0, 26.89),
    (10321.0, 28.19),
    (16384.0, 29.08),
    (26008.0, 34.76),
    (32768.0, 60.65),
    (52016.0, 71.39),
    (65536.0, 84.62),
    (131072.0, 85.49),
];

#[test]
fn a_tread_that_creeps_is_one_and_the_last_may_have_two_points() {
    for spread in [1.002, 1.02, 1.04] {
        let found = curve(&CREEPING, spread);
        let starts: Vec<f64> = found.all.iter().map(|t| t.from_x).collect();
        assert_eq!(starts, [323.0, 1290.0, 65536.0], "{spread}");
        assert!(found.share > 0.9 && found.rises_to.is_none(), "{found:?}");
    }
}

#[test]
fn one_wild_point_is_no_riser() {
    let mut wild = MEASURED;
    wild[12].1 = 9.0;
    let found = curve(&wild, 1.002);
    assert_eq!(found.all.len(), 4, "{found:?}");
}

#[test]
fn noise_in_memory_does_not_take_the_first_cache_away() {
    let points: Vec<CurvePoint> = MEASURED
        .iter()
        .map(|(x, y)| {
            let spread = if *x > 8000.0 { 1.6 } else { 1.005 };
            CurvePoint::new(*x, *y, y / spread, y * spread)
        })
        .collect();
    let found = treads(&points, OPTIONS).expect("a curve");
    let first = found.all[0].rise.expect("a rise");
    let last = found.all[2].rise.map_or(0.0, |r| r.share);
    assert!(
        first.share == 1.0 && found.share < 0.9 && last < 0.9,
        "{found:?}"
    );
}

#[test]
fn a_curve_that_ends_on_its_way_up_says_so() {
    let found = curve(&MEASURED[..20], 1.002);
    assert!(
        found.rises_to.is_some() && found.all.len() == 2,
        "{found:?}"
    );
    let flat: Vec<(f64, f64)> = (1..9).map(|i| (f64::from(1 << i), 3.0)).collect();
    let found = curve(&flat, 1.01);
    assert!(found.all.len() == 1 && found.rises_to.is_none() && found.all[0].rise.is_none());
}

#[test]
fn noise_makes_a_tread_of_a_part_of_a_rise_and_takes_none_away() {
    let counts = |values, spread| curve(values, spread).counts;
    for spread in [1.002, 1.03, 1.1] {
        assert_eq!(counts(&MEASURED, spread), [4, 4], "{spread}");
        assert_eq!(counts(&CREEPING, spread), [3, 3], "{spread}");
        // What it rises to is the third.
        assert_eq!(counts(&MEASURED[..20], spread), [3, 3], "{spread}");
    }
    for spread in [1.2, 1.4] {
        let [fewest, most] = counts(&MEASURED, spread);
        assert!(fewest == 4 && most > 4, "{spread}: up to {most}");
        assert_eq!(counts(&CREEPING, spread), [3, 4], "{spread}");
    }
}

#[test]
fn a_rise_stays_where_it_is_though_noise_makes_more_treads() {
    // Two treads, and a climb of ten points that are known to a third.
    let climb = |i: i32| match i {
        ..6 => 1.0,
        6..12 => 2.7,
        _ => 2.7 * 1.35f64.powi(i - 11),
    };
    let point = |i: i32| {
        let (x, y) = (2f64.powf(f64::from(i) / 2.0), climb(i));
        let spread = if i < 12 { 1.01 } else { 1.5 };
        CurvePoint::new(x, y, y / spread, y * spread)
    };
    let points: Vec<CurvePoint> = (0..22).map(point).collect();
    let found = treads(&points, OPTIONS).expect("a curve");
    assert!(found.rises > 0.9 && found.share < 0.6, "{found:?}");
    // So does one before which more treads are seen.
    let found = curve(&MEASURED, 1.3);
    let last = found.all[2].rise.expect("a rise");
    assert!(last.share > 0.9 && found.counts[1] > 4, "{found:?}");
}

#[test]
fn too_few_points_are_refused() {
    let point = CurvePoint::new(1.0, 1.0, 1.0, 1.0);
    assert!(treads(&[point; 3], OPTIONS).is_err());
}
#[test]
fn a_tread_ends_where_it_does_though_the_next_begins_earlier_or_later() {
    // A second tread of four points; behind it the curve climbs for five before it rests.
    const NS: [f64; 18] = [
        6.1, 6.1, 6.1, 15.1, 15.1, 15.1, 15.1, 33.7, 36.3, 50.0, 61.3, 63.1, 63.1, 66.0, 69.3,
        69.8, 69.8, 70.0,
    ];
    let point = |(i, ns): (i32, f64)| {
        let spread = if i == 9 || i == 10 { 1.08 } else { 1.002 };
        CurvePoint::new(2f64.powf(f64::from(i) / 2.0), ns, ns / spread, ns * spread)
    };
    let points: Vec<CurvePoint> = (0..).zip(NS).map(point).collect();
    let found = treads(&points, OPTIONS).expect("a curve");
    let rise = found.all[1].rise.expect("a rise");
    assert_eq!(rise.begins.0, 8.0);
    assert!(rise.begin_share == 1.0 && rise.share < 0.9, "{rise:?}");
}
