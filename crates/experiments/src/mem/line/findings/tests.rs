//! Lines of known size, with and without prefetchers.

use super::super::{PAIR_STEPS, WALK_STEPS};
use super::{BRING, CLAIMS, COHERENCE, COUNTED, FLUSH, PAIR, REFILLS, WALK, answers};
use crate::quantities::line::{LINE, TOGETHER};
use crate::testing::table;
use analysis::inference::{Answer, Patterns, Quantity, Says, conclude};
use analysis::{ExperimentTable, PointView};
use record::{AxisValue, Finding, MachineCard, MetricHead, Stand, Verdict};
use testbed::caches::{card, measured};

fn point(method: &str, step: i64, ns: f64) -> PointView {
    let settings = [
        ("step", AxisValue::Int(step)),
        ("method", AxisValue::from(method)),
    ];
    measured("mem/line", &settings, &[ns])
}

fn two_levels(method: &str, from: i64, first: f64, second: f64) -> Vec<PointView> {
    let at = |step: i64| point(method, step, if step < from { first } else { second });
    PAIR_STEPS.into_iter().map(at).collect()
}

/// What two CPUs cost each other: much in a line, a little in a block of two.
fn contended(line: i64, block: i64) -> Vec<PointView> {
    let ns = |step| match step {
        s if s < line => 110.0,
        s if s < block => 7.0,
        _ => 5.0,
    };
    let at = |step: i64| point(COHERENCE, step, ns(step));
    PAIR_STEPS.into_iter().map(at).collect()
}

/// A machine with lines of `line` B, fetched in blocks of `block` B.
fn machine(line: i64, block: i64) -> ExperimentTable {
    let walked = |s: i64| 0.8 + 6.0 * (s.min(block) as f64 / block as f64);
    let walk = WALK_STEPS.into_iter().map(|s| point(WALK, s, walked(s)));
    let points = [
        two_levels(PAIR, block, 4.6, 6.5),
        two_levels(BRING, block, 40.0, 180.0),
        two_levels(FLUSH, line, 140.0, 50.0),
        contended(line, block),
        walk.collect(),
    ];
    table("mem/line", points.concat())
}

fn concluded(quantity: &Quantity, table: &ExperimentTable, card: &MachineCard) -> Finding {
    conclude(quantity, &answers(table, card), card, &Patterns::untested())
        .expect("its methods were measured")
        .finding
}

#[test]
fn every_line_size_is_read_off_the_methods() {
    for line in [32, 64, 128] {
        let table = machine(line, line);
        let f = concluded(&LINE, &table, &MachineCard::default());
        assert_eq!(f.value, Some(line as f64));
        assert_eq!(f.verdict, Verdict::Stated);
        let pattern = f.pattern.expect("methods agreed").text;
        assert!(pattern.starts_with("coherence+flush+pair"), "{pattern}");
        let f = concluded(&TOGETHER, &table, &MachineCard::default());
        assert_eq!(f.value, Some(line as f64));
    }
}

#[test]
fn threads_of_one_core_say_nothing_of_the_neighbouring_line() {
    let mut points = machine(64, 128).points;
    for p in &mut points {
        if p.word("method") == COHERENCE && p.int("step") < Some(64) {
            *p = point(COHERENCE, p.int("step").expect("a step"), 11.0);
        }
    }
    let table = table("mem/line", points);
    let all = answers(&table, &MachineCard::default());
    let of = all.iter().find(|a| a.method == "pair_of_lines");
    let says = &of.expect("an answer").says;
    assert!(matches!(says, Says::Nothing(why) if why.contains("threads of one core")));
}

/// The same, with counters: the pairs bring so many lines a load.
fn counted(mut table: ExperimentTable, line: i64) -> ExperimentTable {
    let head = MetricHead {
        name: REFILLS.to_owned(),
        ..table.head.metrics[0].clone()
    };
    table.head.metrics.push(head);
    for p in table.points.iter_mut().filter(|p| p.word("method") == PAIR) {
        let step = p.int("step").expect("an axis");
        let settings = [
            ("step", AxisValue::Int(step)),
            ("method", AxisValue::from(PAIR)),
        ];
        let each = if step < line { 0.51 } else { 1.02 };
        let ns = p.primary().expect("measured").median.center;
        *p = measured("mem/line", &settings, &[ns, each]);
    }
    table
}

#[test]
fn refills_that_the_processor_counts_are_a_method() {
    let said = |table: &ExperimentTable| {
        let f = concluded(&LINE, table, &MachineCard::default());
        let counted = f.methods.iter().find(|m| m.method == COUNTED);
        counted.expect("the pairs were measured").clone()
    };
    let with = said(&counted(machine(64, 64), 64));
    assert_eq!((with.stand, with.value), (Stand::Supports, Some(64.0)));
    let without = said(&machine(64, 64));
    assert_eq!(without.value, None);
    assert!(without.why.contains("--counters dcache"), "{}", without.why);
    // A prefetcher into the first cache, or an event that counts half of the loads.
    let misled = said(&counted(machine(64, 64), 128));
    assert_eq!((misled.stand, misled.value), (Stand::Misled, Some(128.0)));
    let flat = said(&counted(machine(64, 64), 4096));
    assert!(flat.why.contains("refills a load"), "{}", flat.why);
}

