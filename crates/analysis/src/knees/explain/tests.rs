//! What is near, what counts as a change and what is said of it: at each limit
//! and on both sides of it.

use super::*;
use crate::knees::WhatIf;
use record::Verdict;
use stats::{Interval, Knees, LogSegment};

const KIB: f64 = 1024.0;

/// A cliff between 32 and 64 KiB, known to one step of the grid.
fn knee() -> Knee {
    Knee {
        at: Interval::resampled(45.0 * KIB, 32.0 * KIB, 64.0 * KIB),
        before_x: 32.0 * KIB,
        after_x: 64.0 * KIB,
        confidence: 0.9,
        slope_before: 1.0,
        slope_after: 1.0,
        jump: 0.25,
    }
}

fn threshold(bytes: f64) -> Threshold {
    Threshold {
        name: "pipe capacity".to_owned(),
        bytes: bytes as u64,
        source: "F_GETPIPE_SZ".to_owned(),
        remedy: None,
        what_if: None,
        shows_in: vec!["switches"],
    }
}

fn evidence(points: &[(f64, f64)]) -> Evidence {
    Evidence {
        name: "switches per message".to_owned(),
        rise_means: Some("every write blocks".to_owned()),
        points: points.iter().map(|(kib, n)| (kib * KIB, *n)).collect(),
    }
}

fn curve(points: &[(f64, f64)]) -> Vec<CurvePoint> {
    let point = |(kib, median): &(f64, f64)| CurvePoint::new(kib * KIB, *median, *median, *median);
    points.iter().map(point).collect()
}

fn segment(from_x: f64, to_x: f64) -> LogSegment {
    LogSegment {
        from_x,
        to_x,
        slope: Interval::resampled(0.0, 0.0, 0.0),
        level: 2.0,
    }
}

fn knees(breaks: Vec<Knee>) -> Knees {
    let mut segments = vec![segment(KIB, 32.0 * KIB)];
    segments.extend(breaks.iter().map(|k| segment(k.after_x, 999.0 * KIB)));
    Knees {
        segments,
        breaks,
        confidence: 0.7,
    }
}

