//! What can stand where a shell asks for completions: experiments, axes, workloads, runs.
//!
//! Everything is read, nothing is written, and what cannot be read is left out.

use crate::runs;
use catalogue::Listed;
use clap_complete::CompletionCandidate;
use clap_complete::engine::{PathCompleter, ValueCompleter};
use engines::tasks::kinds;
use experiments::all;
use experiments::built_in::BUILT_IN;
use std::ffi::OsStr;

type Candidates = Vec<CompletionCandidate>;

/// Words that mean a run; folders behind a slash, and where no word fits.
pub fn runs(current: &OsStr) -> Candidates {
    let text = current.to_string_lossy();
    let words = match text.contains('/') {
        true => Vec::new(),
        false => runs::shelf().map(|shelf| shelf.words()).unwrap_or_default(),
    };
    // A record may come from anywhere: what a shell could take for more than a word is left out.
    let plain = |c: char| c.is_ascii_alphanumeric() || "@-_.".contains(c);
    let words = words.into_iter().filter(|word| word.chars().all(plain));
    let found = beginning(&text, words);
    match found.is_empty() {
        true => PathCompleter::dir().complete(current),
        false => found,
    }
}

/// Names of runs that are baselines, without the @.
pub fn baselines(current: &OsStr) -> Candidates {
    let text = current.to_string_lossy();
    let Ok(shelf) = runs::shelf() else {
        return Vec::new();
    };
    let marked = shelf.baselines().unwrap_or_default();
    let word = |run: &&runs::shelf::Kept| match &run.head.labels.name {
        Some(name) if record::labels::check(name).is_ok() => name.clone(),
        _ => run.id().to_owned(),
    };
    beginning(&text, marked.iter().map(word))
}

/// Areas, experiments and recipes, in lists as well; recipe files.
pub fn selections(current: &OsStr) -> Candidates {
    let text = current.to_string_lossy();
    let (before, last) = text.rsplit_once(',').unwrap_or(("", &text));
    let found = beginning(last, names().map(str::to_owned));
    if found.is_empty() {
        let is_recipe = |path: &std::path::Path| path.extension().is_some_and(|end| end == "toml");
        return PathCompleter::any().filter(is_recipe).complete(current);
    }
    prefixed(before, ",", found)
}

/// Areas, experiments, recipes and conclusions, in lists as well.
pub fn explained(current: &OsStr) -> Candidates {
    let text = current.to_string_lossy();
    let (before, last) = text.rsplit_once(',').unwrap_or(("", &text));
    let keys = all().quantities().all.iter().map(|quantity| quantity.key);
    let found = beginning(last, names().chain(keys).map(str::to_owned));
    prefixed(before, ",", found)
}

/// Recipes, areas and experiments.
fn names() -> impl Iterator<Item = &'static str> {
    let listed = || all().iter().map(|listed| listed.id);
    let mut areas: Vec<&str> = listed()
        .filter_map(|id| Some(id.split_once('/')?.0))
        .collect();
    areas.dedup();
    let recipes = BUILT_IN.iter().map(|(name, _)| *name);
    recipes.chain(areas).chain(listed())
}

/// Names of the axes of what is selected on the command line so far, and behind `=` their words.
pub fn axes(current: &OsStr) -> Candidates {
    let text = current.to_string_lossy();
    let selected = selected();
    let axes = selected.iter().flat_map(|listed| listed.experiment.axes);
    let Some((name, values)) = text.split_once('=') else {
        return beginning(&text, axes.map(|axis| format!("{}=", axis.name)));
    };
    let words = axes
        .filter(|axis| axis.name == name)
        .flat_map(|axis| axis.words.iter());
    let words = words.map(|word| (*word).to_owned());
    let (before, last) = values.rsplit_once(',').unwrap_or(("", values));
    let found = prefixed(before, ",", beginning(last, words));
    prefixed(name, "=", found)
}

fn selected() -> Vec<&'static Listed> {
    let typed = crate::command_line::typed().into_iter().skip(1);
    let words: Vec<String> = typed.filter(|word| !word.starts_with('-')).collect();
    let pieces = words.iter().flat_map(|word| word.split(','));
    let pieces = pieces.map(|piece| piece.trim_matches(['\'', '"']));
    let found: Vec<&Listed> = pieces
        .filter_map(|p| all().matching(p).ok())
        .flatten()
        .collect();
    match found.is_empty() {
        true => all().iter().collect(),
        false => found,
    }
}

/// Kinds of work.
pub fn workloads(current: &OsStr) -> Candidates {
    let text = current.to_string_lossy();
    let (before, last) = text.rsplit_once(',').unwrap_or(("", &text));
    let names = kinds::all().into_iter().map(|kind| kind.name.to_owned());
    prefixed(before, ",", beginning(last, names))
}

/// Transports of `ipc/*`.
pub fn transports(current: &OsStr) -> Candidates {
    let names = all()
        .iter()
        .filter_map(|listed| listed.id.strip_prefix("ipc/"));
    let names = names.chain(["local"]).map(str::to_owned);
    beginning(&current.to_string_lossy(), names)
}

/// Each once, in their order.
fn beginning(typed: &str, words: impl Iterator<Item = String>) -> Candidates {
    let mut found: Vec<String> = Vec::new();
    for word in words.filter(|word| word.starts_with(typed)) {
        if !found.contains(&word) {
            found.push(word);
        }
    }
    found.into_iter().map(CompletionCandidate::new).collect()
}

/// What stands before them in the same word.
fn prefixed(before: &str, separator: &str, found: Candidates) -> Candidates {
    match before {
        "" => found,
        _ => {
            let before = format!("{before}{separator}");
            found
                .into_iter()
                .map(|one| one.add_prefix(before.as_str()))
                .collect()
        }
    }
}
