use super::super::routes::tests::machine;
use super::*;
use crate::testing::table;
use record::Verdict;

const ID: &str = "mem/line_transfer";
use testbed::{int, measured, word as set};

fn point(from: i64, to: i64, method: &str, ns: f64) -> PointView {
    let settings = [int("from", from), int("to", to), set("method", method)];
    let mut point = measured(ID, &settings, &[ns, 1.0, ns - 1.0]);
    if method == "stream" {
        point.head.bytes_per_op = Some(64);
    }
    point
}

/// All pairs of a machine, each relation at its own cost.
fn matrix(cpus: u32, cost: impl Fn(Placement) -> f64) -> ExperimentTable {
    let card = machine(cpus);
    let mut points = Vec::new();
    for a in 0..cpus {
        for b in (0..cpus).filter(|b| *b != a) {
            let relation = Placement::between(&card.places, a, b).expect("both are placed");
            points.push(point(a.into(), b.into(), "load_store", cost(relation)));
        }
    }
    table(ID, points)
}

fn groups_of(cpus: u32, cost: impl Fn(Placement) -> f64) -> Finding {
    groups(&matrix(cpus, cost), &machine(cpus).places).expect("several pairs")
}

#[test]
fn groups_that_the_kernel_knows_agree() {
    let finding = groups_of(32, |r| 20.0 * 2f64.powi(r as i32));
    assert_eq!(finding.verdict, Verdict::Agree, "{}", finding.sentence);
    assert!(
        finding.sentence.contains("4 groups"),
        "{}",
        finding.sentence
    );
}

#[test]
fn groups_that_the_kernel_does_not_know_or_that_do_not_show_disagree() {
    let flat = groups_of(8, |_| 50.0);
    assert_eq!(flat.verdict, Verdict::Disagree, "{}", flat.sentence);
    assert!(
        flat.sentence.contains("at the same distance"),
        "{}",
        flat.sentence
    );
    let mut split = matrix(8, |r| {
        if r == Placement::SmtSibling {
            10.0
        } else {
            50.0
        }
    });
    split.points.push(point(2, 3, "load_store", 900.0));
    let finding = groups(&split, &machine(8).places).expect("several pairs");
    assert_eq!(finding.verdict, Verdict::Disagree, "{}", finding.sentence);
    assert!(
        finding.sentence.contains("does not know"),
        "{}",
        finding.sentence
    );
}

#[test]
fn nothing_is_said_of_groups_without_pairs_or_places() {
    assert!(groups(&matrix(2, |_| 50.0), &machine(2).places).is_none());
    let stated = groups(&matrix(8, |_| 50.0), &[]).expect("several pairs");
    assert_eq!(stated.verdict, Verdict::Stated);
    let empty = table(ID, Vec::new());
    assert!(findings(&empty, &machine(8)).is_empty());
}

#[test]
fn the_nearest_and_the_farthest_pair_are_named() {
    let t = table(
        ID,
        vec![
            point(0, 1, "load_store", 60.0),
            point(1, 0, "load_store", 90.0),
            point(0, 1, "stream", 16.0),
        ],
    );
    let found = findings(&t, &machine(2));
    let keys: Vec<&str> = found.iter().map(|f| f.key.as_str()).collect();
    assert_eq!(keys, ["nearest_pair", "farthest_pair", "fastest_stream"]);
    assert!(found[0].sentence.contains("CPU 0 to CPU 1"));
    assert_eq!(found[2].value, Some(4.0));
}

#[test]
fn several_levels_are_named_with_their_places() {
    let mut jumps = point(0, 1, "load_store", 60.0);
    jumps.summaries[0].modes = [25.0, 120.0]
        .map(|center| analysis::Mode { center, share: 0.5 })
        .to_vec();
    let found = jumping(&table(ID, vec![jumps])).expect("two modes");
    assert!(
        found.sentence.contains("25 ns, 120 ns"),
        "{}",
        found.sentence
    );
}

#[test]
fn claims_hold_on_a_plausible_machine_and_fail_on_an_odd_one() {
    let good = table(
        ID,
        vec![
            point(0, 1, "load_store", 60.0),
            point(1, 0, "load_store", 61.0),
            point(0, 1, "stream", 16.0),
        ],
    );
    let odd = table(
        ID,
        vec![
            point(0, 1, "load_store", 0.5),
            point(1, 0, "load_store", 61.0),
            point(0, 1, "stream", 16.0),
        ],
    );
    for claim in [costs_more_than_staying, symmetric, stream_overlaps] {
        assert_eq!(
            claim(&good).map(|o| o.held().expect(&o.evidence)),
            Some(true)
        );
        assert_eq!(
            claim(&odd).map(|o| o.held().expect(&o.evidence)),
            Some(false)
        );
        assert!(claim(&table(ID, Vec::new())).is_none());
    }
}
