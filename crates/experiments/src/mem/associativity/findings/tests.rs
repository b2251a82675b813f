//! Caches of known ways.

use super::{CLAIMS, findings};
use crate::testing::table;
use analysis::{ExperimentTable, PointView};
use record::{AxisValue, Finding, MachineCard, Verdict};
use testbed::caches::{card, measured};

fn point(lines: i64, stride: i64, pages: &str, conflict: f64, spread: f64) -> PointView {
    let settings = [
        ("lines", AxisValue::Int(lines)),
        ("stride", AxisValue::Int(stride)),
        ("pages", AxisValue::from(pages)),
    ];
    measured("mem/associativity", &settings, &[conflict, spread])
}

/// Levels of latencies 1.3, 4 and 12 ns with these ways.
fn latency(lines: i64, l1: i64, l2: i64) -> f64 {
    match lines {
        n if n <= l1 => 1.3,
        n if n <= l2 => 4.0,
        _ => 12.0,
    }
}

/// The quick grid on a machine whose second level shows only within huge
/// pages, where a translation buffer of 6 ways adds to both chains.
fn machine(l1: i64, l2: i64) -> ExperimentTable {
    let tlb = |lines| if lines > 6 { 2.3 } else { 0.0 };
    let base = (1..=24).map(|n| point(n, 4096, "base", latency(n, l1, 100), 1.3));
    let thp = (1..=32).map(|n| {
        let walk = tlb(n);
        point(n, 512 << 10, "thp", latency(n, l1, l2) + walk, 1.3 + walk)
    });
    table("mem/associativity", base.chain(thp).collect())
}

fn by_key<'a>(found: &'a [Finding], key: &str) -> &'a Finding {
    found
        .iter()
        .find(|f| f.key == key)
        .unwrap_or_else(|| panic!("no finding {key}"))
}

#[test]
fn ways_of_both_levels_are_found() {
    for (l1, l2) in [(8, 16), (12, 16), (4, 8), (2, 16), (8, 20)] {
        let card = card(&[(48 << 10, l1 as u32), (2 << 20, l2 as u32)]);
        let found = findings(&machine(l1, l2), &card);
        let first = by_key(&found, "l1d_ways");
        assert_eq!(
            (first.value, first.verdict),
            (Some(l1 as f64), Verdict::Agree)
        );
        let second = by_key(&found, "l2_ways");
        assert_eq!(
            (second.value, second.verdict),
            (Some(l2 as f64), Verdict::Agree)
        );
    }
}

#[test]
fn equal_ways_leave_the_second_level_undecided() {
    let found = findings(&machine(8, 8), &MachineCard::default());
    assert_eq!(by_key(&found, "l1d_ways").value, Some(8.0));
    assert_eq!(by_key(&found, "l2_ways").verdict, Verdict::Undecided);
}

#[test]
fn without_huge_pages_the_first_level_is_still_found() {
    let mut table = machine(8, 16);
    table.points.retain(|p| p.int("stride") == Some(4096));
    let found = findings(&table, &card(&[(32 << 10, 12)]));
    let first = by_key(&found, "l1d_ways");
    assert_eq!((first.value, first.verdict), (Some(8.0), Verdict::Disagree));
    assert!(by_key(&found, "l2_ways").sentence.contains("huge pages"));
}

#[test]
fn one_disturbed_point_is_no_riser() {
    let mut table = machine(12, 16);
    let odd = table.points.iter_mut().find(|p| p.int("lines") == Some(4));
    let odd = odd.expect("the grid has four lines");
    *odd = point(4, 4096, "base", 60.0, 1.3);
    let found = findings(&table, &MachineCard::default());
    assert_eq!(by_key(&found, "l1d_ways").value, Some(12.0));
}

#[test]
fn a_line_lost_now_and_then_is_no_way_less() {
    let mut table = machine(12, 16);
    let full = table
        .points
        .iter_mut()
        .find(|p| p.int("lines") == Some(12) && p.int("stride") == Some(512 << 10));
    // A third of the way up: 3.6 ns for 3.6 + 0.33 * 2.7.
    *full.expect("the grid has twelve lines") = point(12, 512 << 10, "thp", 4.5, 3.6);
    let found = findings(&table, &MachineCard::default());
    assert_eq!(by_key(&found, "l1d_ways").value, Some(12.0));
    assert_eq!(by_key(&found, "l2_ways").value, Some(16.0));
}

#[test]
fn a_cache_without_conflicts_is_undecided_and_no_table_says_nothing() {
    let found = findings(&machine(100, 200), &MachineCard::default());
    assert_eq!(by_key(&found, "l1d_ways").verdict, Verdict::Undecided);
    let none = table("mem/associativity", Vec::new());
    assert!(findings(&none, &MachineCard::default()).is_empty());
    assert!((CLAIMS[0].check)(&none).is_none());
    assert!((CLAIMS[0].check)(&machine(8, 16)).is_some_and(|(held, _)| held));
}
