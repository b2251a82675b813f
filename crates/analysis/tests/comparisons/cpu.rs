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
        assert_eq!(found.gate.worst, [7]);
    }
    let all = against(0.432, |_| 1.08 * 1.3);
    assert_eq!(all.gate.verdict, Verdict::Failed, "as a whole");
    // Beyond the CPU's part by less than the threshold.
    let little = against(0.432, |size| if size == 7 { 1.08 * 1.03 } else { 1.08 });
    assert_eq!(little.regressions(), 0);
}

#[test]
fn a_core_that_another_thread_had_a_part_of_is_no_regression() {
    let shared = |burst_ns: f64, times: f64| {
        let mut run = with(Some(0.4), |size| if size == 7 { times } else { 1.0 });
        let burst = |size| if size == 7 { burst_ns } else { 0.1 };
        for (size, point) in (0..).zip(&mut run.tables[0].points) {
            point.burst_ns = Some(burst(size));
        }
        run
    };
    let found = |burst_ns, times| compare(&shared(0.1, 1.0), &shared(burst_ns, times), 0.05);
    let point = |c: &Comparison| (c.points[7].outcome, c.points[7].reason.clone());
    let same = found(0.14, 1.35);
    let reason = "another thread had a part of the core in B, 40 % slower for it";
    assert_eq!(point(&same), (Outcome::Same, Some(reason.to_owned())));
    assert_eq!(same.gate.verdict, Verdict::Passed);
    assert_eq!(same.points[6].core_ratio, None);
    let worse = found(0.14, 1.6);
    assert_eq!(point(&worse).0, Outcome::Worse, "beyond what it took");
    let unshared = found(0.105, 1.35);
    assert_eq!(point(&unshared).0, Outcome::Worse, "no thread is there");
    let back = compare(&shared(0.14, 1.35), &shared(0.1, 1.0), 0.05);
    assert_eq!(back.points[7].outcome, Outcome::Same);
    let reason = back.points[7].reason.as_deref();
    assert!(
        reason.is_some_and(|r| r.contains("of the core in A")),
        "{reason:?}"
    );
}

#[test]
fn a_difference_that_the_yardstick_does_not_resolve_is_none() {
    let found = against(0.4 * 1.008, |size| if size == 7 { 1.2 } else { 1.0 });
    assert_eq!(found.points[7].outcome, Outcome::Worse);
    assert_eq!(found.points[7].cycle_ratio, None);
}
