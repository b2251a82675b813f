use super::{Around, Ending, Kept, PLAIN, Pace, UNKNOWN, USUAL, class, condition};
use harness::session::Spent;
use std::collections::BTreeMap;
use std::time::Duration;

const BUDGET_NS: u64 = 8_000_000;

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
    endings.iter().for_each(|e| learned.take(e, around));
    kept
}

#[test]
fn what_ran_here_is_known_with_its_closing_and_its_start() {
    let pace = Pace::with(&kept(PLAIN, &[ending("a/b", 20)]), PLAIN);
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
    let heavy = Pace::with(&kept, &condition("heavy", false));
    let (known, here) = heavy.look_up("a/b", class(BUDGET_NS as f64));
    assert_eq!((known.besides_ns, here), (2e7, false));
    assert_eq!(condition("heavy", true), "heavy, counted");
}

#[test]
fn what_did_not_run_here_takes_the_usual_at_the_speed_of_what_did() {
    let mut pace = Pace::with(&Kept::default(), PLAIN);
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
    let usual: Kept = serde_json::from_str(USUAL).expect("the file in data/");
    let known = usual.values().flat_map(|l| l.experiments.keys());
    for id in known {
        assert!(experiments::all().matching(id).is_ok(), "{id}");
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
