//! Batches counted by a plan.

use super::*;
use probe::counters::Layer;

/// A batch of `ops` operations of which each executes `instructions`, on a plan's counters.
fn batch<L: Layer>(
    counters: &mut Counters<L>,
    kernel: &Simulated,
    (ops, happened): (u64, &[(&'static str, f64)]),
) -> Counted {
    counters.before(0, 0);
    kernel.happens(&EMPTY, 30);
    kernel.happens(happened, 1000);
    counters.stop(0, 0);
    counters.counted(ops)
}

fn opened(kernel: &Simulated, group: GroupName) -> Counters<Simulated> {
    let plan = plan_on(kernel, group, false).plan;
    let layer = kernel.clone();
    let (mut counters, notes) = Counters::open_with(&plan, move || layer.clone());
    assert_eq!(notes, [""; 0]);
    assert_eq!(
        kernel.open_now(),
        0,
        "nothing is open before a counted pass"
    );
    counters.attach_block(&[Whom::default()]);
    counters
}

fn value(counters: &Counters<Simulated>, counted: &Counted, name: &str) -> Option<f64> {
    let place = names(counters.plan()).iter().position(|n| *n == name);
    counted.values[place.unwrap()]
}

const WORK: &[(&str, f64)] = &[
    ("INST_RETIRED", 500.0),
    ("CPU_CYCLES", 1000.0),
    ("L1D_CACHE", 80.0),
    ("L2D_CACHE", 50.0),
    ("L2D_CACHE_REFILL", 20.0),
];

#[test]
fn counts_are_given_an_operation_without_what_the_instrument_counts() {
    let kernel = kernel(&[]);
    let mut counters = opened(&kernel, GroupName::Dcache);
    counters.pass_begins(1);
    let counted = batch(&mut counters, &kernel, (5, WORK));
    assert_eq!(value(&counters, &counted, "INST_RETIRED"), Some(100.0));
    assert_eq!(value(&counters, &counted, "CPU_CYCLES"), Some(200.0));
    assert_eq!(
        value(&counters, &counted, "cycles_per_instruction"),
        Some(2.0)
    );
    assert_eq!(value(&counters, &counted, "l2d_cache_hit_rate"), Some(0.6));
    assert_eq!(value(&counters, &counted, "l2d_cache_miss_rate"), Some(0.4));
    assert_eq!(
        value(&counters, &counted, "probe_effect"),
        None,
        "the sampler's"
    );
    assert_eq!(counted.share, Some(1.0));
}

#[test]
fn nothing_is_open_in_passes_without_and_groups_take_turns_by_blocks() {
    let kernel = kernel(&[Planted::Dead(5)]);
    let mut counters = opened(&kernel, GroupName::Dcache);
    let mut seen = Vec::new();
    for pass in 0..12 {
        counters.pass_begins(pass);
        let open = kernel.open_now();
        assert_eq!(open == 0, counters.turn() == Turn::Without, "{pass}");
        if open == 0 {
            continue;
        }
        assert_eq!(open, 8, "four of the processor, four of the kernel");
        let counted = batch(&mut counters, &kernel, (1, WORK));
        let has = |name| value(&counters, &counted, name).is_some();
        seen.push((
            pass,
            has("L1D_CACHE"),
            has("l2d_cache_miss_rate"),
            has("INST_RETIRED"),
        ));
    }
    let (first, second) = ((true, false, true), (false, true, false));
    let of = |pass, (a, b, c)| (pass, a, b, c);
    let expected = [
        of(1, first),
        of(2, first),
        of(5, second),
        of(6, second),
        of(9, first),
        of(10, first),
    ];
    assert_eq!(seen, expected, "each event is of one group");
    counters.detach();
    assert_eq!(kernel.open_now(), 0);
}

#[test]
fn scaled_counts_carry_their_share_and_uncounted_ones_no_value() {
    let kernel = kernel(&[Planted::Multiplexed(1, 0.25)]);
    let mut counters = opened(&kernel, GroupName::Dcache);
    counters.pass_begins(1);
    let counted = batch(&mut counters, &kernel, (1, &[("INST_RETIRED", 4000.0)]));
    let value_of = value(&counters, &counted, "INST_RETIRED").unwrap();
    assert!((value_of - 4000.0).abs() < 20.0, "{value_of}");
    let share = value(&counters, &counted, "counted_share").unwrap();
    assert!((share - 0.25).abs() < 0.01, "{share}");
}

#[test]
fn others_are_added_or_counted_alone() {
    let kernel = kernel(&[]);
    let plan = plan_on(&kernel, GroupName::Arch, false).plan;
    let layer = kernel.clone();
    let (mut counters, _) = Counters::open_with(&plan, move || layer.clone());
    let whom = |threads: &[u32], others_alone| Whom {
        index: 0,
        threads: threads.to_vec(),
        others_alone,
    };
    // Every side of the simulated kernel sees all that happens.
    for (members, times, note) in [
        (whom(&[], false), 1.0, ""),
        (
            whom(&[4711, 4712], false),
            3.0,
            "the measuring thread and 2 more",
        ),
        (whom(&[4711], true), 1.0, "1 working thread alone"),
    ] {
        let own = !members.others_alone;
        let notes = counters.attach_block(&[members]);
        assert!(notes[0].join("").contains(note), "{notes:?}");
        counters.pass_begins(0);
        counters.pass_begins(1);
        let counted = batch(&mut counters, &kernel, (1, &[("INST_RETIRED", 500.0)]));
        // 40 of each side are the instrument's, and those of the own one are taken off.
        let sides = 540.0 * times - if own { 40.0 } else { 0.0 };
        assert_eq!(
            value(&counters, &counted, "INST_RETIRED"),
            Some(sides),
            "{times}"
        );
        assert_eq!(counted.own, own);
    }
    let notes = counters.attach_block(&[whom(&[], true)]);
    assert!(notes[0][0].contains("cannot be named"), "{notes:?}");
    counters.pass_begins(1);
    let counted = batch(&mut counters, &kernel, (1, WORK));
    assert_eq!(
        value(&counters, &counted, "INST_RETIRED"),
        None,
        "absent, not 0"
    );
}

#[test]
fn what_opened_for_the_plan_and_not_now_is_reported() {
    let plan = planned(GroupName::Arch, &[]).plan;
    let gone = without_pmu();
    let layer = gone.clone();
    let (mut counters, notes) = Counters::open_with(&plan, move || layer.clone());
    assert!(notes[0].contains("INST_RETIRED"), "{notes:?}");
    counters.attach_block(&[Whom::default()]);
    counters.pass_begins(1);
    let counted = batch(&mut counters, &gone, (1, WORK));
    assert_eq!(value(&counters, &counted, "INST_RETIRED"), None);
    assert!(value(&counters, &counted, "page_faults").is_some());
    let judged = counters.judge(&[(1, &counted)]);
    assert!(
        judged.notes.join("").contains("could not be opened"),
        "{judged:?}"
    );
}

#[test]
fn a_resumed_run_takes_off_what_it_took_off() {
    let mut planned = planned(GroupName::Arch, &[]);
    let mut head = planned.head.clone();
    let place = head
        .events
        .iter()
        .position(|e| e.alias == "INST_RETIRED")
        .unwrap();
    assert_eq!(head.events[place].taken_off, Some(40.0));
    head.events[place].taken_off = Some(55.0);
    planned.plan.as_recorded(&head);
    assert_eq!(planned.plan.taken_off("INST_RETIRED").typical, 55.0);
    assert_eq!(planned.plan.taken_off("CPU_CYCLES").typical, 100.0);
}
