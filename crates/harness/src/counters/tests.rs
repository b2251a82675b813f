//! Plans and live groups over a kernel that is made up.

mod judged;
mod live;

use super::*;
use machine::Machine;
use probe::counters::selftest::simulated::{Planted, Simulated};
use probe::counters::{GroupName, Table};
use record::{CountersHead, Unit};
use std::path::Path;

fn zen3() -> Machine {
    let mut machine = Machine::default();
    machine.cpu.vendor = Some("AuthenticAMD".into());
    machine.cpu.family = Some("25".into());
    machine.cpu.model_number = Some("1".into());
    machine
}

fn kernel(planted: &[Planted]) -> Simulated {
    Simulated::new(&Table::of(&zen3().cpu), 6, planted)
}

fn without_pmu() -> Simulated {
    Simulated::new(&Table::software(), 6, &[])
}

/// What the instrument itself counts in the simulation.
const EMPTY: [(&str, f64); 2] = [("INST_RETIRED", 40.0), ("CPU_CYCLES", 100.0)];

fn plan_on(kernel: &Simulated, group: GroupName, apart: bool) -> Planned {
    let (layer, mut work, clock) = (kernel.clone(), kernel.clone(), kernel.clone());
    let asked = Asked {
        group,
        machine: &zen3(),
        root: Path::new("/nonexistent"),
        cpu: None,
        apart,
    };
    plan_with(&asked, move || layer.clone(), &mut work, &mut || {
        clock.happens(&EMPTY, 30)
    })
}

fn planned(group: GroupName, planted: &[Planted]) -> Planned {
    plan_on(&kernel(planted), group, false)
}

fn names(plan: &CounterPlan) -> Vec<&str> {
    plan.metrics.iter().map(|m| m.head.name.as_str()).collect()
}

fn groups(plan: &CounterPlan) -> Vec<Vec<&str>> {
    let of = |pass: &Pass| -> Vec<String> { pass.events.iter().map(|e| e.alias.clone()).collect() };
    let all = plan.passes.iter().map(of);
    all.map(|names| names.iter().map(|n| static_name(plan, n)).collect())
        .collect()
}

fn static_name<'a>(plan: &'a CounterPlan, name: &str) -> &'a str {
    let metric = plan.metrics.iter().find(|m| m.head.name == name);
    &metric.unwrap().head.name
}

fn absent(head: &CountersHead) -> Vec<&str> {
    let absent = head.events.iter().filter(|e| e.absent.is_some());
    absent.map(|e| e.alias.as_str()).collect()
}

const KERNELS: [&str; 4] = [
    "page_faults",
    "context_switches",
    "cpu_migrations",
    "task_clock",
];

#[test]
fn a_group_becomes_metrics_rates_its_share_and_its_cost() {
    let planned = planned(GroupName::Dcache, &[]);
    let expected = [
        "INST_RETIRED",
        "CPU_CYCLES",
        "L1D_CACHE",
        "L1D_CACHE_REFILL",
        "L2D_CACHE",
        "L2D_CACHE_REFILL",
        "cycles_per_instruction",
        "l1d_cache_hit_rate",
        "l2d_cache_hit_rate",
        "l2d_cache_miss_rate",
        "counted_share",
        "page_faults",
        "context_switches",
        "cpu_migrations",
        "task_clock",
        "probe_effect",
        "counted_time",
    ];
    assert_eq!(names(&planned.plan), expected);
    assert_eq!(planned.head.metrics, expected);
    assert_eq!(planned.head.core, "AMD Zen 3");
    assert!(planned.head.alternating);
    assert_eq!(absent(&planned.head), [""; 0]);
    assert_eq!(planned.head.self_test, ["6 counters count together"]);
    let unit = |name: &str| {
        let metrics = &planned.plan.metrics;
        metrics
            .iter()
            .find(|m| m.head.name == name)
            .unwrap()
            .head
            .unit
    };
    assert_eq!(unit("CPU_CYCLES"), Unit::Cycles);
    assert_eq!(unit("task_clock"), Unit::Nanoseconds);
    let notes = planned.notes.join("; ");
    assert!(
        notes.contains("L1D_CACHE = ls_dc_accesses (r40)"),
        "{notes}"
    );
    assert!(
        notes.contains("this is taken off: INST_RETIRED 40, CPU_CYCLES 100"),
        "{notes}"
    );
}

#[test]
fn a_dead_sixth_counter_makes_two_groups_that_take_turns() {
    let planned = planned(GroupName::Dcache, &[Planted::Dead(5)]);
    let common = ["INST_RETIRED", "CPU_CYCLES"];
    assert_eq!(
        groups(&planned.plan),
        [
            [&common[..], &["L1D_CACHE", "L1D_CACHE_REFILL"]].concat(),
            [&common[..], &["L2D_CACHE", "L2D_CACHE_REFILL"]].concat(),
        ]
    );
    assert_eq!(absent(&planned.head), [""; 0]);
    let turn = |alias: &str| {
        planned
            .head
            .events
            .iter()
            .find(|e| e.alias == alias)
            .unwrap()
            .turn
    };
    assert_eq!(turn("INST_RETIRED"), Some(0));
    assert_eq!(turn("L2D_CACHE_REFILL"), Some(1));
    let notes = planned.notes.join("; ");
    assert!(
        notes.contains("place 6 of 6 is dead: instructions there: counted 0 of"),
        "{notes}"
    );
    assert!(notes.contains("5 counters count together"), "{notes}");
    assert!(
        notes.contains("take turns, in other samples each: 1: INST_RETIRED"),
        "{notes}"
    );
}

