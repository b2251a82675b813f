//! Lines of known size, with and without prefetchers.

use super::super::{PAIR, PAIR_FAR, PAIR_STEPS, WALK, WALK_STEPS};
use super::{CLAIMS, findings};
use crate::testing::table;
use analysis::{ExperimentTable, PointView};
use record::{AxisValue, Finding, MachineCard, Verdict};
use testbed::caches::{card, measured};

fn point(method: &str, step: i64, ns: f64) -> PointView {
    let settings = [
        ("step", AxisValue::Int(step)),
        ("method", AxisValue::from(method)),
    ];
    measured("mem/line", &settings, &[ns])
}

/// A machine with lines of `line` B, fetched in blocks of `block` B.
fn machine(line: i64, block: i64) -> ExperimentTable {
    let pair = |method: &'static str, line: i64, hit: f64, miss: f64| {
        PAIR_STEPS
            .into_iter()
            .map(move |s| point(method, s, if s < line { hit } else { miss }))
    };
    let walked = |s: i64| 0.8 + 6.0 * (s.min(block) as f64 / block as f64);
    let points = pair(PAIR, line, 4.6, 6.5)
        .chain(pair(PAIR_FAR, block, 60.0, 110.0))
        .chain(WALK_STEPS.into_iter().map(|s| point(WALK, s, walked(s))))
        .collect();
    table("mem/line", points)
}

fn by_key<'a>(found: &'a [Finding], key: &str) -> &'a Finding {
    found
        .iter()
        .find(|f| f.key == key)
        .unwrap_or_else(|| panic!("no finding {key}"))
}

#[test]
fn every_line_size_is_read_off_the_pairs() {
    for line in [16, 32, 64, 128, 256] {
        let found = findings(&machine(line, line), &MachineCard::default());
        let f = by_key(&found, "line_size");
        assert_eq!(f.value, Some(line as f64));
        assert!(f.confidence.share > 0.99, "{}", f.confidence.share);
        assert_eq!(f.verdict, Verdict::Stated);
        assert!(
            by_key(&found, "fetched_together")
                .sentence
                .contains("one by one")
        );
    }
}

#[test]
fn pairs_of_lines_do_not_deceive() {
    let card = card(&[(32 << 10, 8)]);
    let found = findings(&machine(64, 128), &card);
    assert_eq!(by_key(&found, "line_size").value, Some(64.0));
    assert_eq!(by_key(&found, "line_size").verdict, Verdict::Agree);
    assert_eq!(by_key(&found, "fetched_together").value, Some(128.0));
    let walk = by_key(&found, "walk_knee");
    assert_eq!((walk.value, walk.verdict), (Some(128.0), Verdict::Disagree));
    assert!(walk.sentence.contains("prefetchers"), "{}", walk.sentence);
}

#[test]
fn a_card_that_is_wrong_is_contradicted_not_followed() {
    let found = findings(&machine(128, 128), &card(&[(64 << 10, 4)]));
    let f = by_key(&found, "line_size");
    assert_eq!((f.value, f.verdict), (Some(128.0), Verdict::Disagree));
    assert_eq!(f.reference, Some(64.0));
}

#[test]
fn flat_or_missing_curves_decide_nothing() {
    let flat = PAIR_STEPS
        .into_iter()
        .map(|s| point(PAIR, s, 5.0))
        .collect();
    let found = findings(&table("mem/line", flat), &MachineCard::default());
    assert_eq!(by_key(&found, "line_size").verdict, Verdict::Undecided);
    assert!(findings(&table("mem/line", Vec::new()), &MachineCard::default()).is_empty());
}

#[test]
fn the_claim_follows_the_curve() {
    let held = (CLAIMS[0].check)(&machine(64, 64)).map(|(held, _)| held);
    assert_eq!(held, Some(true));
    assert!((CLAIMS[0].check)(&table("mem/line", Vec::new())).is_none());
}
