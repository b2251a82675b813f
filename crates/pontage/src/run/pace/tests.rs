use super::{Around, Ending, Kept, Learned, PLAIN, Pace, UNKNOWN, class, condition, usual};
use harness::session::Spent;
use std::collections::BTreeMap;
use std::time::Duration;

const BUDGET_NS: u64 = 8_000_000;
const TOUCH_NS: f64 = 1e6;

/// Ten points with 8 ms each that took so long apart from their samples.
fn ending(id: &str, besides_ms: u64) -> Ending {
    let sampled_ns = 5 * BUDGET_NS;
    let spent = Spent {
        experiment: id.to_owned(),
        points: 10,
        done: 10,
        budget_ns: 10 * BUDGET_NS,
        sampled_ns,
        took_ns: sampled_ns + 10 * besides_ms * 1_000_000,
        ..Spent::default()
    };
    Ending {
        again_ns: spent.took_ns / 10,
        spent: vec![spent],
        ..Ending::default()
    }
}

fn kept(condition: &str, endings: &[Ending]) -> Kept {
    let mut kept: Kept = BTreeMap::new();
    let around = Around {
        start: Duration::from_millis(400),
        closing: Duration::from_millis(50),
    };
    let learned = kept.entry(condition.to_owned()).or_default();
    endings
        .iter()
        .for_each(|e| learned.take(e, around, TOUCH_NS));
    kept
}

/// Nothing is usual.
fn with(kept: &Kept, condition: &str) -> Pace {
    Pace::with(kept, condition, Learned::default())
}

/// A machine with such memory on which these experiments took so long, ms.
fn machine(touch_ns: f64, took: &[(&str, u64)]) -> Learned {
    let endings: Vec<Ending> = took.iter().map(|(id, ms)| ending(id, *ms)).collect();
    let mut kept = kept(PLAIN, &endings);
    let mut learned = kept.remove(PLAIN).expect("learned");
    learned.run.as_mut().expect("a run").touch_ns_per_mib = touch_ns;
    learned
}

fn besides_ms(usual: &Learned, id: &str) -> f64 {
    let known = usual.experiments[id].near(class(BUDGET_NS as f64));
    known.expect("known").besides_ns / 1e6
}

#[test]
fn between_two_machines_a_cost_lies_where_that_of_fresh_memory_lies() {
    // 10 ms and 10 MiB of fresh memory; 20 ms and none; the third is known of one machine only.
    let fast = machine(1e6, &[("a/b", 20), ("c/d", 20)]);
    let slow = machine(9e6, &[("a/b", 100), ("c/d", 20), ("e/f", 90)]);
    let at = |touch_ns| usual::at(vec![slow.clone(), fast.clone()], touch_ns);
    for (touch_ns, a_b) in [
        (5e6, 60.0),
        (1e6, 20.0),
        (9e6, 100.0),
        (1e5, 20.0),
        (f64::INFINITY, 100.0),
    ] {
        let usual = at(touch_ns);
        assert!(
            (besides_ms(&usual, "a/b") - a_b).abs() < 1e-6,
            "{touch_ns}: {usual:?}"
        );
        assert!(
            (besides_ms(&usual, "c/d") - 20.0).abs() < 1e-6,
            "{touch_ns}"
        );
    }
    // Of a/b and c/d the upper median is that of c/d, which takes as long on both.
    assert!((besides_ms(&at(5e6), "e/f") - 90.0).abs() < 1e-6);
    assert!(usual::at(Vec::new(), 1e6).experiments.is_empty());
}

#[test]
fn fresh_memory_is_learned_with_a_run() {
    let kept = kept(PLAIN, &[ending("a/b", 20)]);
    assert_eq!(kept[PLAIN].touch_ns_per_mib(), TOUCH_NS);
    let mut none = Learned::default();
    let around = Around {
        start: Duration::ZERO,
        closing: Duration::ZERO,
    };
    none.take(&ending("a/b", 20), around, f64::INFINITY);
    assert_eq!(none.touch_ns_per_mib(), 0.0, "JSON has no infinity");
}

#[test]
fn what_ran_here_is_known_with_its_closing_and_its_start() {
    let pace = with(&kept(PLAIN, &[ending("a/b", 20)]), PLAIN);
    let (known, here) = pace.look_up("a/b", class(BUDGET_NS as f64));
    assert!(here);
    assert_eq!(
        (known.used, known.besides_ns, known.closing_ns),
        (0.5, 2e7, 5e6)
    );
    let run = pace.whole();
    assert!((run.start_ns - 4e8).abs() < 1.0 && (run.again - 0.1).abs() < 1e-6);
    let (_, here) = pace.look_up("a/b", class(1e9));
    assert!(!here, "with another budget it did not run here");
}

#[test]
fn a_load_is_another_condition() {
    let kept = kept(PLAIN, &[ending("a/b", 20)]);
    let heavy = with(&kept, &condition("heavy", false));
    let (known, here) = heavy.look_up("a/b", class(BUDGET_NS as f64));
    assert_eq!((known.besides_ns, here), (2e7, false));
    assert_eq!(condition("heavy", true), "heavy, counted");
}

#[test]
fn what_did_not_run_here_takes_the_usual_at_the_speed_of_what_did() {
    let mut pace = with(&Kept::default(), PLAIN);
    let usual = kept(PLAIN, &[ending("a/b", 10), ending("c/d", 30)]);
    pace.usual = usual[PLAIN].clone();
    let at = class(BUDGET_NS as f64);
    assert_eq!(pace.look_up("c/d", at).0.besides_ns, 3e7);
    pace.own = kept(PLAIN, &[ending("a/b", 20)])[PLAIN].clone();
    let (known, here) = pace.look_up("c/d", at);
    assert!((known.besides_ns - 6e7).abs() < 1.0 && !here, "{known:?}");
    assert_eq!(pace.look_up("e/f", at), (UNKNOWN, false));
}

#[test]
fn the_usual_is_of_experiments_that_there_are() {
    let machines = usual::machines();
    assert!(
        !machines.is_empty(),
        "the file in data/ is a list of machines"
    );
    for machine in &machines {
        assert!(machine.touch_ns_per_mib() > 0.0);
        for id in machine.experiments.keys() {
            assert!(experiments::all().matching(id).is_ok(), "{id}");
        }
    }
}

#[test]
fn an_experiment_that_is_asked_for_twice_is_known_by_both() {
    let mut twice = ending("a/b", 20);
    let mut more = ending("a/b", 40).spent.remove(0);
    more.at = 1;
    more.points = 30;
    more.done = 0;
    more.sampled_ns = 0;
    more.budget_ns *= 3;
    twice.spent.push(more);
    let kept = kept(PLAIN, &[twice.clone()]);
    let known = kept[PLAIN].experiments["a/b"].near(class(BUDGET_NS as f64));
    let known = known.expect("by both");
    let took_ns: u64 = twice.spent.iter().map(|s| s.took_ns).sum();
    let said_ns = 40.0 * (known.used * BUDGET_NS as f64 + known.besides_ns);
    assert!(
        (said_ns - took_ns as f64).abs() < 1.0,
        "{said_ns} {took_ns}"
    );
}
