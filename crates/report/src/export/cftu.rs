//! The `.dat` files of the I/OAT-CFTU measurements (Tor Vergata, 2013), with
//! its folders, names, fields and digits, so that whatever reads those reads
//! these. What the files have no place for stands in a README.txt next to them.

mod band;
mod copies;
mod latency;
mod origin;
mod points;
mod pollution;

use super::{ExportError, file, write_file};
use record::Run;
use std::path::{Path, PathBuf};

/// What was written, and what was not.
#[derive(Debug, Default)]
pub struct Exported {
    /// Empty where the run holds nothing for these files.
    pub files: Vec<PathBuf>,
    pub skipped: Vec<Skipped>,
}

/// A file, or files, that the run cannot fill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// `trace/risultati/*.dat`.
    pub what: String,
    pub reason: String,
    pub remedy: String,
}

/// Files in the making.
#[derive(Default)]
struct FileSet {
    /// Path from the folder of the export, and text.
    files: Vec<(String, String)>,
    skipped: Vec<Skipped>,
    /// What the files cannot say, and what was done about it.
    remarks: Vec<String>,
}

impl FileSet {
    fn file(&mut self, name: impl Into<String>, text: String) {
        self.files.push((name.into(), text));
    }

    fn skip(
        &mut self,
        what: impl Into<String>,
        reason: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.skipped.push(Skipped {
            what: what.into(),
            reason: reason.into(),
            remedy: remedy.into(),
        });
    }
}

/// Writes the files of `run` into `folder`, which is made if need be. Files of
/// the same names are replaced. Nothing is made where there is nothing to write.
///
/// # Errors
/// A table that cannot be read, a file that cannot be written.
pub fn write(run: &Run, folder: &Path) -> Result<Exported, ExportError> {
    let mut set = FileSet::default();
    copies::collect(run, &mut set)?;
    latency::collect(run, &mut set)?;
    band::collect(run, &mut set)?;
    pollution::collect(run, &mut set)?;
    if !set.files.is_empty() {
        let readme = origin::text(run, &set);
        set.file("README.txt", readme);
    }
    let files = set.files.iter().map(|(name, text)| {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        files::output::folder(parent).map_err(file(parent))?;
        write_file(&path, text.as_bytes())
    });
    let files = files.collect::<Result<_, ExportError>>()?;
    let skipped = set.skipped;
    Ok(Exported { files, skipped })
}
