//! What counts as better, worse and the same.

use crate::runs::{outcome, point, run, summary};
use analysis::{Outcome, compare};

#[test]
fn one_process_must_clear_the_threshold_with_its_whole_interval() {
    let b = |factor: f64| {
        outcome(
            summary(0, 100.0, 0.005, 1),
            summary(0, 100.0 * factor, 0.005, 1),
        )
    };
    assert_eq!(b(1.00).0, Outcome::Same);
    assert_eq!(
        b(1.08).0,
        Outcome::Same,
        "8 % may be the luck of one process"
    );
    assert!(b(1.08).1.contains("more processes narrow"), "{}", b(1.08).1);
    assert_eq!(b(1.15).0, Outcome::Worse);
    assert_eq!(b(0.85).0, Outcome::Better);
}

#[test]
fn several_processes_must_clear_one_and_exceed_the_threshold() {
    let b = |factor: f64, half| {
        outcome(
            summary(0, 100.0, half, 6),
            summary(0, 100.0 * factor, half, 6),
        )
    };
    assert_eq!(
        b(1.03, 0.005).0,
        Outcome::Same,
        "clear but below the threshold"
    );
    assert_eq!(b(1.03, 0.005).1, "");
    assert_eq!(b(1.08, 0.02).0, Outcome::Worse);
    assert_eq!(
        b(1.08, 0.10).0,
        Outcome::Same,
        "beyond the threshold but not clear"
    );
    assert_eq!(b(0.90, 0.02).0, Outcome::Better);
}

#[test]
fn direction_follows_the_metric() {
    let with = |rate: f64| {
        vec![point(
            64,
            vec![summary(0, 10.0, 0.01, 6), summary(1, rate, 0.01, 6)],
        )]
    };
    let found = compare(&run("a", with(50.0)), &run("b", with(30.0)), 0.05);
    assert_eq!(found.points[1].metric, "rate");
    assert_eq!(
        found.points[1].outcome,
        Outcome::Worse,
        "a lower rate is worse"
    );
    assert_eq!(found.regressions(), 1);
}

#[test]
fn survives_json() {
    let a = run("a", vec![point(64, vec![summary(0, 100.0, 0.01, 6)])]);
    let found = compare(&a, &a, 0.05);
    let text = serde_json::to_string(&found).expect("plain data");
    let back: analysis::Comparison = serde_json::from_str(&text).expect("own text");
    // serde_json may read the last digit of a float differently.
    let outcomes = |c: &analysis::Comparison| -> Vec<(String, Outcome)> {
        c.points.iter().map(|p| (p.label(), p.outcome)).collect()
    };
    assert_eq!(outcomes(&back), outcomes(&found));
    assert_eq!(back.experiments, found.experiments);
    assert!(text.contains("\"outcome\":\"same\""), "{text}");
}

#[test]
fn what_only_explains_another_metric_is_not_compared() {
    for name in [record::SINGLE, record::COUNTED_TIME] {
        let with = |id, ns| {
            let summaries = vec![summary(0, 100.0, 0.01, 6), summary(1, ns, 0.01, 6)];
            let mut run = run(id, vec![point(1, summaries)]);
            run.tables[0].head.metrics[1].name = name.to_owned();
            run
        };
        let found = compare(&with("a", 100.0), &with("b", 300.0), 0.05);
        let metrics: Vec<&str> = found.points.iter().map(|p| p.metric.as_str()).collect();
        assert_eq!(metrics, ["latency"]);
    }
}
