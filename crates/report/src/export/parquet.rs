//! Parquet: the tables of the record, which are in that format already.

use super::{ExportError, write_file};
use record::Run;
use std::path::{Path, PathBuf};

pub(super) fn write_files(run: &Run, folder: &Path) -> Result<Vec<PathBuf>, ExportError> {
    let mut files = Vec::new();
    for experiment in &run.head().experiments {
        let bytes = run.table_bytes(&experiment.id)?;
        files.push(write_file(&folder.join(experiment.table_file()), &bytes)?);
    }
    for experiment in &run.head().experiments {
        if let Some(bytes) = run.copies_bytes(&experiment.id)? {
            files.push(write_file(&folder.join(experiment.copies_file()), &bytes)?);
        }
    }
    Ok(files)
}
