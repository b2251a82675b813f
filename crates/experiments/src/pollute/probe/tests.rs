use super::{EXPERIMENT, TALLIES, WORDS, findings::findings, plan};
use crate::testing::table;
use analysis::PointView;
use engines::copier::METHODS;
use harness::{SetupError, Subject};
use record::{Setting, Verdict};
use testbed::turn::card;

const ID: &str = "pollute/probe";
use testbed::{context, int, measured, point, word};

fn settings(method: &str, placement: &str, buffer: &str, copied: i64) -> Vec<Setting> {
    vec![
        int("set", 64 << 10),
        word("placement", placement),
        word("buffer", buffer),
        word("history", "fresh"),
        int("block", 4096),
        word("method", method),
        int("copied", copied),
    ]
}

fn subject(settings: &[Setting]) -> Option<Box<dyn Subject>> {
    let (mut context, _keep) = context();
    context.card = card(std::env::consts::ARCH, 1);
    match (EXPERIMENT.setup)(&point(ID, settings), &context) {
        Ok(subject) => Some(subject),
        // Where a loaded machine does not let hits be separated from misses.
        Err(SetupError::Skip { reason, .. }) => {
            assert!(reason.contains("cannot be separated"), "{reason}");
            None
        }
        Err(SetupError::Fail(why)) => panic!("{why}"),
    }
}

#[test]
fn nothing_and_a_known_share_stand_before_the_methods() {
    assert_eq!(WORDS[..2], ["none", "flush"]);
    assert_eq!(&WORDS[2..], METHODS);
}

#[test]
fn a_flush_of_a_known_share_is_seen() {
    for (bytes, expected) in [(0, 0.0), (32 << 10, 0.5), (64 << 10, 1.0)] {
        let Some(mut subject) = subject(&settings("flush", "same_cpu", "walking", bytes)) else {
            return;
        };
        let mut seen: Vec<f64> = (0..25)
            .map(|_| {
                subject.prepare(0);
                subject.batch(0, 1);
                subject.tally(0)[0]
            })
            .filter(|share| !share.is_nan())
            .collect();
        seen.sort_by(f64::total_cmp);
        // None where neighbours of a loaded machine evict in every turn.
        if let Some(median) = seen.get(seen.len() / 2) {
            assert!(
                (median - expected).abs() < 0.15,
                "{bytes}: {median} of {seen:?}"
            );
        }
        subject.verify().unwrap();
    }
}

#[test]
fn copies_are_made_here_and_there() {
    let (context, _keep) = context();
    let mut placements = vec!["same_cpu"];
    placements.extend(context.partner_cpu.map(|_| "same_cache"));
    for placement in placements {
        for (method, buffer) in [
            ("to_user", "walking"),
            ("libc", "in_place"),
            ("none", "walking"),
        ] {
            let wanted = settings(method, placement, buffer, 256 << 10);
            let Some(mut subject) = subject(&wanted) else {
                return;
            };
            subject.prepare(0);
            subject.batch(0, 1);
            let tallies = subject.tally(0);
            assert_eq!(tallies.len(), TALLIES.len());
            let [evicted, alone] = [tallies[0], tallies[4]];
            assert!(evicted.is_nan() || (0.0..=1.0).contains(&evicted));
            assert!((0.0..=1.0).contains(&alone));
            subject.verify().unwrap();
            let notes = subject.notes().join("; ");
            assert!(notes.contains("control: "), "{notes}");
            assert!(notes.contains(" of 1 turns count"), "{notes}");
        }
    }
}

#[test]
fn the_more_is_copied_the_fewer_turns_are_wanted() {
    let turns = |copied| {
        let wanted = point(ID, &settings("to_user", "same_cpu", "walking", copied));
        [plan::turns(&wanted), plan::tries(&wanted)]
    };
    assert_eq!(turns(64 << 10), [241, 964]);
    assert_eq!(turns(64 << 20), [32, 128]);
    assert_eq!(turns(8 << 30), [15, 60]);
}

fn seen(method: &str, buffer: &str, copied: i64, evicted: f64, error: f64) -> PointView {
    let settings = settings(method, "same_cpu", buffer, copied);
    measured(ID, &settings, &[1000.0, evicted, error])
}

#[test]
fn the_probe_says_how_often_it_errs() {
    let of = |error| {
        let all = findings(&table(
            ID,
            vec![seen("to_user", "walking", 1 << 20, 0.3, error)],
        ));
        (all[0].verdict, all[1].sentence.clone())
    };
    assert_eq!(of(0.001).0, Verdict::Agree);
    assert_eq!(of(0.08).0, Verdict::Disagree);
    assert!(
        of(0.001)
            .1
            .starts_with("1 MiB of 4 KiB by to_user (walking, same cpu) evict 0.30")
    );
}

