//! Verdicts at each threshold and on both sides of it.

use crate::runs::{outcome, point, run, summary};
use analysis::series::SINGLE_PROCESS_SD;
use analysis::{
    CompareOptions, Comparison, Contamination, ContaminationLevel, Mode, Outcome, PointView,
    Summary, compare, compare_with,
};
use stats::Interval;

const THRESHOLD: f64 = 0.05;

fn compared(a: Vec<Summary>, b: Vec<Summary>) -> Comparison {
    let of = |id: &str, summaries: Vec<Summary>| {
        let points = (1..).zip(summaries).map(|(size, s)| point(size, vec![s]));
        run(id, points.collect())
    };
    compare(&of("a", a), &of("b", b), THRESHOLD)
}

fn one(a: Summary, b: Summary) -> (Outcome, Interval) {
    let found = compared(vec![a], vec![b]);
    (
        found.points[0].outcome,
        found.points[0].ratio.expect("both sides"),
    )
}

fn processes(n: u32, median: f64, half: f64) -> Summary {
    summary(0, median, half, n)
}

#[test]
fn several_processes_are_called_beyond_five_percent() {
    let called = |b: f64| one(processes(6, 100.0, 1e-4), processes(6, b, 1e-4)).0;
    assert_eq!(called(105.0), Outcome::Same);
    assert_eq!(called(105.01), Outcome::Worse);
    assert_eq!(called(95.24), Outcome::Same, "1 / 1.05 is 0.95238");
    assert_eq!(called(95.23), Outcome::Better);
}

#[test]
fn several_processes_are_called_where_the_interval_clears_one() {
    let mut seen = Vec::new();
    for half in (1..60).map(|n| f64::from(n) * 0.0025) {
        for b in [80.0, 90.0, 110.0, 125.0] {
            let (outcome, ratio) = one(processes(6, 100.0, half), processes(6, b, half));
            let expected = match (ratio.low > 1.0, ratio.high < 1.0) {
                (true, _) => Outcome::Worse,
                (_, true) => Outcome::Better,
                _ => Outcome::Same,
            };
            assert_eq!(outcome, expected, "{ratio:?}");
            seen.push(outcome);
        }
    }
    for wanted in [Outcome::Worse, Outcome::Better, Outcome::Same] {
        assert!(seen.contains(&wanted));
    }
}

#[test]
fn one_process_is_called_where_all_of_its_interval_is_beyond() {
    for n in 0..80 {
        let b = 70.0 + f64::from(n);
        let (outcome, ratio) = one(processes(1, 100.0, 0.01), processes(1, b, 0.01));
        let expected = match (ratio.low > 1.05, ratio.high < 1.0 / 1.05) {
            (true, _) => Outcome::Worse,
            (_, true) => Outcome::Better,
            _ => Outcome::Same,
        };
        assert_eq!(outcome, expected, "{ratio:?}");
    }
}

/// Width of the ratio's interval to each side, as a logarithm, of sides that are
/// known exactly but for the process.
fn allowance(a: u32, b: u32) -> f64 {
    let (_, ratio) = one(processes(a, 100.0, 0.0), processes(b, 130.0, 0.0));
    let (up, down) = (
        (ratio.high / ratio.center).ln(),
        (ratio.center / ratio.low).ln(),
    );
    assert!((up - down).abs() < 1e-12 && (ratio.center - 1.3).abs() < 1e-12);
    up
}

#[test]
fn each_side_of_one_process_leaves_its_luck_open() {
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    near(allowance(1, 1), 1.96 * SINGLE_PROCESS_SD * 2f64.sqrt());
    near(allowance(1, 2), 1.96 * SINGLE_PROCESS_SD);
    near(allowance(2, 1), 1.96 * SINGLE_PROCESS_SD);
    near(allowance(2, 2), 0.0);
}

/// As `allowance` of one process, where `count` points lie `spread` to both
/// sides of a common change.
fn scattered(count: usize, spread: f64, steal: Option<f64>) -> f64 {
    let sign = |at: usize| {
        if at.is_multiple_of(2) {
            spread
        } else {
            -spread
        }
    };
    let b = (0..count).map(|at| processes(1, 130.0 * sign(at).exp(), 0.0));
    let mut runs = [
        run("a", points(vec![processes(1, 100.0, 0.0); count])),
        run("b", points(b.collect())),
    ];
    runs[1].head.conditions.steal_share = steal;
    let found = compare(&runs[0], &runs[1], THRESHOLD);
    let ratio = found.points[0].ratio.expect("both sides");
    (ratio.high / ratio.center).ln() / 1.96
}

