//! Machines of known clock.

use super::{CLAIMS, findings, rates_in};
use crate::testing::table;
use record::{AxisValue, Finding, MachineCard, Verdict};
use testbed::caches::measured;

/// Times of these chains, in cycles, on a core of so many MHz.
fn core(mhz: f64, cycles: &[(&str, f64)]) -> analysis::ExperimentTable {
    let points = cycles
        .iter()
        .map(|(chain, n)| {
            measured(
                "cpu/clock",
                &[("chain", AxisValue::from(*chain))],
                &[n * 1000.0 / mhz],
            )
        })
        .collect();
    table("cpu/clock", points)
}

const INTEL: &[(&str, f64)] = &[
    ("add", 1.0),
    ("xor_add", 2.0),
    ("rotate_xor_add", 3.0),
    ("multiply", 3.0),
    ("multiply_add", 4.0),
    ("float_multiply", 4.0),
    ("load", 5.0),
];

fn card(label: &str, text: &str) -> MachineCard {
    MachineCard {
        lines: vec![(label.to_owned(), text.to_owned())],
        ..MachineCard::default()
    }
}

fn rate(found: &[Finding]) -> &Finding {
    found
        .iter()
        .find(|f| f.key == "clock_rate")
        .expect("the rate is always reported on")
}

#[test]
fn the_rate_is_found_whatever_the_chains() {
    let cortex_a8: &[(&str, f64)] = &[
        ("xor_add", 2.0),
        ("rotate_xor_add", 3.0),
        ("multiply_add", 7.0),
        ("load", 3.0),
    ];
    for (mhz, cycles) in [(2993.0, INTEL), (1000.0, cortex_a8), (5200.0, INTEL)] {
        let found = findings(&core(mhz, cycles), &MachineCard::default());
        let f = rate(&found);
        let value = f.value.expect("a rate");
        assert!((value / mhz - 1.0).abs() < 0.005, "{value} for {mhz}");
        assert!(f.low <= Some(mhz) && Some(mhz) <= f.high, "{f:?}");
        assert_eq!(f.verdict, Verdict::Stated);
    }
}

#[test]
fn the_card_is_set_beside_and_never_replaced() {
    let table = core(2993.0, INTEL);
    let agree = findings(&table, &card("processor", "Xeon @ 3.00GHz, x86_64"));
    assert_eq!(rate(&agree).verdict, Verdict::Agree);
    let boost = findings(&table, &card("clock", "tsc 2300 MHz, TSC invariant"));
    assert_eq!(rate(&boost).verdict, Verdict::Disagree);
    assert_eq!(rate(&boost).reference, Some(2300.0));
    assert!(
        rate(&boost).sentence.contains("boost"),
        "{}",
        rate(&boost).sentence
    );
    let throttled = findings(
        &table,
        &card("clock rate", "schedutil (acpi), 800 to 3900 MHz"),
    );
    assert_eq!(rate(&throttled).reference, Some(3900.0));
    assert!(rate(&throttled).sentence.contains("governor"));
}

#[test]
fn chains_without_a_common_cycle_are_undecided() {
    let odd: Vec<(&str, f64)> = [1.0, 1.37, 2.71, 3.33, 4.61, 5.17, 6.43]
        .into_iter()
        .zip(super::super::WORDS)
        .map(|(n, w)| (*w, n))
        .collect();
    let found = findings(&core(3000.0, &odd), &MachineCard::default());
    assert_eq!(rate(&found).verdict, Verdict::Undecided);
    assert_eq!(rate(&found).value, None);
    for claim in CLAIMS {
        let outcome = (claim.check)(&core(3000.0, &odd)).unwrap();
        assert!(outcome.is_unclear(), "{outcome:?}");
    }
}

#[test]
fn claims_hold_on_whole_cycles_and_say_nothing_without_points() {
    for claim in CLAIMS {
        assert!((claim.check)(&core(3000.0, INTEL)).is_some_and(|o| o.held() == Some(true)));
        assert!((claim.check)(&core(3000.0, &[])).is_none());
    }
    assert!(findings(&core(3000.0, &[]), &MachineCard::default()).is_empty());
}

#[test]
fn rates_are_read_in_both_units() {
    assert_eq!(rates_in("800 to 3900 MHz"), [3900.0]);
    assert_eq!(rates_in("Xeon(R) CPU @ 2.30GHz"), [2300.0]);
    assert!(rates_in("not visible (no cpufreq)").is_empty());
    assert!(rates_in("MHz GHz").is_empty());
}
