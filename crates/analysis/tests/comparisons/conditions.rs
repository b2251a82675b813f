//! Machines and conditions that differ.

use crate::runs::{point, run, summary};
use analysis::compare::{History, conditions_differ};
use analysis::{CompareOptions, Outcome, compare, compare_with, machines_differ};

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
    assert!(found.points[0].ratio.is_some(), "the ratio is still given");
    let options = CompareOptions {
        threshold: 0.05,
        across_machines: true,
    };
    assert_eq!(
        compare_with(&a, &b, options, &History::default()).regressions(),
        1
    );
    let fields: Vec<String> = machines_differ(&a.head.machine, &b.head.machine)
        .into_iter()
        .map(|d| d.field)
        .collect();
    assert_eq!(fields, ["kernel", "mitigations", "host"]);
}

#[test]
fn governors_and_huge_pages_known_on_both_sides_matter() {
    let a = run("a", vec![point(64, vec![summary(0, 100.0, 0.01, 6)])]);
    let (mut ours, mut theirs) = (a.head.machine.clone(), a.head.machine);
    ours.governor = Some("performance".into());
    theirs.governor = Some("powersave".into());
    ours.transparent_hugepages = Some("always".into());
    theirs.transparent_hugepages = Some("never".into());
    ours.clocksource = Some("tsc".into());
    theirs.clocksource = Some("hpet".into());
    let found = machines_differ(&ours, &theirs);
    let differences: Vec<(&str, bool)> = found
        .iter()
        .map(|d| (d.field.as_str(), d.matters))
        .collect();
    let want = [
        ("governor", true),
        ("transparent huge pages", true),
        ("clocksource", false),
    ];
    assert_eq!(differences, want);
}

#[test]
fn what_a_run_does_not_tell_differs_and_is_no_number() {
    let mut a = run("a", vec![point(64, vec![summary(0, 100.0, 0.01, 6)])]);
    let mut b = a.clone();
    a.head.machine.cpu_model = String::new();
    b.head.machine.cpus = 2;
    b.head.machine.memory_bytes = 1 << 30;
    let found = compare(&a, &b, 0.05);
    let differences: Vec<(&str, &str, &str)> = found
        .differences
        .iter()
        .map(|d| (d.field.as_str(), d.a.as_str(), d.b.as_str()))
        .collect();
    let want = [
        ("cpu model", "", "X"),
        ("cpus", "", "2"),
        ("memory", "", "1073741824"),
    ];
    assert_eq!(differences, want);
    assert_eq!(found.obstacle.as_deref(), Some("different cpu model, cpus"));
    let options = CompareOptions {
        threshold: 0.05,
        across_machines: true,
    };
    let judged = compare_with(&a, &b, options, &History::default());
    assert_eq!(judged.obstacle, None);
    assert_eq!(judged.count(Outcome::Same), 1);
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

#[test]
fn counters_on_one_side_are_said_and_stop_no_comparison_of_times() {
    let counted = |group: &str| {
        let mut run = run("b", Vec::new());
        run.head.conditions.counters = Some(record::CountersHead {
            group: group.into(),
            core: "X".into(),
            alternating: true,
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
fn times_taken_with_counters_running_are_not_those_taken_without() {
    let plain = run("p", vec![point(64, vec![summary(0, 100.0, 0.01, 6)])]);
    let counted = |alternating: bool| {
        let mut run = plain.clone();
        run.head.conditions.counters = Some(record::CountersHead {
            alternating,
            metrics: vec!["L1D_CACHE".into()],
            ..record::CountersHead::default()
        });
        run
    };
    // Records from before passes alternated.
    let old = counted(false);
    for new in [&counted(true), &plain] {
        let found = compare(&old, new, 0.05);
        assert_eq!(found.obstacle.as_deref(), Some("different timing"));
        let timing = found.differences.iter().find(|d| d.field == "timing");
        let timing = timing.expect("it is said");
        assert_eq!(timing.a, "with counters running");
        assert_eq!(timing.b, "without counters");
    }
    assert_eq!(compare(&old, &old, 0.05).obstacle, None);
    let mut none = old.clone();
    none.head.conditions.counters = Some(record::CountersHead::default());
    assert_eq!(compare(&none, &plain, 0.05).obstacle, None, "no event ran");
    assert_eq!(compare(&counted(true), &plain, 0.05).obstacle, None);
}
