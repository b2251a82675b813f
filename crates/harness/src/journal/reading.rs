//! A journal as it was written, checked line by line against the closed list
//! before anything is undone.

use super::entry::{Held, Joined, Line};
use super::folder::LIMIT_BYTES;
use super::kind::{Doing, FileSystem};
use super::owner::Owner;
use super::owner::VERSION;
use super::queues;
use super::queues::Queues;
use super::target::{Ground, NotOurs, Target};
use std::fs::File;
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

/// One change to be undone.
#[derive(Debug, Clone)]
pub enum Entry {
    Setting(Change),
    Instance(Target),
    Group(Target),
    /// Of a resctrl that is not mounted any more: its groups went with it.
    GroupGone(PathBuf),
    Held(Target, Held),
    Joined(Target, Joined),
    Queues(Queues),
    Recording {
        ring: Target,
        spool: PathBuf,
    },
}

/// One setting as the journal saw it change.
#[derive(Debug, Clone)]
pub struct Change {
    pub target: Target,
    pub old: String,
    pub new: String,
    /// What it read after the change; None when the process was killed before
    /// it could say.
    pub applied: Option<String>,
}

/// The lines of a journal, not yet checked.
#[derive(Debug, Default)]
pub struct JournalText {
    pub owner: Option<Owner>,
    pub lines: Vec<Line>,
}

/// Why a journal is not believed: no version of this program has written it so.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    NotUtf8(#[from] std::str::Utf8Error),
    #[error("line {number}: {source}")]
    Line {
        number: usize,
        source: serde_json::Error,
    },
    #[error("it was written by a later version of this program (lines of version {version})")]
    LaterVersion { version: u32 },
    #[error("{file_system} is not mounted, and it names {}", path.display())]
    NotMounted {
        file_system: &'static str,
        path: PathBuf,
    },
    #[error("it names {}: {cause}", path.display())]
    NotOurs { path: PathBuf, cause: &'static str },
    #[error("it would write {value:?} to {}, which is not a value of it", path.display())]
    Value { path: PathBuf, value: String },
    #[error("it names a queue that no run creates")]
    Queue,
}

/// Reads a journal from its beginning. A last line that is cut was not finished, so its
/// change was not made.
///
/// # Errors
/// What no version of this program has written.
pub fn read(mut file: &File) -> Result<JournalText, JournalError> {
    // Its owner reads what it has written, so the position is at the end.
    file.rewind()?;
    let bytes = files::input::read_from(file, LIMIT_BYTES)?;
    parse(&bytes)
}

/// The lines of a journal's bytes.
///
/// # Errors
/// As [`read`].
pub fn parse(bytes: &[u8]) -> Result<JournalText, JournalError> {
    let end = bytes.iter().rposition(|b| *b == b'\n').unwrap_or(0);
    let text = std::str::from_utf8(&bytes[..end])?;
    let mut journal = JournalText::default();
    for (number, line) in text.lines().enumerate() {
        let number = number + 1;
        let parsed = serde_json::from_str(line);
        match parsed.map_err(|source| JournalError::Line { number, source })? {
            Line::Owner(owner) if owner.version > VERSION => {
                let version = owner.version;
                return Err(JournalError::LaterVersion { version });
            }
            Line::Owner(owner) => journal.owner = Some(owner),
            line => journal.lines.push(line),
        }
    }
    Ok(journal)
}

impl JournalText {
    /// Everything that is to be undone, as it was made.
    ///
    /// # Errors
    /// A line that is not on the closed list: no run has written it, so none of
    /// this journal is believed.
    pub fn entries(&self, ground: &Ground) -> Result<Vec<(usize, Entry)>, JournalError> {
        let mut entries: Vec<(usize, Entry)> = Vec::new();
        for (number, line) in self.open_lines() {
            if let Line::Applied { path, value } = line {
                note_applied(&mut entries, path, value);
                continue;
            }
            entries.push((number, entry(line, ground)?));
        }
        Ok(entries)
    }

