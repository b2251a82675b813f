//! A journal file that this process writes.

use super::caretaker::Caretaker;
use super::entry::Line;
use super::folder::{Folder, LIMIT_BYTES, Lock, SHORTLY, lock};
use super::outcome::Restored;
use super::owner::Owner;
use super::place::{self, NoFolder};
use super::undo::{Undoer, undo_file};
use crate::error::HarnessError;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Names tried for a new journal: one process may keep several.
const NAMES: u32 = 10_000;

/// A journal that this process writes.
#[derive(Debug)]
pub struct Open {
    folder: Folder,
    name: OsString,
    /// Its lock is held as long as it is open.
    file: File,
    written_bytes: u64,
    caretaker: Option<Caretaker>,
}

impl Open {
    /// In the first of `places` that can be had; of the name `standing`, or of
    /// this process.
    ///
    /// # Errors
    /// No folder, or one that cannot be written.
    pub fn create(
        places: &[PathBuf],
        root: &Path,
        standing: Option<&str>,
        guarded: bool,
    ) -> Result<Open, HarnessError> {
        let folder = place::first(places).map_err(no_journal)?;
        // Until it is locked it looks like a dead one's.
        let guard = folder.guard();
        let (name, file) = match standing {
            Some(name) => {
                let name = standing_name(name);
                let file = open_or_create(&folder, &name);
                (name, file)
            }
            None => new_journal(&folder),
        };
        let path = folder.path().join(&name);
        let file = file.and_then(|file| without_a_cut_line(&file).map(|()| file));
        let file = file.map_err(HarnessError::file("create journal", &path))?;
        let locked = standing.is_none() && lock(&file, SHORTLY) == Lock::Taken;
        drop(guard);
        let mut open = Open {
            written_bytes: file.metadata().map_or(0, |m| m.len()),
            folder,
            name,
            file,
            caretaker: None,
        };
        if let Err(error) = open.append(&Line::Owner(Owner::this_process(locked))) {
            // A folder without room keeps no empty journals.
            if standing.is_none() {
                let _ = open.folder.remove_journal(&open.name, &open.file);
            }
            return Err(error);
        }
        // The name must be on the disk too.
        let dir = open.folder.path().to_owned();
        let synced = open.folder.sync();
        synced.map_err(HarnessError::file("sync folder", &dir))?;
        if guarded {
            open.caretaker = Caretaker::start(&path, root);
        }
        Ok(open)
    }

    /// On the disk when it returns.
    ///
    /// # Errors
    /// As writing; more than a journal may have.
    pub fn append(&mut self, line: &Line) -> Result<(), HarnessError> {
        let path = self.path();
        let text = line.to_text();
        let behind = self.written_bytes + text.len() as u64;
        let written = match behind > LIMIT_BYTES {
            // Nobody would read it.
            true => Err(io::Error::from(ErrorKind::FileTooLarge)),
            false => self.file.write_all(text.as_bytes()),
        };
        let kept = written.and_then(|()| self.file.sync_all());
        match &kept {
            Ok(()) => self.written_bytes = behind,
            // A part of it would spoil the next one.
            Err(_) => drop(self.file.set_len(self.written_bytes)),
        }
        kept.map_err(HarnessError::file("write journal", &path))
    }

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }

    /// Its caretaker then finds nothing to do, and ends. From the file, which is there
    /// even if its name has been removed.
    pub fn undo(self, root: &Path) -> Vec<Restored> {
        if !self.folder.has(&self.name, &self.file) {
            let path = self.path();
            crate::message!(
                "note: the journal {} was removed by another process",
                path.display()
            );
        }
        undo_file(&self.folder, &self.name, self.file, root, Undoer::Owner)
    }

    /// The folder that it is in.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }
}

/// A line that was not finished: its change was not made.
fn without_a_cut_line(file: &File) -> io::Result<()> {
    let mut bytes = Vec::new();
    file.take(LIMIT_BYTES).read_to_end(&mut bytes)?;
    match bytes
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |at| at + 1)
    {
        whole if whole < bytes.len() => file.set_len(whole as u64),
        _ => Ok(()),
    }
}

/// File name of a journal whose changes outlive their process.
pub fn standing_name(name: &str) -> OsString {
    format!("journal-{name}.jsonl").into()
}

fn open_or_create(folder: &Folder, name: &OsStr) -> io::Result<File> {
    match folder.open_journal(name).map_err(io::Error::other)? {
        Some(file) => Ok(file),
        None => folder.create_journal(name),
    }
}

/// Named by the process, whose number may be in use in a container too, or was of
/// one that has died.
fn new_journal(folder: &Folder) -> (OsString, io::Result<File>) {
    let pid = std::process::id();
    let name = |number: u32| OsString::from(format!("journal-{pid}-{number}.jsonl"));
    for number in 0..NAMES {
        match folder.create_journal(&name(number)) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            made => return (name(number), made),
        }
    }
    (name(NAMES), Err(ErrorKind::AlreadyExists.into()))
}

fn no_journal(why: NoFolder) -> HarnessError {
    match why {
        NoFolder::Refused(refusal) => HarnessError::NoJournal {
            cause: refusal.to_string(),
            remedy: refusal.remedy,
        },
        NoFolder::Nowhere(causes) => {
            let causes: Vec<String> = causes
                .iter()
                .map(|(path, cause)| format!("{}: {cause}", path.display()))
                .collect();
            HarnessError::NoJournal {
                cause: format!("cannot create a folder for it ({})", causes.join("; ")),
                remedy: "export PONTAGE_STATE_DIR=$(mktemp -d), for this and for pontage restore"
                    .to_owned(),
            }
        }
    }
}
