use super::*;
use record::{Cache, CacheKind, Finding, MachineCard, Verdict};
use stats::{KneeOptions, log_log_knees};

const KIB: f64 = 1024.0;

fn sizes() -> Vec<f64> {
    (0..25).map(|i| 2f64.powi(i)).collect()
}

/// A curve with intervals of 2 % and a wobble of half a percent.
fn curve(y: impl Fn(f64) -> f64) -> Vec<CurvePoint> {
    let wobble = [1.0, 1.004, 0.997, 1.002, 0.995];
    let point = |(i, x): (usize, f64)| {
        let median = y(x) * wobble[i % 5];
        CurvePoint::new(x, median, median * 0.99, median * 1.01)
    };
    sizes().into_iter().enumerate().map(point).collect()
}

/// 3 GB/s for each KiB up to 4 KiB, a plateau, and a cliff from 64 KiB on.
fn pipe(x: f64) -> f64 {
    let rate = 3.0 * x.min(4.0 * KIB) / KIB;
    if x < 64.0 * KIB { rate } else { rate / 7.0 }
}

fn card() -> MachineCard {
    let cache = |level, kind, kib: u64| Cache {
        level,
        kind,
        size_bytes: kib << 10,
        line_bytes: Some(64),
        ways: None,
        shared_by: vec![0],
        instances: 1,
    };
    MachineCard {
        page_bytes: 4096,
        caches: vec![
            cache(1, CacheKind::Data, 48),
            cache(1, CacheKind::Instruction, 32),
            cache(2, CacheKind::Unified, 1024),
        ],
        ..MachineCard::default()
    }
}

fn facts() -> Facts {
    Facts {
        pipe_bytes: Some(65536),
        pipe_what_if: Some(WhatIf {
            change: "raising it to 1 MiB".to_owned(),
            curve: curve(|x| pipe(x.min(32.0 * KIB)) / 2.0),
        }),
        ..Facts::default()
    }
}

fn switches(y: impl Fn(f64) -> f64) -> Evidence {
    Evidence {
        name: "voluntary switches per message".to_owned(),
        rise_means: Some("every write blocks".to_owned()),
        points: sizes().into_iter().map(|x| (x, y(x))).collect(),
    }
}

fn explained(points: &[CurvePoint], facts: &Facts, evidence: &[Evidence]) -> Vec<Finding> {
    explained_where("", points, facts, evidence)
}

fn explained_where(
    conditions: &str,
    points: &[CurvePoint],
    facts: &Facts,
    evidence: &[Evidence],
) -> Vec<Finding> {
    let knees = log_log_knees(points, KneeOptions::default()).expect("a valid curve");
    let sweep = Sweep {
        conditions,
        axis: "size",
        axis_unit: Unit::Bytes,
        metric: "bandwidth",
        unit: Unit::GigabytesPerSecond,
        higher_is_better: true,
        key: "pipe",
        only: &[],
        curve: points,
        knees: &knees,
    };
    explain(&sweep, &thresholds(&card(), facts), evidence)
}

#[test]
fn a_cliff_with_its_evidence_is_explained_and_what_would_help_is_named() {
    let blocks = switches(|x| if x < 64.0 * KIB { 0.02 } else { 2.0 });
    let found = explained(&curve(pipe), &facts(), &[blocks]);
    let [_, bend, cliff] = &found[..] else {
        panic!("{found:#?}");
    };
    let s = &cliff.sentence;
    assert!(s.starts_with("from 64 KiB (32 KiB to "), "{s}");
    assert!(
        s.contains("bandwidth falls to 0.143 of the previous line"),
        "{s}"
    );
    let evidence =
        "every write blocks (0.02 -> 2 voluntary switches per message, 32 KiB to 64 KiB)";
    assert!(s.contains(evidence), "{s}");
    assert!(
        s.contains(": pipe capacity is 64 KiB (also near: L1d (48 KiB))"),
        "{s}"
    );
    assert!(s.ends_with("; raising it to 1 MiB gives 3.5x"), "{s}");
    assert!(!s.contains("coincides"), "{s}");
    assert_eq!(
        (cliff.verdict, cliff.reference),
        (Verdict::Agree, Some(65536.0))
    );
    assert_eq!(cliff.key, "pipe_knee_2");
    assert!(cliff.low <= Some(65536.0) && cliff.high >= Some(65536.0));
    // Nothing was counted to change at the bend.
    let s = &bend.sentence;
    assert!(s.contains("turns flat (slope 1.0"), "{s}");
    assert!(
        s.contains("coincides with ") && s.contains("page (4 KiB)"),
        "{s}"
    );
    assert!(s.contains("PIPE_BUF (4 KiB)"), "every match is named: {s}");
    assert_eq!((bend.verdict, bend.reference), (Verdict::Stated, None));
}

