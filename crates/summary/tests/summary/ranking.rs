//! What contradicts stands first, then choices, then figures; the same sentence once.

use crate::made::{ratio, run, sized, skipped, ways};
use record::{ClaimOutcome, FindingClass, TollGroup, Unit, Verdict};
use summary::toll::{COLUMNS_BYTES, Standing, TollMap};
use summary::{Absent, Class, MOST, RunSummary};
use testbed::table;

fn sentences(summary: &RunSummary) -> Vec<&str> {
    summary
        .findings
        .iter()
        .map(|f| f.sentence.as_str())
        .collect()
}

#[test]
fn classes_stand_in_order_and_effects_within_them() {
    let mut view = run(Vec::new());
    let mut wrong = ratio("mem/latency", "l2_capacity", 8.0, 8.0, 8.0);
    (wrong.reference, wrong.verdict) = (Some(32.0), Verdict::Disagree);
    let mut pays = ratio("mem/bandwidth", "pays_from", 4096.0, 4000.0, 4200.0);
    (pays.unit, pays.class) = (Unit::Bytes, Some(FindingClass::BreakEven));
    view.head.findings = vec![
        ratio("syscall/clock", "small", 1.3, 1.2, 1.4),
        ratio("copy/memcpy", "large", 50.0, 40.0, 60.0),
        // Larger, and less is sure of it.
        ratio("task/create", "unsure", 80.0, 1.1, 900.0),
        ratio("irq/tick", "nothing", 1.1, 0.9, 1.3),
        pays,
        wrong,
    ];
    view.head.claims = vec![ClaimOutcome {
        experiment: "copy/to_user".to_owned(),
        claim: "Cold is never cheaper.".to_owned(),
        held: Some(false),
        unclear: false,
        evidence: "e".to_owned(),
    }];
    let summary = RunSummary::of(&view);
    let expected = [
        "l2_capacity is 8",
        "Self-check of copy/to_user failed: Cold is never cheaper",
        "pays_from is 4096",
        "large is 50",
        "small is 1.3",
        "unsure is 80",
    ];
    assert_eq!(
        sentences(&summary),
        expected,
        "an interval with 1 in it is no finding"
    );
}

#[test]
fn the_same_of_many_ways_is_one_sentence_with_the_range() {
    let mut view = run(Vec::new());
    view.head.findings = (1..=16)
        .map(|n| {
            ratio(
                &format!("ipc/way{n}"),
                "waking",
                f64::from(n) * 10.0,
                f64::from(n) * 9.0,
                f64::from(n) * 11.0,
            )
        })
        .collect();
    let summary = RunSummary::of(&view);
    assert_eq!(
        sentences(&summary),
        ["waking is 160; 10x to 160x over 16 ways"]
    );
    assert_eq!(
        (summary.findings[0].ways, summary.recorded_findings),
        (16, 16)
    );
    assert_eq!(summary.findings[0].experiment, "ipc/way16");
}

#[test]
fn no_area_crowds_out_the_others() {
    let mut view = run(Vec::new());
    let letters = "abcdefghijklmn".chars();
    view.head.findings = letters
        .map(|c| ratio("mem/latency", &format!("k{c}"), 9.0, 8.0, 10.0))
        .chain(["irq/tick", "sched/slice", "copy/memcpy"].map(|id| ratio(id, "x", 2.0, 1.9, 2.1)))
        .collect();
    let summary = RunSummary::of(&view);
    assert_eq!(summary.findings.len(), 17, "nothing is lost");
    let areas: Vec<&str> = summary
        .first_findings()
        .iter()
        .map(|f| f.experiment.as_str())
        .collect();
    assert_eq!(areas.len(), MOST);
    for id in ["irq/tick", "sched/slice", "copy/memcpy"] {
        assert!(areas.contains(&id), "{areas:?}");
    }
}

