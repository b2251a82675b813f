//! Caches of known capacity and ways.

use super::super::NEAR_WAYS;
use super::{CLAIMS, answers};
use crate::quantities::caches::{CAPACITIES, LATENCIES, WAY_BYTES, WAYS};
use crate::testing::table;
use analysis::inference::{Answer, Says};
use analysis::{ExperimentTable, PointView};
use record::{AxisValue, MachineCard};
use testbed::caches::measured;

const KIB: i64 = 1024;
const STRIDES: [i64; 12] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];

fn point(lines: i64, stride: i64, pages: &str, conflict: f64, spread: f64) -> PointView {
    let settings = [
        ("lines", AxisValue::Int(lines)),
        ("stride", AxisValue::Int(stride)),
        ("pages", AxisValue::from(pages)),
    ];
    let net = conflict - spread;
    measured("mem/associativity", &settings, &[conflict, spread, net])
}

/// Capacity, KiB, and ways.
type Cache = (i64, i64);

fn fits((capacity, ways): Cache, stride: i64) -> i64 {
    ways.max(capacity * KIB / stride)
}

/// Levels of 1.3, 4 and 12 ns; a translation buffer of 6 entries adds to both chains.
fn machine(first: Cache, second: Cache, strides: &[i64], pages: &str) -> ExperimentTable {
    let at = |stride: i64, lines: i64| {
        let tlb = if lines > 6 { 2.3 } else { 0.0 };
        let ns = match lines {
            n if n <= fits(first, stride) => 1.3,
            n if n <= fits(second, stride) => 4.0,
            _ => 12.0,
        };
        point(lines, stride, pages, ns + tlb, 1.3 + tlb)
    };
    let points = strides
        .iter()
        .flat_map(|s| NEAR_WAYS.map(|n| at(s * KIB, n)));
    table("mem/associativity", points.collect())
}

fn says(all: &[Answer], key: &str) -> Result<f64, String> {
    let found = all.iter().find(|a| a.quantity == key);
    match &found.unwrap_or_else(|| panic!("nothing of {key}")).says {
        Says::Value { value, .. } => Ok(*value),
        Says::Nothing(why) => Err(why.clone()),
    }
}

fn of(table: &ExperimentTable) -> Vec<Answer> {
    answers(table, &MachineCard::default())
}

#[test]
fn capacities_and_ways_of_both_levels_are_found() {
    let machines = [
        ((32, 8), (1024, 16)),
        ((48, 12), (2048, 16)),
        ((64, 4), (1280, 20)),
        ((128, 8), (4096, 16)),
        ((32, 2), (512, 16)),
        ((128, 8), (12288, 12)),
    ];
    for (first, second) in machines {
        let all = of(&machine(first, second, &STRIDES, "thp"));
        for (level, (capacity, ways)) in [first, second].into_iter().enumerate() {
            let bytes = (capacity * KIB) as f64;
            assert_eq!(
                says(&all, CAPACITIES[level].key),
                Ok(bytes),
                "{first:?} {second:?}"
            );
            assert_eq!(
                says(&all, WAYS[level].key),
                Ok(ways as f64),
                "{first:?} {second:?}"
            );
            assert_eq!(says(&all, WAY_BYTES[level]), Ok(bytes / ways as f64));
        }
        for (level, ns) in [1.3, 4.0, 12.0].into_iter().enumerate() {
            let found = says(&all, LATENCIES[level].key).expect("a level");
            assert!((found - ns).abs() < 0.1, "{found} for {ns}");
        }
    }
}

#[test]
fn equal_ways_leave_those_of_the_second_level_undecided_and_not_its_capacity() {
    let all = of(&machine((32, 8), (512, 8), &STRIDES, "thp"));
    assert_eq!(says(&all, WAYS[0].key), Ok(8.0));
    assert!(
        says(&all, WAYS[1].key)
            .unwrap_err()
            .contains("no more ways")
    );
    assert_eq!(says(&all, CAPACITIES[1].key), Ok(512.0 * 1024.0));
}

#[test]
fn without_huge_pages_the_first_level_is_still_found() {
    let all = of(&machine((32, 8), (1024, 16), &STRIDES[..4], "base"));
    assert_eq!(says(&all, CAPACITIES[0].key), Ok(32.0 * 1024.0));
    assert_eq!(says(&all, WAYS[0].key), Ok(8.0));
    assert!(says(&all, CAPACITIES[1].key).is_err());
}

#[test]
fn a_ramp_begins_where_the_set_is_full_and_a_wild_point_is_no_answer() {
    let mut table = machine((48, 12), (1024, 16), &STRIDES, "thp");
    let change = |table: &mut ExperimentTable, lines: i64, conflict: f64| {
        for p in &mut table.points {
            if p.int("lines") == Some(lines) && p.int("stride") >= Some(4 * KIB) {
                let stride = p.int("stride").expect("set");
                *p = point(lines, stride, "thp", conflict, 3.6);
            }
        }
    };
    // A tenth of the way from a hit to the second level: any line may be evicted.
    change(&mut table, 13, 3.9);
    assert_eq!(says(&of(&table), WAYS[0].key), Ok(12.0));
    // Half of the way with fewer lines than fit.
    change(&mut table, 5, 4.9);
    assert!(
        says(&of(&table), WAYS[0].key)
            .unwrap_err()
            .contains("not clear")
    );
}

