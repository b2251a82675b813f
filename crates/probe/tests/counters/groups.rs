//! Groups as the kernel answered them: values, scaling, refusals.

use crate::replay::Replay;
use machine::Machine;
use machine::cpu::Cpu;
use machine::virtualisation::Witness;
use probe::counters::derived::{Rated, rates};
use probe::counters::reading::ReadError;
use probe::counters::refusal::Refusal;
use probe::counters::{Count, Group, GroupName, State, Table, Target};
use probe::perf_attr::Scope;
use std::path::Path;

fn cpu(vendor: &str, family: &str, model: &str) -> Cpu {
    Cpu {
        vendor: Some(vendor.to_owned()),
        family: Some(family.to_owned()),
        model_number: Some(model.to_owned()),
        ..Cpu::default()
    }
}

fn a72() -> Table {
    Table::of(&cpu("0x41", "8", "0xd08"))
}

fn open(name: &str, table: &Table, group: GroupName) -> Group<Replay> {
    Group::open(Replay::of(name), &table.events(group), Target::ThisThread)
}

fn measured(group: &mut Group<Replay>) -> Vec<Count> {
    group.begin().unwrap();
    group.end().unwrap()
}

#[test]
fn a_group_that_counts_all_the_time_gives_exact_differences() {
    let mut group = open("a72-arch-written", &a72(), GroupName::Arch);
    assert_eq!(group.scope(), Scope::Kernel);
    let counts = measured(&mut group);
    let values: Vec<f64> = counts.iter().map(|c| c.known().unwrap()).collect();
    let expected = [
        7_807_526.0,
        10_659_620.0,
        2_776_279.0,
        1_675_676.0,
        458.0,
        135_871.0,
    ];
    assert_eq!(values, expected);
    assert!(counts.iter().all(|c| c.state == State::Counted));
    assert_eq!(counts[0].running_ns, 26_870_752);
}

#[test]
fn members_attach_to_the_first_event_which_alone_starts_disabled() {
    let replay = Replay::of("a72-arch-written");
    let asked = replay.asked.clone();
    let events = a72().events(GroupName::Arch);
    Group::open(replay, &events, Target::Thread(77));
    let asked = asked.borrow();
    assert_eq!(asked.len(), 6);
    for (place, (attr, leader, target)) in asked.iter().enumerate() {
        assert_eq!(*leader, (place > 0).then_some(11));
        assert_eq!(attr.disabled(), place == 0);
        assert_eq!(*target, Target::Thread(77));
    }
}

#[test]
fn a_share_of_the_time_is_scaled_and_flagged_and_none_is_not_a_zero() {
    let mut group = open("a72-multiplexed-written", &a72(), GroupName::Instr);
    let quarter = measured(&mut group);
    assert_eq!(quarter[0].state, State::Scaled { share: 0.25 });
    assert_eq!(quarter[0].value, 400.0);
    assert_eq!((quarter[0].enabled_ns, quarter[0].running_ns), (4000, 1000));
    assert_eq!(quarter[0].share(), Some(0.25));

    let mut replay = Replay::of("a72-multiplexed-written");
    // Begin with the second read: between it and the third nothing counted.
    let mut skipped = vec![0; 200];
    probe::counters::Layer::read(&mut replay, &11, &mut skipped).unwrap();
    let events = a72().events(GroupName::Instr);
    let mut group = Group::open(replay, &events, Target::ThisThread);
    for count in measured(&mut group) {
        assert_eq!(count.state, State::NotCounted);
        assert_eq!(count.known(), None, "not counted is not a zero");
        assert_eq!(count.enabled_ns, 4000);
    }
}

