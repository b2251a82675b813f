//! A folder of runs that were not measured: copies of a stored one.
#![allow(dead_code, reason = "each test file uses its part")]

use crate::program::Program;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

pub fn stored(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/records")
        .join(name)
}

/// A copy of the stored record `of` as the run `id` that began at `started`.
pub fn keep_as(of: &str, program: &Program, id: &str, started: &str) -> PathBuf {
    let folder = program.out().join(id);
    fs::create_dir_all(&folder).unwrap();
    for entry in fs::read_dir(stored(of)).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
        }
    }
    edit(&folder, |head| {
        head["id"] = json!(id);
        head["started_utc"] = json!(started);
    });
    folder
}

/// A small complete run.
pub fn keep(program: &Program, id: &str, started: &str) -> PathBuf {
    keep_as("v3-small", program, id, started)
}

pub fn edit(folder: &Path, change: impl FnOnce(&mut Value)) {
    let mut head = crate::program::head(folder);
    change(&mut head);
    fs::write(
        folder.join("run.json"),
        serde_json::to_string_pretty(&head).unwrap(),
    )
    .unwrap();
}

pub fn label(folder: &Path, name: Option<&str>, tags: &[&str]) {
    record::relabel(folder, |labels| {
        labels.name = name.map(str::to_owned);
        labels.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
    })
    .unwrap();
}
