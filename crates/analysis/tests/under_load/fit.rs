//! Which runs belong side by side.

use crate::made::{Made, calm, laid, pair, run};
use analysis::under_load::Misfit;
use record::RunState;

fn two() -> (Made, Made) {
    pair(calm(1, 200, 1.0), calm(2, 200, 1.0))
}

fn misfit(light: &Made, heavy: &Made) -> String {
    laid(light, heavy)
        .expect_err("they do not belong together")
        .to_string()
}

#[test]
fn a_run_belongs_beside_one_of_the_same_machine_under_another_load() {
    let (light, heavy) = two();
    let found = laid(&light, &heavy).expect("a pair");
    assert_eq!((found.load.as_str(), found.cautions.len()), ("heavy", 0));
    assert!(matches!(laid(&heavy, &light), Err(Misfit::Swapped)));
    assert_eq!(
        misfit(&light, &light),
        "both were measured under load light"
    );
    assert_eq!(
        misfit(&heavy, &heavy),
        "both were measured under load heavy"
    );
    let all = run("heavy-all", &[("syscall/getppid", "", calm(2, 200, 1.0))]);
    assert_eq!(laid(&light, &all).expect("a pair").load, "heavy-all");
}

#[test]
fn other_machines_kernels_and_classes_are_refused_by_name() {
    let (light, mut heavy) = two();
    heavy.view.head.machine.kernel = "6.12".into();
    heavy.view.head.conditions.scheduling = "SCHED_FIFO 10".into();
    assert_eq!(
        misfit(&light, &heavy),
        "different kernel: 6.1 and 6.12; scheduling: SCHED_OTHER and SCHED_FIFO 10"
    );
}

#[test]
fn what_does_not_matter_is_a_caution() {
    let (light, mut heavy) = two();
    heavy.view.head.tool_version = "0.2.0".into();
    heavy.view.head.state = RunState::Incomplete {
        reason: "stopped".into(),
    };
    heavy.view.head.conditions.steal_share = Some(0.02);
    heavy.view.head.conditions.load_busy = None;
    let cautions = laid(&light, &heavy).expect("a pair").cautions.join("\n");
    for said in [
        "different version: 0.1.0 and 0.2.0",
        "the record does not say whether the load ran all the time",
        "heavy run: 2.0 % of the CPU time was stolen",
        "the heavy run is incomplete",
    ] {
        assert!(cautions.contains(said), "{cautions}");
    }
}

#[test]
fn a_load_that_was_not_there_is_none() {
    let (light, mut heavy) = two();
    heavy.view.head.conditions.load_busy = Some(0.4);
    assert_eq!(
        misfit(&light, &heavy),
        "the load was missing: one of its CPUs was in use for only 40 % of the run"
    );
    heavy.view.head.conditions.load_detail.clear();
    assert!(misfit(&light, &heavy).contains("names no generator"));
}
