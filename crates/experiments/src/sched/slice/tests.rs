//! What is made of slices that are known.

use super::EXPERIMENT;
use super::findings::{CLAIMS, answers, fairness, findings};
use crate::quantities::scheduler;
use crate::testing::table;
use analysis::PointView;
use analysis::claims::Holds;
use analysis::inference::{Patterns, conclude};
use record::{Finding, MachineCard, Verdict};

const ID: &str = "sched/slice";
use testbed::{context, int, measured, point, word};

#[test]
fn one_for_all_is_half_as_fair_with_two() {
    assert!((fairness(&[7.0, 7.0]) - 1.0).abs() < 1e-12);
    assert!((fairness(&[7.0, 0.0]) - 0.5).abs() < 1e-12);
}

/// Tasks of `rr` with these slices, ns, and what the kernel says.
fn round_robin(task: &str, slice_ns: f64, nominal_ns: f64) -> PointView {
    let settings = [
        word("workload", "compute"),
        word("policy", "rr"),
        word("rank", "90/90"),
        int("length", 600_000_000),
        word("source", "gaps"),
        word("task", task),
    ];
    measured(ID, &settings, &[slice_ns, 1e8, 1.0, slice_ns, nominal_ns])
}

/// What is concluded, with every pattern of agreement believed.
fn concluded(points: Vec<PointView>, key: &str) -> Finding {
    let all = answers(&table(ID, points), &MachineCard::default());
    let quantities = [&scheduler::TURN, &scheduler::LIMIT];
    let quantity = quantities.iter().find(|q| q.key == key).unwrap();
    let (card, patterns) = (MachineCard::default(), Patterns::untested());
    conclude(quantity, &all, &card, &patterns).unwrap().finding
}

#[test]
fn a_turn_is_what_was_seen_and_is_stated() {
    for (slice_ns, value, verdict) in [
        (100.1e6, Some(100e6), Verdict::Stated),
        (80e6, None, Verdict::Undecided),
    ] {
        let points = ["first", "second"].map(|t| round_robin(t, slice_ns, 100e6));
        let finding = concluded(points.to_vec(), "rr_turn");
        assert_eq!(
            (finding.value, finding.verdict),
            (value, verdict),
            "{}",
            finding.sentence
        );
        let all = findings(&table(ID, points.to_vec()));
        let fair = all.iter().find(|f| f.key.starts_with("fairness")).unwrap();
        assert!(fair.sentence.contains("index 1.000"), "{}", fair.sentence);
    }
}

#[test]
fn the_limit_on_real_time_tasks_is_what_was_seen_and_is_stated() {
    // 31 waits of 50 ms in all, in one second.
    for (waited_ms, value) in [(50.0, Some(0.05)), (20.0, None), (1.0, None)] {
        let each = |ms: f64| ms * 1e6 / 31.0;
        let (had, waited) = (each(1000.0 - waited_ms), each(waited_ms));
        let points = ["first", "second"].map(|t| of("fifo", "90/90", t, had, waited));
        let finding = concluded(points.to_vec(), "rt_limit");
        assert_eq!(finding.value, value, "{}", finding.sentence);
    }
}

#[test]
fn claims_see_what_is_unfair() {
    let unfair = |slices: f64| {
        let tasks = [("first", 100e6), ("second", 20e6)].map(|(task, slice_ns)| {
            let mut point = round_robin(task, slice_ns, 100e6);
            let all = point.summaries.iter_mut();
            all.for_each(|s| s.effective = slices);
            point
        });
        let all = CLAIMS
            .iter()
            .filter_map(|c| (c.check)(&table(ID, tasks.to_vec())));
        all.map(|o| o.holds).collect::<Vec<Holds>>()
    };
    assert_eq!(unfair(100.0), [Holds::Held, Holds::Broken]);
    // All of 30 may be so by chance where nine in ten are.
    assert_eq!(unfair(30.0), [Holds::Unclear, Holds::Broken]);
}

#[test]
fn every_slice_of_a_real_scene_is_handed_out_in_order() {
    let (context, _keep) = context();
    let of = |task| {
        let settings = [
            word("workload", "compute"),
            word("policy", "other"),
            word("rank", "0/0"),
            int("length", 120_000_000),
            word("source", "gaps"),
            word("task", task),
        ];
        (EXPERIMENT.setup)(&point(ID, &settings), &context).unwrap()
    };
    let mut tasks = ["first", "second"].map(of);
    let mut total_ns = 0.0;
    for task in &mut tasks {
        let count = task.recorded().unwrap();
        assert!(count > 0);
        task.sampling_begins();
        for _ in 0..count {
            task.batch(0, 1);
            let reading = task.reading(0).unwrap();
            total_ns += reading.elapsed_ns;
            assert_eq!(task.tally(0).len(), 6);
        }
        task.batch(0, 1);
        assert!(task.reading(0).is_none(), "no more than there were");
        assert!(task.notes().iter().any(|n| n.contains("without tracing")));
    }
    assert!(total_ns < 200e6, "they shared one CPU");
}