fn points(summaries: Vec<Summary>) -> Vec<PointView> {
    let sized = (1..).zip(summaries);
    sized.map(|(size, s)| point(size, vec![s])).collect()
}

#[test]
fn eight_points_tell_how_far_points_scatter() {
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} is not {b}");
    let usual = SINGLE_PROCESS_SD * 2f64.sqrt();
    near(scattered(7, 0.05, None), usual);
    // The median absolute deviation, as a standard deviation.
    near(scattered(8, 0.05, None), 0.05 * 1.482_602);
    near(scattered(8, 0.01, None), usual);
    near(scattered(8, 0.5, None), 0.15);
    near(scattered(20, 0.0, None), usual);
}

#[test]
fn stolen_time_comes_on_top() {
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} is not {b}");
    let usual = SINGLE_PROCESS_SD * 2f64.sqrt();
    near(scattered(3, 0.0, Some(0.1)), usual.hypot(0.1));
    near(scattered(3, 0.0, Some(7.0)), usual.hypot(1.0));
    near(scattered(3, 0.0, Some(-0.5)), usual);
    near(scattered(3, 0.0, Some(f64::NAN)), usual);
}

#[test]
fn what_the_same_could_hide_is_said_where_it_is_more_than_the_threshold() {
    let hidden = |half| outcome(processes(6, 100.0, 0.0), processes(6, 100.0, half)).1;
    assert_eq!(hidden(0.047), "");
    let hint = "the interval is -10 % to +10 %; more processes narrow it";
    assert_eq!(hidden(0.10), hint);
    let lopsided = |low: f64, high: f64| {
        let mut b = processes(6, 100.0, 0.0);
        (b.median.low, b.median.high) = (low, high);
        !outcome(processes(6, 100.0, 0.0), b).1.is_empty()
    };
    assert!(!lopsided(95.3, 104.9));
    assert!(lopsided(95.2, 104.9), "1 / 1.05 is 0.95238");
    assert!(lopsided(95.3, 105.1));
}

fn modes(of: &[(f64, f64)]) -> Summary {
    let mode = |(center, share): &(f64, f64)| Mode {
        center: *center,
        share: *share,
    };
    Summary {
        modes: of.iter().map(mode).collect(),
        ..processes(1, of[0].0, 0.01)
    }
}

#[test]
fn modes_may_differ_by_a_fifth_in_their_shares() {
    let with = |share: f64| modes(&[(100.0, share), (300.0, 1.0 - share)]);
    assert_eq!(outcome(with(0.7), with(0.5)).0, Outcome::Same);
    assert_eq!(outcome(with(0.5), with(0.7)).0, Outcome::Same);
    assert_eq!(outcome(with(0.7), with(0.49)).0, Outcome::NotComparable);
    assert_eq!(outcome(with(0.49), with(0.7)).0, Outcome::NotComparable);
    let three = modes(&[(100.0, 0.7), (300.0, 0.2), (500.0, 0.1)]);
    assert_eq!(outcome(with(0.7), three).0, Outcome::NotComparable);
}

#[test]
fn modes_that_lie_beyond_all_others_are_compared() {
    let lone = || modes(&[(100.0, 1.0)]);
    let above = |center: f64| modes(&[(center, 0.5), (900.0, 0.5)]);
    assert_eq!(outcome(lone(), above(105.0)).0, Outcome::NotComparable);
    assert_eq!(outcome(lone(), above(105.1)).0, Outcome::Same, "5.1 %");
    assert_eq!(outcome(above(105.1), lone()).0, Outcome::Same);
    assert_eq!(outcome(lone(), above(130.0)).0, Outcome::Worse);
    assert_eq!(outcome(above(130.0), lone()).0, Outcome::Better);
    assert_eq!(outcome(above(105.0), lone()).0, Outcome::NotComparable);
}

#[test]
fn modes_are_written_with_three_digits() {
    let listed = |low: f64, high: f64| {
        let both = modes(&[(low, 0.5), (high, 0.5)]);
        outcome(modes(&[(low, 1.0)]), both).1
    };
    let small = "modes differ: 100 % at 0.00123 against 50 % at 0.00123, 50 % at 0.500";
    assert_eq!(listed(0.001_234, 0.5), small);
    let large = "modes differ: 100 % at 12.3 against 50 % at 12.3, 50 % at 1234";
    assert_eq!(listed(12.34, 1234.4), large);
}

