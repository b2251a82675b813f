//! The recipe that is run on simulated machines.

use catalogue::recipe::{self, Recipe};

/// Samples of each point in each process, at most: what is simulated is less noisy than what
/// is real, and takes longer.
const SAMPLES: u32 = 10;
/// A wake-up is simulated at once, and ticks and thefts are as frequent around it as they are: about
/// as many as a real run takes.
const WAKEUPS: u32 = 50;

/// The recipe that runs what conclusions need, of this experiment alone; None where it has no
/// such.
pub fn only(experiment: &str) -> Option<Recipe> {
    let samples = match experiment {
        "sched/wakeup" => WAKEUPS,
        _ => SAMPLES,
    };
    let short = Recipe {
        samples: Some(samples),
        ..inference()?
    };
    // Of what is recorded whole, all counts.
    let all = [Some(short), beyond()].into_iter().flatten();
    let mut of_it = all.map(|mut recipe| {
        recipe.experiments.retain(|entry| entry.id == experiment);
        recipe
    });
    of_it.find(|recipe| !recipe.experiments.is_empty())
}

/// Its experiments.
pub fn experiments() -> Vec<String> {
    let all = [inference(), beyond()].into_iter().flatten();
    let all = all.flat_map(|recipe| recipe.experiments);
    let mut ids: Vec<String> = all.map(|entry| entry.id).collect();
    ids.dedup();
    ids
}

/// What conclusions rest on besides: it keeps a CPU from everything else for too long, or needs
/// a second task.
const BEYOND: &str = r#"
title = "Beyond"
question = "What does the kernel give to real-time tasks, and what do two CPUs share?"
preset = "quick"
processes = 3

[[experiment]]
id = "sched/slice"
axes = { workload = ["compute"], policy = ["rr"], rank = ["90/90"], length = ["400ms"], source = ["gaps"], task = ["first", "second"] }

[[experiment]]
id = "sched/slice"
axes = { workload = ["compute"], policy = ["fifo"], rank = ["90/90"], length = ["2s"], source = ["gaps"], task = ["first", "second"] }

[[experiment]]
id = "colocate/matrix"
axes = { victim = ["alu"], neighbour = ["alu"] }
"#;

/// Experiments that are run besides the recipe.
pub fn besides() -> Vec<String> {
    let all = beyond().into_iter().flat_map(|recipe| recipe.experiments);
    all.map(|entry| entry.id).collect()
}

fn inference() -> Option<Recipe> {
    let mut known = experiments::built_in::BUILT_IN.iter();
    let (name, text) = known.find(|(name, _)| *name == "inference")?;
    recipe::parse(name, text).ok()
}

fn beyond() -> Option<Recipe> {
    recipe::parse("beyond", BEYOND).ok()
}
