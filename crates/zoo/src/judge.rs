//! One experiment on one simulated machine, and what is concluded from all of a run's, held
//! against what is true of it.

use crate::conditions::Condition;
use crate::cores::Core;
use crate::decidable::hidden;
use crate::kept::Kept;
use crate::points::Points;
use crate::recipe;
use crate::stage;
use crate::truth::{Outcome, Truth, absent, of_kernel, outcome, truth};
use analysis::inference::{Answer, Kind, Patterns, Quantity};
use catalogue::{answers, from_answers};
use record::Finding;
use std::collections::BTreeSet;

/// A finding of a run, with every pattern believed.
pub struct Judged {
    pub core: String,
    pub condition: &'static str,
    pub seed: u64,
    /// As of a machine without counters: most guests have none.
    pub finding: Finding,
    pub outcome: Outcome,
    /// What hides the quantity from the methods, by the description.
    pub hidden: Option<&'static str>,
    /// Patterns of agreement of the same run with counters, and of the recipe alone, where they
    /// are others, and what their conclusions were.
    pub other_runs: Vec<(String, Outcome)>,
    /// Methods that spoke alone, or with others: each with whether it was right.
    pub methods: Vec<(String, Outcome)>,
}

impl Judged {
    /// The patterns in which methods agreed, with more methods and with fewer, and what came of
    /// each.
    pub fn agreements(&self) -> impl Iterator<Item = (&str, Outcome)> {
        let pattern = self.finding.pattern.as_ref();
        let without = pattern.map(|p| (p.text.as_str(), self.outcome));
        let others = self.other_runs.iter();
        without
            .into_iter()
            .chain(others.map(|(p, o)| (p.as_str(), *o)))
    }
}

/// Experiments that take long to simulate: their points are kept.
pub const LONG: [&str; 3] = ["mem/line", "mem/latency", "mem/prefetch"];

/// Runs an experiment of the recipe.
pub fn run(core: &Core, condition: &Condition, seed: u64, experiment: &str) -> Kept {
    let catalogue = experiments::all();
    let around = condition.around(&core.name, seed);
    let ran = recipe::only(experiment)
        .and_then(|recipe| stage::run(catalogue, &recipe, core, &around, seed).ok());
    let Some(ran) = ran else {
        return Kept::new(&core.name, condition.name, seed, experiment, &[]);
    };
    let is_long = LONG.contains(&experiment);
    let points = ran.tables.first().filter(|_| is_long).map(Points::of);
    let answers = match &points {
        Some(points) => said_of(core, experiment, points).unwrap_or_default(),
        None => answers(catalogue, &ran.tables, &ran.card),
    };
    Kept::new(&core.name, condition.name, seed, experiment, &answers).with(points)
}

/// The same run with what the methods of today say of its points; None where these are not kept
/// or are of another plan.
pub fn again(core: &Core, kept: &Kept) -> Option<Kept> {
    let points = kept.points.as_ref()?;
    let answers = said_of(core, &kept.experiment, points)?;
    Some(kept.saying(&answers))
}

fn said_of(core: &Core, experiment: &str, points: &Points) -> Option<Vec<Answer>> {
    let catalogue = experiments::all();
    let recipe = recipe::only(experiment)?;
    let empty = stage::unmeasured(catalogue, &recipe, core).ok()?;
    let table = points.fill(empty.tables.into_iter().next()?)?;
    Some(answers(catalogue, &[table], &empty.card))
}