#[test]
fn rates_follow_what_the_branch_event_counts() {
    let counts = |alias: &str| match alias {
        "BR_PRED" => Some(19.0),
        "BR_MIS_PRED" => Some(1.0),
        "CPU_CYCLES" => Some(200.0),
        "INST_RETIRED" => Some(100.0),
        _ => None,
    };
    let aliases = [
        "INST_RETIRED",
        "CPU_CYCLES",
        "BR_MIS_PRED",
        "BR_PRED",
        "L1I_CACHE",
    ];
    let value = |included: bool, name: &str| {
        let all = rates(&aliases, "", included);
        let rate = all.iter().find(|r| r.name == name)?;
        rate.value(counts).rate()
    };
    assert_eq!(value(false, "cycles_per_instruction"), Some(2.0));
    assert_eq!(value(false, "br_pred_rate"), Some(0.95));
    assert_eq!(value(true, "br_pred_rate"), Some(18.0 / 19.0));
    assert_eq!(
        value(false, "l1i_cache_hit_rate"),
        None,
        "its refills are missing"
    );
    let nothing = rates(&aliases, "", true);
    assert!(
        nothing
            .iter()
            .all(|r| r.value(|_| Some(0.0)) == Rated::None),
        "0 of 0 is no rate"
    );
    assert!(nothing[0].lower_is_better());
}

#[test]
fn hits_are_accesses_without_refills() {
    let all = rates(&["L1D_CACHE", "L1D_CACHE_REFILL"], "", true);
    assert_eq!(all.len(), 1);
    let count = |alias: &str| Some(if alias == "L1D_CACHE" { 80.0 } else { 20.0 });
    assert_eq!(all[0].value(count), Rated::Rate(0.75));
}

#[test]
fn a_share_outside_of_0_to_1_is_no_rate() {
    let all = rates(&["L2D_CACHE_k", "L2D_CACHE_REFILL_k"], "_k", true);
    let names: Vec<&str> = all.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["l2d_cache_hit_rate_k", "l2d_cache_miss_rate_k"]);
    // More fills, which prefetchers ask for too, than demand loads.
    let count = |alias: &str| Some(if alias == "L2D_CACHE_k" { 80.0 } else { 100.0 });
    assert_eq!(all[0].value(count), Rated::Outside(-0.25));
    assert_eq!(all[1].value(count), Rated::Outside(1.25));
    assert!(
        all.iter()
            .all(|r| r.is_share() && r.value(count).rate().is_none())
    );
    let cycles = &rates(&["CPU_CYCLES", "INST_RETIRED"], "", true)[0];
    let slow = |alias: &str| Some(if alias == "CPU_CYCLES" { 80.0 } else { 20.0 });
    assert_eq!(cycles.value(slow), Rated::Rate(4.0), "no share");
}

#[test]
fn without_a_pmu_every_event_says_so_and_who_could_help() {
    let mut group = open("no-pmu-captured", &a72(), GroupName::Dcache);
    assert!(group.is_empty());
    let mut guest = Machine::default();
    guest.virtualisation.hypervisor = Some(Witness {
        name: "KVM".into(),
        evidence: String::new(),
    });
    for slot in group.slots() {
        let refusal = slot.refusal.as_ref().unwrap();
        let absence = refusal.explain(slot.kind, &guest, Path::new("/nonexistent"));
        assert!(absence.reason.contains("hypervisor"), "{absence:?}");
        assert!(absence.remedy.contains("pmu=on"), "{absence:?}");
    }
    let counts = measured(&mut group);
    assert_eq!(counts.len(), 6);
    assert!(
        counts
            .iter()
            .all(|c| c.state == State::Absent && c.share().is_none())
    );
}

