//! Deleting a run: its own files and nothing else.
//!
//! A folder that holds anything else is not touched, and no link is followed: what is
//! deleted is a name in the run's folder or in its folder of traces.

use crate::error::RecordError;
use crate::layout::{self, TRACES};
use crate::writer::held;
use crate::{BriefHead, brief};
use std::fs::{self, DirEntry, File};
use std::io;
use std::path::{Path, PathBuf};

/// Ends of names of a run's files and of the pages that are made of it.
const OWN: [&str; 6] = [".parquet", ".copies", ".stream", ".cut", ".html", ".part"];
/// What `pontage card` writes next to the record.
const CARD: [&str; 3] = ["card.svg", "card.png", "card.md"];
/// Of its traces.
const OWN_TRACES: [&str; 4] = [".dat", ".html", ".tmp", ".part"];

/// A run that can be deleted. As long as this lives nobody goes on with it.
#[derive(Debug)]
pub struct Discard {
    folder: PathBuf,
    head: BriefHead,
    /// In the run's folder, without `run.json`.
    files: Vec<PathBuf>,
    has_traces: bool,
    bytes: u64,
    _held: Option<File>,
}

impl Discard {
    /// Looks whether the run in `folder` can be deleted; changes nothing.
    ///
    /// # Errors
    /// What is no run, is being written, or holds something that is not of a run.
    pub fn of(folder: &Path) -> Result<Self, RecordError> {
        let io = |source| RecordError::io("delete", folder, source);
        let folder: PathBuf = std::path::absolute(folder)
            .map_err(io)?
            .components()
            .collect();
        let found = fs::symlink_metadata(&folder).map_err(io)?;
        if !found.is_dir() {
            let kind = files::input::kind_of(found.file_type());
            return Err(refused(&folder, format!("it is {kind}, not a folder")));
        }
        let head = brief::read(&folder)?;
        let _held = held(&folder)?;
        let mut all = Self {
            files: Vec::new(),
            has_traces: false,
            bytes: 0,
            head,
            folder,
            _held,
        };
        all.take_in()?;
        Ok(all)
    }

    fn take_in(&mut self) -> Result<(), RecordError> {
        for (entry, bytes) in entries(&self.folder)? {
            let (name, is_folder) = name_of(&entry);
            self.bytes += bytes;
            match name.as_str() {
                TRACES if is_folder => self.has_traces = true,
                layout::HEAD if !is_folder => {}
                name if !is_folder && is_own(name) => self.files.push(entry.path()),
                _ => return Err(foreign(&self.folder, &name)),
            }
        }
        if !self.has_traces {
            return Ok(());
        }
        for (entry, bytes) in entries(&self.folder.join(TRACES))? {
            let (name, is_folder) = name_of(&entry);
            self.bytes += bytes;
            if is_folder || !OWN_TRACES.iter().any(|end| name.ends_with(end)) {
                return Err(foreign(&self.folder, &format!("{TRACES}/{name}")));
            }
        }
        Ok(())
    }

    /// The run's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What the run was.
    pub fn head(&self) -> &BriefHead {
        &self.head
    }

    /// Of all its files.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Deletes the run, its head last: what an interruption leaves is a run still.
    ///
    /// # Errors
    /// What the file system says; the rest stays.
    pub fn now(self) -> Result<(), RecordError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| RecordError::io("delete", &path, source)
        };
        for file in &self.files {
            fs::remove_file(file).map_err(failed(file))?;
        }
        if self.has_traces {
            // Of a link that has taken its place since, the link alone goes.
            let traces = self.folder.join(TRACES);
            fs::remove_dir_all(&traces).map_err(failed(&traces))?;
        }
        let head = self.folder.join(layout::HEAD);
        fs::remove_file(&head).map_err(failed(&head))?;
        fs::remove_dir(&self.folder).map_err(failed(&self.folder))
    }
}

/// Bytes of the files of the run in `folder`, links and what they lead to left out.
pub fn size_bytes(folder: &Path) -> u64 {
    let all = |folder: &Path| entries(folder).unwrap_or_default();
    let own = all(folder);
    let has_traces = own
        .iter()
        .any(|(entry, _)| name_of(entry) == (TRACES.to_owned(), true));
    let traces = if has_traces {
        all(&folder.join(TRACES))
    } else {
        Vec::new()
    };
    own.iter().chain(&traces).map(|(_, bytes)| bytes).sum()
}

/// What is in a folder, each with its bytes where it is a file.
fn entries(folder: &Path) -> Result<Vec<(DirEntry, u64)>, RecordError> {
    let sized = |entry: io::Result<DirEntry>| {
        let entry = entry?;
        let found = entry.metadata()?;
        let bytes = if found.is_file() { found.len() } else { 0 };
        Ok((entry, bytes))
    };
    let listed = fs::read_dir(folder).and_then(|all| all.map(sized).collect());
    listed.map_err(|source| RecordError::io("list", folder, source))
}

/// Its name, and whether it is a folder; a link to one is none.
fn name_of(entry: &DirEntry) -> (String, bool) {
    let name = entry.file_name().to_string_lossy().into_owned();
    (name, entry.file_type().is_ok_and(|kind| kind.is_dir()))
}

fn is_own(name: &str) -> bool {
    name == layout::SUMMARY || CARD.contains(&name) || OWN.iter().any(|end| name.ends_with(end))
}

fn foreign(folder: &Path, name: &str) -> RecordError {
    refused(
        folder,
        format!("it also holds {name}, which is not of a run"),
    )
}

fn refused(folder: &Path, cause: String) -> RecordError {
    let path = folder.to_owned();
    RecordError::NotDeletable { path, cause }
}