#[test]
fn points_that_neighbours_disturbed_are_named_and_say_nothing_else() {
    let mut silent = seen("to_user", "walking", 1 << 20, 0.3, 0.0);
    let counted = table(ID, vec![silent.clone()]);
    let of_all = silent.summaries.iter_mut().find(|s| s.metric == 1);
    of_all.unwrap().samples = 5;
    let mut lost = silent.summaries[0].clone();
    (lost.metric, lost.median.center) = (5, 0.52);
    silent.summaries.push(lost);
    let keys = |table| -> Vec<String> {
        let all = findings(table);
        all.iter().map(|f| f.key.clone()).collect()
    };
    assert!(!keys(&counted).contains(&"disturbed".to_owned()));
    let disturbed = table(ID, vec![silent]);
    assert_eq!(keys(&disturbed), ["control", "disturbed"]);
    // Nobody asked for more turns.
    let mut few = disturbed.points[0].clone();
    for summary in &mut few.summaries {
        summary.samples = 5;
    }
    assert_eq!(keys(&table(ID, vec![few])), ["control"]);
    let sentence = &findings(&disturbed)[1].sentence;
    assert!(
        sentence.contains("No verdict for 1 of 1 points:") && sentence.contains("0.52"),
        "{sentence}"
    );
}

#[test]
fn neighbours_in_the_near_caches_hide_what_left_these_and_no_more() {
    let sentence = |near_samples: u32| {
        let mut point = seen("to_user", "walking", 1 << 20, 0.3, 0.0);
        let mut near = point.summaries[1].clone();
        (near.metric, near.samples, near.median.center) = (3, near_samples, 0.9);
        point.summaries.push(near);
        findings(&table(ID, vec![point]))[1].sentence.clone()
    };
    assert!(sentence(40).contains("from all caches; 0.90 ("));
    let hidden = sentence(5);
    assert!(hidden.ends_with("from all caches; neighbours hide how much of the near ones"));
}

#[test]
fn a_set_that_came_back_is_held_against_one_that_is_new() {
    let reused = |evicted| {
        let mut point = seen("to_user", "walking", 1 << 20, evicted, 0.0);
        point.head.settings[3] = word("history", "reused");
        point
    };
    let key = |evicted| {
        let new = seen("to_user", "walking", 1 << 20, 0.5, 0.0);
        let all = findings(&table(ID, vec![new, reused(evicted)]));
        all[1].key.clone()
    };
    assert_eq!(key(0.01), "learned");
    assert_ne!(key(0.48), "learned", "no more than the noise");
}

#[test]
fn a_share_of_the_near_caches_stands_beside_its_error_or_is_none() {
    let Some(mut subject) = subject(&settings("none", "same_cpu", "walking", 0)) else {
        return;
    };
    subject.prepare(0);
    subject.batch(0, 1);
    let tallies = subject.tally(0);
    // How large they are is the machine's: `Levels` is tried on made-up times.
    assert_eq!(tallies[3].is_nan(), tallies[5].is_nan());
    assert!(!tallies[3].is_nan() || tallies[2].is_nan());
    let notes = subject.notes().join("; ");
    assert!(notes.contains("near caches"), "{notes}");
}

#[test]
fn claims_hold_a_flush_against_its_share() {
    let claim = |points, at: usize| {
        let claim = super::findings::CLAIMS[at];
        (claim.check)(&table(ID, points)).map(|o| o.held().expect(&o.evidence))
    };
    let half = |seen_share| vec![seen("flush", "walking", 32 << 10, seen_share, 0.0)];
    assert_eq!(claim(half(0.52), 0), Some(true));
    assert_eq!(claim(half(0.70), 0), Some(false));
    let in_place = |share| vec![seen("to_user", "in_place", 1 << 20, share, 0.0)];
    assert_eq!(claim(in_place(0.01), 1), Some(true));
    assert_eq!(claim(in_place(0.4), 1), Some(false));
    assert_eq!(claim(Vec::new(), 1), None);
}

/// A neighbour's eviction during a turn takes its shares from the answer, not from
/// the record.
#[test]
fn a_turn_that_does_not_count_keeps_its_values() {
    let Some(mut subject) = subject(&settings("flush", "same_cpu", "walking", 8192)) else {
        return;
    };
    for _ in 0..50 {
        subject.prepare(0);
        subject.batch(0, 1);
        let tallies = subject.tally(0);
        let (counted, raw) = (tallies[0], tallies[6]);
        assert!((0.0..=1.0).contains(&raw), "{raw}");
        assert!(counted.is_nan() || counted == raw, "{counted} and {raw}");
    }
}
