//! Stages add up; findings say what tables hold.

use super::EXPERIMENT;
use super::findings::{answers, findings};
use crate::quantities::kernel::SLACK;
use crate::testing::table;
use analysis::inference::{Patterns, conclude};
use harness::SetupError;
use record::{Finding, MachineCard, Verdict};
use testbed::{context, int, measured, point, word};

const ID: &str = "sched/wakeup";

#[test]
fn each_batch_is_one_wake_up_with_its_own_lateness() {
    let (context, _keep) = context();
    let settings = [
        int("interval", 1_000_000),
        word("policy", "other"),
        word("slack", "none"),
        word("neighbour", "nothing"),
        word("source", "clock"),
        int("wakes", 0),
    ];
    let mut subject = (EXPERIMENT.setup)(&point(ID, &settings), &context).unwrap();
    subject.sampling_begins();
    for _ in 0..3 {
        subject.batch(0, 1);
        assert_eq!(subject.reading(0).unwrap().ops, 1);
        assert_eq!(subject.tally(0).len(), 7);
    }
}

fn late(slack: &str, ns: f64) -> analysis::PointView {
    late_of(1_000_000, slack, ns)
}

fn late_of(interval: i64, slack: &str, ns: f64) -> analysis::PointView {
    let settings = [
        int("interval", interval),
        word("policy", "other"),
        word("slack", slack),
        word("neighbour", "nothing"),
        word("source", "clock"),
    ];
    measured(ID, &settings, &[ns, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 50e3])
}

/// What is concluded from how late the three threads wake.
fn slack(own: f64, none: f64, wide: f64) -> Finding {
    let points = vec![late("default", own), late("none", none), late("wide", wide)];
    let card = MachineCard::default();
    let all = answers(&table(ID, points), &card);
    let of = conclude(&SLACK, &all, &card, &Patterns::untested());
    of.expect("its methods were measured").finding
}

#[test]
fn slack_is_read_where_wake_ups_move_past_the_tick_if_that_was_measured() {
    let with_the_tick = [("default", 8e3), ("none", 8e3), ("wide", 8e3)];
    let past_it = [("default", 58e3), ("none", 8e3), ("wide", 208e3)];
    let of = |interval: i64, all: [(&str, f64); 3]| {
        all.map(|(slack, ns)| late_of(interval, slack, ns)).to_vec()
    };
    let usual = of(1_000_000, with_the_tick);
    let both = [usual.clone(), of(1_130_000, past_it)].concat();
    let value = |points| {
        let card = MachineCard::default();
        let all = answers(&table(ID, points), &card);
        let of = conclude(&SLACK, &all, &card, &Patterns::untested());
        of.expect("its methods were measured").finding.value
    };
    assert_eq!((value(usual), value(both)), (None, Some(50e3)));
}

#[test]
fn slack_is_what_a_thread_wakes_later_and_what_the_kernel_states() {
    let found = slack(58e3, 8e3, 208e3);
    let sentence = "timer slack delays an ordinary thread's wake-ups by 50 µs";
    assert_eq!(found.sentence, sentence);
    let apart = slack(28e3, 8e3, 208e3);
    assert_eq!(apart.verdict, Verdict::Undecided, "{}", apart.sentence);
}

#[test]
fn slack_that_does_not_come_out_says_nothing() {
    for (own, none, wide) in [(58e3, 8e3, 70e3), (8e3, 8e3, 208e3), (58e3, 8e3, 900e3)] {
        let found = slack(own, none, wide);
        assert_eq!(found.verdict, Verdict::Undecided, "{}", found.sentence);
    }
    let all = findings(&table(ID, vec![late("default", 60e3), late("none", 8e3)]));
    assert_eq!(all.len(), 2);
    assert!(
        all[0]
            .sentence
            .starts_with("An ordinary thread that sleeps 1 ms")
    );
}

fn traced(wakes: i64) -> Vec<record::Setting> {
    vec![
        int("interval", 1_000_000),
        word("policy", "other"),
        word("slack", "none"),
        word("neighbour", "computing"),
        word("source", "trace"),
        int("wakes", wakes),
    ]
}

#[test]
fn stages_and_the_latest_are_found() {
    let mut point = measured(ID, &traced(7), &[20e3, 0.0, 0.0, 8e3, 1e3, 9e3, 2e3]);
    point.head.notes = vec!["late: x [7] ran 3.05 ms late".to_owned()];
    let all = findings(&table(ID, vec![point]));
    assert_eq!(all.len(), 2);
    assert!(
        all[0].sentence.starts_with(
            "An ordinary thread without timer slack that sleeps 1 ms, next to one that computes"
        ),
        "{}",
        all[0].sentence
    );
    assert!(all[0].sentence.contains("9.00 µs in the run queue"));
    assert!(all[1].sentence.ends_with("x [7] ran 3.05 ms late"));
}

#[test]
fn stages_of_a_traced_wake_up_are_its_lateness() {
    let (context, _keep) = context();
    testbed::pin_here(context.test_cpu);
    let mut subject = match (EXPERIMENT.setup)(&point(ID, &traced(20)), &context) {
        Ok(subject) => subject,
        Err(SetupError::Skip { reason, .. }) => {
            assert!(reason.starts_with("no tracing"), "{reason}");
            return;
        }
        Err(other) => panic!("{other}"),
    };
    assert_eq!(subject.recorded(), Some(20));
    subject.sampling_begins();
    let mut woken = 0;
    for _ in 0..20 {
        subject.batch(0, 1);
        let late_ns = subject.reading(0).unwrap().elapsed_ns;
        let stages: f64 = subject.tally(0)[1..6].iter().sum();
        if !stages.is_nan() {
            woken += 1;
            assert!((stages - late_ns).abs() < 1_000.0, "{stages} of {late_ns}");
        }
    }
    assert!(woken > 10, "{woken}");
    assert!(subject.notes().iter().any(|n| n.starts_with("late: ")));
}
