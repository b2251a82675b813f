//! `pontage runs delete`.

use super::{baseline, place, row};
use crate::failure::{DONE, Failure, Outcome};
use record::Discard;
use record::axis::human_bytes;
use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

/// Deletes runs: all of them can be deleted, or none is.
///
/// # Errors
/// What is no run, is running, is a baseline, or was not confirmed.
pub fn run(folders: &[PathBuf], yes: bool, force: bool) -> Outcome {
    let mut all: Vec<Discard> = Vec::new();
    for folder in folders {
        let is_known = |known: &Discard| known.folder() == place::absolute(folder);
        if !all.iter().any(is_known) {
            all.push(Discard::of(folder)?);
        }
    }
    if !force {
        all.iter().try_for_each(no_baseline)?;
    }
    let sum = format!(
        "{}, {}",
        row::count(all.len()),
        human_bytes(all.iter().map(Discard::bytes).sum())
    );
    if !yes && !confirmed(&all, &sum)? {
        harness::message!("nothing was deleted");
        return Ok(DONE);
    }
    for one in all {
        baseline::unmark(&place::parent(one.folder()), &place::id(one.folder()))?;
        one.now()?;
    }
    harness::message!("deleted {sum}");
    Ok(DONE)
}

fn no_baseline(one: &Discard) -> Result<(), Failure> {
    let id = place::id(one.folder());
    if !baseline::read(&place::parent(one.folder()))?.contains(&id) {
        return Ok(());
    }
    Err(
        Failure::new(format!("cannot delete {id}: it is a baseline")).hint(format!(
            "delete it with --force, or remove the mark: pontage runs baseline {} --remove",
            place::shown(one.folder())
        )),
    )
}

fn confirmed(all: &[Discard], sum: &str) -> Result<bool, Failure> {
    let stdin = std::io::stdin();
    if !(stdin.is_terminal() && std::io::stderr().is_terminal()) {
        let folders = all.iter().map(|one| place::shown(one.folder()));
        let folders: Vec<String> = folders.collect();
        return Err(Failure::new(format!(
            "cannot delete {sum}: not confirmed, and there is no terminal to ask on"
        ))
        .hint(format!("pontage runs delete {} --yes", folders.join(" "))));
    }
    for one in all {
        let known = &one.head().labels;
        let labels = row::labels(known.name.as_deref(), &known.tags);
        let line = format!(
            "{}  {}  {labels}",
            place::shown(one.folder()),
            human_bytes(one.bytes())
        );
        harness::message!("{}", escape::terminal(line.trim_end()));
    }
    harness::messages::part(&format!("delete {sum}? [y/N] "));
    let mut answer = String::new();
    stdin
        .lock()
        .read_line(&mut answer)
        .map_err(|e| Failure::new(format!("cannot read the answer: {e}")))?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}
