//! `pontage restore`: put back what an interrupted run changed.

use crate::failure::{DONE, FAILED, Failure, Outcome};
use crate::{arguments, output};
use ::report::document::Document;
use harness::journal::{self, Restored};
use std::io::ErrorKind;
use std::path::Path;

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
    let restored = folders
        .iter()
        .flat_map(|folder| journal::restore(root, folder));
    let restored: Vec<Restored> = restored.collect();
    let nothing = || {
        let named: Vec<String> = folders.iter().map(|f| f.display().to_string()).collect();
        format!("nothing to restore: no journal in {}", named.join(" or "))
    };
    let nothing = restored.is_empty().then(nothing);
    let lines = restored.iter().map(ToString::to_string).chain(nothing);
    output::document(&Document::lines(lines))?;
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
            "name their folder: pontage restore --journal DIR; the default is where runs keep them",
        )
    })
}
