//! Crossings, modes and plateaus at their limits and on both sides of them, on
//! curves and samples whose truth is known.

use stats::{
    Crossover, CurvePoint, PlateauOptions, Plateaus, crossover, modes, modes_on_grid, plateaus,
};

fn near(found: f64, truth: f64) {
    let off = (found - truth).abs() / truth.abs().max(1e-300);
    assert!(off < 1e-9 || found == truth, "{found} is not {truth}");
}

// Crossings of two curves.

/// 64 to 2^15, one an octave; `sigma` is the standard deviation of the logarithm.
fn curve(y: impl Fn(f64) -> f64, sigma: f64) -> Vec<CurvePoint> {
    let half = (1.96 * sigma).exp();
    let point = |n: i32| {
        let x = 2f64.powi(n);
        CurvePoint::new(x, y(x), y(x) / half, y(x) * half)
    };
    (6..16).map(point).collect()
}

/// B differs from A by this logarithm, everywhere.
fn apart(log: f64, sigma: f64) -> Crossover {
    let (a, b) = (curve(|x| x, sigma), curve(|x| x * log.exp(), sigma));
    crossover(&a, &b).expect("two curves")
}

#[test]
fn curves_must_differ_by_two_percent() {
    assert_eq!(apart(0.019, 0.0), Crossover::Unclear);
    assert_eq!(apart(0.021, 0.0), Crossover::AlwaysA);
    assert_eq!(apart(-0.019, 0.0), Crossover::Unclear);
    assert_eq!(apart(-0.021, 0.0), Crossover::AlwaysB);
}

#[test]
fn curves_must_differ_by_more_than_their_noise() {
    let margin = 2.5 * (0.1f64).hypot(0.1);
    assert_eq!(apart(margin - 0.001, 0.1), Crossover::Unclear);
    assert_eq!(apart(margin + 0.001, 0.1), Crossover::AlwaysA);
    assert_eq!(apart(-margin + 0.001, 0.1), Crossover::Unclear);
    assert_eq!(apart(-margin - 0.001, 0.1), Crossover::AlwaysB);
}

#[test]
fn a_crossing_lies_where_the_logarithms_are_equal() {
    let found = crossover(&curve(|x| x, 0.0), &curve(|_| 1000.0, 0.0));
    let Ok(Crossover::BFrom { at, first_x }) = found else {
        panic!("{found:?}");
    };
    near(at.center, 1000.0);
    near(at.low, 1000.0);
    near(at.high, 1000.0);
    assert_eq!((first_x, at.level), (1024.0, 1.0));
    // A point at which they are equal is no win; they cross there.
    let met = crossover(&curve(|x| x, 0.0), &curve(|_| 1024.0, 0.0)).expect("two curves");
    near(met.x().expect("a crossing"), 1024.0);
}

#[test]
fn only_points_of_both_curves_are_compared_and_two_will_do() {
    let a = curve(|x| x, 0.0);
    let b = curve(|_| 90.0, 0.0);
    let of = |from: usize, to: usize| crossover(&a, &b[from..to]);
    assert!(of(0, 1).is_err());
    near(of(0, 2).expect("two points").x().expect("a crossing"), 90.0);
    assert_eq!(of(1, 3), Ok(Crossover::AlwaysB));
}

/// A crossing that hardly more than chance shows is none.
#[test]
fn four_of_five_redrawn_curves_must_cross() {
    // It wins by 2.6 standard deviations at both ends: each is lost in many redraws.
    let crossing = |sigmas: f64| {
        let sigma = 0.05;
        let gap = sigmas * sigma * 2f64.sqrt();
        let b = curve(
            |x| x * if x < 1000.0 { gap.exp() } else { (-gap).exp() },
            sigma,
        );
        crossover(&curve(|x| x, sigma), &b).expect("two curves")
    };
    let Crossover::BFrom { at, .. } = crossing(6.0) else {
        panic!("six standard deviations are clear");
    };
    assert!((0.8..=1.0).contains(&at.level));
    let lone = |sigmas: f64| {
        let sigma = 0.05;
        let gap = sigmas * sigma * 2f64.sqrt();
        let b = curve(
            |x| {
                if x == 64.0 {
                    x * gap.exp()
                } else {
                    x * (-0.9f64).exp()
                }
            },
            sigma,
        );
        crossover(&curve(|x| x, sigma), &b).expect("two curves")
    };
    assert_eq!(
        lone(2.6),
        Crossover::Unclear,
        "one point, lost every second time"
    );
    assert!(lone(6.0).x().is_some());
}

// Modes.

/// `count` values 0.1 % apart round `center`.
fn cluster(center: f64, count: usize) -> Vec<f64> {
    let at = |n: usize| center * (1.0 + 0.001 * (n as f64 - count as f64 / 2.0) / count as f64);
    (0..count).map(at).collect()
}

