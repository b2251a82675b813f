//! The self-test against a kernel whose faults are known.

use super::simulated::{Planted, Simulated};
use super::*;
use crate::counters::refusal::Refusal;
use machine::cpu::Cpu;

fn zen3() -> Table {
    Table::of(&Cpu {
        vendor: Some("AuthenticAMD".into()),
        family: Some("25".into()),
        model_number: Some("1".into()),
        ..Cpu::default()
    })
}

fn of(kernel: &Simulated, groups: &[GroupName]) -> SelfTest {
    let mut work = kernel.clone();
    let mut bench = Bench {
        layer: &mut || kernel.clone(),
        work: &mut work,
    };
    let found = test(&zen3(), groups, &mut bench, |refusal, _| {
        Absence::new(format!("{refusal:?}"), "none")
    });
    assert_eq!(kernel.open_now(), 0, "all events are closed");
    found
}

fn tested(planted: &[Planted]) -> SelfTest {
    of(&Simulated::new(&zen3(), 6, planted), &[GroupName::Arch])
}

/// Places that do not count, by size.
fn dead(test: &SelfTest) -> Vec<(usize, Vec<usize>)> {
    let of = |size: &SizeTest| {
        let places = size.places.iter().enumerate();
        let dead = places.filter(|(_, p)| !p.counts()).map(|(at, _)| at);
        (size.size, dead.collect::<Vec<_>>())
    };
    let all = test.sizes.iter().map(of);
    all.filter(|(_, dead)| !dead.is_empty()).collect()
}

fn instructions() -> Event {
    zen3().events(GroupName::Arch).remove(0)
}

fn idle(test: &SelfTest, codes: usize) -> Option<Vec<usize>> {
    Some(test.seats(codes, &instructions())?.idle)
}

#[test]
fn a_processor_that_counts_is_believed() {
    let test = tested(&[]);
    assert_eq!(test.sizes.len(), 6, "six counters");
    assert_eq!(dead(&test), []);
    assert!(
        test.events.iter().all(|e| e.verdict == Verdict::Counts),
        "{test:?}"
    );
    assert_eq!(test.apart, Some(Verdict::Counts));
    assert_eq!(test.page_agrees, None);
    let largest = test.largest().unwrap();
    assert_eq!(
        (largest.events, largest.size, largest.shared),
        (6, 6, false)
    );
    assert_eq!(idle(&test, 6), Some(vec![]));
    assert_eq!(idle(&test, 7), None);
}

#[test]
fn a_dead_sixth_counter_shrinks_the_group() {
    let test = tested(&[Planted::Dead(5)]);
    assert_eq!(dead(&test), [(6, vec![5])]);
    assert_eq!(
        test.sizes[5].places[5].why(),
        Some("counted 0 of 1,020,000")
    );
    let largest = test.largest().unwrap();
    assert_eq!((largest.events, largest.size), (5, 5));
    assert_eq!(idle(&test, 6), None);
    assert!(test.events.iter().all(|e| e.verdict.counts()), "{test:?}");
}

#[test]
fn a_dead_counter_between_others_is_given_to_a_placeholder() {
    let test = tested(&[Planted::Dead(2)]);
    assert_eq!(
        dead(&test),
        (3..=6).map(|size| (size, vec![2])).collect::<Vec<_>>()
    );
    assert_eq!(test.largest().unwrap().events, 5);
    assert_eq!(idle(&test, 2), Some(vec![]));
    assert_eq!(idle(&test, 5), Some(vec![2]));

    let kernel = Simulated::new(&zen3(), 6, &[Planted::Dead(2)]);
    let events = &zen3().events(GroupName::Arch)[..5];
    let seats = test.seats(5, &instructions()).unwrap();
    let mut bench = Bench {
        layer: &mut || kernel.clone(),
        work: &mut kernel.clone(),
    };
    let verdicts = in_place(events, &seats, &mut bench);
    assert!(verdicts.iter().all(|(_, v)| v.counts()), "{verdicts:?}");
    let verdicts = in_place(events, &Seats::default(), &mut bench);
    assert!(!verdicts[2].1.counts(), "{verdicts:?}");
}

#[test]
fn a_dead_counter_beside_a_fixed_one_is_found_by_instructions_in_all_places() {
    // Wherever they stand, instructions are on the fixed counter; only where several count
    // them are the general ones tested.
    let planted = [Planted::DeadBesideFixed(2)];
    let test = tested(&planted);
    assert_eq!(
        dead(&test),
        (4..=6).map(|size| (size, vec![3])).collect::<Vec<_>>()
    );
    assert_eq!(test.largest().unwrap().events, 5);
    let kernel = Simulated::new(&zen3(), 6, &planted);
    let events = &zen3().events(GroupName::Arch)[..5];
    let mut bench = Bench {
        layer: &mut || kernel.clone(),
        work: &mut kernel.clone(),
    };
    let seats = test.seats(5, &instructions()).unwrap();
    let verdicts = in_place(events, &seats, &mut bench);
    assert!(verdicts.iter().all(|(_, v)| v.counts()), "{verdicts:?}");
    let verdicts = in_place(events, &Seats::default(), &mut bench);
    assert!(!verdicts[3].1.counts(), "{verdicts:?}");
}

#[test]
fn counters_that_hold_each_others_number_are_both_dead() {
    let test = tested(&[Planted::Swapped(1, 3)]);
    assert_eq!(
        dead(&test),
        (4..=6).map(|size| (size, vec![1, 3])).collect::<Vec<_>>()
    );
    // Three places of three count, four of six.
    let largest = test.largest().unwrap();
    assert_eq!((largest.events, largest.size), (4, 6));
    assert_eq!(idle(&test, 3), Some(vec![]));
    assert_eq!(idle(&test, 4), Some(vec![1, 3]));
}

