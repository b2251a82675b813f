//! Points that are not comparable, and why.

use crate::runs::{outcome, point, run, summary};
use analysis::{
    Comparison, Contamination, ContaminationLevel, Mode, Outcome, PointView, RunView, Summary,
    compare,
};
use record::{PointState, Unit};

#[test]
fn what_is_absent_says_so() {
    let a = run(
        "a",
        vec![
            point(64, vec![summary(0, 1.0, 0.01, 1)]),
            point(128, vec![summary(0, 1.0, 0.01, 1)]),
        ],
    );
    let mut skipped = point(64, Vec::new());
    skipped.head.state = PointState::Skipped {
        reason: "no huge pages".into(),
        remedy: String::new(),
    };
    let mut failed = point(256, Vec::new());
    failed.head.state = PointState::Failed {
        reason: "wrong contents".into(),
    };
    let found = compare(&a, &run("b", vec![skipped, failed]), 0.05);
    let refused: Vec<(String, String)> = found
        .points
        .iter()
        .map(|p| (p.label(), p.reason.clone().unwrap_or_default()))
        .collect();
    let want = [
        ("size=64", "skipped (no huge pages) in B"),
        ("size=128", "missing in B"),
        ("size=256", "missing in A"),
    ];
    assert_eq!(refused, want.map(|(l, r)| (l.to_owned(), r.to_owned())));
    assert_eq!(found.count(Outcome::NotComparable), 3);
    assert_eq!(found.regressions(), 0);
}

#[test]
fn what_neither_side_can_measure_is_no_row_of_the_comparison() {
    let skipped = |reason: &str| {
        let mut point = point(128, Vec::new());
        point.head.state = PointState::Skipped {
            reason: reason.into(),
            remedy: String::new(),
        };
        point
    };
    let measured = || point(64, vec![summary(0, 100.0, 1.0, 6)]);
    let of = |id: &str, reason: &str| run(id, vec![measured(), skipped(reason)]);
    let found = compare(&of("a", "no module"), &of("b", "no module"), 0.05);
    assert_eq!((found.gate.rows, found.gate.judged), (1, 1));
    assert_eq!(found.count(Outcome::NotComparable), 0);
    assert_eq!(found.experiments[0].skipped, 1);
    let said = |c: &Comparison| c.points[1].reason.clone().unwrap_or_default();
    assert_eq!(said(&found), "skipped on both sides (no module)");
    let other = compare(&of("a", "no module"), &of("b", "no channel"), 0.05);
    assert_eq!(
        said(&other),
        "skipped on both sides (no module in A, no channel in B)"
    );
}

/// An imported run does not tell how its copies were awaited, ours does.
#[test]
fn an_axis_of_one_value_that_only_one_run_has_tells_no_points_apart() {
    let with = |size, wait: &str| {
        let mut point = point(size, vec![summary(0, 100.0, 1.0, 1)]);
        point.head.settings.push(record::Setting {
            axis: "wait".to_owned(),
            value: wait.into(),
        });
        point
    };
    let theirs = || run("a", vec![point(64, vec![summary(0, 100.0, 1.0, 1)])]);
    let paired = |ours: Vec<PointView>| {
        let compared = compare(&theirs(), &run("b", ours), 0.05);
        let sides = compared.points.iter();
        sides.filter(|p| p.a.is_some() && p.b.is_some()).count()
    };
    assert_eq!(paired(vec![with(64, "irq"), with(128, "irq")]), 1);
    assert_eq!(paired(vec![with(64, "irq"), with(64, "poll")]), 0);
}

#[test]
fn contaminated_points_are_not_compared() {
    let bad = |level| {
        let mut b = point(64, vec![summary(0, 200.0, 0.01, 1)]);
        b.contamination = Some(Contamination {
            unknown: 0,
            level,
            disturbed: 20,
            samples: 30,
            reason: "80 ms steal".into(),
        });
        let found = compare(
            &run("a", vec![point(64, vec![summary(0, 100.0, 0.01, 1)])]),
            &run("b", vec![b]),
            0.05,
        );
        (found.points[0].outcome, found.points[0].reason.clone())
    };
    let reason = Some("contaminated in B: 80 ms steal".to_owned());
    assert_eq!(
        bad(ContaminationLevel::Contaminated),
        (Outcome::NotComparable, reason)
    );
    assert_eq!(bad(ContaminationLevel::Disturbed), (Outcome::Worse, None));
}

