//! Parquet: the tables of the record, which are in that format already.

use super::{ExportError, write_file};
use record::Run;
use std::path::{Path, PathBuf};

pub(super) fn write_files(run: &Run, folder: &Path) -> Result<Vec<PathBuf>, ExportError> {
    let write = |experiment: &record::ExperimentHead| {
        let bytes = run.table_bytes(&experiment.id)?;
        write_file(&folder.join(experiment.table_file()), &bytes)
    };
    let mut files: Vec<PathBuf> = run
        .head()
        .experiments
        .iter()
        .map(write)
        .collect::<Result<_, _>>()?;
    for experiment in &run.head().experiments {
        if let Some(bytes) = run.copies_bytes(&experiment.id)? {
            files.push(write_file(&folder.join(experiment.copies_file()), &bytes)?);
        }
    }
    Ok(files)
}
