use super::*;
use crate::view::{Contamination, ContaminationLevel, PointView, Summary};
use record::{PointHead, PointState};
use stats::{Method, Rng};

/// A value to so many percent.
fn about(center: f64, percent: f64) -> Interval {
    let half = center * percent / 100.0;
    Interval::resampled(center, center - half, center + half)
}

fn quoted(what: &str, center: f64, percent: f64) -> Quoted {
    Quoted::estimate(what, about(center, percent), "ns")
}

fn series(values: &[f64], percent: f64) -> Vec<Quoted> {
    let all = values.iter().enumerate();
    all.map(|(at, v)| quoted(&format!("at {at}"), *v, percent))
        .collect()
}

fn holds(outcome: Option<Outcome>) -> Holds {
    outcome.expect("there are points").holds
}

#[test]
fn an_interval_decides_where_it_leaves_no_room() {
    let (ten, twelve) = (about(10.0, 1.0), about(12.0, 1.0));
    assert_eq!(at_most(&ten, &twelve, 1.0), Holds::Held);
    assert_eq!(at_most(&twelve, &ten, 1.0), Holds::Broken);
    assert_eq!(above(&twelve, &ten, 1.0), Holds::Held);
    assert_eq!(above(&ten, &twelve, 1.0), Holds::Broken);
    let wide = about(12.0, 30.0);
    assert_eq!(at_most(&ten, &wide, 1.0), Holds::Unclear);
    assert_eq!(above(&wide, &ten, 1.0), Holds::Unclear);
}

#[test]
fn a_margin_moves_the_border_and_not_the_noise() {
    let (ten, more) = (about(10.0, 0.5), about(10.2, 0.5));
    assert_eq!(at_most(&more, &ten, 1.0), Holds::Broken);
    assert_eq!(at_most(&more, &ten, 1.05), Holds::Held);
    assert_eq!(at_most(&about(10.5, 0.5), &ten, 1.05), Holds::Unclear);
    assert_eq!(at_most(&about(11.0, 0.5), &ten, 1.05), Holds::Broken);
    assert_eq!(above(&about(25.0, 1.0), &ten, 2.0), Holds::Held);
    assert_eq!(above(&about(15.0, 1.0), &ten, 2.0), Holds::Broken);
}

#[test]
fn a_factor_is_that_of_the_figure_named_second() {
    let judged = |ns| {
        let (a, b) = (quoted("a", ns, 1.0), quoted("b", 10.0, 1.0));
        let above = a.clone().above(b.clone()).times(10.0);
        let at_least = a.clone().at_least(b.clone()).times(10.0);
        let below = a.below(b).times(10.0);
        [above, at_least, below].map(|pair| holds(one(pair)))
    };
    assert_eq!(judged(110.0), [Holds::Held, Holds::Held, Holds::Broken]);
    assert_eq!(judged(90.0), [Holds::Broken, Holds::Broken, Holds::Held]);
    assert_eq!(judged(100.0), [Holds::Unclear; 3]);
}

#[test]
fn a_share_is_allowed_whichever_side_is_named_first() {
    let (a, b) = (quoted("a", 100.0, 0.1), quoted("b", 103.0, 0.1));
    let forth = a.clone().at_least(b.clone()).allowing(0.05);
    let back = b.at_most(a).allowing(0.05);
    assert_eq!([forth, back].map(|p| holds(one(p))), [Holds::Held; 2]);
}

#[test]
fn values_at_and_below_zero_are_compared_as_well() {
    let around = |center: f64| Interval::resampled(center, center - 1.0, center + 1.0);
    assert_eq!(at_most(&around(-3.0), &around(0.0), 1.0), Holds::Held);
    assert_eq!(at_most(&around(0.0), &around(0.5), 1.0), Holds::Unclear);
}

