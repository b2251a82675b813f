//! A golden page, and parts of it.

use super::write;
use crate::export::sample_tests::capture;
use crate::select::Selection;

fn written(selection: &Selection) -> String {
    let mut out = Vec::new();
    write(&capture(), selection, &mut out, |e| panic!("{e}")).unwrap();
    String::from_utf8(out).unwrap()
}

/// What was agreed upon; after a change that is meant, look at the difference
/// and take the new text over.
#[test]
fn the_page_is_the_golden_one() {
    let golden = include_str!("golden.json");
    let now = written(&Selection::all());
    assert!(now == golden, "it became:\n{now}");
}

#[test]
fn a_range_has_its_own_slices_only() {
    let selection = Selection {
        from_ns: 1_003_000,
        to_ns: 1_010_000,
        cpus: None,
    };
    let now = written(&selection);
    assert!(now.contains("softirq TIMER"), "{now}");
    // Its entry lies before the range.
    assert!(!now.contains("irq 34"), "{now}");
    assert!(!now.contains("sched_waking"), "{now}");
}

#[test]
fn nothing_is_still_a_page() {
    let selection = Selection {
        from_ns: 0,
        to_ns: 0,
        cpus: Some(vec![9]),
    };
    let now = written(&selection);
    assert!(
        now.ends_with("}}\n],\"displayTimeUnit\":\"ns\"}\n"),
        "{now}"
    );
}
