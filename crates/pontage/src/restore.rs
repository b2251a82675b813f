//! `pontage restore`: put back what an interrupted run changed.

use crate::failure::{DONE, FAILED, Failure, Outcome};
use crate::{arguments, output};
use ::report::document::Document;
use harness::journal::{self, Restored};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Undoes every journal whose run is gone. Exit status 1 when something could
/// not be put back.
///
/// # Errors
/// A folder that is none; when standard output cannot be written.
pub fn run(arguments: &arguments::Restore) -> Outcome {
    let folders = match &arguments.journal {
        Some(folder) => {
            is_folder(folder)?;
            vec![folder.clone()]
        }
        None => journal::places(),
    };
    let root = Path::new("/");
    let restored: Vec<Restored> = folders
        .iter()
        .flat_map(|folder| journal::restore(root, folder))
        .collect();
    let mut document = Document::new();
    if restored.is_empty() {
        let folders = named(&folders);
        document.line(format!("nothing to restore: no journal in {folders}"));
    }
    for item in &restored {
        document.line(item.to_string());
    }
    output::document(&document)?;
    Ok(if restored.iter().any(|r| r.outcome.is_trouble()) {
        FAILED
    } else {
        DONE
    })
}

/// One that was typed has to be there: a wrong name would look like good news.
fn is_folder(folder: &Path) -> Result<(), Failure> {
    let found = folder.metadata().and_then(|found| match found.is_dir() {
        true => Ok(()),
        false => Err(ErrorKind::NotADirectory.into()),
    });
    found.map_err(|e| {
        Failure::new(format!(
            "cannot look for journals in {}: {e}",
            folder.display()
        ))
        .hint(
            "name the folder that they lie in: pontage restore --journal DIR; without one it \
             looks where runs keep them",
        )
    })
}

fn named(folders: &[PathBuf]) -> String {
    let named: Vec<String> = folders.iter().map(|f| f.display().to_string()).collect();
    named.join(" or ")
}