#[test]
fn what_is_no_interval_decides_nothing() {
    let ten = about(10.0, 1.0);
    let (open, unknown, none, few) = (
        Interval {
            high: f64::INFINITY,
            ..about(100.0, 1.0)
        },
        Interval {
            center: f64::NAN,
            ..about(100.0, 1.0)
        },
        Interval {
            method: Method::None,
            level: 0.0,
            ..about(100.0, 1.0)
        },
        Interval {
            level: 0.5,
            ..about(100.0, 1.0)
        },
    );
    for odd in [open, unknown, none, few] {
        for factor in [0.01, 1.0, 100.0] {
            assert_eq!(at_most(&odd, &ten, factor), Holds::Unclear, "{odd:?}");
            assert_eq!(above(&ten, &odd, factor), Holds::Unclear, "{odd:?}");
        }
        let odd = Quoted::estimate("odd", odd, "ns");
        let outcome = one(odd.above(quoted("usual", 10.0, 1.0))).expect("both are there");
        assert_eq!(outcome.holds, Holds::Unclear);
        assert!(outcome.evidence.contains("; odd has "), "{outcome:?}");
    }
}

#[test]
fn a_level_under_95_percent_is_brought_to_it() {
    let at = |level| Interval {
        level,
        ..about(10.0, 2.0)
    };
    assert_eq!(at_most(&at(0.95), &about(10.25, 0.1), 1.0), Holds::Held);
    assert_eq!(at_most(&at(0.75), &about(10.25, 0.1), 1.0), Holds::Unclear);
}

#[test]
fn the_evidence_has_both_figures_their_intervals_and_the_reason() {
    let outcome = |a: Quoted, b| one(a.above(b)).expect("both are there");
    let far = outcome(quoted("cold", 20.0, 1.0), quoted("hot", 10.0, 1.0));
    assert_eq!(
        far.evidence,
        "cold 20.00 ns (19.80 to 20.20), hot 10.00 ns (9.90 to 10.10)"
    );
    let near = outcome(quoted("cold", 10.05, 1.0), quoted("hot", 10.0, 1.0));
    assert!(
        near.evidence.ends_with("; the intervals overlap"),
        "{near:?}"
    );
    let limit = quoted("open", 999.0, 1.0).below(Quoted::limit(1000.0, "ns"));
    let limit = one(limit).expect("it is there");
    assert_eq!(
        limit.evidence,
        "open 999.0 ns (989.0 to 1009.0), limit 1000 ns; the interval reaches over it"
    );
    let margin = quoted("a", 103.0, 1.0).at_most(quoted("b", 100.0, 1.0));
    let margin = one(margin.allowing(0.05)).expect("both are there");
    assert!(margin.evidence.ends_with(", 5 % allowed"), "{margin:?}");
}

#[test]
fn settings_that_both_have_are_named_once_and_long_times_in_their_unit() {
    let long = quoted("size=4 pages=thp", 25_000.0, 1.0);
    let short = quoted("size=1 pages=thp", 25.0, 1.0);
    let outcome = one(long.clone().above(short)).expect("both are there");
    assert_eq!(
        outcome.evidence,
        "size=4 pages=thp 25.00 us (24.75 to 25.25), size=1 25.00 ns (24.75 to 25.25)"
    );
    let unknown = long.at_most(quoted("size=1 pages=thp", f64::NAN, 1.0));
    let unknown = one(unknown).expect("both are there");
    assert!(
        unknown
            .evidence
            .ends_with("; the second has no finite interval")
    );
    let limit = |value| Quoted::limit(value, "ns").to_string();
    assert_eq!(limit(0.95), "limit 0.95 ns");
    assert_eq!(limit(1000.0), "limit 1000 ns");
    assert_eq!(limit(10_000.0), "limit 10 us");
}

#[test]
fn known_counts_are_decided_exactly() {
    let count = |n: f64| Quoted::limit(n, "calls");
    let judged = |pair| one(pair).map(|o| o.held());
    assert_eq!(judged(count(2.0).at_least(count(2.0))), Some(Some(true)));
    assert_eq!(judged(count(2.0).above(count(2.0))), Some(Some(false)));
    assert_eq!(judged(count(2.0).at_most(count(1.0))), Some(Some(false)));
}

