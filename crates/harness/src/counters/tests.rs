//! Plans and live groups over a kernel that is made up.

use super::*;
use machine::Machine;
use probe::counters::{GroupName, Layer, Target};
use probe::perf_attr::Attr;
use record::{CountersHead, Unit};
use std::cell::RefCell;
use std::path::Path;

thread_local! {
    /// Enabled and running time of every group, ns, and the value of every
    /// event, after each read.
    static STEP: RefCell<(u64, u64, u64)> = const { RefCell::new((1000, 1000, 10)) };
    /// Whether the processor's events open.
    static PMU: RefCell<bool> = const { RefCell::new(true) };
}

/// Counts the same for every event: one step a read.
#[derive(Default)]
struct Made {
    opened: u64,
    reads: u64,
}

fn made() -> Made {
    Made::default()
}

impl Layer for Made {
    type Handle = u64;

    fn open(&mut self, attr: &Attr, _: Target, _: Option<&u64>) -> Result<u64, i32> {
        if attr.on_the_processor() && !PMU.with(|p| *p.borrow()) {
            return Err(libc::ENOENT);
        }
        self.opened += 1;
        Ok(self.opened)
    }

    fn id(&mut self, event: &u64) -> Result<u64, i32> {
        Ok(*event)
    }

    fn enable(&mut self, _: &u64) -> Result<(), i32> {
        Ok(())
    }

