//! Verdicts on runs built with a known difference.

use analysis::compare::conditions_differ;
use analysis::{
    CompareOptions, Contamination, ContaminationLevel, ExperimentTable, Mode, Outcome, PointView,
    RunView, Summary, compare, compare_with, machines_differ,
};
use record::{
    AxisValue, Conditions, ExperimentHead, Instrument, MachineCard, MetricHead, PointHead,
    PointState, RecipeHead, RunHead, RunState, SCHEMA_VERSION, Setting, Unit,
};
use stats::Rng;

fn metric(name: &str, lower_is_better: bool) -> MetricHead {
    MetricHead {
        name: name.into(),
        unit: Unit::Nanoseconds,
        doc: String::new(),
        lower_is_better,
    }
}

fn experiment() -> ExperimentHead {
    ExperimentHead {
        id: "mem/latency".into(),
        title: String::new(),
        question: String::new(),
        counts: String::new(),
        does_not_count: String::new(),
        origin: String::new(),
        theory: String::new(),
        axes: Vec::new(),
        metrics: vec![metric("latency", true), metric("rate", false)],
        figures: Vec::new(),
        toll: Vec::new(),
    }
}

fn summary(metric: u16, median: f64, half: f64, processes: u32) -> Summary {
    Summary {
        metric,
        samples: 30 * processes,
        processes,
        median,
        low: median * (1.0 - half),
        high: median * (1.0 + half),
        level: 0.95,
        method: String::new(),
        min: median,
        max: median,
        mean: median,
        variance: 0.0,
        p25: median,
        p75: median,
        p90: median,
        p99: median,
        modes: vec![Mode {
            center: median,
            share: 1.0,
        }],
        modes_between_processes: false,
    }
}

fn point(size: i64, summaries: Vec<Summary>) -> PointView {
    PointView {
        head: PointHead {
            index: 0,
            experiment: "mem/latency".into(),
            settings: vec![Setting {
                axis: "size".into(),
                value: AxisValue::Int(size),
            }],
            bytes_per_op: None,
            state: PointState::Done,
            notes: Vec::new(),
        },
        summaries,
        contamination: None,
    }
}

fn run(id: &str, points: Vec<PointView>) -> RunView {
    let head = RunHead {
        schema_version: SCHEMA_VERSION,
        id: id.into(),
        started_utc: String::new(),
        ended_utc: None,
        tool_version: "0.1.0".into(),
        command_line: Vec::new(),
        recipe: RecipeHead::default(),
        state: RunState::Complete,
        machine: MachineCard {
            cpu_model: "X".into(),
            kernel: "6.1".into(),
            ..MachineCard::default()
        },
        machine_full: serde_json::Value::Null,
        conditions: Conditions::default(),
        instrument: Instrument::default(),
        experiments: vec![experiment()],
        points: points.iter().map(|p| p.head.clone()).collect(),
        findings: Vec::new(),
        claims: Vec::new(),
    };
    RunView {
        head,
        tables: vec![ExperimentTable {
            head: experiment(),
            points,
        }],
    }
}

/// One point in each run with these summaries of the primary metric.
fn outcome(a: Summary, b: Summary) -> (Outcome, String) {
    let found = compare(
        &run("a", vec![point(64, vec![a])]),
        &run("b", vec![point(64, vec![b])]),
        0.05,
    );
    assert_eq!(found.points.len(), 1);
    (
        found.points[0].outcome,
        found.points[0].reason.clone().unwrap_or_default(),
    )
}

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
    assert!(b(1.08).1.contains("fits; more processes"), "{}", b(1.08).1);
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
    let told: Vec<(String, String)> = found
        .points
        .iter()
        .map(|p| (p.label(), p.reason.clone().unwrap_or_default()))
        .collect();
    let want = [
        ("size=64", "skipped (no huge pages) in B"),
        ("size=128", "missing in B"),
        ("size=256", "missing in A"),
    ];
    assert_eq!(told, want.map(|(l, r)| (l.to_owned(), r.to_owned())));
    assert_eq!(found.count(Outcome::NotComparable), 3);
    assert_eq!(found.regressions(), 0);
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
    assert_eq!(outcome(one, within).0, Outcome::NotComparable);
}