/// A machine whose points at these distances and numbers of lines take other times.
fn but(first: Cache, second: Cache, other: impl Fn(i64, i64) -> Option<f64>) -> ExperimentTable {
    let mut table = machine(first, second, &STRIDES, "thp");
    for p in &mut table.points {
        let (Some(stride), Some(lines)) = (p.int("stride"), p.int("lines")) else {
            continue;
        };
        let tlb = if lines > 6 { 2.3 } else { 0.0 };
        if let Some(ns) = other(stride / KIB, lines) {
            *p = point(lines, stride, "thp", ns + tlb, 1.3 + tlb);
        }
    }
    table
}

#[test]
fn ways_are_known_where_the_curve_of_twice_as_many_ends_soon() {
    // Of 20 ways one line too many costs a tenth; 40 fit at half the distance, 41 are measured.
    let ramp = |stride: i64, lines: i64| {
        let over = lines - fits((1280, 20), stride * KIB);
        (over > 0).then(|| 4.0 + (0.8 * over as f64).min(8.0))
    };
    let all = of(&but((48, 12), (1280, 20), ramp));
    assert_eq!(says(&all, WAYS[1].key), Ok(20.0));
    assert_eq!(says(&all, CAPACITIES[1].key), Ok(1280.0 * 1024.0));
}

#[test]
fn a_third_cache_that_overflows_and_a_chain_that_is_foreseen_hide_no_ways() {
    let third = |stride: i64, lines: i64| (stride >= 512 && lines >= 32).then_some(90.0);
    let all = of(&but((32, 4), (512, 8), third));
    assert_eq!(says(&all, WAYS[1].key), Ok(8.0));
    let behind = says(&all, LATENCIES[2].key).expect("a level");
    assert!((behind - 12.0).abs() < 0.1, "{behind}");
    let foreseen = |stride: i64, lines: i64| {
        let over = lines - fits((2048, 8), stride * KIB);
        (over > 1).then_some(if stride < 256 { 5.0 } else { 7.5 })
    };
    let all = of(&but((64, 4), (2048, 8), foreseen));
    assert_eq!(says(&all, WAYS[1].key), Ok(8.0));
}

#[test]
fn one_line_too_many_of_many_and_a_chain_that_is_foreseen_once_hide_no_ways() {
    // Of 16 ways whose victims are drawn 33 lines of two sets cost hardly more than 32.
    let drawn = |stride: i64, lines: i64| {
        let over = lines - fits((1024, 16), stride * KIB);
        (over > 0).then(|| match stride < 64 && over == 1 {
            true => 4.2,
            false => (4.0 + over as f64).min(12.0),
        })
    };
    let all = of(&but((32, 2), (1024, 16), drawn));
    assert_eq!(says(&all, WAYS[1].key), Ok(16.0));
    assert_eq!(says(&all, WAY_BYTES[1]), Ok(65536.0));
    let foreseen = |stride: i64, lines: i64| (stride >= 512 && lines == 12).then_some(4.0);
    let all = of(&but((64, 4), (2048, 8), foreseen));
    assert_eq!(says(&all, WAYS[1].key), Ok(8.0));
    // A hit among the first two that are too many may be the level itself.
    let other = |stride: i64, lines: i64| (stride >= 512 && lines == 10).then_some(4.0);
    let all = of(&but((64, 4), (2048, 8), other));
    assert!(says(&all, WAYS[1].key).is_err());
}

#[test]
fn base_pages_that_fall_on_the_same_sets_do_not_slow_the_second_level_down() {
    let mut table = machine((32, 4), (256, 8), &STRIDES[..5], "base");
    for p in &mut table.points {
        if p.int("stride") == Some(4 * KIB) && p.int("lines") >= Some(40) {
            let lines = p.int("lines").expect("set");
            *p = point(lines, 4 * KIB, "base", 12.0, 3.6);
        }
    }
    let second = says(&of(&table), LATENCIES[1].key).expect("a level");
    assert!((second - 4.0).abs() < 0.1, "{second}");
}

#[test]
fn a_clock_that_changes_its_speed_between_the_quarters_hides_no_ways() {
    let mut table = machine((32, 8), (512, 16), &STRIDES, "thp");
    for p in &mut table.points {
        // Of competing lines more samples were taken at the lower of two speeds.
        if matches!(p.int("lines"), Some(5 | 12)) && p.int("stride") <= Some(2 * KIB) {
            let [conflict, spread, net] = [0, 1, 2].map(|metric| p.summaries[metric].median);
            p.summaries[0].p25 = 1.17 * conflict.center;
            assert!(net.center.abs() < 1e-9 && spread.center == conflict.center);
        }
    }
    let all = of(&table);
    assert_eq!(says(&all, CAPACITIES[0].key), Ok(32.0 * 1024.0));
    assert_eq!(says(&all, WAYS[0].key), Ok(8.0));
}

#[test]
fn a_cache_without_conflicts_is_undecided_and_no_table_says_nothing() {
    let flat = machine((1 << 20, 100), (1 << 21, 100), &STRIDES, "thp");
    assert!(
        says(&of(&flat), WAYS[0].key)
            .unwrap_err()
            .contains("no more than spread")
    );
    let none = table("mem/associativity", Vec::new());
    assert!(of(&none).is_empty());
    assert!((CLAIMS[0].check)(&none).is_none());
    let machine = machine((32, 8), (1024, 16), &STRIDES, "thp");
    assert!((CLAIMS[0].check)(&machine).is_some_and(|o| o.held() == Some(true)));
}
