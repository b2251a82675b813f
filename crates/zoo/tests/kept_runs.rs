//! The runs that come with the project are those that its methods give today, and the record
//! of agreement is what they come to.

use std::collections::BTreeSet;
use zoo::conditions::conditions;
use zoo::cores::{self, UNTOUCHED};
use zoo::judge::{self, Judged, LONG};
use zoo::kept::{self, Kept};
use zoo::truth::Outcome;

const RUNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/runs.jsonl");
const OF_UNTOUCHED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/untouched.jsonl");
const PATTERNS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../analysis/data/patterns.json"
);

/// The core on which experiments that take long on most do not.
const SMALL: &str = "cortex-a9";
/// Cores of which the others are run again.
const SOME: [&str; 3] = ["zen5", "apple-m1", "cortex-a8"];

fn is_run_again(run: &Kept) -> bool {
    let is_long = LONG.contains(&run.experiment.as_str());
    let core = run.core.as_str();
    run.seed == 1
        && match is_long {
            true => core == SMALL && run.condition == "quiet",
            false => SOME.contains(&core),
        }
}

fn runs() -> Vec<Kept> {
    kept::read(RUNS).expect("the kept runs")
}

fn again(run: &Kept) -> Kept {
    let core = cores::named(&run.core).expect("a core of the zoo");
    let all = conditions();
    let condition = all.iter().find(|c| c.name == run.condition);
    judge::run(
        &core,
        condition.expect("a condition"),
        run.seed,
        &run.experiment,
    )
}

#[test]
fn methods_say_today_what_they_said_when_the_runs_were_kept() {
    let runs = runs();
    let few: Vec<&Kept> = runs.iter().filter(|run| is_run_again(run)).collect();
    assert!(few.len() > 40, "{}", few.len());
    for run in few {
        let (core, condition, experiment) = (&run.core, &run.condition, &run.experiment);
        assert!(
            again(run) == *run,
            "{experiment} says something else of {core}, {condition}: take its lines out of \
             crates/zoo/data/runs.jsonl and run cargo xtask zoo"
        );
    }
}

#[test]
fn what_methods_say_of_the_points_that_are_kept_is_kept_with_them() {
    let runs = runs();
    let with_points = runs.iter().filter(|run| run.points.is_some());
    let few: Vec<&Kept> = with_points.filter(|run| run.seed == 1).collect();
    assert!(!few.is_empty());
    for run in few {
        let core = cores::named(&run.core).expect("a core of the zoo");
        let again = judge::again(&core, run).expect("points of today's plan");
        assert!(
            again == *run,
            "{} says something else of {}, {}: run cargo xtask zoo --kept --again",
            run.experiment,
            run.core,
            run.condition
        );
    }
}

/// Every answer about these cores.
fn all_judged(runs: &[Kept], is_wanted: impl Fn(&str) -> bool) -> Vec<Judged> {
    let all = conditions();
    let seeds: BTreeSet<u64> = runs.iter().map(|run| run.seed).collect();
    let mut judged = Vec::new();
    for core in cores::all().iter().filter(|core| is_wanted(&core.name)) {
        for (condition, seed) in all.iter().flat_map(|c| seeds.iter().map(move |s| (c, *s))) {
            let of_it = runs
                .iter()
                .filter(|r| r.is_of(&core.name, condition.name, seed));
            let of_it: Vec<&Kept> = of_it.collect();
            judged.extend(judge::judged(core, condition, seed, &of_it));
        }
    }
    judged
}

#[test]
fn the_record_of_agreement_is_what_the_runs_come_to() {
    let judged = all_judged(&runs(), |core| !UNTOUCHED.contains(&core));
    let text = judge::counted(judged.iter()).text().expect("counts");
    let kept = std::fs::read_to_string(PATTERNS).expect("the record");
    assert!(
        kept == text,
        "run cargo xtask zoo --kept --keep crates/analysis/data/patterns.json"
    );
}

#[test]
fn what_was_first_said_of_the_untouched_cores_is_as_sure_as_it_was_said() {
    let runs = kept::read(OF_UNTOUCHED).expect("their first runs");
    let judged = all_judged(&runs, |core| UNTOUCHED.contains(&core));
    let said: Vec<&Judged> = judged
        .iter()
        .filter(|j| j.finding.confidence.share >= 0.95)
        .collect();
    let wrong: Vec<&&Judged> = said
        .iter()
        .filter(|j| j.outcome == Outcome::Wrong)
        .collect();
    let texts: Vec<&str> = wrong.iter().map(|j| j.finding.sentence.as_str()).collect();
    assert!(
        said.len() > 4000,
        "{} of which {} are wrong",
        said.len(),
        wrong.len()
    );
    assert!(wrong.len() * 20 <= said.len(), "{texts:?}");
    assert!(wrong.iter().all(|j| j.condition == "stolen"), "{texts:?}");
}
