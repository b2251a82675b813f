//! Which runs are wanted, and which of them are still to be made.

use super::arguments::Arguments;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use zoo::Core;
use zoo::conditions::Condition;
use zoo::cores;
use zoo::judge::{self, Judged};
use zoo::kept::{self, Kept};

/// A run that is wanted.
type Run<'a> = (&'a Core, &'a Condition, u64);

/// Runs every core in every condition with every seed, on all CPUs; what the file has is not
/// run again, and what is run is added to it at once.
///
/// # Errors
/// The file cannot be read or written.
pub fn all(arguments: &Arguments) -> Result<Vec<Judged>, String> {
    let path = &arguments.runs;
    if arguments.again {
        again(path)?;
    }
    let mut known = kept::read(path)?;
    let runs = runs(arguments);
    if !arguments.kept {
        kept::mend(path)?;
        known.extend(run_all(&missing(&runs, &known, arguments), path)?);
    }
    let of = |run: &Run<'_>| {
        let of_it = known.iter().filter(|kept| is_of(kept, run));
        judge::judged(run.0, run.1, run.2, &of_it.collect::<Vec<_>>())
    };
    Ok(runs.iter().flat_map(of).collect())
}

/// Asks the methods of today about all points that the file has.
fn again(path: &str) -> Result<(), String> {
    let mut all = kept::read(path)?;
    let with_points = all.iter_mut().filter(|kept| kept.points.is_some());
    for kept in with_points {
        let core = cores::named(&kept.core).ok_or(format!("no core is called {}", kept.core))?;
        *kept = judge::again(&core, kept).ok_or(format!(
            "{path} has points of {} that are of another plan: take these lines out",
            kept.experiment
        ))?;
    }
    kept::write(path, &all)
}

/// Seed by seed, so that what is ended early has seen all cores.
fn runs(arguments: &Arguments) -> Vec<Run<'_>> {
    let mut runs = Vec::new();
    for seed in 1..=arguments.seeds {
        for core in &arguments.cores {
            runs.extend(arguments.conditions.iter().map(|c| (core, c, seed)));
        }
    }
    runs
}

fn is_of(kept: &Kept, (core, condition, seed): &Run<'_>) -> bool {
    kept.is_of(&core.name, condition.name, *seed)
}

fn missing<'a>(
    runs: &[Run<'a>],
    known: &[Kept],
    arguments: &'a Arguments,
) -> Vec<(Run<'a>, &'a str)> {
    let each = runs.iter().flat_map(|run| {
        let ids = arguments.experiments.iter();
        ids.map(move |id| (*run, id.as_str()))
    });
    let is_kept = |run: &Run<'_>, id: &str| {
        let mut of_it = known.iter().filter(|kept| is_of(kept, run));
        of_it.any(|kept| kept.experiment == id)
    };
    each.filter(|(run, id)| !is_kept(run, id)).collect()
}

fn run_all(jobs: &[(Run<'_>, &str)], path: &str) -> Result<Vec<Kept>, String> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new((Vec::new(), None));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ((core, condition, seed), experiment) = job;
                    let kept = judge::run(core, condition, *seed, experiment);
                    let Ok(mut done) = done.lock() else { return };
                    if let Err(why) = kept::add(path, &kept) {
                        done.1.get_or_insert(why);
                    }
                    done.0.push(kept);
                    eprint!("\r{} of {} experiments", done.0.len(), jobs.len());
                }
            });
        }
    });
    if !jobs.is_empty() {
        eprintln!();
    }
    match done.into_inner().unwrap_or_default() {
        (_, Some(why)) => Err(why),
        (kept, None) => Ok(kept),
    }
}