#[test]
fn of_many_pairs_all_have_to_hold_and_the_worst_is_named() {
    let pair = |what, ns, percent| quoted(what, ns, percent).at_most(quoted("b", 100.0, 1.0));
    let good = || pair("good", 90.0, 1.0);
    assert_eq!(all([]), None);
    assert_eq!(holds(all([good(), good()])), Holds::Held);
    let unclear = all([good(), pair("near", 100.5, 1.0)]).expect("two pairs");
    assert_eq!(unclear.holds, Holds::Unclear);
    assert!(
        unclear
            .evidence
            .starts_with("the worst of 2 comparisons: near"),
        "{unclear:?}"
    );
    let broken = all([pair("near", 130.0, 90.0), good(), pair("bad", 120.0, 1.0)]);
    let broken = broken.expect("three pairs");
    assert_eq!(broken.holds, Holds::Broken, "by one of them");
    assert!(broken.evidence.contains("bad 120.0 ns"), "{broken:?}");
}

#[test]
fn one_of_many_has_to_be_further_apart_to_break_them_all() {
    // 3 standard deviations of the difference.
    let off = || quoted("off", 103.0 * 1.0, 1.96 * 0.7).at_most(quoted("b", 100.0, 1.96 * 0.7));
    let good = || quoted("good", 50.0, 1.0).at_most(quoted("b", 100.0, 1.0));
    assert_eq!(holds(one(off())), Holds::Broken);
    let many = all((0..100).map(|_| good()).chain([off()])).expect("many");
    assert_eq!(many.holds, Holds::Unclear);
    assert!(many.evidence.ends_with("may be chance"), "{many:?}");
}

#[test]
fn a_series_that_falls_clearly_is_broken_and_a_noisy_one_unclear() {
    let judged = |values: &[f64], percent| holds(never_falls(&series(values, percent), 0.02));
    assert_eq!(judged(&[1.0, 5.0, 5.0, 90.0, 132.0], 0.5), Holds::Held);
    assert_eq!(judged(&[1.0, 5.0, 90.0, 132.0, 110.0], 1.0), Holds::Broken);
    assert_eq!(
        judged(&[1.0, 5.0, 90.0, 132.0, 110.0], 20.0),
        Holds::Unclear
    );
    assert_eq!(judged(&[1.0, 5.0, 5.0, 90.0, 90.0], 10.0), Holds::Unclear);
    assert_eq!(never_falls(&series(&[1.0], 1.0), 0.02), None);
}

#[test]
fn a_slow_decline_is_seen_from_its_highest_point() {
    let slow = [100.0, 98.5, 97.0, 95.5, 94.0, 92.5];
    let outcome = never_falls(&series(&slow, 0.5), 0.02).expect("six points");
    assert_eq!(outcome.holds, Holds::Broken);
    assert!(outcome.evidence.contains("at 0 100.0 ns"), "{outcome:?}");
    assert!(
        outcome.evidence.contains("of 15 comparisons"),
        "{outcome:?}"
    );
}

fn point(value: Interval, spread: f64, level: ContaminationLevel) -> PointView {
    let center = value.center;
    let summary = Summary {
        at_best: None,
        metric: 0,
        samples: 31,
        processes: 1,
        effective: 31.0,
        median: value,
        min: center - spread,
        max: center + spread,
        mean: center,
        variance: 0.0,
        p25: center,
        p75: center,
        p90: None,
        p99: None,
        modes: Vec::new(),
        modes_between_processes: false,
    };
    PointView {
        head: PointHead {
            index: 0,
            experiment: "a/b".to_owned(),
            settings: Vec::new(),
            bytes_per_op: None,
            state: PointState::Done,
            notes: Vec::new(),
            traces: Vec::new(),
            interrupts: None,
        }
        .into(),
        summaries: vec![summary],
        contamination: Some(Contamination {
            level,
            disturbed: 1,
            unknown: 0,
            samples: 31,
            reason: "switches".to_owned(),
        }),
        link_ns: None,
        burst_ns: None,
        cycles: None,
        in_order: Vec::new(),
        histogram: None,
    }
}