/// As a Zen 3 guest walks: twice the time at 128 B, and less again at longer steps.
#[test]
fn a_walk_that_is_faster_at_longer_steps_says_nothing() {
    let walked = |last_ns: [f64; 3]| {
        let ns = [
            1.1, 1.6, 2.1, 2.8, 3.4, 4.1, 4.5, 5.0, 9.9, last_ns[0], last_ns[1], last_ns[2],
        ];
        let walk = WALK_STEPS.into_iter().zip(ns);
        let points = walk.map(|(step, ns)| point(WALK, step, ns));
        table("mem/line", points.collect())
    };
    let said = |last_ns| {
        let all = answers(&walked(last_ns), &MachineCard::default());
        all.into_iter().find(|a| a.method == WALK).expect("walked")
    };
    let falls = said([8.0, 6.5, 3.8]);
    assert!(
        matches!(&falls.says, Says::Nothing(why) if why.contains("less again")),
        "{falls:?}"
    );
    let stays = said([10.0, 10.2, 9.5]);
    assert_eq!(stays, Answer::exactly(LINE.key, WALK, 128.0));
}

/// As on a board with a neighbour in the second cache, which is away a quarter of the time or less.
#[test]
fn a_neighbour_that_comes_and_goes_hides_no_pairs() {
    let mut table = machine(32, 32);
    for p in table.points.iter_mut().filter(|p| p.word("method") == PAIR) {
        let away = p.int("step") != Some(8);
        let summary = &mut p.summaries[0];
        let least = summary.median.center;
        summary.p25 = if away { 1.02 * least } else { 1.6 * least };
        summary.median = stats::Interval::resampled(1.7 * least, 0.9 * least, 2.0 * least);
    }
    let pair = |table: &ExperimentTable| {
        let all = answers(table, &MachineCard::default());
        all.into_iter().find(|a| a.method == PAIR).expect("paired")
    };
    assert_eq!(pair(&table), Answer::exactly(LINE.key, PAIR, 32.0));
    // It never left one point.
    let mut points = table.points.iter_mut();
    let stayed = points.find(|p| p.word("method") == PAIR && p.int("step") == Some(16));
    let summary = &mut stayed.expect("a point").summaries[0];
    (summary.min, summary.p25) = (6.0, 6.1);
    assert!(matches!(pair(&table).says, Says::Nothing(why) if why.contains("levels")));
}

#[test]
fn a_prefetcher_that_misleads_the_pairs_is_named() {
    let card = card(&[(32 << 10, 8)]);
    let f = concluded(&LINE, &machine(64, 128), &card);
    assert_eq!((f.value, f.verdict), (Some(64.0), Verdict::Agree));
    let pair = f.methods.iter().find(|m| m.method == PAIR).expect("said");
    assert_eq!((pair.stand, pair.value), (Stand::Misled, Some(128.0)));
    assert!(pair.why.contains("prefetcher"), "{}", pair.why);
    assert_eq!(
        f.pattern.expect("methods agreed").text,
        "coherence+flush, pair larger, walk larger"
    );
    let f = concluded(&TOGETHER, &machine(64, 128), &card);
    assert_eq!(f.value, Some(128.0), "{}", f.sentence);
}

#[test]
fn a_card_that_says_otherwise_is_the_less_likely_side() {
    let card = card(&[(32 << 10, 8)]);
    let f = concluded(&LINE, &machine(128, 128), &card);
    assert_eq!(f.verdict, Verdict::Disagree);
    assert!(
        f.sentence
            .contains("on the machine card the cache line is 64 B"),
        "{}",
        f.sentence
    );
}

#[test]
fn methods_without_a_second_one_decide_nothing() {
    let mut table = machine(64, 64);
    table.points.retain(|p| p.word("method") == FLUSH);
    let f = concluded(&LINE, &table, &MachineCard::default());
    assert_eq!((f.verdict, f.value), (Verdict::Undecided, None));
    assert!(f.sentence.contains("one method alone"), "{}", f.sentence);
}

#[test]
fn methods_that_contradict_each_other_decide_nothing() {
    // Adding costs more in two lines than in one: nothing explains a smaller answer.
    let mut points = two_levels(COHERENCE, 32, 110.0, 5.0);
    points.extend(two_levels(PAIR, 64, 4.6, 6.5));
    let table = table("mem/line", points);
    let f = concluded(&LINE, &table, &MachineCard::default());
    assert_eq!(f.verdict, Verdict::Undecided, "{}", f.sentence);
}

#[test]
fn the_claim_needs_two_levels() {
    let held =
        |table: &ExperimentTable| (CLAIMS[0].check)(table).map(|o| o.held().expect(&o.evidence));
    assert_eq!(held(&machine(64, 128)), Some(true));
    let flat = table("mem/line", two_levels(PAIR, 64, 4.6, 4.6));
    assert_eq!(held(&flat), Some(false));
    assert_eq!(held(&table("mem/line", Vec::new())), None);
}

#[test]
fn a_partner_that_is_away_now_and_then_hides_no_line() {
    let mut table = machine(64, 64);
    let in_the_line =
        |p: &&mut PointView| p.word("method") == COHERENCE && p.int("step") < Some(64);
    for point in table.points.iter_mut().filter(in_the_line) {
        // Of as many additions in a tenth of the time most are fast.
        let summary = &mut point.summaries[0];
        (summary.min, summary.p25) = (5.0, 5.1);
        let median = &mut summary.median;
        (median.low, median.center, median.high) = (5.1, 30.0, 108.0);
    }
    let f = concluded(&LINE, &table, &MachineCard::default());
    let pattern = f.pattern.expect("methods agreed").text;
    assert!(pattern.starts_with("coherence+flush"), "{pattern}");
}
