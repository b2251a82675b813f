//! `pontage restore`: put back what an interrupted run changed.

use crate::failure::{DONE, FAILED, Outcome};
use crate::{arguments, output};
use harness::journal;
use std::fmt::Write;

/// Undoes every journal whose run is gone. Exit status 1 when something could
/// not be put back.
///
/// # Errors
/// When standard output cannot be written.
pub fn run(arguments: &arguments::Restore) -> Outcome {
    let folder = arguments
        .journal
        .clone()
        .unwrap_or_else(journal::default_dir);
    let restored = journal::restore(&folder);
    let mut text = String::new();
    if restored.is_empty() {
        let _ = writeln!(
            text,
            "nothing to restore: no journal in {}",
            folder.display()
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
