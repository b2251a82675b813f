//! Names of runs: each is of one run in its folder of runs.

use crate::failure::Failure;
use record::brief;
use std::path::Path;

/// Whether no run in `parent`, but the one in `except`, has this name.
///
/// # Errors
/// Names the run that has it. A folder that is not there has no runs.
pub fn free(parent: &Path, name: &str, except: Option<&Path>) -> Result<(), Failure> {
    let runs = brief::list(parent).unwrap_or_default();
    let has = |run: &&record::ListedBrief| {
        let head = run.head.as_ref().ok();
        head.is_some_and(|head| head.labels.name.as_deref() == Some(name))
            && except.is_none_or(|folder| run.folder.file_name() != folder.file_name())
    };
    let Some(run) = runs.iter().find(has) else {
        return Ok(());
    };
    let folder = run.folder.display();
    Err(
        Failure::new(format!("cannot name a run {name}: {folder} has this name"))
            .hint("choose another name with --name NAME, or another folder with --out DIR"),
    )
}