#[test]
fn so_few_samples_of_one_process_tell_nothing() {
    let few = |samples, processes| Summary {
        samples,
        ..summary(0, 100.0, 0.01, processes)
    };
    let full = || processes(1, 100.0, 0.01);
    assert_eq!(outcome(full(), few(6, 1)).0, Outcome::Same);
    assert_eq!(outcome(full(), few(5, 1)).1, "too few samples in B: 5");
    assert_eq!(outcome(few(5, 1), full()).1, "too few samples in A: 5");
    assert_eq!(outcome(few(5, 2), few(5, 2)).0, Outcome::Same);
}

#[test]
fn the_side_that_is_contaminated_is_named() {
    let bad = |mut point: PointView| {
        point.contamination = Some(Contamination {
            unknown: 0,
            level: ContaminationLevel::Contaminated,
            disturbed: 1,
            samples: 2,
            reason: "steal".into(),
        });
        point
    };
    let plain = || point(64, vec![processes(1, 100.0, 0.01)]);
    let found = compare(
        &run("a", vec![bad(plain())]),
        &run("b", vec![plain()]),
        THRESHOLD,
    );
    assert_eq!(
        found.points[0].reason.as_deref(),
        Some("contaminated in A: steal")
    );
    let level = |side: Option<analysis::Side>| side.and_then(|s| s.contamination);
    assert_eq!(
        level(found.points[0].a),
        Some(ContaminationLevel::Contaminated)
    );
    assert_eq!(level(found.points[0].b), None);
}

#[test]
fn the_sum_of_an_experiment_is_over_what_was_comparable() {
    let few = Summary {
        samples: 1,
        ..processes(1, 900.0, 0.01)
    };
    let a = [100.0, 100.0, 100.0, 100.0].map(|m| processes(6, m, 0.001));
    let b = vec![
        processes(6, 120.0, 0.001),
        processes(6, 80.0, 0.001),
        processes(6, 101.0, 0.001),
        few,
    ];
    let found = compared(a.to_vec(), b);
    let sum = &found.experiments[0];
    assert_eq!(
        (sum.worse, sum.better, sum.same, sum.not_comparable),
        (1, 1, 1, 1)
    );
    assert!((sum.median_ratio.expect("three points") - 1.01).abs() < 1e-12);
    assert_eq!(found.count(Outcome::Better), 1);
}

/// The order of settings is no matter, and points that only B has come last.
#[test]
fn points_are_found_by_their_settings() {
    let with = |size: i64, way: &str, swapped: bool| {
        let mut point = point(size, vec![processes(6, 100.0, 0.001)]);
        point.head.settings.push(record::Setting {
            axis: "way".into(),
            value: way.into(),
        });
        if swapped {
            point.head.settings.reverse();
        }
        point
    };
    let a = run("a", vec![with(1, "x", false), with(2, "x", false)]);
    let b = run(
        "b",
        vec![with(3, "y", true), with(2, "x", true), with(1, "y", true)],
    );
    let found = compare(&a, &b, THRESHOLD);
    let listed: Vec<(String, bool, bool)> = found
        .points
        .iter()
        .map(|p| (p.label(), p.a.is_some(), p.b.is_some()))
        .collect();
    let expected = [
        ("size=1 way=x", true, false),
        ("size=2 way=x", true, true),
        ("way=y size=3", false, true),
        ("way=y size=1", false, true),
    ];
    assert_eq!(
        listed,
        expected.map(|(label, a, b)| (label.to_owned(), a, b))
    );
}

#[test]
fn machines_that_differ_are_compared_only_where_that_is_asked() {
    let mut b = run("b", points(vec![processes(6, 150.0, 0.001)]));
    b.head.machine.kernel = "6.18".into();
    let a = run("a", points(vec![processes(6, 100.0, 0.001)]));
    let with = |across_machines| {
        let options = CompareOptions {
            threshold: THRESHOLD,
            across_machines,
        };
        compare_with(&a, &b, options)
    };
    let refused = with(false);
    assert_eq!(refused.obstacle.as_deref(), Some("different kernel"));
    assert_eq!(
        refused.points[0].reason.as_deref(),
        Some("different kernel")
    );
    assert!(refused.points[0].ratio.is_some());
    let asked = with(true);
    assert_eq!(
        (asked.obstacle, asked.points[0].outcome),
        (None, Outcome::Worse)
    );
    assert_eq!(asked.differences.len(), 1);
}
