//! `pontage runs`: the list of runs, their names, tags and baselines.

use super::arguments::{Change, Runs};
use super::place::{self, own, parent};
use super::shelf::Shelf;
use super::{baseline, delete, list, names, row};
use crate::failure::{DONE, Failure, Outcome};
use crate::runs;
use record::{BriefHead, Labels, RunState, brief, relabel};
use std::path::{Path, PathBuf};

/// # Errors
/// A word that means no run, a run that cannot be changed.
pub fn run(arguments: &Runs) -> Outcome {
    let found = |run: &Path| Ok::<_, Failure>(own(&runs::find(run)?));
    match &arguments.change {
        None => list::show(&runs::shelf()?, arguments.format),
        Some(Change::Rename { run, name }) => {
            let folder = found(run)?;
            names::free(&parent(&folder), name, Some(&folder))?;
            labelled(&folder, |labels| labels.name = Some(name.clone()))
        }
        Some(Change::Tag { run, words }) => labelled(&found(run)?, |labels| {
            words.iter().for_each(|word| labels.tag(word));
        }),
        Some(Change::Untag { run, words }) => untagged(&found(run)?, words),
        Some(Change::Baseline { run, remove: false }) => marked(&found(run)?),
        Some(Change::Baseline { run, remove: true }) => unmarked(&found(run)?),
        Some(Change::Delete { runs, yes, force }) => {
            let all = runs.iter().map(|run| found(run));
            let all: Vec<PathBuf> = all.collect::<Result<_, Failure>>()?;
            delete::run(&all, *yes, *force)
        }
    }
}

fn labelled(folder: &Path, change: impl FnOnce(&mut Labels)) -> Outcome {
    relabel(folder, change)?;
    let labels = brief::read(folder)?.labels;
    let labels = row::labels(labels.name.as_deref(), &labels.tags);
    let shown = match labels.is_empty() {
        true => "no name, no tags",
        false => &labels,
    };
    harness::message!("{}: {shown}", place::id(folder));
    Ok(DONE)
}

fn untagged(folder: &Path, words: &[String]) -> Outcome {
    let tags = brief::read(folder)?.labels.tags;
    if let Some(word) = words.iter().find(|word| !tags.contains(word)) {
        let has = match tags.is_empty() {
            true => "it has no tags".to_owned(),
            false => format!("it has: {}", tags.join(", ")),
        };
        let id = place::id(folder);
        return Err(
            Failure::new(format!("cannot remove tag {word} from {id}: {has}"))
                .hint("list runs with their tags: pontage runs"),
        );
    }
    labelled(folder, |labels| {
        labels.tags.retain(|tag| !words.contains(tag))
    })
}

/// One baseline for each machine, recipe and load.
fn marked(folder: &Path) -> Outcome {
    let (id, head) = (place::id(folder), brief::read(folder)?);
    complete(&id, folder, &head)?;
    let shelf = Shelf::read(&parent(folder))?;
    let before = shelf.baseline_of(&head)?.map(|run| run.id().to_owned());
    let all = shelf
        .baselines()?
        .into_iter()
        .map(|run| run.id().to_owned());
    let mut ids: Vec<String> = all.filter(|other| Some(other) != before.as_ref()).collect();
    ids.push(id.clone());
    baseline::write(&shelf.parent, ids)?;
    let of = format!("recipe {} on {}", head.recipe.name, head.machine.host);
    match before.filter(|before| *before != id) {
        Some(before) => harness::message!("{id} is the baseline of {of}, in place of {before}"),
        None => harness::message!("{id} is the baseline of {of}"),
    }
    Ok(DONE)
}

fn unmarked(folder: &Path) -> Outcome {
    let id = place::id(folder);
    if !baseline::unmark(&parent(folder), &id)? {
        return Err(
            Failure::new(format!("cannot remove the mark of {id}: it is no baseline"))
                .hint("list runs with their marks: pontage runs"),
        );
    }
    harness::message!("{id} is no baseline any more");
    Ok(DONE)
}

fn complete(id: &str, folder: &Path, head: &BriefHead) -> Result<(), Failure> {
    let cannot = |why: &str| Failure::new(format!("cannot mark {id} as a baseline: {why}"));
    match &head.state {
        RunState::Complete => Ok(()),
        RunState::Running => Err(cannot("it is still running").hint("mark it when it is complete")),
        RunState::Incomplete { .. } => Err(cannot("it is incomplete").hint(format!(
            "finish it with: pontage run --resume {}",
            folder.display()
        ))),
    }
}
