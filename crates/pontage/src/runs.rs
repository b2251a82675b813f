//! Finding and opening recorded runs.

pub mod arguments;
mod baseline;
mod columns;
pub mod command;
mod delete;
mod list;
pub mod names;
mod place;
mod row;
pub mod shelf;

use crate::failure::Failure;
use analysis::RunView;
use record::{RecordError, Run};
use shelf::Shelf;
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

/// The folder of the run that is asked for: a folder that is there, `latest`, `previous`,
/// `@NAME`, `@TAG`, `@baseline`, an id or a part of it that no other run under `runs/` has.
///
/// # Errors
/// A word that means no run, or several.
pub fn find(asked: &Path) -> Result<PathBuf, Failure> {
    let is_path = asked.is_dir() || asked.ends_with(record::layout::HEAD);
    match asked.to_str() {
        Some(word) if !is_path && !word.contains('/') => Ok(shelf()?.find(word)?.folder.clone()),
        // What cannot be opened is said when it is.
        _ => Ok(asked.to_owned()),
    }
}

/// The run that is asked for, or the newest under `runs/`.
///
/// # Errors
/// As `find`; when none is asked for and there is none.
pub fn given_or_newest(asked: Option<&PathBuf>) -> Result<PathBuf, Failure> {
    match asked {
        Some(asked) => find(asked),
        None => Ok(shelf()?.latest()?.folder.clone()),
    }
}

/// The baseline next to the run in `folder`: of its machine, recipe and load, or of a name.
///
/// # Errors
/// Where there is none.
pub fn baseline_for(folder: &Path, name: Option<&str>) -> Result<PathBuf, Failure> {
    let folder = place::own(folder);
    let shelf = Shelf::read(&place::parent(&folder))?;
    let found = match name {
        Some(name) => shelf.baseline_named(name)?,
        None => {
            let head = record::brief::read(&folder)?;
            let none = || shelf::no_baseline(&head.id, &head);
            shelf.baseline_of(&head)?.ok_or_else(none)?
        }
    };
    Ok(found.folder.clone())
}

/// The runs under `runs/`.
///
/// # Errors
/// When the folder cannot be listed.
pub fn shelf() -> Result<Shelf, Failure> {
    Shelf::read(Path::new(FOLDER))
}
