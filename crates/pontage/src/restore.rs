//! `pontage restore`: put back what an interrupted run changed.

use crate::failure::{DONE, FAILED, Outcome};
use crate::{arguments, output};
use harness::journal::{self, Restored};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Undoes every journal whose run is gone. Exit status 1 when something could
/// not be put back.
///
/// # Errors
/// When standard output cannot be written.
pub fn run(arguments: &arguments::Restore) -> Outcome {
    let folders = match &arguments.journal {
        Some(folder) => vec![folder.clone()],
        None => journal::places(),
    };
    let root = Path::new("/");
    let restored: Vec<Restored> = folders
        .iter()
        .flat_map(|folder| journal::restore(root, folder))
        .collect();
    let mut text = String::new();
    if restored.is_empty() {
        let _ = writeln!(
            text,
            "nothing to restore: no journal in {}",
            named(&folders)
        );
    }
    for item in &restored {
        let _ = writeln!(text, "{item}");
    }
    output::data(&text)?;
    Ok(if restored.iter().any(|r| r.outcome.is_trouble()) {
        FAILED
    } else {
        DONE
    })
}

fn named(folders: &[PathBuf]) -> String {
    let named: Vec<String> = folders.iter().map(|f| f.display().to_string()).collect();
    named.join(" or ")
}
