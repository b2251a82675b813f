//! The name and the tags of a run that is about to begin.

use super::flags;
use crate::failure::Failure;
use crate::runs;
use record::Labels;

/// What the arguments call the run.
///
/// # Errors
/// Where another run in its folder has the name.
pub fn of(arguments: &flags::Run) -> Result<Labels, Failure> {
    let asked = &arguments.labels;
    if let Some(name) = &asked.name {
        runs::names::free(&arguments.out, name, None)?;
    }
    let mut labels = Labels {
        name: asked.name.clone(),
        tags: Vec::new(),
    };
    asked.tag.iter().for_each(|word| labels.tag(word));
    Ok(labels)
}
