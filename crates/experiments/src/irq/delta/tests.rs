//! Rows of known names, points with known rates, and each activity done once.

use super::findings::{CLAIMS, findings};
use super::{ACTIVITIES, EXPERIMENT, TALLIES};
use crate::testing::table;
use analysis::PointView;
use engines::interrupts::{Counts, KINDS};
use harness::SetupError;
use record::{InterruptRow, InterruptsHead};

const ID: &str = "irq/delta";
use testbed::{context, int, measured, pin_here, point, word};

fn named(counts: &Counts) -> Vec<(&'static str, u64)> {
    let all = KINDS.iter().map(|kind| kind.name).zip(counts.0);
    all.filter(|(_, count)| *count > 0).collect()
}

fn counts(rows: &[(&str, &str, Option<u64>, u64)]) -> Counts {
    let row = |(name, description, here, total): &(&str, &str, Option<u64>, u64)| InterruptRow {
        name: (*name).to_owned(),
        description: (*description).to_owned(),
        here: *here,
        total: *total,
    };
    Counts::of(&InterruptsHead {
        rows: rows.iter().map(row).collect(),
        ..InterruptsHead::default()
    })
}

#[test]
fn rows_of_x86_and_of_arm_are_of_the_same_kinds() {
    let x86 = counts(&[
        (
            "36",
            "PCI-MSIX-0000:00:02.0 1-edge virtio1-req.0",
            Some(7),
            9,
        ),
        ("LOC", "Local timer interrupts", Some(5), 9),
        ("RES", "Rescheduling interrupts", Some(4), 9),
        ("CAL", "Function call interrupts", Some(3), 9),
        ("TLB", "TLB shootdowns", Some(2), 9),
        ("IWI", "IRQ work interrupts", Some(1), 9),
        ("ERR", "", None, 9),
        ("softirq TIMER", "", Some(11), 20),
        ("softirq NET_RX", "", Some(12), 20),
        ("softirq TASKLET", "", Some(13), 20),
        ("context switches", "", None, 21),
        ("tasks made", "", None, 22),
    ]);
    let interrupts = [
        ("timer", 5),
        ("reschedule", 4),
        ("function_call", 1),
        ("tlb", 2),
        ("device", 7),
        ("other", 1),
    ];
    let softirqs = [
        ("softirq_timer", 11),
        ("net_rx", 12),
        ("context_switches", 21),
    ];
    assert_eq!(named(&x86), [&interrupts[..], &softirqs[..]].concat());
    assert_eq!(x86.interrupts(), 20);
    let arm = counts(&[
        ("11", "GICv3 27 Level arch_timer", Some(8), 9),
        ("40", "GIC-0 41 Edge eth0", Some(7), 9),
        ("IPI0", "Rescheduling interrupts", Some(6), 9),
        ("IPI1", "Function call interrupts", Some(5), 9),
        ("IPI4", "Timer broadcast interrupts", Some(1), 9),
    ]);
    let wanted = [
        ("timer", 9),
        ("reschedule", 6),
        ("function_call", 5),
        ("device", 7),
    ];
    assert_eq!(named(&arm), wanted);
}

/// A point with these rates a second, of kinds by name, and turns.
fn at(activity: &str, rates: &[(&str, f64)], turns: f64) -> PointView {
    let mut medians = vec![1e6];
    let of = |name: &str| rates.iter().find(|(n, _)| *n == name).map_or(0.0, |r| r.1);
    medians.extend(KINDS.iter().map(|kind| of(kind.name)));
    medians.push(turns);
    measured(
        ID,
        &[word("activity", activity), int("window", 1)],
        &medians,
    )
}

#[test]
fn x() {
    let points = vec![
        at("rest", &[("timer", 40.0), ("rcu", 100.0)], 0.0),
        at(
            "pipe",
            &[("timer", 45.0), ("reschedule", 5_000.0), ("rcu", 110.0)],
            10_000.0,
        ),
        at("compute", &[("timer", 41.0)], 0.0),
    ];
    let all = findings(&table(ID, points));
    let text: Vec<&str> = all.iter().map(|f| f.sentence.as_str()).collect();
    assert!(
        text[0].starts_with("An idle CPU is interrupted every 1.0 ms"),
        "{}",
        text[0]
    );
    assert_eq!(
        text[1],
        "Passing a byte to another CPU and back over a pipe, 10000 turns a second, causes, beyond \
         the rate of an idle CPU: 5000 rescheduling interrupts (0.50 for each)"
    );
    assert_eq!(text[2], "Computing causes no more interrupts than idling");
}

#[test]
fn sleeping_without_timer_interrupts_breaks_the_claim() {
    let held = |sleep: f64| {
        let points = vec![
            at("rest", &[("timer", 40.0)], 0.0),
            at("sleep", &[("timer", sleep)], 900.0),
        ];
        (CLAIMS[0].check)(&table(ID, points)).map(|o| o.held().expect(&o.evidence))
    };
    assert_eq!((held(1_000.0), held(30.0)), (Some(true), Some(false)));
}

#[test]
fn every_activity_is_done_in_windows_and_ends() {
    let (context, _keep) = context();
    pin_here(context.test_cpu);
    for activity in ACTIVITIES {
        let settings = [word("activity", activity), int("window", 5_000_000)];
        let mut subject = match (EXPERIMENT.setup)(&point(ID, &settings), &context) {
            Ok(subject) => subject,
            // A container may hide /proc/interrupts, or have one CPU.
            Err(SetupError::Skip { .. }) => continue,
            Err(SetupError::Fail(cause)) => panic!("{activity}: {cause}"),
        };
        assert_eq!(subject.recorded(), Some(5), "{activity}");
        subject.sampling_begins();
        subject.batch(0, 1);
        let reading = subject.reading(0).unwrap();
        assert!(reading.ops >= 1 && reading.elapsed_ns >= 5e6, "{activity}");
        let tallies = subject.tally(0);
        assert_eq!(tallies.len(), TALLIES.len());
        let turns = tallies[KINDS.len()];
        let passive = ["rest", "compute"].contains(activity);
        assert_eq!(turns > 0.0, !passive, "{activity}: {turns}");
    }
    assert!(!context.scratch.join("interrupts").exists());
}
