//! The recipe that is run on simulated machines.

use catalogue::recipe::{self, Recipe};

/// Samples of each point in each process, at most: what is simulated is less noisy than what
/// is real, and takes longer.
const SAMPLES: u32 = 10;

/// The recipe that runs what conclusions need, restricted to some experiments unless none is
/// named.
pub fn inference(only: &[String]) -> Option<Recipe> {
    let mut known = experiments::built_in::BUILT_IN.iter();
    let (name, text) = known.find(|(name, _)| *name == "inference")?;
    let recipe = recipe::parse(name, text).ok()?;
    let wanted = |id: &String| only.is_empty() || only.contains(id);
    Some(Recipe {
        samples: Some(SAMPLES),
        experiments: recipe
            .experiments
            .into_iter()
            .filter(|entry| wanted(&entry.id))
            .collect(),
        ..recipe
    })
}