    fn read(&mut self, _: &u64, into: &mut [u8]) -> Result<usize, i32> {
        self.reads += 1;
        let (enabled, running, value) = STEP.with(|s| *s.borrow());
        let mut words = vec![self.opened, self.reads * enabled, self.reads * running];
        words.extend((1..=self.opened).flat_map(|id| [self.reads * value * id, id]));
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_ne_bytes()).collect();
        into[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

fn a72() -> Machine {
    let mut machine = Machine::default();
    machine.cpu.vendor = Some("0x41".into());
    machine.cpu.family = Some("8".into());
    machine.cpu.model_number = Some("0xd08".into());
    machine
}

fn planned(group: GroupName, pmu: bool) -> Planned {
    PMU.with(|p| *p.borrow_mut() = pmu);
    STEP.with(|s| *s.borrow_mut() = (1000, 1000, 10));
    plan_with(group, &a72(), Path::new("/nonexistent"), &mut made)
}

fn names(plan: &CounterPlan) -> Vec<&str> {
    plan.metrics.iter().map(|m| m.head.name.as_str()).collect()
}

fn absent(head: &CountersHead) -> usize {
    head.events.iter().filter(|e| e.absent.is_some()).count()
}

#[test]
fn a_group_becomes_metrics_rates_and_its_share() {
    let planned = planned(GroupName::Dcache, true);
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
    ];
    assert_eq!(names(&planned.plan), expected);
    assert_eq!(planned.head.metrics, expected);
    assert_eq!(planned.head.core, "ARM Cortex-A72");
    assert_eq!(absent(&planned.head), 0);
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
    assert!(notes.contains("L1D_CACHE = l1d_cache (r4)"), "{notes}");
    assert!(notes.contains("counts itself in every batch"), "{notes}");
}

#[test]
fn without_a_pmu_the_kernels_own_events_are_left_and_the_rest_is_reported_once() {
    let planned = planned(GroupName::Instr, false);
    assert!(planned.plan.hardware.is_empty());
    let expected = [
        "page_faults",
        "context_switches",
        "cpu_migrations",
        "task_clock",
    ];
    assert_eq!(names(&planned.plan), expected);
    assert_eq!(absent(&planned.head), 6);
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
    let planned = planned(GroupName::Software, true);
    assert!(planned.plan.hardware.is_empty());
    assert_eq!(planned.plan.metrics.len(), 4);
    assert_eq!(absent(&planned.head), 0);
}

fn value(counters: &Counters<Made>, counted: &Counted, name: &str) -> Option<f64> {
    let place = names(counters.plan()).iter().position(|n| *n == name);
    counted.values[place.unwrap()]
}

#[test]
fn counts_are_given_an_operation_and_rates_are_not_divided() {
    let plan = planned(GroupName::Dcache, true).plan;
    let (mut counters, notes) = Counters::open_with(&plan, made);
    assert!(notes.is_empty(), "{notes:?}");
    counters.before(0, 0);
    counters.stop(0, 0);
    let counted = counters.counted(5);
    // Event number n counts 10 n a batch.
    assert_eq!(value(&counters, &counted, "INST_RETIRED"), Some(2.0));
    assert_eq!(value(&counters, &counted, "CPU_CYCLES"), Some(4.0));
    assert_eq!(
        value(&counters, &counted, "cycles_per_instruction"),
        Some(2.0)
    );
    assert_eq!(value(&counters, &counted, "l2d_cache_hit_rate"), Some(-0.2));
    assert_eq!(value(&counters, &counted, "l2d_cache_miss_rate"), Some(1.2));
    assert_eq!(counted.share, Some(1.0));
}

#[test]
fn scaled_counts_carry_their_share_and_uncounted_ones_no_value() {
    let plan = planned(GroupName::Dcache, true).plan;
    let (mut counters, _) = Counters::open_with(&plan, made);
    STEP.with(|s| *s.borrow_mut() = (1000, 250, 10));
    counters.before(0, 0);
    counters.stop(0, 0);
    let counted = counters.counted(1);
    assert_eq!(value(&counters, &counted, "INST_RETIRED"), Some(40.0));
    assert_eq!(value(&counters, &counted, "counted_share"), Some(0.25));
    STEP.with(|s| *s.borrow_mut() = (1000, 0, 0));
    let (mut counters, _) = Counters::open_with(&plan, made);
    counters.before(0, 0);
    counters.stop(0, 0);
    let counted = counters.counted(1);
    assert_eq!(value(&counters, &counted, "INST_RETIRED"), None);
    assert_eq!(value(&counters, &counted, "cycles_per_instruction"), None);
    assert_eq!(counted.share, Some(0.0));
}

#[test]
fn the_other_side_of_a_member_is_added_and_only_to_it() {
    let plan = planned(GroupName::Arch, true).plan;
    let (mut counters, _) = Counters::open_with(&plan, made);
    assert!(counters.attach(0, &[]).is_empty());
    let notes = counters.attach(1, &[4711, 4712]);
    assert!(notes[0].contains("2 more"), "{notes:?}");
    let instructions = |counters: &mut Counters<Made>, member| {
        counters.before(member, 0);
        counters.stop(member, 0);
        let counted = counters.counted(1);
        value(counters, &counted, "INST_RETIRED").unwrap()
    };
    assert_eq!(instructions(&mut counters, 0), 10.0);
    assert_eq!(instructions(&mut counters, 1), 30.0);
    counters.detach();
    assert_eq!(instructions(&mut counters, 1), 10.0);
}

#[test]
fn what_opened_for_the_plan_and_not_now_is_reported() {
    let plan = planned(GroupName::Arch, true).plan;
    PMU.with(|p| *p.borrow_mut() = false);
    let (mut counters, notes) = Counters::open_with(&plan, made);
    assert!(notes[0].contains("INST_RETIRED"), "{notes:?}");
    counters.before(0, 0);
    counters.stop(0, 0);
    let counted = counters.counted(1);
    assert_eq!(value(&counters, &counted, "INST_RETIRED"), None);
    assert!(value(&counters, &counted, "page_faults").is_some());
}

#[test]
fn a_plan_survives_the_pipe_to_the_measuring_process() {
    let plan = planned(GroupName::Tlbmem, true).plan;
    let text = serde_json::to_vec(&plan).unwrap();
    assert_eq!(serde_json::from_slice::<CounterPlan>(&text).unwrap(), plan);
}
