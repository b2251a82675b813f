//! The recipe that is run on simulated machines.

use catalogue::recipe::{self, Recipe};

/// Samples of each point in each process, at most: what is simulated is less noisy than what
/// is real, and takes longer.
const SAMPLES: u32 = 10;

/// The recipe that runs what conclusions need, of this experiment alone; None where it has no
/// such.
pub fn only(experiment: &str) -> Option<Recipe> {
    let recipe = inference()?;
    let of_it = recipe
        .experiments
        .into_iter()
        .filter(|e| e.id == experiment);
    let experiments: Vec<_> = of_it.collect();
    let is_beyond = BEYOND.contains(&format!("\"{experiment}\""));
    (!experiments.is_empty()).then_some(Recipe {
        // Of what is recorded whole, all counts.
        samples: (!is_beyond).then_some(SAMPLES),
        experiments,
        ..recipe
    })
}

/// Its experiments.
pub fn experiments() -> Vec<String> {
    let all = inference().map_or(Vec::new(), |recipe| recipe.experiments);
    let mut ids: Vec<String> = all.into_iter().map(|entry| entry.id).collect();
    ids.dedup();
    ids
}

/// What conclusions rest on that keeps a CPU from everything else for too long to be run
/// whenever one asks what a machine is.
const BEYOND: &str = r#"
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

fn inference() -> Option<Recipe> {
    let mut known = experiments::built_in::BUILT_IN.iter();
    let (name, text) = known.find(|(name, _)| *name == "inference")?;
    recipe::parse(name, &format!("{text}{BEYOND}")).ok()
}