#[test]
fn modes_that_are_processes_are_compared() {
    let split = |processes: u32| Summary {
        modes: vec![
            Mode {
                center: 100.0,
                share: 0.5,
            },
            Mode {
                center: 110.0,
                share: 0.5,
            },
        ],
        modes_between_processes: true,
        ..summary(0, 105.0, 0.1, processes)
    };
    let one = Summary {
        modes_between_processes: true,
        ..summary(0, 100.0, 0.1, 2)
    };
    assert_eq!(outcome(one.clone(), split(2)).0, Outcome::Same);
    let within = Summary {
        modes_between_processes: false,
        ..split(2)
    };
    let (verdict, reason) = outcome(one, within);
    assert_eq!(verdict, Outcome::Same);
    assert!(reason.contains("more processes narrow it"), "{reason}");
}

#[test]
fn a_median_near_a_boundary_of_modes_may_lie_in_the_next_one() {
    let two = |low: f64, high: f64, share: f64| Summary {
        modes: vec![
            Mode { center: low, share },
            Mode {
                center: high,
                share: 1.0 - share,
            },
        ],
        ..summary(0, if share > 0.5 { low } else { high }, 0.01, 6)
    };
    let one = || summary(0, 25.0, 0.01, 6);
    // 40 % at 25, so that the median of the next run may be there.
    let (verdict, reason) = outcome(one(), two(25.0, 120.0, 0.4));
    assert_eq!(verdict, Outcome::Same);
    assert_eq!(
        reason,
        "the interval is -1 % to +387 %; more processes narrow it"
    );
    // 20 % at 25: it is not.
    assert_eq!(outcome(one(), two(25.0, 120.0, 0.2)).0, Outcome::Worse);
    // A tenth of slow samples moves no median.
    assert_eq!(
        outcome(one(), two(25.0, 120.0, 0.9)),
        (Outcome::Same, String::new())
    );
    // Wherever it lies, it is beyond.
    assert_eq!(outcome(one(), two(60.0, 120.0, 0.4)).0, Outcome::Worse);
    assert_eq!(outcome(two(60.0, 120.0, 0.4), one()).0, Outcome::Better);
}

#[test]
fn too_few_samples_and_values_without_a_ratio() {
    let mut few = summary(0, 100.0, 0.01, 1);
    (few.samples, few.median.level) = (3, 0.75);
    let (verdict, reason) = outcome(summary(0, 100.0, 0.01, 1), few);
    assert_eq!(
        (verdict, reason.as_str()),
        (Outcome::NotComparable, "too few samples in B: 3")
    );
    let mut negative = summary(0, 1.0, 0.01, 6);
    negative.median.low = -1.0;
    let same = outcome(negative.clone(), negative.clone());
    assert_eq!(same, (Outcome::Same, String::new()));
    let above = summary(0, 1.005, 0.01, 6);
    let reason = "no ratio, for latency reaches zero: 1.00 in A, 1.00 in B";
    assert_eq!(
        outcome(negative.clone(), above),
        (Outcome::Same, reason.to_owned())
    );
    let (verdict, reason) = outcome(negative, summary(0, 7.0, 0.01, 6));
    let said = "values at or below zero have no ratio, and these differ: 1.00 in A, 7.00 in B";
    assert_eq!((verdict, reason.as_str()), (Outcome::NotComparable, said));
}

#[test]
fn another_definition_is_another_thing() {
    let a = run("a", vec![point(64, vec![summary(0, 1.0, 0.01, 6)])]);
    let mut b = run("b", vec![point(64, vec![summary(0, 9.0, 0.01, 6)])]);
    b.tables[0].points[0].head.bytes_per_op = Some(64);
    let reason = |b: &RunView| {
        compare(&a, b, 0.05).points[0]
            .reason
            .clone()
            .unwrap_or_default()
    };
    assert_eq!(reason(&b), "an operation moves a different number of bytes");
    b.tables[0].head.metrics[0].unit = Unit::Cycles;
    assert_eq!(reason(&b), "the metric is defined differently");
}