#[test]
fn only_ways_of_one_group_and_condition_compete() {
    let mut tasks = ways(
        "ipc/x",
        TollGroup::Tasks,
        &[
            ("ring", false, [50.0, 900.0, 9e6]),
            ("pipe", true, [300.0, 800.0, 9.1e6]),
            ("floor", false, [5.0, 6.0, 7.0]),
        ],
    );
    tasks.head.toll[2].condition = "one thread".to_owned();
    let process = ways(
        "copy/memcpy",
        TollGroup::Process,
        &[("memcpy", true, [1.0, 1.0, 1.0])],
    );
    let map = TollMap::of(&run(vec![tasks, process]));
    let standing = |way: &str, bytes: u64| {
        let column = COLUMNS_BYTES
            .iter()
            .position(|b| *b == bytes)
            .expect("a column");
        let row = map.rows.iter().find(|r| r.way == way).expect("a row");
        row.cells[column].toll().map(|t| t.standing)
    };
    assert_eq!(map.rows[0].way, "memcpy", "groups stand in their order");
    assert_eq!(
        standing("memcpy", 64),
        Some(Standing::NotRanked),
        "nothing competes with it"
    );
    assert_eq!(
        standing("floor", 64),
        Some(Standing::NotRanked),
        "it is of another condition"
    );
    assert_eq!(standing("ring", 64), Some(Standing::Cheapest));
    assert_eq!(standing("pipe", 64), Some(Standing::Costlier));
    assert_eq!(standing("pipe", 64 << 10), Some(Standing::Cheapest));
    assert_eq!(standing("pipe", 16 << 20), Some(Standing::Tied));
    assert_eq!(standing("ring", 4 << 10), None, "it is not in the plan");
}

#[test]
fn the_map_says_who_is_cheapest_and_who_changes_places() {
    let tasks = ways(
        "ipc/x",
        TollGroup::Tasks,
        &[
            ("pipe", true, [300.0, 9000.0, 9e6]),
            ("TCP", true, [6000.0, 3000.0, 3e6]),
            ("ring", false, [50.0, 2000.0, 4e6]),
        ],
    );
    let summary = RunSummary::of(&run(vec![tasks]));
    let all = sentences(&summary);
    assert_eq!(
        all,
        [
            "Cheapest between two tasks: ring to 64 KiB, TCP at 16 MiB; TCP takes 120x at 64 B",
            "Pipe beats TCP 20x at 64 B, and loses 3.0x at 64 KiB",
        ]
    );
    assert!(summary.findings.iter().all(|f| f.class == Class::Choice));
}

#[test]
fn two_speeds_are_said_where_the_median_is_neither() {
    let split = |at: f64| {
        let mut tasks = ways(
            "ipc/x",
            TollGroup::Tasks,
            &[("pipe", true, [1000.0, 1.0, 1.0])],
        );
        let modes = [(200.0, 0.5), (at, 0.5)];
        tasks.points[0].summaries[0].modes = modes
            .map(|(center, share)| analysis::Mode { center, share })
            .to_vec();
        RunSummary::of(&run(vec![tasks])).findings
    };
    let found = split(2000.0);
    assert!(
        found[0]
            .sentence
            .starts_with("Two speeds: pipe, 64 B: 200 ns or 2.00 µs"),
        "{found:?}"
    );
    assert!(split(1010.0).is_empty(), "the median is one of them");
}

#[test]
fn absences_of_one_cause_are_one_with_the_range_of_its_numbers() {
    let reasons = [
        "this kernel cannot load modules (there is no /proc/modules)",
        "a message of 64 KiB is larger than the limit of 8192 bytes",
        "a message of 16 MiB is larger than the limit of 65507 bytes",
        "this user cannot have a pipe of 16 MiB: Operation not permitted (os error 1)",
        "this kernel cannot load modules (there is no /proc/modules)",
        "this kernel cannot load modules (there is no /proc/modules)",
    ];
    let mut points: Vec<_> = reasons.iter().map(|r| skipped("ipc/x", r)).collect();
    points.push(sized("ipc/x", "a", 64, 1.0, 0.01));
    let absent = Absent::of(&run(vec![table("ipc/x", points)]));
    let causes: Vec<(&str, usize)> = absent
        .causes
        .iter()
        .map(|c| (c.text.as_str(), c.points))
        .collect();
    assert_eq!(
        causes,
        [
            ("this kernel cannot load modules", 3),
            (
                "a message of 64 KiB to 16 MiB is larger than the limit of 8192 to 65507 bytes",
                2
            ),
            ("this user cannot have a pipe of 16 MiB", 1),
        ]
    );
    assert_eq!((absent.planned, absent.absent), (7, 6));
}
