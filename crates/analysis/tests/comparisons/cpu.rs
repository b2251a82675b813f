//! Two runs of which one had a slower CPU: what that accounts for is no change of the code.

use crate::runs::{point, run, summary};
use analysis::compare::Verdict;
use analysis::{Comparison, Outcome, RunView, compare};

const POINTS: i64 = 40;

/// A run whose CPU takes `cycle_ns` for a cycle; point number n takes 100 ns times `time(n)`.
fn with(cycle_ns: Option<f64>, time: impl Fn(i64) -> f64) -> RunView {
    let one = |size: i64| {
        let mut point = point(size, vec![summary(0, 100.0 * time(size), 0.002, 6)]);
        point.link_ns = cycle_ns;
        point
    };
    run("r", (0..POINTS).map(one).collect())
}

fn against(cycle_ns: f64, time: impl Fn(i64) -> f64) -> Comparison {
    compare(&with(Some(0.4), |_| 1.0), &with(Some(cycle_ns), time), 0.05)
}

/// Every second point waits for memory, which the core's clock does not move.
fn half_bound(size: i64) -> f64 {
    if size % 2 == 0 { 1.08 } else { 1.0 }
}

#[test]
fn a_slower_cpu_is_no_regression_of_what_it_slows() {
    // All points, half of them, and a few.
    let few = |size: i64| if size < 4 { 1.08 } else { 1.0 };
    let all = |_: i64| 1.08;
    let plain = |time: &dyn Fn(i64) -> f64| {
        let (a, b) = (with(None, |_| 1.0), with(None, time));
        compare(&a, &b, 0.05)
    };
    assert!(plain(&few).regressions() == 4, "not known: as before");
    assert_ne!(plain(&all).gate.verdict, Verdict::Passed);
    for time in [&all as &dyn Fn(i64) -> f64, &half_bound, &few] {
        let found = against(0.432, time);
        assert_eq!(found.regressions(), 0);
        assert_eq!(found.count(Outcome::Better), 0);
        assert_eq!(found.gate.verdict, Verdict::Passed, "{:?}", found.gate);
        let first = &found.points[0];
        assert_eq!(
            first.reason.as_deref(),
            Some("the CPU itself ran 8 % slower in B")
        );
        let cycle = first.cycle_ratio.expect("known on both sides");
        assert!((cycle - 1.08).abs() < 1e-9);
    }
    let faster = against(0.4 / 1.08, |size| 1.0 / half_bound(size));
    assert_eq!(faster.count(Outcome::Better), 0);
    assert_eq!(faster.count(Outcome::Same), 40);
}

#[test]
fn what_is_beyond_the_cpu_is_still_found() {
    for core_bound in [1.08, 1.0] {
        let found = against(
            0.432,
            |size| if size == 7 { 1.08 * 1.2 } else { core_bound },
        );
        assert_eq!(found.regressions(), 1);
        assert_eq!(found.points[7].outcome, Outcome::Worse);
        assert_eq!(found.gate.verdict, Verdict::Failed);
    }
    let all = against(0.432, |_| 1.08 * 1.3);
    assert_eq!(all.gate.verdict, Verdict::Failed, "as a whole");
    // Beyond the CPU's part by less than the threshold.
    let little = against(0.432, |size| if size == 7 { 1.08 * 1.03 } else { 1.08 });
    assert_eq!(little.regressions(), 0);
}

#[test]
fn a_difference_that_the_yardstick_does_not_resolve_is_none() {
    let found = against(0.4 * 1.008, |size| if size == 7 { 1.2 } else { 1.0 });
    assert_eq!(found.points[7].outcome, Outcome::Worse);
    assert_eq!(found.points[7].cycle_ratio, None);
}