#[test]
fn a_contaminated_time_decides_nothing_and_a_disturbed_one_does() {
    let judged = |level| {
        let quoted = Quoted::latency(&point(about(100.0, 1.0), 5.0, level));
        one(quoted.expect("measured").below(Quoted::limit(200.0, "ns"))).expect("one pair")
    };
    assert_eq!(judged(ContaminationLevel::Clean).holds, Holds::Held);
    assert_eq!(judged(ContaminationLevel::Disturbed).holds, Holds::Held);
    let contaminated = judged(ContaminationLevel::Contaminated);
    assert_eq!(contaminated.holds, Holds::Unclear);
    assert!(
        contaminated.evidence.ends_with("is contaminated"),
        "{contaminated:?}"
    );
}

#[test]
fn a_count_without_spread_needs_no_interval() {
    let none = Interval {
        method: Method::None,
        level: 0.0,
        ..about(2.0, 0.0)
    };
    let judged = |spread| {
        let at = point(none, spread, ContaminationLevel::Contaminated);
        let count = Quoted::count(&at, 0, "calls").expect("measured");
        holds(one(count.at_least(Quoted::limit(2.0, "calls"))))
    };
    assert_eq!(judged(0.0), Holds::Held);
    assert_eq!(judged(1.0), Holds::Unclear);
}

#[test]
fn a_share_is_as_sure_as_its_samples_are_many() {
    let judged = |samples: f64| {
        let mut at = point(about(0.97, 0.0), 0.0, ContaminationLevel::Clean);
        at.summaries[0].effective = samples;
        let share = Quoted::share(&at, 0).expect("measured");
        holds(one(share.above(Quoted::limit(0.9, ""))))
    };
    assert_eq!(judged(1000.0), Holds::Held);
    assert_eq!(judged(20.0), Holds::Unclear);
}

/// A value of true median 100 with an interval of its own noise.
fn drawn(rng: &mut Rng, sigma: f64) -> Quoted {
    let center = 100.0 + sigma * rng.normal();
    let half = 1.96 * sigma;
    let value = Interval::resampled(center, center - half, center + half);
    Quoted::estimate("drawn", value, "ns")
}

const DRAWS: usize = 4000;

#[test]
fn equal_figures_are_seldom_said_to_differ() {
    let mut rng = Rng::new(0x434c_4149);
    let decided = (0..DRAWS).map(|_| {
        let sigma = 0.2 + 3.0 * rng.uniform();
        let (a, b) = (drawn(&mut rng, sigma), drawn(&mut rng, 1.0));
        holds(one(a.above(b)))
    });
    let all: Vec<Holds> = decided.collect();
    for wrong in [Holds::Held, Holds::Broken] {
        let share = all.iter().filter(|h| **h == wrong).count() as f64 / DRAWS as f64;
        assert!(share < 0.04, "{share} {wrong:?}, 0.025 expected");
    }
}

#[test]
fn a_flat_series_is_seldom_broken_and_one_at_the_margin_seldom_held() {
    let mut rng = Rng::new(0x464c_4154);
    let mut broken = 0;
    let mut held = 0;
    for _ in 0..DRAWS / 4 {
        let flat: Vec<Quoted> = (0..30).map(|_| drawn(&mut rng, 1.0)).collect();
        broken += usize::from(holds(never_falls(&flat, 0.0)) == Holds::Broken);
        // It falls by just what is allowed.
        let fallen = drawn(&mut rng, 1.0).map("ns", |v| v / 1.02);
        let margin = [drawn(&mut rng, 1.0), fallen];
        held += usize::from(holds(never_falls(&margin, 0.02)) == Holds::Held);
    }
    let share = |count: usize| count as f64 / (DRAWS / 4) as f64;
    assert!(share(broken) < 0.05, "{}", share(broken));
    assert!(share(held) < 0.05, "{}", share(held));
}