#[test]
fn one_event_too_many_leaves_the_others_counting() {
    let skylake = Table::of(&cpu("GenuineIntel", "6", "85"));
    let mut group = open("skylake-tlbmem-full-written", &skylake, GroupName::Tlbmem);
    let counts = measured(&mut group);
    assert_eq!(counts[2].known(), Some(7.0), "walks of loads and of stores");
    assert_eq!(counts[4].known(), Some(600.0));
    assert_eq!(counts[5].state, State::Absent);
    let last = &group.slots()[5];
    assert_eq!(last.refusal, Some(Refusal::Full));

    let root = tempfile::tempdir().unwrap();
    let absence = |root: &Path| {
        let refusal = last.refusal.as_ref().unwrap();
        refusal.explain(last.kind, &Machine::default(), root)
    };
    assert!(absence(root.path()).remedy.contains("smt/control"));
    std::fs::create_dir_all(root.path().join("proc/sys/kernel")).unwrap();
    std::fs::write(root.path().join("proc/sys/kernel/nmi_watchdog"), "1\n").unwrap();
    assert_eq!(
        absence(root.path()).remedy,
        "sudo sysctl kernel.nmi_watchdog=0"
    );
}

#[test]
fn an_event_in_two_sums_is_opened_once() {
    let skylake = Table::of(&cpu("GenuineIntel", "6", "85"));
    let replay = Replay::of("skylake-dcache-written");
    let asked = replay.asked.clone();
    let events = skylake.events(GroupName::Dcache);
    let mut group = Group::open(replay, &events, Target::ThisThread);
    assert_eq!(asked.borrow().len(), 6, "four counters suffice");
    let counts = measured(&mut group);
    let values: Vec<f64> = counts.iter().map(|c| c.known().unwrap()).collect();
    assert_eq!(values, [1000.0, 1500.0, 320.0, 20.0, 25.0, 5.0]);
}

#[test]
fn a_paranoid_kernel_narrows_the_group_to_the_users_own_work() {
    let mut replay = Replay::of("software-captured");
    replay.user_only = true;
    let asked = replay.asked.clone();
    let events = Table::software().events(GroupName::Software);
    let group = Group::open(replay, &events, Target::ThisThread);
    assert_eq!(group.scope(), Scope::User);
    let later = asked.borrow();
    assert!(later.iter().skip(1).all(|(a, ..)| a.exclude_kernel()));
    let refused: Vec<&str> = group
        .slots()
        .iter()
        .filter(|s| s.refusal == Some(Refusal::KernelOnly))
        .map(|s| s.alias.as_str())
        .collect();
    assert_eq!(refused, ["context_switches", "cpu_migrations"]);
}

#[test]
fn the_captured_software_group_counts_the_pages_touched() {
    let mut group = open("software-captured", &Table::software(), GroupName::Software);
    let counts = measured(&mut group);
    let values: Vec<f64> = counts.iter().map(|c| c.known().unwrap()).collect();
    assert_eq!(values, [2048.0, 1.0, 0.0, 7_290_634.0]);
}

#[test]
fn a_reading_that_fails_is_an_error_with_its_cause() {
    let mut group = open("software-captured", &Table::software(), GroupName::Software);
    measured(&mut group);
    let ended = group.begin().unwrap_err();
    assert_eq!(ended, ReadError::Call(libc::EIO));
    assert!(
        ended.to_string().starts_with("cannot read counters: "),
        "{ended}"
    );

    let mut replay = Replay::of("software-captured");
    replay.then(vec![4, 1, 1]);
    let events = Table::software().events(GroupName::Software);
    let mut group = Group::open(replay, &events, Target::ThisThread);
    measured(&mut group);
    assert!(matches!(
        group.begin(),
        Err(ReadError::Short { have: 24, need: 88 })
    ));
}

#[test]
fn both_sides_of_a_transfer_add_up_and_what_one_lacks_the_sum_lacks() {
    let count = |value, enabled_ns, running_ns| {
        let after = probe::counters::reading::Times {
            value,
            enabled_ns,
            running_ns,
        };
        Count::between(Default::default(), after)
    };
    let (whole, half, none) = (count(10, 4, 4), count(3, 4, 2), count(0, 4, 0));
    assert_eq!(whole.plus(half).known(), Some(16.0));
    assert_eq!(whole.plus(half).state, State::Scaled { share: 0.5 });
    assert_eq!(whole.plus(none).known(), None);
    assert_eq!(whole.plus(Count::ABSENT).state, State::Absent);
}
