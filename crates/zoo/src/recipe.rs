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
    (!experiments.is_empty()).then_some(Recipe {
        samples: Some(SAMPLES),
        experiments,
        ..recipe
    })
}

/// Its experiments.
pub fn experiments() -> Vec<String> {
    let all = inference().map_or(Vec::new(), |recipe| recipe.experiments);
    all.into_iter().map(|entry| entry.id).collect()
}

fn inference() -> Option<Recipe> {
    let mut known = experiments::built_in::BUILT_IN.iter();
    let (name, text) = known.find(|(name, _)| *name == "inference")?;
    recipe::parse(name, text).ok()
}