/// Hands over a sweep of these knees over 32, 64 and 128 KiB at 4, 1 and 1.
fn with_sweep<T>(breaks: Vec<Knee>, higher_is_better: bool, then: impl Fn(&Sweep<'_>) -> T) -> T {
    let (knees, curve) = (
        knees(breaks),
        curve(&[(32.0, 4.0), (64.0, 1.0), (128.0, 1.0)]),
    );
    then(&Sweep {
        conditions: "",
        axis: "size",
        axis_unit: Unit::Bytes,
        metric: "bandwidth",
        unit: Unit::GigabytesPerSecond,
        higher_is_better,
        key: "pipe",
        only: &[],
        curve: &curve,
        knees: &knees,
    })
}

#[test]
fn a_finding_has_the_place_and_the_interval_of_its_knee() {
    with_sweep(vec![knee()], true, |sweep| {
        let found = explain(sweep, &[], &[]);
        let [regions, cliff] = &found[..] else {
            panic!("{found:#?}");
        };
        let place = (cliff.value, cliff.low, cliff.high, cliff.unit);
        let expected = (Some(45.0 * KIB), Some(32.0 * KIB), Some(64.0 * KIB));
        assert_eq!(place, (expected.0, expected.1, expected.2, Unit::Bytes));
        assert_eq!(
            (cliff.key.as_str(), cliff.confidence.share),
            ("pipe_knee_1", 0.9)
        );
        let ranges: Vec<(f64, f64)> = regions.regions.iter().map(|r| (r.from_x, r.to_x)).collect();
        assert_eq!(ranges, [(KIB, 45.0 * KIB), (45.0 * KIB, 999.0 * KIB)]);
        assert_eq!(
            (regions.key.as_str(), regions.confidence.share),
            ("pipe_regions", 0.7)
        );
        assert_eq!((regions.value, regions.unit), (None, Unit::Word));
    });
}

#[test]
fn six_of_ten_redrawn_curves_make_it_sure() {
    let verdict = |confidence: f64| {
        let knee = Knee {
            confidence,
            ..knee()
        };
        with_sweep(vec![knee], true, |sweep| {
            explain(sweep, &[], &[])[1].verdict
        })
    };
    assert_eq!(verdict(0.6), Verdict::Stated);
    assert_eq!(verdict(0.599), Verdict::Undecided);
}

#[test]
fn near_is_inside_the_interval_or_one_step_of_the_grid_away() {
    let near = |kib: f64, knee: Knee| is_near(&threshold(kib * KIB), &knee);
    for kib in [22.5, 32.0, 64.0, 90.0] {
        assert!(near(kib, knee()), "{kib}");
    }
    for kib in [22.4, 90.1] {
        assert!(!near(kib, knee()), "{kib}");
    }
    let wide = Knee {
        at: Interval::resampled(45.0 * KIB, 4.0 * KIB, 512.0 * KIB),
        ..knee()
    };
    assert!(near(4.0, wide) && near(512.0, wide));
    assert!(!near(3.9, wide) && !near(513.0, wide));
}

/// `from` at 32 KiB and below, `to` at 64 KiB and above.
fn stepped(from: f64, to: f64) -> Option<(f64, f64)> {
    let points = [
        (8.0, from),
        (16.0, from),
        (32.0, from),
        (64.0, to),
        (128.0, to),
        (256.0, to),
    ];
    let evidence = evidence(&points);
    step(&evidence, &knee()).map(|s| (s.from.1, s.to.1))
}

#[test]
fn evidence_changes_by_a_factor_of_two() {
    assert_eq!(stepped(1.0, 2.0), Some((1.0, 2.0)));
    assert_eq!(stepped(1.0, 1.99), None);
    assert_eq!(stepped(2.0, 1.0), Some((2.0, 1.0)));
    assert_eq!(stepped(2.0, 1.01), None);
    assert_eq!(stepped(0.0, 0.0), None);
}

#[test]
fn fewer_than_two_in_a_hundred_are_none() {
    assert_eq!(stepped(0.0, 0.04), Some((0.0, 0.04)));
    assert_eq!(stepped(0.0, 0.039), None);
    assert_eq!(stepped(0.0001, 0.039), None);
    // Nor what is a hundredth of the larger count.
    assert_eq!(stepped(1.0, 100.0), Some((1.0, 100.0)));
}

/// With every doubling of the message it doubles: that is no event of the knee.
#[test]
fn evidence_must_change_beyond_its_own_trend() {
    let at = |factor: f64| {
        let points = [
            (8.0, 1.0),
            (16.0, 2.0),
            (32.0, 4.0),
            (64.0, 4.0 * factor),
            (128.0, 8.0 * factor),
        ];
        step(&evidence(&points), &knee()).is_some()
    };
    assert!(!at(2.0) && !at(3.99), "twice the trend is needed");
    assert!(at(4.0));
    // It stands still where it otherwise doubles: no change of its own.
    assert!(!at(1.0));
    assert!(at(0.5), "it halves where it otherwise doubles");
}

#[test]
fn only_what_changes_inside_the_interval_counts() {
    let before = [(8.0, 1.0), (16.0, 1.0), (32.0, 9.0), (64.0, 9.0)];
    assert!(step(&evidence(&before), &knee()).is_none());
    let odd = [
        (32.0, 1.0),
        (64.0, 9.0),
        (f64::NAN, 3.0),
        (48.0, -7.0),
        (50.0, f64::INFINITY),
    ];
    assert!(
        step(&evidence(&odd), &knee()).is_some(),
        "what is no count is left out"
    );
    let unordered = [(64.0, 9.0), (32.0, 1.0)];
    assert!(step(&evidence(&unordered), &knee()).is_some());
}

#[test]
fn every_operation_is_from_a_half_on() {
    let clause = |from: f64, to: f64| {
        let evidence = evidence(&[(32.0, from), (64.0, to)]);
        step(&evidence, &knee())
            .expect("a step")
            .clause(Unit::Bytes)
    };
    let of = "switches per message, 32 KiB to 64 KiB)";
    assert_eq!(
        clause(0.1, 0.5),
        format!("every write blocks (0.1 -> 0.5 {of}")
    );
    assert_eq!(
        clause(0.1, 0.49),
        format!("more switches per message (0.1 -> 0.49 {of}")
    );
    assert_eq!(
        clause(4.0, 1.0),
        format!("fewer switches per message (4 -> 1 {of}")
    );
}

#[test]
fn only_more_of_what_shows_a_threshold_is_its_cause() {
    let shows = |from: f64, to: f64, words: Vec<&'static str>| {
        let evidence = evidence(&[(32.0, from), (64.0, to)]);
        let threshold = Threshold {
            shows_in: words,
            ..threshold(64.0 * KIB)
        };
        step(&evidence, &knee()).expect("a step").shows(&threshold)
    };
    assert!(shows(1.0, 2.0, vec!["misses", "switches"]));
    assert!(!shows(1.0, 2.0, vec!["misses"]));
    assert!(!shows(2.0, 1.0, vec!["switches"]));
}

