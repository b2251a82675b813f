//! Changes to the machine, and the way back.
//!
//! Before a setting outside our own process is written, its old value goes to
//! a journal file and to the disk. The journal undoes its changes when it is
//! dropped; when the program was killed, its caretaker process or `restore`
//! does. A setting that another process has changed in between is left alone.
//!
//! What can be changed is a closed list (`kind.rs`), with the form of every value;
//! restoring believes only journals in a folder that this user alone can write to
//! (`folder.rs`), and knows by a lock whether their process lives (`owner.rs`).

mod caretaker;
mod drain;
mod entry;
mod folder;
mod instance;
mod kind;
mod open;
mod outcome;
mod owner;
mod pending;
mod place;
mod queues;
mod reading;
mod shared;
mod sysctl;
mod target;
mod undo;

pub(crate) use folder::{Lock, SHORTLY, lock};
pub(crate) use owner::{Life, Owner};

pub use caretaker::{CARETAKER_ARGUMENT, main as caretaker_main};
pub use outcome::{Outcome, Restored};
pub use pending::{Pending, pending};
pub use place::places;
pub use queues::free_key;
pub use reading::JournalError;
pub use undo::restore;

use crate::error::HarnessError;
use entry::{Line, effective};
use folder::Folder;
use kind::Doing;
use machine::namespace::{self, Namespace};
use open::Open;
use queues::Queues;
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use target::{Ground, NotOurs, Target};

/// What restoring from a journal of these bytes would write below `root`, and where,
/// without doing any of it: for those who doubt the closed list.
///
/// # Errors
/// What no run has written: none of it is believed then.
pub fn effects(root: &Path, bytes: &[u8]) -> Result<Vec<(PathBuf, String)>, JournalError> {
    let entries = reading::parse(bytes)?.entries(&Ground::new(root))?;
    let effects = entries.iter().filter_map(|(_, entry)| entry.effect());
    Ok(effects.collect())
}

/// Whether `value` may be written to the setting at `path`, on the machine below `root`.
///
/// # Errors
/// A path or a value that is not on the closed list.
pub fn allows(root: &Path, path: &Path, value: &str) -> Result<(), HarnessError> {
    takes(&known(&Ground::new(root), Doing::Set, "set", path)?, value)
}

/// The changes of this process. Nothing is written before the first change.
#[derive(Debug)]
pub struct Journal {
    /// Where it may be kept, the first that can be had.
    places: Vec<PathBuf>,
    /// Of the machine: `/`.
    root: PathBuf,
    open: Option<Open>,
    /// Whether a second process undoes the changes when this one is killed.
    guarded: bool,
    /// Of changes that are to outlive this process: the journal's name.
    standing: Option<&'static str>,
}

impl Journal {
    /// A journal where journals are kept ([`places`]), guarded by a caretaker:
    /// this same executable with `CARETAKER_ARGUMENT`, which its `main` must hand
    /// to `caretaker_main`.
    #[must_use]
    pub fn here() -> Self {
        Journal {
            places: places(),
            root: PathBuf::from("/"),
            open: None,
            guarded: true,
            standing: None,
        }
    }

    /// Without a caretaker: a killed process leaves its changes to `restore`.
    #[must_use]
    pub fn unguarded(dir: &Path) -> Self {
        let mut journal = Journal::here().kept_in(dir);
        journal.guarded = false;
        journal
    }

    /// For changes that are to stay when this process has ended, until they are
    /// undone under the same name or by `restore`.
    #[must_use]
    pub fn standing(name: &'static str) -> Self {
        let mut journal = Journal::here();
        journal.guarded = false;
        journal.standing = Some(name);
        journal
    }

    /// In `dir` and nowhere else.
    #[must_use]
    pub fn kept_in(mut self, dir: &Path) -> Self {
        self.places = vec![dir.to_owned()];
        self
    }

    /// Of the machine below `root`, a tree of files in a test.
    #[must_use]
    pub fn of_machine(mut self, root: &Path) -> Self {
        root.clone_into(&mut self.root);
        self
    }

    /// Writes `value` to the setting at `path`, a file of /sys or /proc. Does
    /// nothing when it already has that value.
    ///
    /// # Errors
    /// When the setting or a value is not on the closed list, another process holds it,
    /// the old value cannot be read or kept (nothing is changed then) or the new one
    /// cannot be written.
    pub fn set(&mut self, path: &Path, value: &str) -> Result<(), HarnessError> {
        let ground = Ground::new(&self.root);
        let target = known(&ground, Doing::Set, "set", path)?;
        let old = target
            .read(&ground)
            .map_err(HarnessError::file("read", path))?;
        let old = effective(&old).to_owned();
        // Who holds it sets it back when it ends, under our hands.
        self.held_by_nobody_else(path)?;
        if old == value {
            return Ok(());
        }
        for text in [&old, value] {
            takes(&target, text)?;
        }
        let line = Line::Change {
            path: path.to_owned(),
            old: old.clone(),
            new: value.to_owned(),
        };
        self.keep_alone(path, &line)?;
        let written = target.write(&ground, value);
        self.unless_made(path, &written, || {
            target.read(&ground).is_ok_and(|now| effective(&now) == old)
        });
        written.map_err(HarnessError::file("write", path))?;
        // The kernel may have given less than was asked (huge pages): what it
        // gave is what must still stand there when it is undone.
        if let Ok(now) = target.read(&ground) {
            self.keep(&Line::Applied {
                path: path.to_owned(),
                value: effective(&now).to_owned(),
            })?;
        }
        Ok(())
    }

