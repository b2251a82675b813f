//! How often chance is called a difference, and a difference chance.

use crate::runs::{point, run, summary};
use analysis::compare::{ShiftOutcome, Verdict};
use analysis::{Outcome, PointView, RunView, compare};
use stats::Rng;

/// Two quick runs of 100 points: one process each, intervals of 0.5 %, runs
/// differing by `sd` from one to the next.
fn quick_runs(rng: &mut Rng, sd: f64, change: impl Fn(i64) -> f64) -> (RunView, RunView) {
    let mut points = |change: &dyn Fn(i64) -> f64| -> Vec<PointView> {
        (1..=100)
            .map(|size| {
                point(
                    size,
                    vec![summary(
                        0,
                        100.0 * change(size) * (sd * rng.normal()).exp(),
                        0.005,
                        1,
                    )],
                )
            })
            .collect()
    };
    let a = points(&|_| 1.0);
    (run("a", a), run("b", points(&change)))
}

#[test]
fn two_quick_runs_of_a_quiet_machine_hardly_differ() {
    let mut rng = Rng::new(17);
    // Also where the points scatter more than the allowance for one process.
    for sd in [0.01, 0.02, 0.04, 0.08] {
        let mut called = 0;
        for _ in 0..20 {
            let (a, b) = quick_runs(&mut rng, sd, |_| 1.0);
            let found = compare(&a, &b, 0.05);
            called += found.count(Outcome::Worse) + found.count(Outcome::Better);
        }
        // At most 2 %, both directions together.
        assert!(called <= 40, "sd {sd}: {called} of 2000 called");
    }
}

#[test]
fn real_changes_are_still_seen() {
    let mut rng = Rng::new(18);
    let (a, b) = quick_runs(&mut rng, 0.02, |_| 1.2);
    let found = compare(&a, &b, 0.05);
    assert_eq!(
        found.gate.verdict,
        Verdict::Failed,
        "all points 20 % slower"
    );
    assert_eq!(found.gate.shifts[0].outcome, ShiftOutcome::Worse);
    assert!((found.gate.shifts[0].ratio.center - 1.2).abs() < 0.02);
    let (a, b) = quick_runs(&mut rng, 0.02, |size| if size > 60 { 1.5 } else { 1.0 });
    let found = compare(&a, &b, 0.05);
    assert!(
        (38..=40).contains(&found.regressions()),
        "{}",
        found.regressions()
    );
    assert_eq!(found.experiments.len(), 1);
    let sum = &found.experiments[0];
    assert_eq!(sum.worse as usize, found.regressions());
    assert_eq!(sum.same + sum.worse + sum.better, 100);
    assert_eq!(found.gate.worst.len(), 3);
    assert_eq!(found.gate.verdict, Verdict::Failed, "40 are no lone points");
    let (a, b) = quick_runs(&mut rng, 0.02, |_| 1.2);
    let ratio = compare(&a, &b, 0.05).experiments[0]
        .median_ratio
        .expect("comparable points");
    assert!((ratio - 1.2).abs() < 0.02, "{ratio}");
}
