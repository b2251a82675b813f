//! A run as the list of runs shows it.

use super::place;
use super::shelf::{Kept, Shelf};
use record::{RecordError, RunState, discard};
use serde::Serialize;
use std::path::Path;

/// Characters that are drawn anew for each run.
const DRAWN: usize = 6;

/// A run as programs read it.
#[derive(Default, Serialize)]
pub struct Row {
    pub id: String,
    pub name: Option<String>,
    pub tags: Vec<String>,
    pub started_utc: String,
    pub recipe: String,
    pub host: String,
    pub cpu_model: String,
    pub load: String,
    /// `complete`, `incomplete`, `running`, `unreadable`.
    pub state: &'static str,
    /// Why it is incomplete or cannot be read.
    pub reason: Option<String>,
    pub baseline: bool,
    pub bytes: u64,
    /// The least that can be typed for it.
    #[serde(skip)]
    pub short: String,
}

/// Of a run that can be read, but for what its shelf knows.
pub fn of(run: &Kept) -> Row {
    let head = run.head.clone();
    let (state, reason) = match head.state {
        RunState::Complete => ("complete", None),
        RunState::Running => ("running", None),
        RunState::Incomplete { reason } => ("incomplete", Some(reason)),
    };
    Row {
        id: run.id().to_owned(),
        name: head.labels.name,
        tags: head.labels.tags,
        started_utc: head.started_utc,
        recipe: head.recipe.name,
        host: head.machine.host,
        cpu_model: head.machine.cpu_model,
        load: head.load,
        state,
        reason,
        bytes: discard::size_bytes(&run.folder),
        ..Row::default()
    }
}

/// Of one that cannot.
pub fn unread(folder: &Path, cause: &RecordError) -> Row {
    Row {
        id: place::id(folder),
        short: place::id(folder),
        state: "unreadable",
        reason: Some(cause.to_string()),
        bytes: discard::size_bytes(folder),
        ..Row::default()
    }
}

/// What was drawn for a run, where no other run has that.
pub fn short<'a>(id: &'a str, shelf: &Shelf) -> &'a str {
    let end = id.rsplit_once('-').map(|(_, end)| end);
    let Some(end) = end.filter(|end| end.len() == DRAWN && record::is_run_id(id)) else {
        return id;
    };
    let means = |other: &&Kept| other.id().starts_with(end) || other.id().ends_with(end);
    match shelf.runs.iter().filter(means).count() {
        1 => end,
        _ => id,
    }
}

/// A name and tags: `old-kernel [ci, zen5]`.
pub fn labels(name: Option<&str>, tags: &[String]) -> String {
    let tags = match tags {
        [] => String::new(),
        tags => format!("[{}]", tags.join(", ")),
    };
    let words = [name.unwrap_or_default(), &tags];
    words.join(" ").trim().to_owned()
}

/// `1 run`, `2 runs`.
pub fn count(runs: usize) -> String {
    match runs {
        1 => "1 run".to_owned(),
        n => format!("{n} runs"),
    }
}
