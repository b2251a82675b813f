//! Counts that cannot be true, and rates that are none.

use super::*;

fn plan() -> CounterPlan {
    planned(GroupName::Arch, &[]).plan
}

/// A batch with these counts an operation, as its readings gave them.
fn batch(plan: &CounterPlan, counts: &[(&str, f64)]) -> Counted {
    let of = |m: &CounterMetric| {
        let found = counts.iter().find(|(name, _)| *name == m.head.name);
        found.map(|(_, count)| *count)
    };
    Counted {
        values: plan.metrics.iter().map(of).collect(),
        own: true,
        ..Counted::default()
    }
}

fn judged(plan: &CounterPlan, batches: &[Counted]) -> (Vec<String>, String) {
    let batches: Vec<(u64, &Counted)> = batches.iter().map(|b| (1000, b)).collect();
    let judged = super::super::judge::judge(plan, &batches);
    let withheld = judged.withheld.iter();
    let names = withheld.map(|at| plan.metrics[*at].head.name.clone());
    (names.collect(), judged.notes.join("; "))
}

const FULL: [(&str, f64); 5] = [
    ("INST_RETIRED", 1500.0),
    ("CPU_CYCLES", 900.0),
    ("LD_SPEC", 300.0),
    ("ST_SPEC", 200.0),
    ("BR_RETURN_SPEC", 7.0),
];

fn with(name: &str, count: f64) -> Vec<(&str, f64)> {
    let of =
        |(known, value): (&'static str, f64)| (known, if known == name { count } else { value });
    FULL.into_iter().map(of).collect()
}

#[test]
fn what_cannot_be_0_over_a_million_instructions_is_an_alarm_and_not_given() {
    let plan = plan();
    assert_eq!(
        judged(&plan, &[batch(&plan, &FULL)]),
        (vec![], String::new())
    );
    let (withheld, notes) = judged(&plan, &[batch(&plan, &with("BR_RETURN_SPEC", 0.0))]);
    assert_eq!(withheld, ["BR_RETURN_SPEC"]);
    assert!(
        notes.starts_with("alarm: BR_RETURN_SPEC counted 0 over 1.50e6"),
        "{notes}"
    );
    // In too few instructions it may be.
    let few = with("BR_RETURN_SPEC", 0.0)
        .into_iter()
        .map(|(n, c)| (n, c / 2.0));
    let few: Vec<(&str, f64)> = few.collect();
    assert_eq!(judged(&plan, &[batch(&plan, &few)]).0, [""; 0]);
    // Exceptions may be 0 always.
    let none = [&FULL[..], &[("EXC_RETURN", 0.0)]].concat();
    assert_eq!(judged(&plan, &[batch(&plan, &none)]).0, [""; 0]);
}

#[test]
fn no_instructions_at_all_take_their_rates_with_them() {
    let plan = plan();
    // As read: what is taken off was not counted either.
    let counts = [
        &with("INST_RETIRED", -0.04)[..],
        &[("cycles_per_instruction", 3.0)],
    ]
    .concat();
    let (withheld, notes) = judged(&plan, &[batch(&plan, &counts)]);
    assert_eq!(withheld, ["INST_RETIRED", "cycles_per_instruction"]);
    assert!(
        notes.contains("alarm: INST_RETIRED counted 0 in 1 batches"),
        "{notes}"
    );
}

#[test]
fn a_share_outside_of_0_to_1_in_many_batches_is_not_given() {
    let plan = planned(GroupName::Dcache, &[]).plan;
    let place = names(&plan)
        .iter()
        .position(|n| *n == "l1d_cache_hit_rate")
        .unwrap();
    let of = |outside: bool| {
        let mut counted = batch(
            &plan,
            &[("INST_RETIRED", 1500.0), ("l1d_cache_hit_rate", 0.9)],
        );
        if outside {
            counted.values[place] = None;
            counted.outside = vec![(place, -0.25)];
        }
        counted
    };
    let batches = |strange: usize| -> Vec<Counted> { (0..40).map(|i| of(i < strange)).collect() };
    let (withheld, notes) = judged(&plan, &batches(20));
    assert_eq!(withheld, ["l1d_cache_hit_rate"]);
    let why = "L1D_CACHE and L1D_CACHE_REFILL make it -0.250 in 20 of 40 batches";
    assert!(notes.contains(why), "{notes}");
    let (withheld, notes) = judged(&plan, &batches(1));
    assert_eq!(withheld, [""; 0]);
    assert!(notes.contains("left out where it is no share"), "{notes}");
}

#[test]
fn single_operations_show_no_event_that_the_instrument_drowns() {
    let mut plan = plan();
    let taken_off = TakenOff {
        typical: 3208.0,
        scatter: 120.0,
    };
    plan.taken_off.insert("INST_RETIRED".into(), taken_off);
    let single = |net: f64| {
        let counted = batch(&plan, &[("INST_RETIRED", net)]);
        let judged = super::super::judge::judge(&plan, &[(1, &counted)]);
        (judged.withheld.len(), judged.notes.join("; "))
    };
    let (withheld, notes) = single(4000.0);
    assert_eq!(withheld, 0);
    let both =
        "counters: as read, and taken off as the instrument's own: INST_RETIRED 7208, 3208 of";
    assert!(notes.starts_with(both), "{notes}");
    let (withheld, notes) = single(90.0);
    assert_eq!(withheld, 2, "and the rate that is made of it");
    assert!(
        notes.contains("counts 90 beyond what the instrument itself does (3208)"),
        "{notes}"
    );
}

#[test]
fn a_point_without_counted_batches_says_so() {
    let (withheld, notes) = judged(&plan(), &[]);
    assert_eq!(withheld, [""; 0]);
    assert!(notes.contains("no batch was counted"), "{notes}");
}