fn shares(parts: &[(f64, usize)]) -> Vec<f64> {
    let values: Vec<f64> = parts.iter().flat_map(|(c, n)| cluster(*c, *n)).collect();
    let found = modes(&values).expect("finite values");
    found.iter().map(|m| (m.share * 100.0).round()).collect()
}

#[test]
fn a_mode_needs_twenty_samples_and_a_group_of_four() {
    assert_eq!(shares(&[(100.0, 10), (200.0, 9)]), [100.0]);
    assert_eq!(shares(&[(100.0, 10), (200.0, 10)]), [50.0, 50.0]);
    assert_eq!(shares(&[(100.0, 46), (200.0, 4)]), [92.0, 8.0]);
    assert_eq!(shares(&[(100.0, 47), (200.0, 3)]), [100.0]);
}

#[test]
fn a_mode_is_a_twentieth_of_the_samples() {
    assert_eq!(shares(&[(100.0, 190), (200.0, 10)]), [95.0, 5.0]);
    assert_eq!(shares(&[(100.0, 191), (200.0, 9)]), [100.0]);
}

#[test]
fn modes_nearer_than_five_percent_are_one() {
    assert_eq!(
        shares(&[(100.0, 50), (105.0, 50)]),
        [100.0],
        "4.8 % of the larger"
    );
    assert_eq!(shares(&[(100.0, 50), (105.5, 50)]), [50.0, 50.0]);
}

#[test]
fn four_modes_are_distinguished_and_no_more() {
    let of = |count: usize| {
        let parts: Vec<(f64, usize)> = (0..count)
            .map(|n| (100.0 * 1.5f64.powi(n as i32), 40))
            .collect();
        shares(&parts).len()
    };
    assert_eq!([of(1), of(2), of(3), of(4), of(6)], [1, 2, 3, 4, 4]);
}

#[test]
fn steps_of_a_clock_are_no_modes() {
    let of = |values: &[f64]| values.iter().flat_map(|v| [*v; 20]).collect::<Vec<f64>>();
    let count = |values: &[f64], step| modes_on_grid(&of(values), step).expect("finite").len();
    assert_eq!(count(&[100.0, 200.0], None), 1, "whole numbers of 100");
    assert_eq!(count(&[130.0, 200.0], None), 2, "no clock ticks in 70");
    assert_eq!(count(&[130.0, 200.0], Some(70.0)), 1);
    assert_eq!(count(&[100.0, 110.0, 120.0], None), 1);
    assert_eq!(count(&[100.0, 110.0, 200.0, 210.0], None), 2);
    assert_eq!(count(&[130.0, 200.0], Some(-1.0)), 2, "no such step");
}

// Plateaus.

fn steps(y: impl Fn(usize) -> f64) -> Plateaus {
    let point = |n: usize| CurvePoint::new(2f64.powi(n as i32), y(n), y(n), y(n));
    let points: Vec<CurvePoint> = (0..16).map(point).collect();
    plateaus(&points, PlateauOptions::default()).expect("a curve")
}

#[test]
fn a_sharp_edge_is_known_to_one_step() {
    let found = steps(|n| if n < 8 { 1.0 } else { 4.0 });
    let [low, high] = found.levels[..] else {
        panic!("{found:?}");
    };
    assert_eq!((low.from_x, low.to_x, low.value.center), (1.0, 128.0, 1.0));
    assert_eq!(
        (low.value.low, low.value.high, low.slope_per_octave),
        (1.0, 1.0, 0.0)
    );
    let edge = low.capacity.expect("an edge");
    assert_eq!(
        (edge.at.center, edge.next_x, edge.transition_end_x),
        (128.0, 256.0, 256.0)
    );
    assert_eq!(
        (edge.at.low, edge.at.high, edge.confidence),
        (128.0, 256.0, 1.0)
    );
    assert_eq!(
        (high.from_x, high.to_x, high.capacity),
        (256.0, 32768.0, None)
    );
    near(high.value.center, 4.0);
    assert_eq!(found.confidence, 1.0);
}

#[test]
fn levels_differ_by_three_tenths() {
    let levels = |rise: f64| steps(|n| if n < 8 { 1.0 } else { rise }).levels.len();
    assert_eq!((levels(1.29), levels(1.31)), (1, 2));
}

/// At 256 a fifth of the way is not yet climbed, at 512 it is; at 1024 less than
/// a fifth of the way is left.
#[test]
fn an_edge_is_where_a_fifth_of_the_way_is_climbed() {
    let climb = [0.0, 0.15, 0.5, 0.85];
    let height = |n: usize| match n {
        0..8 => climb[0],
        8..11 => climb[n - 7],
        _ => 1.0,
    };
    let found = steps(|n| 4f64.powf(height(n)));
    let edge = found.levels[0].capacity.expect("an edge");
    assert_eq!(found.levels.len(), 2, "{found:?}");
    assert_eq!(
        (edge.at.center, edge.next_x, edge.transition_end_x),
        (256.0, 512.0, 1024.0)
    );
    assert_eq!(edge.at.low, 128.0, "where it may have begun");
}
