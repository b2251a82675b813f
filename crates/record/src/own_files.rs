//! A run folder may come from anybody. Who goes on with it writes its own files and
//! nothing that a name in it leads to.

use crate::error::RecordError;
use crate::layout::TRACES;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Refuses a folder that holds links of either kind, devices or pipes.
///
/// # Errors
/// Names the first of them.
pub(crate) fn check(folder: &Path) -> Result<(), RecordError> {
    check_entries(folder)?;
    let traces = folder.join(TRACES);
    match traces.is_dir() {
        true => check_entries(&traces),
        false => Ok(()),
    }
}

fn check_entries(folder: &Path) -> Result<(), RecordError> {
    let failed = |source| RecordError::io("list", folder, source);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        let fault = if !(kind.is_file() || kind.is_dir()) {
            "is not a regular file: a record holds its own files (remove it)"
        } else if kind.is_file() && entry.metadata().map_err(failed)?.nlink() > 1 {
            "has a second name, a hard link: a record holds its own files (make a copy of it)"
        } else {
            continue;
        };
        return Err(RecordError::NotResumable {
            path: folder.to_owned(),
            cause: format!("{:?} {fault}", entry.file_name()),
        });
    }
    Ok(())
}