/// What is concluded by the rule of today from what is kept of one run, and whether it is so.
/// Of quantities that something was not run for, nothing.
pub fn judged(core: &Core, condition: &Condition, seed: u64, kept: &[&Kept]) -> Vec<Judged> {
    let kept = once(kept);
    let all = experiments::all().quantities().all.iter();
    let judged: Vec<&str> = all.filter(|q| is_whole(q, &kept)).map(|q| q.key).collect();
    let answers: Vec<Answer> = kept.iter().flat_map(|kept| kept.answers()).collect();
    let (card, patterns) = (stage::card(core), Patterns::untested());
    let concluded = |answers: Vec<Answer>| {
        let all = from_answers(experiments::all(), answers, &card, &patterns);
        all.into_iter().map(|c| c.finding)
    };
    let (counted, others): (Vec<Answer>, Vec<Answer>) =
        answers.iter().cloned().partition(is_counted);
    let counting: Vec<Finding> = match counted.is_empty() {
        true => Vec::new(),
        false => concluded(answers).collect(),
    };
    let beyond = recipe::besides();
    let short = others.iter().filter(|answer| !is_of(answer, &beyond));
    let short: Vec<Finding> = concluded(short.cloned().collect()).collect();
    let around = condition.around(&core.name, seed);
    let mut findings: Vec<Finding> = concluded(others).collect();
    findings.extend(concluded(unspoken(&findings)));
    findings.retain(|finding| judged.contains(&finding.key.as_str()));
    let judge = |finding: Finding| {
        let of_core = truth(core, &finding.key, &around);
        let truth = of_core.or_else(|| of_kernel(&around, &finding.key));
        let of_key = |all: &'_ [Finding]| all.iter().find(|f| f.key == finding.key).cloned();
        let (counting, short) = (of_key(&counting), of_key(&short));
        let all = [Some(&finding), counting.as_ref(), short.as_ref()];
        let is_said = all.into_iter().flatten().any(|f| f.value.is_some());
        // Of what a core has not, nothing is right; of what its description leaves open, nothing
        // is known.
        let of_nothing = is_said && absent(core, &finding.key);
        if truth.is_none() && !of_nothing {
            return None;
        }
        let of = |value, low, high| held(value, low, high, truth);
        let outcome = |f: &Finding| of(f.value, f.low, f.high);
        let pattern = |f: &Finding| f.pattern.as_ref().map(|p| p.text.clone());
        let other_runs = [counting.as_ref(), short.as_ref()].into_iter().flatten();
        let other_runs = other_runs.filter(|f| pattern(f) != pattern(&finding));
        let other_runs = other_runs.filter_map(|f| Some((pattern(f)?, outcome(f))));
        let methods = counting.as_ref().unwrap_or(&finding).methods.iter();
        Some(Judged {
            core: core.name.clone(),
            condition: condition.name,
            seed,
            outcome: outcome(&finding),
            hidden: hidden(core, &finding.key, &around),
            other_runs: other_runs.collect(),
            methods: methods
                .map(|m| (m.method.clone(), of(m.value, m.low, m.high)))
                .collect(),
            finding,
        })
    };
    findings.into_iter().filter_map(judge).collect()
}

/// A value between its bounds against the truth, or against nothing where there is none.
fn held(value: Option<f64>, low: Option<f64>, high: Option<f64>, truth: Option<Truth>) -> Outcome {
    match (value, truth) {
        (Some(value), Some(truth)) => outcome(low.unwrap_or(value), high.unwrap_or(value), truth),
        (Some(_), None) => Outcome::Wrong,
        (None, _) => Outcome::Undecided,
    }
}

/// For each quantity that no method speaks of, an answer that says so: silence counts as
/// undecided.
fn unspoken(findings: &[Finding]) -> Vec<Answer> {
    let all = experiments::all().quantities().all.iter();
    let silent = all.filter(|q| !findings.iter().any(|finding| finding.key == q.key));
    let of = |q: &Quantity| {
        let first = q.methods.first()?;
        Some(Answer::nothing(q.key, first.name, "nothing was said"))
    };
    silent.filter_map(of).collect()
}

/// Whether the method reads counters of the processor.
fn is_counted(answer: &Answer) -> bool {
    let all = experiments::all().quantities().all.iter();
    let of_it = all.filter(|q| q.key == answer.quantity);
    let mut methods = of_it.flat_map(|q| q.methods);
    methods.any(|m| m.name == answer.method && m.kind == Kind::Counter)
}

/// Whether the method's experiment is one of these.
fn is_of(answer: &Answer, ids: &[String]) -> bool {
    let all = experiments::all().quantities().all.iter();
    let mut of_it = all.filter(|q| q.key == answer.quantity);
    let method = of_it.find_map(|q| q.method(answer.method));
    method.is_some_and(|m| ids.iter().any(|id| id == m.experiment))
}

/// Each experiment once: two programs that ran at once may have kept the same.
fn once<'a>(kept: &[&'a Kept]) -> Vec<&'a Kept> {
    let mut seen = BTreeSet::new();
    let all = kept.iter().copied();
    all.filter(|kept| seen.insert(&kept.experiment)).collect()
}

/// Whether all experiments of the recipe were run that are of the same area as one of its
/// methods': some answers are drawn from those of several.
fn is_whole(quantity: &Quantity, kept: &[&Kept]) -> bool {
    let methods = quantity.methods.iter();
    let areas: Vec<&str> = methods.map(|m| area(m.experiment)).collect();
    let ran = |id: &String| kept.iter().any(|kept| kept.experiment == *id);
    let mut needed = recipe::experiments();
    needed.retain(|id| areas.contains(&area(id)));
    !needed.is_empty() && needed.iter().all(ran)
}

