use super::findings::{answers, findings};
use super::{EXPERIMENT, from_trace};
use crate::quantities::kernel::TICK;
use crate::testing::table;
use analysis::PointView;
use analysis::inference::{Patterns, Says, conclude};
use record::{Finding, MachineCard, PointState, Stand, Verdict};
use testbed::{context, int, measured, point, word};
use trace::analyse::ticks::CpuTicks;

const ID: &str = "irq/tick";

fn at(state: &str, source: &str, hz: f64, not_ticks: f64) -> PointView {
    let settings = [
        word("state", state),
        word("source", source),
        int("window", 1),
    ];
    measured(ID, &settings, &[1e9 / hz, 4e6, hz, not_ticks])
}

/// A point by a loop, or of what is stated, whose samples bear a period out so far.
fn seen(source: &str, hz: f64, explained: f64) -> PointView {
    let settings = [
        word("state", "busy"),
        word("source", source),
        int("window", 1),
    ];
    let metrics = [1e9 / hz, 4e6, hz, 0.0, 0.0, explained];
    measured(ID, &settings, &metrics)
}

fn concluded(points: Vec<PointView>, configured_hz: Option<u32>) -> Finding {
    let card = MachineCard {
        configured_hz,
        ..MachineCard::default()
    };
    let all = answers(&table(ID, points), &card);
    let of = conclude(&TICK, &all, &card, &Patterns::untested());
    of.expect("its methods were measured").finding
}

#[test]
fn ways_that_agree_say_the_rate_and_are_held_against_the_configuration() {
    let points = || {
        vec![
            seen("statement", 250.0, 1.0),
            seen("coarse", 250.1, 0.95),
            seen("gaps", 249.9, 0.9),
        ]
    };
    let agree = concluded(points(), Some(250));
    assert_eq!(agree.verdict, Verdict::Agree, "{}", agree.sentence);
    let sentence = "on a busy CPU the tick comes every 4.000 ms: HZ=250";
    assert_eq!(agree.sentence, sentence);
    let disagree = concluded(points(), Some(300));
    assert_eq!(disagree.verdict, Verdict::Disagree, "{}", disagree.sentence);
    let unknown = concluded(points(), None);
    assert_eq!(unknown.verdict, Verdict::Stated, "{}", unknown.sentence);
}

#[test]
fn a_way_that_was_misled_is_named_with_its_reason() {
    let found = concluded(
        vec![
            seen("statement", 1000.0, 1.0),
            seen("coarse", 250.0, 1.0),
            seen("gaps", 250.0, 1.0),
        ],
        None,
    );
    assert_eq!(
        found.pattern.map(|p| p.text).as_deref(),
        Some("coarse+gaps, statement smaller")
    );
    assert!(found.sentence.contains("HZ=250"), "{}", found.sentence);
    assert!(
        found.sentence.contains("states another step"),
        "{}",
        found.sentence
    );
}

#[test]
fn one_way_alone_decides_nothing() {
    let found = concluded(
        vec![
            seen("statement", 250.0, 1.0),
            seen("coarse", 30.0, 0.0),
            seen("gaps", 700.0, 0.0),
        ],
        None,
    );
    assert_eq!(found.verdict, Verdict::Undecided, "{}", found.sentence);
    let silent = found.methods.iter().filter(|m| m.stand == Stand::Silent);
    assert_eq!(silent.count(), 2);
}

#[test]
fn a_step_that_is_none_of_a_tick_and_a_trace_that_there_is_not_say_nothing() {
    let mut traced = at("busy", "trace", 250.0, 0.0);
    traced.head.state = PointState::Skipped {
        reason: "no tracing here".to_owned(),
        remedy: String::new(),
    };
    let points = vec![seen("statement", 1e9, 1.0), traced];
    let all = answers(&table(ID, points), &MachineCard::default());
    assert_eq!(all.len(), 2);
    assert!(all.iter().all(|a| matches!(a.says, Says::Nothing(_))));
}

#[test]
fn both_counts_are_separated() {
    let points = vec![
        at("busy", "interrupts", 360.0, 110.0),
        at("busy", "trace", 250.0, 110.0),
        at("idle", "trace", 21.0, 3.0),
    ];
    let all = findings(&table(ID, points));
    assert!(all[0].sentence.contains("counts 360 timer interrupts"));
    assert!(all[0].sentence.contains("110 per second were traced"));
    assert!(
        all[1]
            .sentence
            .contains("21 times per second instead of 250")
    );
}

#[test]
fn a_count_of_interrupts_says_nothing_of_the_tick() {
    let counted = table(ID, vec![at("busy", "interrupts", 272.0, 0.0)]);
    assert_eq!(answers(&counted, &MachineCard::default()), []);
    assert!(findings(&counted).is_empty());
}

#[test]
fn each_way_without_tracing_has_samples_here_and_none_of_an_idle_cpu() {
    let (context, _keep) = context();
    let of = |state, source| {
        let settings = [
            word("state", state),
            word("source", source),
            int("window", 10_000_000),
        ];
        (EXPERIMENT.setup)(&point(ID, &settings), &context)
    };
    for source in super::WATCHED {
        let subject = of("busy", source).unwrap();
        assert!(subject.recorded() >= Some(1), "{source}");
        assert!(of("idle", source).is_err(), "{source}");
    }
}

#[test]
fn each_window_is_a_sample() {
    let (context, _keep) = context();
    let settings = [
        word("state", "busy"),
        word("source", "interrupts"),
        int("window", 10_000_000),
    ];
    let mut subject = (EXPERIMENT.setup)(&point(ID, &settings), &context).unwrap();
    assert_eq!(subject.recorded(), Some(5));
    subject.sampling_begins();
    subject.batch(0, 1);
    let reading = subject.reading(0).unwrap();
    assert!(reading.ops >= 1 && reading.elapsed_ns >= 10e6);
    assert_eq!(subject.tally(0).len(), 5);
}

#[test]
fn a_traced_sample_is_from_tick_to_tick_and_a_rest_without_any_is_one() {
    let mut on = CpuTicks {
        ticks: 3,
        not_ticks: 5,
        gaps_ns: vec![4_000_000, 4_100_000],
        ..CpuTicks::default()
    };
    let came = from_trace(&on, 5e8);
    assert_eq!(came.len(), 2);
    assert_eq!((came[1].elapsed_ns, came[1].count), (4_100_000.0, 1));
    assert_eq!((came[1].rate, came[1].not_ticks), (6.0, 10.0));
    on.gaps_ns.clear();
    let came = from_trace(&on, 5e8);
    assert_eq!((came.len(), came[0].elapsed_ns, came[0].count), (1, 5e8, 3));
}
