//! All runs, and what was right in each.

use super::arguments::{Arguments, Condition};
use super::recipe::inference;
use analysis::inference::{Answer, Patterns, Quantity, conclude};
use catalogue::conclude_by;
use record::{Finding, MethodSays};
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use zoo::Core;
use zoo::stage;
use zoo::truth::{Outcome, of_kernel, outcome, truth};

/// A finding of a run, with every pattern believed.
pub struct Judged {
    pub core: String,
    pub condition: &'static str,
    pub seed: u64,
    pub finding: Finding,
    pub outcome: Outcome,
    /// Methods that spoke alone, or with others: each with whether it was right.
    pub methods: Vec<(String, Outcome)>,
}

/// What one run concluded: a line of the file that runs are kept in.
#[derive(Serialize, Deserialize)]
struct Run {
    core: String,
    condition: String,
    seed: u64,
    /// Experiments that the recipe was restricted to; none: to none.
    #[serde(default)]
    only: Vec<String>,
    findings: Vec<Finding>,
}

/// A run that is wanted.
type Job<'a> = (&'a Core, &'a Condition, u64);

/// Runs every core in every condition with every seed, on all CPUs; what the file has is not
/// run again, and what is run is added to it at once.
///
/// # Errors
/// The file cannot be read or written.
pub fn all(arguments: &Arguments) -> Result<Vec<Judged>, String> {
    let mut known = arguments.runs.as_deref().map_or(Ok(Vec::new()), read)?;
    let is = |run: &Run, job: &Job<'_>| {
        let same = run.core == job.0.name && run.condition == job.1.name && run.seed == job.2;
        same && run.only == arguments.only
    };
    let jobs = jobs(arguments);
    let missing: Vec<&Job<'_>> = jobs
        .iter()
        .filter(|job| !arguments.kept && !known.iter().any(|run| is(run, job)))
        .collect();
    known.extend(run_all(&missing, arguments)?);
    let of = |job: &Job<'_>| {
        let run = known.iter().find(|run| is(run, job));
        run.map_or_else(Vec::new, |run| judged(job, &run.findings))
    };
    Ok(jobs.iter().flat_map(of).collect())
}

/// Seed by seed, so that what is ended early has seen all cores.
fn jobs(arguments: &Arguments) -> Vec<Job<'_>> {
    let mut jobs = Vec::new();
    for seed in 1..=arguments.seeds {
        for core in &arguments.cores {
            jobs.extend(arguments.conditions.iter().map(|c| (core, c, seed)));
        }
    }
    jobs
}

fn read(path: &str) -> Result<Vec<Run>, String> {
    let failed = |cause: &dyn std::fmt::Display| format!("cannot read {path}: {cause}");
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(failed(&e)),
    };
    // The last line may have been cut off.
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let lines = whole
        .lines()
        .map(|line| serde_json::from_str(line).map_err(|e| failed(&e)));
    lines.collect()
}

fn run_all(jobs: &[&Job<'_>], arguments: &Arguments) -> Result<Vec<Run>, String> {
    let path = arguments.runs.as_deref();
    let next = AtomicUsize::new(0);
    let done = Mutex::new((Vec::new(), None));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let run = run(job, &arguments.only);
                    let Ok(mut done) = done.lock() else { return };
                    if let Some(Err(why)) = path.map(|path| add(path, &run)) {
                        done.1.get_or_insert(why);
                    }
                    done.0.push(run);
                    eprint!("\r{} of {} runs", done.0.len(), jobs.len());
                }
            });
        }
    });
    eprintln!();
    match done.into_inner().unwrap_or_default() {
        (_, Some(why)) => Err(why),
        (runs, None) => Ok(runs),
    }
}

fn add(path: &str, run: &Run) -> Result<(), String> {
    let failed = |cause: &dyn std::fmt::Display| format!("cannot write {path}: {cause}");
    let line = serde_json::to_string(run).map_err(|e| failed(&e))?;
    let file = OpenOptions::new().create(true).append(true).open(path);
    let written = file.and_then(|mut file| writeln!(file, "{line}"));
    written.map_err(|e| failed(&e))
}

/// With every pattern believed, so that all of them can be counted.
fn run((core, condition, seed): &Job<'_>, only: &[String]) -> Run {
    let catalogue = experiments::all();
    let around = condition.around(&core.name, *seed);
    let ran = inference(only)
        .and_then(|recipe| stage::run(catalogue, &recipe, core, &around, *seed).ok());
    let patterns = Patterns::untested();
    let findings = ran.map(|ran| conclude_by(catalogue, &ran.tables, &ran.card, &patterns).0);
    Run {
        core: core.name.clone(),
        condition: condition.name.to_owned(),
        seed: *seed,
        only: only.to_vec(),
        findings: findings.unwrap_or_default(),
    }
}

/// What the rule of today makes of what the methods said then: a kept run stays good when the
/// rule changes, and is to be run again when a method does.
fn concluded_again(core: &Core, kept: &[Finding]) -> Vec<Finding> {
    let all = experiments::all().quantities().all;
    let (card, patterns) = (stage::card(core), Patterns::untested());
    let again = |finding: &Finding| {
        let quantity = all.iter().find(|q| q.key == finding.key)?;
        let answers = finding.methods.iter().filter_map(|m| answer(quantity, m));
        let answers: Vec<Answer> = answers.collect();
        conclude(quantity, &answers, &card, &patterns)
    };
    let concluded = kept.iter().filter_map(again);
    concluded.map(|concluded| concluded.finding).collect()
}

fn answer(of: &Quantity, said: &MethodSays) -> Option<Answer> {
    let (key, method) = (of.key, of.method(&said.method)?.name);
    Some(match (said.value, said.low, said.high) {
        (Some(value), Some(low), Some(high)) => Answer::between(key, method, value, low, high),
        _ => Answer::nothing(key, method, said.why.as_str()),
    })
}

fn judged((core, condition, seed): &Job<'_>, findings: &[Finding]) -> Vec<Judged> {
    let around = condition.around(&core.name, *seed);
    let judged = |finding: &Finding| {
        let of_core = truth(core, &finding.key, &around);
        let truth = of_core.or_else(|| of_kernel(&around, &finding.key))?;
        let of = |value: Option<f64>, low: Option<f64>, high: Option<f64>| match value {
            Some(value) => outcome(low.unwrap_or(value), high.unwrap_or(value), truth),
            None => Outcome::Undecided,
        };
        let methods = finding.methods.iter();
        Some(Judged {
            core: core.name.clone(),
            condition: condition.name,
            seed: *seed,
            outcome: of(finding.value, finding.low, finding.high),
            methods: methods
                .map(|m| (m.method.clone(), of(m.value, m.low, m.high)))
                .collect(),
            finding: finding.clone(),
        })
    };
    let findings = concluded_again(core, findings);
    findings.iter().filter_map(judged).collect()
}