#[test]
fn the_nearest_threshold_is_named_first_and_a_cause_before_all() {
    let (far, close) = (threshold(32.0 * KIB), threshold(44.0 * KIB));
    let named = |name: &str, of: &Threshold| Threshold {
        name: name.to_owned(),
        ..of.clone()
    };
    let sentence = |evidence: &[Evidence]| {
        let mut all = [named("far", &far), named("close", &close)];
        all[1].shows_in.clear();
        all[0].remedy = Some("raise it".to_owned());
        with_sweep(vec![knee()], true, |sweep| {
            let finding = explain(sweep, &all, evidence).remove(1);
            (finding.sentence, finding.verdict, finding.reference)
        })
    };
    let (text, verdict, reference) = sentence(&[]);
    assert!(
        text.ends_with("; coincides with close (44 KiB), far (32 KiB)"),
        "{text}"
    );
    assert_eq!((verdict, reference), (Verdict::Stated, None));
    let blocks = evidence(&[(32.0, 0.1), (64.0, 2.0)]);
    let (text, verdict, reference) = sentence(&[blocks]);
    assert!(
        text.ends_with(": far is 32 KiB (also near: close (44 KiB)); raise it"),
        "{text}"
    );
    assert_eq!((verdict, reference), (Verdict::Agree, Some(32.0 * KIB)));
}

/// The moved threshold gives `gain` from 64 KiB on.
fn moved(gain: f64, higher_is_better: bool, next: Option<Knee>) -> String {
    let mut threshold = threshold(64.0 * KIB);
    threshold.what_if = Some(WhatIf {
        change: "raising it".to_owned(),
        // What lies before the knee, or behind the next one, does not count.
        curve: curve(&[(32.0, 900.0), (64.0, gain), (128.0, 9.0 * gain)]),
    });
    let breaks = [Some(knee()), next].into_iter().flatten().collect();
    with_sweep(breaks, higher_is_better, |sweep| {
        what_if(sweep, &sweep.knees.breaks[0], 0, &threshold)
    })
}

#[test]
fn what_a_moved_threshold_gives_is_known_up_to_the_next_knee() {
    let next = || {
        Some(Knee {
            before_x: 64.0 * KIB,
            after_x: 128.0 * KIB,
            ..knee()
        })
    };
    assert_eq!(moved(2.0, true, next()), "; raising it gives 2x");
    assert_eq!(moved(2.0, false, next()), "; raising it gives 0.5x");
    assert_eq!(
        moved(2.0, true, None),
        "; raising it gives 6x",
        "mean of 2 and 18"
    );
    for nothing in [1.0, 1.049, 0.951] {
        assert_eq!(moved(nothing, true, next()), "; raising it has no effect");
    }
    assert_eq!(moved(1.06, true, next()), "; raising it gives 1.06x");
    assert_eq!(moved(0.94, true, next()), "; raising it gives 0.94x");
    let none = with_sweep(vec![knee()], true, |sweep| {
        what_if(sweep, &knee(), 0, &threshold(64.0 * KIB))
    });
    assert_eq!(none, "");
}
