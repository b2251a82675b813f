//! Finding and opening recorded runs.

pub mod names;

use crate::failure::Failure;
use analysis::RunView;
use record::{RecordError, Run};
use std::path::{Path, PathBuf};

/// Where runs are written unless --out names another place.
pub const FOLDER: &str = "runs";

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        Failure::new(&error).hinted(error.hint())
    }
}

/// Opens the run in `folder`.
///
/// # Errors
/// What the record says, with its remedy.
pub fn open(folder: &Path) -> Result<(Run, RunView), Failure> {
    let run = Run::open(folder)?;
    let view = analysis::load(&run)?;
    Ok((run, view))
}

/// The folder given, or that of the newest run under `runs/`.
///
/// # Errors
/// When none is given and there is none.
pub fn given_or_newest(folder: Option<&PathBuf>) -> Result<PathBuf, Failure> {
    if let Some(folder) = folder {
        return Ok(folder.clone());
    }
    newest(Path::new(FOLDER)).ok_or_else(|| {
        Failure::new(format!("cannot find a run: nothing under {FOLDER}/"))
            .hint("measure one with: pontage run")
    })
}

/// Run folders begin with their UTC time, so the newest sorts last.
fn newest(parent: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(parent).ok()?.flatten();
    let runs = entries.map(|entry| entry.path());
    runs.filter(|path| path.join("run.json").is_file()).max()
}
