//! Each check costs what it is written to cost, and the letter follows.

use crate::made::{run, sized};
use record::{ClaimOutcome, MachineCard};
use summary::{Grade, Letter, RunSummary, Trust};
use testbed::table;

fn quiet() -> analysis::RunView {
    let points = vec![sized("copy/memcpy", "a", 64, 10.0, 0.02)];
    run(vec![table("copy/memcpy", points)])
}

fn claim(held: bool) -> ClaimOutcome {
    ClaimOutcome {
        experiment: "copy/memcpy".to_owned(),
        claim: "it holds".to_owned(),
        held: Some(held),
        unclear: false,
        evidence: "e".to_owned(),
    }
}

#[test]
fn a_quiet_run_of_five_processes_is_an_a() {
    let grade = Grade::of(&quiet());
    assert_eq!(grade.letter, Letter::A, "{:?}", grade.checks);
    assert!(grade.lowered_by().is_empty());
    // 1.02 over 0.98 is 1.041.
    assert_eq!(grade.parts_from, Some(1.05));
}

#[test]
fn every_check_lowers_it() {
    type Spoil = fn(&mut analysis::RunView);
    let spoils: [(&str, u8, Spoil); 9] = [
        ("processes", 1, |v| {
            v.tables[0].points[0].summaries[0].processes = 2;
        }),
        ("processes", 2, |v| {
            v.tables[0].points[0].summaries[0].processes = 1;
        }),
        ("intervals", 2, |v| {
            v.tables[0].points[0].summaries[0].median.high = 15.0;
        }),
        ("stolen time", 1, |v| {
            v.head.conditions.steal_share = Some(0.005);
        }),
        ("stolen time", 2, |v| {
            v.head.conditions.steal_share = Some(0.4);
        }),
        ("self-checks", 2, |v| {
            v.head.claims = vec![claim(true), claim(false)];
        }),
        ("other load", 2, |v| {
            v.head.conditions.busy_before = Some(0.5);
        }),
        ("clock", 2, |v| v.head.instrument.drift_ppm = -300.0),
        ("contamination", 2, |v| {
            let of = v.tables[0].points[0].contamination.as_mut();
            of.expect("it is watched").level = analysis::ContaminationLevel::Contaminated;
        }),
    ];
    for (name, cost, spoil) in spoils {
        let mut view = quiet();
        spoil(&mut view);
        let grade = Grade::of(&view);
        let lowered = grade.lowered_by();
        let by: Vec<(&str, u8)> = lowered.iter().map(|c| (c.name, c.cost)).collect();
        assert_eq!(by, [(name, cost)], "{:?}", grade.checks);
        assert_eq!(grade.letter, Letter::B);
    }
}

#[test]
fn some_faults_decide_alone() {
    let mut emulated = quiet();
    emulated.head.machine = MachineCard {
        emulated: Some("TCG".to_owned()),
        ..MachineCard::default()
    };
    let mut wandering = quiet();
    wandering.head.instrument.invariant = false;
    for view in [emulated, wandering] {
        assert_eq!(Grade::of(&view).letter, Letter::D);
    }
}

#[test]
fn faults_add_up_and_cap_what_findings_may_claim() {
    let mut view = quiet();
    view.head.findings = vec![crate::made::ratio(
        "copy/memcpy",
        "cold_over_hot",
        9.0,
        8.9,
        9.1,
    )];
    let trust = |view: &analysis::RunView| RunSummary::of(view).findings[0].trust;
    assert_eq!(trust(&view), Trust::High);
    view.head.conditions.steal_share = Some(0.4);
    view.head.conditions.busy_before = Some(0.4);
    assert_eq!(Grade::of(&view).letter, Letter::C);
    assert_eq!(trust(&view), Trust::Medium);
    view.tables[0].points[0].summaries[0].processes = 1;
    assert_eq!(Grade::of(&view).letter, Letter::D);
    assert_eq!(trust(&view), Trust::Low);
}

#[test]
fn what_is_not_known_is_not_good() {
    let mut guest = quiet();
    guest.head.machine.hypervisor = Some("KVM".to_owned());
    guest.head.conditions.steal_share = None;
    guest.head.conditions.busy_before = None;
    guest.tables[0].points[0].contamination = None;
    let grade = Grade::of(&guest);
    assert_eq!(grade.letter, Letter::C, "{:?}", grade.checks);
    let nothing = run(Vec::new());
    let sentence = Grade::of(&nothing).good_for();
    assert!(sentence.contains("no value has an interval"), "{sentence}");
}