#[test]
fn what_happens_to_few_messages_is_not_said_of_every_one() {
    let some = switches(|x| if x < 64.0 * KIB { 0.02 } else { 0.2 });
    let s = &explained(&curve(pipe), &facts(), &[some])[2].sentence;
    let more = "more voluntary switches per message (0.02 -> 0.2 voluntary switches";
    assert!(s.contains(more) && !s.contains("every write"), "{s}");
}

#[test]
fn a_count_that_only_stops_falling_is_no_event() {
    let settles = switches(|x| (64.0 * KIB / x).max(1.0));
    let s = &explained(&curve(pipe), &facts(), &[settles])[2].sentence;
    assert!(!s.contains("switches"), "{s}");
}

#[test]
fn each_sentence_says_of_which_curve_it_is() {
    let found = explained_where("between threads on one CPU", &curve(pipe), &facts(), &[]);
    for finding in found {
        let s = &finding.sentence;
        assert!(s.starts_with("between threads on one CPU: "), "{s}");
    }
}

#[test]
fn without_evidence_there_is_no_cause() {
    for evidence in [vec![], vec![switches(|_| 2.0)], vec![switches(|_| 0.0)]] {
        let found = explained(&curve(pipe), &facts(), &evidence);
        let s = &found[2].sentence;
        assert!(
            s.contains("; coincides with L1d (48 KiB), pipe capacity (64 KiB)"),
            "{s}"
        );
        assert_eq!(found[2].verdict, Verdict::Stated);
    }
}

#[test]
fn a_count_that_grows_everywhere_explains_nothing() {
    let grows = switches(|x| 2.5 * x / (64.0 * KIB));
    let found = explained(&curve(pipe), &facts(), &[grows]);
    assert!(
        found.iter().all(|f| !f.sentence.contains("switches")),
        "{found:#?}"
    );
}

#[test]
fn evidence_of_another_kind_ties_no_threshold() {
    let mut refills = switches(|x| if x < 64.0 * KIB { 1.0 } else { 9.0 });
    refills.name = "page faults per message".to_owned();
    refills.rise_means = None;
    let s = &explained(&curve(pipe), &facts(), &[refills])[2].sentence;
    assert!(s.contains("more page faults per message (1 -> 9"), "{s}");
    assert!(s.contains("coincides with"), "{s}");
}

#[test]
fn a_count_that_falls_ties_no_capacity() {
    let fewer = switches(|x| if x < 64.0 * KIB { 2.0 } else { 0.1 });
    let s = &explained(&curve(pipe), &facts(), &[fewer])[2].sentence;
    assert!(
        s.contains("fewer voluntary switches per message (2 -> 0.1"),
        "{s}"
    );
    assert!(s.contains("coincides with"), "{s}");
}

#[test]
fn a_knee_far_from_everything_says_so() {
    let found = explained(&curve(|x| x.min(200.0)), &facts(), &[]);
    assert!(
        found[1].sentence.ends_with("; no known threshold nearby"),
        "{found:#?}"
    );
}

#[test]
fn regions_cover_the_sweep_without_gaps() {
    let found = explained(&curve(pipe), &facts(), &[]);
    let regions = &found[0].regions;
    let names: Vec<&str> = regions.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names[0], "fixed cost");
    assert!(names[1].starts_with("plateau, 12"), "{names:?}");
    assert!(names[2].starts_with("plateau, 1.7"), "{names:?}");
    assert_eq!((regions[0].from_x, regions[2].to_x), (1.0, 16_777_216.0));
    assert!(regions.windows(2).all(|w| w[0].to_x == w[1].from_x));
    let s = &found[0].sentence;
    assert!(
        s.starts_with("bandwidth has 3 regions: fixed cost (1 B to "),
        "{s}"
    );
    let straight = explained(&curve(|x| x), &facts(), &[]);
    assert_eq!(straight.len(), 1);
    assert!(straight[0].sentence.starts_with("bandwidth has no knee"));
}

