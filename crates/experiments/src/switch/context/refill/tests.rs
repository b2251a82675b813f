//! Findings on tables whose truth is known.

use super::{crowd_costs, findings, footprint_costs, idle_costs};
use crate::testing::table;
use analysis::{ExperimentTable, PointView};
use record::{Cache, CacheKind, Finding, MachineCard, Verdict};
use testbed::{int, measured, word};

const KIB: i64 = 1024;
const HERE: &str = "same_cpu";
const WARM_NS_PER_KIB: f64 = 5.0;

fn cache(level: u32, kib: u64) -> Cache {
    Cache {
        level,
        kind: if level == 1 {
            CacheKind::Data
        } else {
            CacheKind::Unified
        },
        size_bytes: kib * 1024,
        line_bytes: Some(64),
        ways: None,
        shared_by: vec![0],
        instances: 1,
    }
}

fn card(l1_kib: u64, l2_kib: u64) -> MachineCard {
    MachineCard {
        caches: vec![cache(1, l1_kib), cache(2, l2_kib)],
        ..MachineCard::default()
    }
}

fn at(processes: i64, footprint: i64, partner: &str, hop: f64, alone: f64) -> PointView {
    measured(
        "switch/context",
        &[
            int("processes", processes),
            int("footprint", footprint),
            word(
                "placement",
                if partner == HERE { HERE } else { "same_cache" },
            ),
            word("partner", if partner == HERE { "idle" } else { partner }),
        ],
        &[hop, alone, hop - alone],
    )
}

/// A machine that loses nothing below 48 KiB in all, refills from the second
/// level below 2 MiB, and from beyond after that.
fn ideal(processes: i64, kib: i64) -> PointView {
    let per_kib = match processes * kib {
        0..=48 => WARM_NS_PER_KIB,
        49..=2048 => 18.0,
        _ => 95.0,
    };
    let kib_f = kib as f64;
    let hop = 1500.0 + 3.0 * processes as f64 + per_kib * kib_f;
    at(
        processes,
        kib * KIB,
        HERE,
        hop,
        400.0 + WARM_NS_PER_KIB * kib_f,
    )
}

fn ideal_table(processes: &[i64], kib: &[i64]) -> ExperimentTable {
    let points = processes
        .iter()
        .flat_map(|n| kib.iter().map(move |k| ideal(*n, *k)))
        .collect();
    table("switch/context", points)
}

fn finding(table: &ExperimentTable, card: &MachineCard, key: &str) -> Option<Finding> {
    findings(table, card).into_iter().find(|f| f.key == key)
}

#[test]
fn quick_grid_finds_both_levels() {
    let mut table = ideal_table(&[2, 4, 8, 16], &[0, 8, 32, 256]);
    table.points.push(ideal(16, 1024));
    let card = card(48, 2048);
    let first = finding(&table, &card, "l1_total_footprint").unwrap();
    assert_eq!((first.low, first.high), (Some(32768.0), Some(65536.0)));
    assert_eq!(first.verdict, Verdict::Agree);
    let second = finding(&table, &card, "l2_total_footprint").unwrap();
    assert_eq!(second.low, Some(2048.0 * 1024.0));
    assert_eq!(second.verdict, Verdict::Agree, "{}", second.sentence);
}

#[test]
fn the_macro_sweep_finds_the_first_level() {
    let processes = [2, 4, 6, 8, 10, 12, 16, 24, 32, 48, 64, 72, 96];
    let table = ideal_table(&processes, &[0, 2, 4, 8, 16, 24, 32]);
    let card = card(48, 2048);
    let first = finding(&table, &card, "l1_total_footprint").unwrap();
    assert!(first.low.unwrap() <= 48.0 * 1024.0 && first.high.unwrap() > 48.0 * 1024.0);
    assert!(first.confidence.share > 0.9, "{:?}", first.confidence);
}

#[test]
fn a_card_that_says_otherwise_gets_no_step_assigned() {
    let table = ideal_table(&[2, 4, 8, 16], &[0, 8, 32, 256]);
    // A first level of 512 KiB: no jump is anywhere near.
    let first = finding(&table, &card(512, 1 << 20), "l1_total_footprint").unwrap();
    assert_eq!(first.verdict, Verdict::Undecided);
    let other = finding(&table, &card(512, 1 << 20), "other_step_1").unwrap();
    assert_eq!(other.verdict, Verdict::Stated);
}

#[test]
fn a_level_outside_the_measured_totals_is_not_mentioned() {
    let table = ideal_table(&[2, 4], &[0, 16]);
    assert!(finding(&table, &card(48, 2048), "l2_total_footprint").is_none());
}

#[test]
fn direct_cost_is_net_of_the_pipe() {
    let table = ideal_table(&[2, 4], &[0, 16]);
    let direct = finding(&table, &card(48, 2048), "direct_switch").unwrap();
    assert_eq!(direct.value, Some(1106.0));
}

#[test]
fn idle_is_compared_with_awake_at_the_same_setting() {
    let table = table(
        "switch/context",
        vec![
            at(2, 0, HERE, 1500.0, 400.0),
            at(2, 0, "awake", 3000.0, 400.0),
            at(2, 0, "busy", 12_000.0, 400.0),
            at(2, 0, "idle", 24_000.0, 400.0),
            at(2, 16 * KIB, "idle", 99_000.0, 500.0),
        ],
    );
    let found = finding(&table, &card(48, 2048), "idle_to_awake").unwrap();
    assert!((found.value.unwrap() - 8.0).abs() < 1e-9);
    assert!(found.low.unwrap() < 8.0 && found.high.unwrap() > 8.0);
    assert_eq!(idle_costs(&table).unwrap().held(), Some(true));
    assert!(
        finding(&table, &card(48, 2048), "idle_to_busy")
            .unwrap()
            .value
            .unwrap()
            < 2.01
    );
    assert!(finding(&table, &card(48, 2048), "busy_to_same_cpu").is_some());
}

#[test]
fn nothing_measured_says_nothing() {
    let table = table("switch/context", Vec::new());
    assert!(findings(&table, &card(48, 2048)).is_empty());
    assert!(footprint_costs(&table).is_none());
    assert!(crowd_costs(&table).is_none());
    assert!(idle_costs(&table).is_none());
}

#[test]
fn claims_follow_the_figures() {
    let held = ideal_table(&[2, 16], &[0, 16, 256]);
    assert_eq!(footprint_costs(&held).unwrap().held(), Some(true));
    assert_eq!(crowd_costs(&held).unwrap().held(), Some(true));
    let broken = table(
        "switch/context",
        vec![
            at(2, 0, HERE, 1500.0, 400.0),
            at(2, 16 * KIB, HERE, 1400.0, 400.0),
        ],
    );
    assert_eq!(footprint_costs(&broken).unwrap().held(), Some(false));
}

#[test]
fn a_step_inside_the_noise_stays_undecided() {
    let mut table = ideal_table(&[2, 4, 8, 16], &[0, 8, 32, 256]);
    for point in &mut table.points {
        let hop = &mut point.summaries[0];
        (hop.median.low, hop.median.high) = (hop.median.center * 0.2, hop.median.center * 1.8);
    }
    let first = finding(&table, &card(48, 2048), "l1_total_footprint").unwrap();
    assert_eq!(first.verdict, Verdict::Undecided, "{}", first.sentence);
}
