//! `pontage report --against`: the machine of a run next to reference machines.

use crate::arguments;
use crate::export::gallery::name;
use crate::failure::{Failure, NOTHING_RUNS, Outcome};
use crate::output;
use ::gallery::{Entry, Placed, built_in};
use ::report::placed;
use analysis::RunView;
use std::path::{Path, PathBuf};
use summary::RunSummary;

/// The word for those that are built in.
const BUILT_IN: &str = "gallery";
/// Ways of the toll map that a first look has.
const WAYS: usize = 11;
/// Longest file that is read.
const LONGEST_BYTES: u64 = 1 << 20;

/// Shows where the machine of a run stands.
///
/// # Errors
/// No entries there, or one that cannot be read.
pub fn run(arguments: &arguments::Report, view: &RunView, against: &Path) -> Outcome {
    let summary = RunSummary::of(view);
    let here = Entry::of(view, &summary, &name(view), "");
    let placed = Placed::among(here, &entries(against)?);
    if placed.next.iter().all(|next| next.shared == 0) {
        harness::message!(
            "{}",
            Failure::new(format!(
                "run {} shares no value with a machine of {}",
                view.head.id,
                against.display()
            ))
            .hint("measure what they have: pontage run --quick")
        );
        return Ok(NOTHING_RUNS);
    }
    let short = summary.toll.short(WAYS);
    let ways: Vec<String> = short
        .iter()
        .map(|row| format!("{}/{}/", row.experiment, row.label))
        .collect();
    let ways = (!arguments.all).then_some(ways.as_slice());
    let width = output::width();
    output::tabled(
        arguments.format,
        || placed::document(&placed, width, ways),
        || &placed,
        || placed::sheet(&placed),
    )
}

/// Those that are built in, or the files of a folder, or one file.
fn entries(against: &Path) -> Result<Vec<Entry>, Failure> {
    if against == Path::new(BUILT_IN) && !against.exists() {
        return Ok(built_in());
    }
    if !against.is_dir() {
        let one = entry(against).map_err(|cause| {
            Failure::new(format!("cannot read {}: {cause}", against.display())).hint(
                "name an entry (pontage export RUN --format gallery), a folder of them, or the word \
                 gallery",
            )
        });
        return Ok(vec![one?]);
    }
    let cannot = |e| Failure::new(format!("cannot read {}: {e}", against.display()));
    let listed = against.read_dir().map_err(cannot)?;
    let mut files: Vec<PathBuf> = listed
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    files.sort();
    if files.is_empty() {
        let message = format!(
            "cannot find a machine in {}: it has no .json",
            against.display()
        );
        return Err(
            Failure::new(message).hint("write one with: pontage export RUN --format gallery")
        );
    }
    // One that is damaged does not hide the others.
    let mut found = Vec::new();
    for file in &files {
        match entry(file) {
            Ok(entry) => found.push(entry),
            Err(cause) => harness::message!("SKIP {}: {cause}", file.display()),
        }
    }
    if found.is_empty() {
        let message = format!(
            "cannot find a machine in {}: no file is an entry",
            against.display()
        );
        return Err(
            Failure::new(message).hint("write one with: pontage export RUN --format gallery")
        );
    }
    Ok(found)
}

fn entry(path: &Path) -> Result<Entry, String> {
    let text = files::input::text(path, LONGEST_BYTES).map_err(|e| e.to_string())?;
    Entry::parse(&text).map_err(|e| e.to_string())
}
