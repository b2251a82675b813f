//! Other runs of the recipe of two that are compared: how far runs of this machine differ.

use crate::failure::Failure;
use crate::runs;
use analysis::RunView;
use analysis::compare::{FEWEST_RUNS, History, fits};
use std::path::{Path, PathBuf};

/// More say hardly more, and each has to be read.
const MOST_RUNS: usize = 20;

/// From the runs in `asked`, or where A and B lie: those of the same recipe, machine and
/// conditions as A that began before the later of both, the newest first.
///
/// # Errors
/// Where a folder that was asked for cannot be listed, or a run in it cannot be read.
pub fn of(
    asked: Option<&PathBuf>,
    a: (&Path, &RunView),
    b: (&Path, &RunView),
) -> Result<History, Failure> {
    let folders = match asked {
        Some(folder) => vec![folder.clone()],
        None => around([a.0, b.0]),
    };
    let latest = (&a.1.head.started_utc).max(&b.1.head.started_utc);
    let mut found = Vec::new();
    for folder in folders {
        let listed = match record::list_runs(&folder) {
            Ok(listed) => listed,
            Err(error) if asked.is_some() => return Err(error.into()),
            Err(_) => continue,
        };
        found.extend(listed.into_iter().filter_map(|run| {
            let head = run.head.ok()?;
            let other = head.id != a.1.head.id && head.id != b.1.head.id;
            let before = head.started_utc < *latest;
            (other && before && fits(&a.1.head, &head).is_ok()).then_some(run.folder)
        }));
    }
    // Their names begin with the time.
    found.sort_by(|x, y| y.file_name().cmp(&x.file_name()));
    found.truncate(MOST_RUNS);
    if found.len() + 1 < FEWEST_RUNS || fits(&a.1.head, &a.1.head).is_err() {
        return Ok(History::default());
    }
    let others = found.iter().map(|folder| Ok(runs::open(folder)?.1));
    let others: Vec<RunView> = others.collect::<Result<_, Failure>>()?;
    Ok(History::of(std::iter::once(a.1).chain(&others)))
}

/// The folders that the runs lie in, each once.
fn around(runs: [&Path; 2]) -> Vec<PathBuf> {
    let parent = |run: &Path| Some(run.canonicalize().ok()?.parent()?.to_owned());
    let mut folders: Vec<PathBuf> = runs.into_iter().filter_map(parent).collect();
    folders.dedup();
    folders
}