#[test]
fn an_unsure_knee_is_undecided() {
    let points: Vec<CurvePoint> = curve(|x| if x < 64.0 * KIB { 1.0 } else { 0.75 })
        .into_iter()
        .map(|p| CurvePoint::new(p.x, p.y.center, p.y.center / 1.6, p.y.center * 1.6))
        .collect();
    let mut knees = log_log_knees(&curve(pipe), KneeOptions::default()).expect("valid");
    knees.breaks[1].confidence = 0.4;
    let sweep = Sweep {
        conditions: "",
        axis: "size",
        axis_unit: Unit::Bytes,
        metric: "bandwidth",
        unit: Unit::GigabytesPerSecond,
        higher_is_better: true,
        key: "pipe",
        only: &[],
        curve: &points,
        knees: &knees,
    };
    let found = explain(&sweep, &[], &[]);
    assert_eq!(found[2].verdict, Verdict::Undecided);
}

#[test]
fn thresholds_come_from_the_card_and_from_the_run() {
    let all = Facts {
        send_buffer_bytes: Some(212_992),
        receive_buffer_bytes: Some(131_072),
        loopback_mtu_bytes: Some(65536),
        zerocopy: true,
        two_buffers: true,
        ..facts()
    };
    let list = |facts: &Facts| -> Vec<String> {
        let known = thresholds(&card(), facts);
        assert!(known.windows(2).all(|w| w[0].bytes <= w[1].bytes));
        known.into_iter().map(|t| t.name).collect()
    };
    let names = list(&all);
    for name in [
        "PIPE_BUF",
        "send buffer",
        "receive buffer",
        "lo MTU",
        "MSG_ZEROCOPY threshold",
    ] {
        assert!(names.iter().any(|n| n == name), "{name} in {names:?}");
    }
    assert!(
        names.iter().any(|n| n.starts_with("half of L2")),
        "{names:?}"
    );
    assert_eq!(
        list(&Facts::default()),
        ["page", "L1d", "L2"],
        "no instruction cache"
    );
}

/// Each says how it shows itself and how it is moved.
#[test]
fn thresholds_know_their_signs_and_remedies() {
    let facts = Facts {
        send_buffer_bytes: Some(1 << 16),
        receive_buffer_bytes: Some(1 << 17),
        loopback_mtu_bytes: Some(65_535),
        zerocopy: true,
        two_buffers: true,
        ..facts()
    };
    let all = thresholds(&card(), &facts);
    assert!(all.is_sorted_by_key(|t| t.bytes));
    let of = |name: &str| {
        let found = all.iter().find(|t| t.name == name).expect(name);
        let remedy = found.remedy.as_deref().unwrap_or("none");
        (found.bytes, found.shows_in.clone(), remedy.to_owned())
    };
    let blocking = vec!["switches", "calls"];
    let pipe = "fcntl F_SETPIPE_SZ raises it, up to fs.pipe-max-size".to_owned();
    assert_eq!(of("pipe capacity"), (65_536, blocking.clone(), pipe));
    let pipe = all.iter().find(|t| t.name == "pipe capacity");
    assert!(pipe.is_some_and(|t| t.what_if.is_some()));
    let send = "SO_SNDBUF raises it, up to net.core.wmem_max".to_owned();
    assert_eq!(of("send buffer"), (1 << 16, blocking.clone(), send));
    let receive = "SO_RCVBUF raises it, up to net.core.rmem_max".to_owned();
    assert_eq!(of("receive buffer"), (1 << 17, blocking, receive));
    let mtu = "ip link set lo mtu N changes it".to_owned();
    assert_eq!(of("lo MTU"), (65_535, vec!["segments", "packets"], mtu));
    let cache = |bytes| (bytes, vec!["refills", "misses"], "none".to_owned());
    assert_eq!(of("L1d"), cache(48 << 10));
    assert_eq!(of("half of L2 (two buffers share it)"), cache(512 << 10));
    assert_eq!(of("MSG_ZEROCOPY threshold").0, 10 << 10);
    let without = MachineCard {
        page_bytes: 0,
        ..card()
    };
    assert!(
        thresholds(&without, &facts)
            .iter()
            .all(|t| t.name != "page")
    );
}