    /// Lines, by number, whose change was made and is not undone.
    pub fn open_lines(&self) -> impl Iterator<Item = (usize, &Line)> {
        let mut closed = vec![false; self.lines.len()];
        for (number, line) in self.lines.iter().enumerate() {
            match line {
                Line::Undone { number } => {
                    if let Some(other) = closed.get_mut(*number) {
                        *other = true;
                    }
                }
                Line::NotMade { path } => {
                    let before = &self.lines[..number];
                    let is_it = |(n, l): &(usize, &Line)| !closed[*n] && l.is_of(path);
                    if let Some((n, _)) = before.iter().enumerate().rev().find(is_it) {
                        closed[n] = true;
                    }
                }
                _ => continue,
            }
            closed[number] = true;
        }
        let lines = self.lines.iter().enumerate();
        lines.filter(move |(number, _)| !closed[*number])
    }
}

impl Entry {
    /// Where it would be undone, and what would be written there; empty: nothing,
    /// or a list is emptied. None where nothing of a file system is touched.
    pub fn effect(&self) -> Option<(PathBuf, String)> {
        let (target, value) = match self {
            Entry::Setting(change) => (&change.target, change.old.clone()),
            Entry::Held(target, held) => (target, held.old.clone()),
            Entry::Joined(target, joined) => (target, joined.leave.clone()),
            Entry::Instance(target) | Entry::Group(target) => (target, String::new()),
            Entry::GroupGone(_) | Entry::Queues(_) | Entry::Recording { .. } => return None,
        };
        Some((target.path().to_owned(), value))
    }
}

fn note_applied(entries: &mut [(usize, Entry)], path: &Path, value: &str) {
    let settings = entries
        .iter_mut()
        .rev()
        .filter_map(|(_, entry)| match entry {
            Entry::Setting(change) => Some(change),
            _ => None,
        });
    if let Some(change) = settings.into_iter().find(|c| c.target.path() == path) {
        change.applied = Some(value.to_owned());
    }
}

fn entry(line: &Line, ground: &Ground) -> Result<Entry, JournalError> {
    let target = |doing: Doing, path: &Path| {
        let found = ground.target(doing, path);
        let missing = doing.mounted().filter(|m| !ground.has(*m));
        let path = path.to_owned();
        found.map_err(|NotOurs(cause)| match missing.map(FileSystem::name) {
            Some(file_system) => JournalError::NotMounted { file_system, path },
            None => JournalError::NotOurs { path, cause },
        })
    };
    let formed = |is: bool, path: &Path, value: &str| match is {
        true => Ok(()),
        false => Err(JournalError::Value {
            path: path.to_owned(),
            value: value.to_owned(),
        }),
    };
    Ok(match line {
        Line::Change { path, old, new } => {
            let target = target(Doing::Set, path)?;
            formed(target.kind().takes(old), path, old)?;
            Entry::Setting(Change {
                target,
                old: old.clone(),
                new: new.clone(),
                applied: None,
            })
        }
        Line::Instance { path } => Entry::Instance(target(Doing::MakeInstance, path)?),
        Line::Group { path } if !ground.has(FileSystem::Resctrl) => Entry::GroupGone(path.clone()),
        Line::Group { path } => Entry::Group(target(Doing::MakeGroup, path)?),
        Line::Held(held) => {
            let target = target(Doing::Hold, &held.path)?;
            formed(target.kind().takes(&held.old), &held.path, &held.old)?;
            Entry::Held(target, held.clone())
        }
        Line::Joined(joined) => {
            let target = target(Doing::Join, &joined.path)?;
            let kind = target.kind();
            let is_ours = kind.takes(&joined.leave) && kind.mentions(&joined.mention);
            formed(is_ours, &joined.path, &joined.leave)?;
            Entry::Joined(target, joined.clone())
        }
        Line::Queues(queues) => match queues.keys.iter().all(|key| queues::is_ours(*key)) {
            true => Entry::Queues(queues.clone()),
            false => return Err(JournalError::Queue),
        },
        Line::Recording { ring, spool } => Entry::Recording {
            ring: target(Doing::Record, ring)?,
            spool: spool.clone(),
        },
        Line::Owner(_) | Line::Applied { .. } | Line::NotMade { .. } | Line::Undone { .. } => {
            unreachable!("they are not changes")
        }
    })
}