#[test]
fn events_that_need_one_counter_take_turns() {
    let conflict = Planted::Conflict("LD_SPEC", "BR_RETURN_SPEC");
    let planned = planned(GroupName::Arch, &[conflict]);
    assert_eq!(absent(&planned.head), [""; 0]);
    assert_eq!(
        groups(&planned.plan),
        [
            vec![
                "INST_RETIRED",
                "CPU_CYCLES",
                "LD_SPEC",
                "ST_SPEC",
                "EXC_RETURN"
            ],
            vec!["BR_RETURN_SPEC"],
        ]
    );
}

#[test]
fn without_a_pmu_the_kernels_own_events_are_left_and_the_rest_is_reported_once() {
    let planned = plan_on(&without_pmu(), GroupName::Instr, true);
    assert!(planned.plan.passes.is_empty());
    assert_eq!(names(&planned.plan)[..4], KERNELS);
    assert_eq!(absent(&planned.head).len(), 6);
    let absent: Vec<&String> = planned
        .notes
        .iter()
        .filter(|n| n.contains("absent"))
        .collect();
    assert_eq!(absent.len(), 1, "{absent:?}");
    assert!(
        absent[0].contains("INST_RETIRED, CPU_CYCLES, L1I_CACHE"),
        "{absent:?}"
    );
    assert!(absent[0].contains("PMU driver"), "{absent:?}");
}

#[test]
fn the_software_group_asks_for_no_counter() {
    let planned = planned(GroupName::Software, &[]);
    assert!(planned.plan.passes.is_empty());
    assert_eq!(planned.plan.metrics.len(), 6);
    assert_eq!(planned.head.core, "the kernel's own events");
    assert_eq!(absent(&planned.head), [""; 0]);
}

#[test]
fn starved_groups_leave_their_events_absent_with_what_would_help() {
    let planned = planned(GroupName::Arch, &[Planted::Starved(1)]);
    assert!(planned.plan.passes.is_empty());
    assert_eq!(absent(&planned.head).len(), 6);
    let absence = planned.head.events[0].absent.as_ref().unwrap();
    assert!(
        absence.reason.contains("was on a counter for 0 of"),
        "{absence:?}"
    );
}

#[test]
fn branches_are_counted_for_the_user_and_the_kernel_apart() {
    let planned = plan_on(&kernel(&[]), GroupName::Instr, true);
    let scopes: Vec<&str> = planned
        .plan
        .passes
        .iter()
        .map(|p| p.scope.as_str())
        .collect();
    assert_eq!(scopes, ["user and kernel", "user", "kernel"]);
    let rates: Vec<&str> = names(&planned.plan)
        .into_iter()
        .filter(|n| n.starts_with("br_pred_rate"))
        .collect();
    assert_eq!(
        rates,
        ["br_pred_rate", "br_pred_rate_user", "br_pred_rate_kernel"]
    );
    assert!(names(&planned.plan).contains(&"BR_MIS_PRED_kernel"));

    let mixed = plan_on(&kernel(&[Planted::NotApart]), GroupName::Instr, true);
    assert_eq!(mixed.plan.passes.len(), 1);
    let missing = absent(&mixed.head);
    assert!(missing.contains(&"BR_PRED_kernel"), "{missing:?}");
    let notes = mixed.notes.join("; ");
    assert!(
        notes.contains("cannot be distinguished from the user's work"),
        "{notes}"
    );

    let plan = plan_on(&kernel(&[]), GroupName::Dcache, true).plan;
    assert_eq!(plan.passes.len(), 1, "branches only");
}

#[test]
fn where_the_kernel_may_not_be_observed_all_is_the_users() {
    let planned = plan_on(&kernel(&[]).user_only(), GroupName::Instr, true);
    let scopes: Vec<&str> = planned
        .plan
        .passes
        .iter()
        .map(|p| p.scope.as_str())
        .collect();
    assert_eq!(scopes, ["user"]);
    assert!(names(&planned.plan).contains(&"br_pred_rate"));
    assert!(absent(&planned.head).contains(&"context_switches"));
}

#[test]
fn a_plan_survives_the_pipe_to_the_measuring_process() {
    let plan = planned(GroupName::Tlbmem, &[Planted::Dead(5)]).plan;
    let text = serde_json::to_vec(&plan).unwrap();
    assert_eq!(serde_json::from_slice::<CounterPlan>(&text).unwrap(), plan);
}
