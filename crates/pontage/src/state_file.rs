//! What the program keeps for itself between two runs: one JSON file for each purpose, in the
//! state folder.

use harness::journal;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

/// Larger is no file of ours.
const MOST_BYTES: u64 = 1 << 20;

/// What is kept under `name`; None where there is none, or none that can be read.
pub fn read<T: DeserializeOwned>(name: &str) -> Option<T> {
    places(name).find_map(|path| {
        let text = files::input::text(&path, MOST_BYTES).ok()?;
        serde_json::from_str(&text).ok()
    })
}

/// Keeps `what` under `name`; false where no state folder takes it.
pub fn keep<T: Serialize>(name: &str, what: &T) -> bool {
    let Ok(text) = serde_json::to_string_pretty(what) else {
        return false;
    };
    let written = |path: PathBuf| {
        let folder = path.parent()?;
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.and_then(|()| files::output::replace_own(&path, text.as_bytes()))
            .ok()
    };
    places(name).find_map(written).is_some()
}

fn places(name: &str) -> impl Iterator<Item = PathBuf> {
    journal::places()
        .into_iter()
        .map(move |folder| folder.join(name))
}