fn area(experiment: &str) -> &str {
    experiment.split('/').next().unwrap_or(experiment)
}

/// How often each pattern of agreement was right.
pub fn counted<'a>(judged: impl Iterator<Item = &'a Judged>) -> Patterns {
    let mut patterns = Patterns::default();
    for j in judged {
        for (pattern, outcome) in j.agreements() {
            patterns.add(&j.finding.key, pattern, outcome == Outcome::Right);
        }
    }
    patterns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_judged_of_an_area_until_all_of_it_was_run() {
        let core = crate::cores::named("zen2").unwrap();
        let conditions = crate::conditions::conditions();
        let answers = [Answer::exactly("line_size", "flush", 64.0)];
        let of = |id: &String| Kept::new("zen2", "quiet", 1, id, &answers);
        let mem = recipe::experiments();
        let mem: Vec<Kept> = mem.iter().filter(|id| area(id) == "mem").map(of).collect();
        let judged = |kept: &[Kept]| {
            let kept: Vec<&Kept> = kept.iter().collect();
            let all = judged(&core, &conditions[0], 1, &kept);
            all.iter().filter(|j| j.finding.key == "line_size").count()
        };
        assert_eq!((judged(&mem), judged(&mem[1..])), (1, 0));
        let twice = [&mem[..], &mem[..1]].concat();
        assert_eq!(judged(&twice), 1);
    }

    #[test]
    fn what_no_method_speaks_of_is_undecided() {
        let core = crate::cores::named("zen2").unwrap();
        let conditions = crate::conditions::conditions();
        let answers = [Answer::exactly("line_size", "flush", 64.0)];
        let of = |id: &String| Kept::new("zen2", "quiet", 1, id, &answers);
        let all: Vec<Kept> = recipe::experiments().iter().map(of).collect();
        let all = judged(&core, &conditions[0], 1, &all.iter().collect::<Vec<_>>());
        let reach = all.iter().find(|j| j.finding.key == "tlb_l2_reach");
        assert!(reach.is_some_and(|j| j.outcome == Outcome::Undecided));
    }

    #[test]
    fn what_is_said_of_a_cache_that_a_core_has_not_is_wrong() {
        let core = crate::cores::named("cortex-a72").unwrap();
        let conditions = crate::conditions::conditions();
        let third = |method| Answer::exactly("l3_latency", method, 20.0);
        let answers = [third("chase"), third("conflict")];
        let said = |answers: &[Answer]| {
            let of = |id: &String| {
                let own: &[Answer] = if id == "mem/latency" { answers } else { &[] };
                Kept::new("cortex-a72", "quiet", 1, id, own)
            };
            let all: Vec<Kept> = recipe::experiments().iter().map(of).collect();
            let all = judged(&core, &conditions[0], 1, &all.iter().collect::<Vec<_>>());
            let third = all.iter().find(|j| j.finding.key == "l3_latency");
            third.map(|j| j.outcome)
        };
        let dram = Answer::exactly("dram_latency", "flushed", 100.0);
        assert_eq!(
            said(&[&answers[..], &[dram]].concat()),
            Some(Outcome::Wrong)
        );
        assert_eq!(said(&[]), None);
    }

    #[test]
    fn a_run_is_judged_as_without_counters_and_its_pattern_with_them_is_kept() {
        let core = crate::cores::named("zen2").unwrap();
        let conditions = crate::conditions::conditions();
        let line = |method| Answer::exactly("line_size", method, 64.0);
        let answers = [line("flush"), line("coherence"), line("counted")];
        let of = |id: &String| {
            let own: &[Answer] = if id == "mem/line" { &answers } else { &[] };
            Kept::new("zen2", "quiet", 1, id, own)
        };
        let all: Vec<Kept> = recipe::experiments().iter().map(of).collect();
        let judged = judged(&core, &conditions[0], 1, &all.iter().collect::<Vec<_>>());
        let line = judged
            .iter()
            .find(|j| j.finding.key == "line_size")
            .unwrap();
        let all: Vec<(&str, Outcome)> = line.agreements().collect();
        let right = Outcome::Right;
        let texts = [
            ("coherence+flush", right),
            ("coherence+counted+flush", right),
        ];
        assert_eq!(all, texts);
        assert!(line.methods.iter().any(|(method, _)| method == "counted"));
    }
}