#[test]
fn shares_are_unknown_where_switches_are_missing() {
    let mut points = ["first", "second"]
        .map(|t| round_robin(t, 100e6, 100e6))
        .to_vec();
    points[1].head.notes = vec![format!("{}3 slices", super::subject::UNSEEN)];
    let all = findings(&table(ID, points.clone()));
    assert!(all.iter().any(|f| f.key.starts_with("unseen")));
    assert!(!all.iter().any(|f| f.key.starts_with("fairness")));
    assert!((CLAIMS[1].check)(&table(ID, points)).is_none());
}

/// Deadline tasks that had so much of a second.
fn deadline(first_ns: f64) -> Vec<PointView> {
    let of = |task: &str, ns: f64| {
        let settings = [
            word("workload", "compute"),
            word("policy", "deadline"),
            word("rank", "4/10 ms"),
            int("length", 1_000_000_000),
            word("source", "gaps"),
            word("task", task),
        ];
        // As many samples as `measured` makes.
        measured(ID, &settings, &[ns / 31.0, 6e6, 1.0, ns / 31.0, 4e6])
    };
    vec![of("first", first_ns), of("second", 4e8)]
}

#[test]
fn a_deadline_task_is_held_to_its_bandwidth() {
    for (ns, verdict) in [(4e8, Verdict::Agree), (6e8, Verdict::Disagree)] {
        let all = findings(&table(ID, deadline(ns)));
        let finding = all.iter().find(|f| f.key.starts_with("bandwidth")).unwrap();
        assert_eq!(finding.verdict, verdict, "{}", finding.sentence);
    }
}

fn of(policy: &str, rank: &str, task: &str, slice_ns: f64, wait_ns: f64) -> PointView {
    let settings = [
        word("workload", "compute"),
        word("policy", policy),
        word("rank", rank),
        int("length", 1_000_000_000),
        word("source", "gaps"),
        word("task", task),
    ];
    let medians = [slice_ns, wait_ns, 1.0, slice_ns, 4e6, 50e6, 1e9];
    measured(ID, &settings, &medians)
}

#[test]
fn nice_levels_are_held_against_their_weights() {
    for (second_ns, verdict) in [(1e6, Verdict::Agree), (2e6, Verdict::Disagree)] {
        let tasks = [("first", 3.05e6), ("second", second_ns)];
        let points = tasks.map(|(task, ns)| of("other", "0/5", task, ns, 4e6));
        let all = findings(&table(ID, points.to_vec()));
        let finding = all.iter().find(|f| f.key.starts_with("weights")).unwrap();
        assert_eq!(finding.verdict, verdict, "{}", finding.sentence);
    }
}

#[test]
fn the_limit_on_real_time_tasks_is_recognised() {
    for (wait_ns, part) in [
        (50.1e6, ": the kernel's limit"),
        (7e6, ": not the kernel's limit"),
    ] {
        let points = ["first", "second"].map(|t| of("fifo", "90/90", t, 950e6, wait_ns));
        let all = findings(&table(ID, points.to_vec()));
        let finding = all.iter().find(|f| f.key.starts_with("throttled")).unwrap();
        assert!(finding.sentence.contains(part), "{}", finding.sentence);
    }
}

/// The same limit, given in parts: 31 waits that add up to 50 ms of a second, or
/// to 100 of two, and ones that do not.
#[test]
fn the_limit_on_real_time_tasks_is_recognised_in_parts() {
    let limit = ": the kernel's limit on real-time tasks, given to ordinary tasks in \
                 several parts";
    for (had_ms, waited_ms, part) in [
        (950.0, 50.0, limit),
        (1900.0, 98.0, limit),
        (1480.0, 100.0, limit),
        (950.0, 15.0, ": not the kernel's limit"),
        (950.0, 80.0, ": not the kernel's limit"),
        (9500.0, 50.0, ": not the kernel's limit"),
    ] {
        let each = |ms: f64| ms * 1e6 / 31.0;
        let (had, waited) = (each(had_ms), each(waited_ms));
        let points = ["first", "second"].map(|t| of("fifo", "90/90", t, had, waited));
        let all = findings(&table(ID, points.to_vec()));
        let finding = all.iter().find(|f| f.key.starts_with("throttled")).unwrap();
        assert!(finding.sentence.contains(part), "{}", finding.sentence);
        let sum = format!("{waited_ms:.1} ms in all");
        assert!(finding.sentence.contains(&sum), "{}", finding.sentence);
    }
}
