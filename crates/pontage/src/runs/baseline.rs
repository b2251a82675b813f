//! Which runs are baselines: their ids, in a file next to their folders.
//!
//! It is not in the record, which says what was measured and not what for: a run that is copied to
//! another folder is no baseline there.

use crate::failure::Failure;
use record::BriefHead;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::Path;

const FILE: &str = "baselines.json";
/// Larger is no file of ours.
const MOST_BYTES: u64 = 1 << 20;

#[derive(Default, Serialize, Deserialize)]
struct Baselines {
    baselines: Vec<String>,
}

/// Ids of the baselines in `parent`.
///
/// # Errors
/// A file that cannot be read.
pub fn read(parent: &Path) -> Result<Vec<String>, Failure> {
    let path = parent.join(FILE);
    let failed = |cause: &dyn std::fmt::Display| {
        let path = path.display();
        Failure::new(format!("cannot read {path}: {cause}"))
            .hint(format!("remove it and mark the baselines again: rm {path}"))
    };
    match files::input::text(&path, MOST_BYTES) {
        Ok(text) => serde_json::from_str::<Baselines>(&text)
            .map(|kept| kept.baselines)
            .map_err(|e| failed(&e)),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(failed(&e)),
    }
}

/// Replaces the baselines in `parent`.
///
/// # Errors
/// When the file cannot be written.
pub fn write(parent: &Path, baselines: Vec<String>) -> Result<(), Failure> {
    let path = parent.join(FILE);
    let text = serde_json::to_string_pretty(&Baselines { baselines })
        .map_err(|e| Failure::new(format!("cannot write JSON: {e}")))?;
    files::output::replace_own(&path, (text + "\n").as_bytes())
        .map_err(|e| Failure::new(format!("cannot write {}: {e}", path.display())))
}

/// Removes the mark of a run; false where it had none.
///
/// # Errors
/// As `read` and `write`.
pub fn unmark(parent: &Path, id: &str) -> Result<bool, Failure> {
    let marked = read(parent)?;
    let left: Vec<String> = marked
        .iter()
        .filter(|other| *other != id)
        .cloned()
        .collect();
    let had = left.len() < marked.len();
    if had {
        write(parent, left)?;
    }
    Ok(had)
}

/// Whether one can be the baseline of the other: the same machine, recipe and load. Of what
/// was typed instead of a recipe, the same experiments and values.
pub fn fits(a: &BriefHead, b: &BriefHead) -> bool {
    let same_recipe = a.recipe.name == b.recipe.name
        && (a.recipe.name != "custom" || a.recipe.text == b.recipe.text);
    same_recipe && a.machine == b.machine && a.load == b.load
}
