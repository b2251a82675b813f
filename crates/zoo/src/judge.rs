//! All runs, and what was right in each.

use super::arguments::{Arguments, Condition};
use analysis::inference::Patterns;
use catalogue::conclude_by;
use catalogue::recipe::{self, Recipe};
use record::Finding;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use zoo::Core;
use zoo::stage;
use zoo::truth::{Outcome, outcome, truth};

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

/// Runs every core in every condition with every seed, on all CPUs.
pub fn all(arguments: &Arguments) -> Vec<Judged> {
    let mut jobs: Vec<(&Core, &Condition, u64)> = Vec::new();
    for seed in 1..=arguments.seeds {
        for core in &arguments.cores {
            jobs.extend(arguments.conditions.iter().map(|c| (core, c, seed)));
        }
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((core, condition, seed)) =
                    jobs.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let judged = one(core, condition, *seed);
                    if let Ok(mut done) = done.lock() {
                        done.extend(judged);
                        eprint!(
                            "\r{} of {} runs",
                            next.load(Ordering::Relaxed).min(jobs.len()),
                            jobs.len()
                        );
                    }
                }
            });
        }
    });
    eprintln!();
    done.into_inner().unwrap_or_default()
}

/// Samples of each point in each process, at most: what is simulated is less noisy than what
/// is real, and takes longer.
const SAMPLES: u32 = 10;

/// The recipe that runs what conclusions need.
fn inference() -> Option<Recipe> {
    let mut known = experiments::built_in::BUILT_IN.iter();
    let (name, text) = known.find(|(name, _)| *name == "inference")?;
    let recipe = recipe::parse(name, text).ok()?;
    Some(Recipe {
        samples: Some(SAMPLES),
        ..recipe
    })
}

fn one(core: &Core, condition: &Condition, seed: u64) -> Vec<Judged> {
    let catalogue = experiments::all();
    let Some(recipe) = inference() else {
        return Vec::new();
    };
    let Ok(ran) = stage::run(catalogue, &recipe, core, &condition.around, seed) else {
        return Vec::new();
    };
    let patterns = Patterns::untested();
    let (findings, _) = conclude_by(catalogue, &ran.tables, &ran.card, &patterns);
    let judged = |finding: Finding| {
        let truth = truth(core, &finding.key, condition.shared)?;
        let of = |value: Option<f64>, low: Option<f64>, high: Option<f64>| match value {
            Some(value) => outcome(low.unwrap_or(value), high.unwrap_or(value), truth),
            None => Outcome::Undecided,
        };
        let methods = finding.methods.iter();
        Some(Judged {
            core: core.name.clone(),
            condition: condition.name,
            seed,
            outcome: of(finding.value, finding.low, finding.high),
            methods: methods
                .map(|m| (m.method.clone(), of(m.value, m.low, m.high)))
                .collect(),
            finding,
        })
    };
    findings.into_iter().filter_map(judged).collect()
}
