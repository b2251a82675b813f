//! Parquet: the tables of the record, which are in that format already.

use super::{ExportError, write_file};
use analysis::RunView;
use record::Run;
use std::path::{Path, PathBuf};

pub(super) fn write_files(
    run: &Run,
    view: &RunView,
    folder: &Path,
) -> Result<Vec<PathBuf>, ExportError> {
    let mut files = Vec::new();
    for experiment in view.tables.iter().map(|t| &t.head) {
        let bytes = run.table_bytes(&experiment.id)?;
        files.push(write_file(&folder.join(experiment.table_file()), &bytes)?);
    }
    for experiment in view.tables.iter().map(|t| &t.head) {
        if let Some(bytes) = run.copies_bytes(&experiment.id)? {
            files.push(write_file(&folder.join(experiment.copies_file()), &bytes)?);
        }
    }
    Ok(files)
}