    /// A refused change is not undone: the value there belongs to another process.
    /// `is_as_before`: whether nothing of the change was done.
    fn unless_made(
        &mut self,
        path: &Path,
        made: &io::Result<()>,
        is_as_before: impl FnOnce() -> bool,
    ) {
        if made.is_err() && is_as_before() {
            let path = path.to_owned();
            // If the line cannot be written, the change is undone, and the outcome says so.
            let _ = self.keep(&Line::NotMade { path });
        }
    }

    /// Keeps that System V queues of these keys, each from [`free_key`], are going
    /// to be made.
    ///
    /// # Errors
    /// When the journal cannot be kept.
    pub fn announce_queues(&mut self, keys: &[i32]) -> Result<(), HarnessError> {
        self.keep(&Line::Queues(Queues {
            keys: keys.to_vec(),
            namespace: namespace::own(Namespace::Ipc),
        }))
    }

    /// Keeps that the rings below `ring` are read into `spool`: what they hold when
    /// this process is killed goes there too.
    ///
    /// # Errors
    /// When the journal cannot be kept.
    pub fn announce_recording(&mut self, ring: &Path, spool: &Path) -> Result<(), HarnessError> {
        let absolute = std::path::absolute(spool).map_err(HarnessError::file("find", spool))?;
        known(&Ground::new(&self.root), Doing::Record, "read", ring)?;
        self.keep(&Line::Recording {
            ring: ring.to_owned(),
            spool: absolute,
        })
    }

    /// Puts everything back, the last change first, and removes the journal;
    /// of a standing one also what an earlier process changed.
    pub fn undo(&mut self) -> Vec<Restored> {
        let Some(open) = self.open.take() else {
            let kept = self.standing.map(open::standing_name);
            return kept.map_or_else(Vec::new, |name| self.undo_kept(&name));
        };
        open.undo(&self.root)
    }

    fn undo_kept(&self, name: &OsStr) -> Vec<Restored> {
        for place in &self.places {
            if let Ok(Some(folder)) = Folder::open(place) {
                let restored = undo::undo_journal(&folder, name, &self.root);
                if !restored.is_empty() {
                    return restored;
                }
            }
        }
        Vec::new()
    }

    /// A line is on the disk before the change that it describes.
    fn keep(&mut self, line: &Line) -> Result<(), HarnessError> {
        self.opened()?.append(line)
    }

    /// As `keep`, unless another process has entered `path` just before.
    fn keep_alone(&mut self, path: &Path, line: &Line) -> Result<(), HarnessError> {
        let open = self.opened()?;
        let _guard = open.folder().guard();
        free_of_others(open.folder(), path)?;
        open.append(line)
    }

    fn held_by_nobody_else(&self, path: &Path) -> Result<(), HarnessError> {
        let folders = self.places.iter().map(|place| Folder::open(place));
        // A refused folder is reported when a journal is begun, not here.
        let mut folders = folders.filter_map(|folder| folder.ok().flatten());
        folders.try_for_each(|folder| free_of_others(&folder, path))
    }

    fn opened(&mut self) -> Result<&mut Open, HarnessError> {
        if self.open.is_none() {
            let (places, root) = (&self.places, &self.root);
            self.open = Some(Open::create(places, root, self.standing, self.guarded)?);
        }
        match &mut self.open {
            Some(open) => Ok(open),
            None => unreachable!("just opened"),
        }
    }
}

fn free_of_others(folder: &Folder, path: &Path) -> Result<(), HarnessError> {
    match undo::holder(folder, path) {
        None => Ok(()),
        Some(pid) => Err(HarnessError::Held {
            path: path.to_owned(),
            pid,
        }),
    }
}

fn known(
    ground: &Ground,
    doing: Doing,
    verb: &'static str,
    path: &Path,
) -> Result<Target, HarnessError> {
    let found = ground.target(doing, path);
    found.map_err(|NotOurs(why)| {
        HarnessError::file(verb, path)(io::Error::new(ErrorKind::InvalidInput, why))
    })
}

fn takes(target: &Target, value: &str) -> Result<(), HarnessError> {
    match target.kind().takes(value) {
        true => Ok(()),
        false => {
            let cause = format!("{value:?} is not a value of it");
            let cause = io::Error::new(ErrorKind::InvalidInput, cause);
            Err(HarnessError::file("write", target.path())(cause))
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if self.standing.is_some() {
            return;
        }
        for restored in self.undo() {
            if restored.outcome.is_trouble() {
                crate::message!("pontage: {restored}");
            }
        }
    }
}

#[cfg(test)]
mod disaster_tests;
#[cfg(test)]
mod instance_tests;
#[cfg(test)]
mod shared_tests;
#[cfg(test)]
mod tests;