#[test]
fn a_counter_that_is_one_and_a_half_percent_low_is_dead() {
    for (share, is_dead) in [(0.985, true), (0.4, true), (0.995, false)] {
        let test = tested(&[Planted::Low(0, share)]);
        assert_eq!(!test.sizes[0].places[0].counts(), is_dead, "{share}");
    }
    let test = tested(&[Planted::Low(0, 0.4)]);
    assert_eq!(
        idle(&test, 1),
        Some(vec![0]),
        "the second place is the first that counts"
    );
}

#[test]
fn starved_groups_are_not_zero_but_not_counted() {
    let test = tested(&[Planted::Starved(4)]);
    assert_eq!(test.largest().unwrap().events, 3);
    let places = &test.sizes[3].places;
    assert!(places.iter().all(|p| p.word() == "starved"), "{places:?}");
    assert!(
        places[0]
            .why()
            .unwrap()
            .starts_with("was on a counter for 0 of ")
    );
    let nothing = tested(&[Planted::Starved(1)]);
    assert_eq!(nothing.largest(), None);
    assert_eq!(nothing.events[0].verdict.word(), "not tested");
}

#[test]
fn groups_that_are_counted_all_the_time_go_before_larger_ones_that_are_not() {
    let test = tested(&[Planted::Multiplexed(5, 0.5)]);
    let largest = test.largest().unwrap();
    assert_eq!((largest.events, largest.shared), (4, false));
    let test = tested(&[Planted::Multiplexed(1, 0.25)]);
    let largest = test.largest().unwrap();
    assert_eq!((largest.events, largest.shared), (6, true));
    assert_eq!(test.events[0].verdict, Verdict::Shared { share: 0.25 });
}

#[test]
fn events_of_every_group_are_tested_or_say_why_not() {
    let kernel = Simulated::new(&zen3(), 6, &[Planted::Dead(5)]);
    let all = [
        GroupName::Arch,
        GroupName::Dcache,
        GroupName::Instr,
        GroupName::Tlbmem,
    ];
    let test = of(&kernel, &all);
    assert_eq!(test.events.len(), 18);
    let not: Vec<&str> = test
        .events
        .iter()
        .filter(|e| !e.verdict.counts())
        .map(|e| e.alias.as_str())
        .collect();
    assert_eq!(not, ["L1I_TLB_REFILL", "BUS_ACCESS"]);
    assert_eq!(test.dead().count(), 0);
}

#[test]
fn events_that_need_one_counter_leave_the_places_good() {
    let test = tested(&[Planted::Conflict("LD_SPEC", "ST_SPEC")]);
    assert_eq!(dead(&test), []);
    assert_eq!(test.largest().unwrap().events, 6, "others fill the places");
    assert!(test.events.iter().all(|e| e.verdict.counts()), "{test:?}");
}

#[test]
fn what_a_reading_takes_is_not_held_against_a_counter() {
    // As counted of a program built without optimisation: 1.2 % of the smaller work.
    let test = tested(&[Planted::Reading(12_000.0)]);
    assert_eq!(test.largest().unwrap().events, 6);
    assert_eq!(dead(&test), []);
    // Beyond it a counter that shows a little too much is found as before.
    let test = tested(&[Planted::Reading(12_000.0), Planted::Low(3, 1.02)]);
    assert_eq!(test.largest().unwrap().events, 5);
}

#[test]
fn a_page_that_disagrees_with_the_call_is_not_read() {
    let test = tested(&[Planted::WrongPage]);
    assert_eq!(test.page_agrees, Some(false));
    assert_eq!(dead(&test), [], "read by call, all count");
    assert!(test.seats(2, &instructions()).unwrap().by_call);
}

#[test]
fn counters_that_cannot_tell_the_kernel_apart_say_so() {
    let test = tested(&[Planted::NotApart]);
    let why = test.apart.unwrap();
    assert!(
        why.why().unwrap().contains("1,020,000 of the user's"),
        "{why:?}"
    );
    let kernel = Simulated::new(&zen3(), 6, &[]).user_only();
    let test = of(&kernel, &[GroupName::Arch]);
    assert!(!test.apart.clone().unwrap().counts());
    assert_eq!(
        test.largest().unwrap().events,
        6,
        "the user's work is enough for the slots"
    );
    let exceptions = test
        .events
        .iter()
        .find(|e| e.alias == "EXC_RETURN")
        .unwrap();
    assert_eq!(exceptions.verdict.word(), "not tested");
}

#[test]
fn whether_the_kernel_is_counted_apart_is_asked_of_a_place_that_counts() {
    let test = tested(&[Planted::Dead(0)]);
    assert_eq!(test.apart, Some(Verdict::Counts));
    let nowhere = tested(&[Planted::Starved(1)]).apart.unwrap();
    assert_eq!(nowhere.why(), Some("there is no place that counts"));
}

#[test]
fn without_a_pmu_nothing_is_tested_and_the_reason_is_the_kernels() {
    let kernel = Simulated::new(&Table::software(), 6, &[]);
    let test = of(&kernel, &[GroupName::Arch]);
    let reason = test.untested.unwrap().reason;
    assert_eq!(
        reason,
        format!("{:?}", Refusal::Errno(libc::ENOENT, Scope::User))
    );
    assert!(test.sizes.is_empty() && test.events.is_empty());
}
