//! Verdicts at each threshold and on both sides of it.

use crate::runs::{among, outcome, point, run, summary};
use analysis::compare::{ASSUMED_RUN_SD, History};
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
    let (a, b) = among(a, b);
    let found = compare(&a, &b, THRESHOLD);
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
fn several_processes_are_called_where_all_points_together_make_it_clear() {
    let mut seen = Vec::new();
    for half in (1..60).map(|n| f64::from(n) * 0.0025) {
        for b in [80.0, 90.0, 110.0, 125.0] {
            let (x, y) = among(processes(6, 100.0, half), processes(6, b, half));
            let found = &compare(&x, &y, THRESHOLD).points[0];
            let p = found.adjusted_p.expect("judged");
            let ratio = found.ratio.expect("both sides");
            let expected = match (p <= 0.04, b > 100.0) {
                (false, _) => Outcome::Same,
                (true, true) => Outcome::Worse,
                (true, false) => Outcome::Better,
            };
            assert_eq!(found.outcome, expected, "{p} {ratio:?}");
            // One of 41 has to be clearer than one alone.
            if p <= 0.04 {
                assert!(!ratio.contains(1.0), "{ratio:?}");
            }
            seen.push(found.outcome);
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
    assert!((up - down).abs() < 1e-12 && (ratio.center - 1.3).abs() < 1e-9);
    up
}

#[test]
fn each_side_of_one_process_leaves_its_luck_open() {
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-4, "{a} is not {b}");
    near(allowance(1, 1), 1.96 * SINGLE_PROCESS_SD * 2f64.sqrt());
    near(allowance(1, 2), 1.96 * SINGLE_PROCESS_SD);
    near(allowance(2, 1), 1.96 * SINGLE_PROCESS_SD);
    near(allowance(2, 2), 0.0);
}

/// Width of an interval in standard deviations, of one process on each side, where `count`
/// points lie `spread` to both sides of a common change.
fn scattered(count: usize, spread: f64, steal: Option<f64>) -> f64 {
    let sign = |at: usize| {
        if at.is_multiple_of(2) {
            spread
        } else {
            -spread
        }
    };
    let b = (0..count).map(|at| processes(1, 103.0 * sign(at).exp(), 0.0));
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
    let usual = SINGLE_PROCESS_SD * 2f64.sqrt();
    let run = ASSUMED_RUN_SD * 2f64.sqrt();
    let seven = scattered(7, 0.05, None);
    assert!((seven - usual.hypot(run)).abs() < 1e-4, "{seven}");
    // Scatter of eight points is hardly known itself: Student's t.
    let eight = scattered(8, 0.08, None);
    assert!(eight > 0.08 && eight < 0.3, "{eight}");
    let many = scattered(400, 0.08, None);
    // The median of squares is that of a normal one.
    assert!((many - 0.08 * 1.4826).abs() < 0.01, "{many}");
    let calm = scattered(400, 0.001, None);
    assert!((calm - usual).abs() < 2e-3, "{calm}");
}

#[test]
fn stolen_time_comes_on_top() {
    let usual = SINGLE_PROCESS_SD * 2f64.sqrt();
    let near = |steal: f64, b: f64| {
        let found = scattered(400, 0.0, Some(steal));
        assert!((found - b).abs() < 5e-3 * b, "{found} is not {b}");
    };
    near(0.1, usual.hypot(0.1));
    near(7.0, usual.hypot(1.0));
    near(-0.5, usual);
    near(f64::NAN, usual);
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
    let lone = || modes(&[(100.0, 1.0)]);
    let reaches = |share: f64| outcome(lone(), with(share)).1.contains("to +2");
    assert!(!reaches(0.71));
    assert!(reaches(0.69));
    assert_eq!(outcome(with(0.71), with(0.71)).0, Outcome::Same);
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
        compare_with(&a, &b, options, &History::default())
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