#[test]
fn modes_that_differ_are_not_compared_unless_they_lie_apart() {
    let two = |low: f64, high: f64, share: f64| Summary {
        modes: vec![
            Mode { center: low, share },
            Mode {
                center: high,
                share: 1.0 - share,
            },
        ],
        ..summary(0, if share > 0.5 { low } else { high }, 0.01, 1)
    };
    let (verdict, reason) = outcome(summary(0, 25.0, 0.01, 1), two(25.0, 120.0, 0.4));
    assert_eq!(verdict, Outcome::NotComparable);
    assert_eq!(
        reason,
        "modes differ: 100 % at 25.0 against 40 % at 25.0, 60 % at 120"
    );
    let (verdict, reason) = outcome(two(25.0, 120.0, 0.7), two(25.0, 120.0, 0.2));
    assert_eq!(verdict, Outcome::NotComparable, "{reason}");
    assert_eq!(
        outcome(two(25.0, 120.0, 0.7), two(25.0, 120.0, 0.65)).0,
        Outcome::Same
    );
    assert_eq!(
        outcome(summary(0, 25.0, 0.01, 1), two(60.0, 120.0, 0.4)).0,
        Outcome::Worse
    );
}

#[test]
fn too_few_samples_and_values_without_a_ratio() {
    let few = Summary {
        samples: 3,
        level: 0.75,
        ..summary(0, 100.0, 0.01, 1)
    };
    let (verdict, reason) = outcome(summary(0, 100.0, 0.01, 1), few);
    assert_eq!(
        (verdict, reason.as_str()),
        (Outcome::NotComparable, "too few samples in B: 3")
    );
    let negative = Summary {
        low: -1.0,
        ..summary(0, 1.0, 0.01, 6)
    };
    let (verdict, reason) = outcome(negative.clone(), negative);
    assert_eq!(
        (verdict, reason.as_str()),
        (
            Outcome::NotComparable,
            "values at or below zero have no ratio"
        )
    );
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

#[test]
fn machines_that_differ_where_it_matters() {
    let a = run("a", vec![point(64, vec![summary(0, 100.0, 0.01, 6)])]);
    let mut b = run("b", vec![point(64, vec![summary(0, 200.0, 0.01, 6)])]);
    b.head.machine.host = "other".into();
    b.head.machine.governor = Some("powersave".into());
    assert_eq!(
        compare(&a, &b, 0.05).regressions(),
        1,
        "host names and unknown governors do not matter"
    );
    b.head.machine.kernel = "6.2".into();
    b.head.machine.mitigations = vec!["meltdown: PTI".into()];
    let found = compare(&a, &b, 0.05);
    assert_eq!(found.regressions(), 0);
    assert_eq!(
        found.points[0].reason.as_deref(),
        Some("different kernel, mitigations")
    );
    assert!(found.points[0].ratio.is_some(), "the ratio is still told");
    let options = CompareOptions {
        threshold: 0.05,
        across_machines: true,
    };
    assert_eq!(compare_with(&a, &b, options).regressions(), 1);
    let fields: Vec<String> = machines_differ(&a.head.machine, &b.head.machine)
        .into_iter()
        .map(|d| d.field)
        .collect();
    assert_eq!(fields, ["kernel", "mitigations", "host"]);
}

#[test]
fn loads_must_agree() {
    let a = run("a", vec![point(64, vec![summary(0, 100.0, 0.01, 6)])]);
    let mut b = a.clone();
    b.head.conditions.load = "light".into();
    assert_eq!(
        compare(&a, &b, 0.05).count(Outcome::Same),
        1,
        "light is the default"
    );
    b.head.conditions.load = "heavy".into();
    assert_eq!(
        compare(&a, &b, 0.05).points[0].reason.as_deref(),
        Some("different load")
    );
}

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
fn counters_on_one_side_are_said_and_stop_no_comparison_of_times() {
    let counted = |group: &str| {
        let mut run = run("b", Vec::new());
        run.head.conditions.counters = Some(record::CountersHead {
            group: group.into(),
            core: "X".into(),
            ..record::CountersHead::default()
        });
        run.head
    };
    let plain = run("a", Vec::new()).head;
    let found = conditions_differ(&plain, &counted("arch"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].field.as_str(), found[0].matters),
        ("counters", false)
    );
    assert_eq!(found[0].a, "none");
    assert!(found[0].b.starts_with("arch (X)"), "{found:?}");
    assert!(conditions_differ(&counted("arch"), &counted("arch")).is_empty());
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
    assert!(
        compare(&a, &b, 0.05).regressions() >= 95,
        "all points 20 % slower"
    );
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
    let (a, b) = quick_runs(&mut rng, 0.02, |_| 1.2);
    let ratio = compare(&a, &b, 0.05).experiments[0]
        .median_ratio
        .expect("comparable points");
    assert!((ratio - 1.2).abs() < 0.02, "{ratio}");
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
