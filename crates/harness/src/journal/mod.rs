//! Changes to the machine, and the way back.
//!
//! Before a setting outside our own process is written, its old value goes to
//! a journal file and to the disk. The journal undoes its changes when it is
//! dropped; when the program was killed, its caretaker process or `restore`
//! does. A setting that somebody else has changed in between is left alone.

mod caretaker;
mod entry;
mod shared;
mod undo;

pub use caretaker::{CARETAKER_ARGUMENT, main as caretaker_main};
pub use undo::{Outcome, Restored, restore};

use crate::error::HarnessError;
use caretaker::Caretaker;
use entry::{Held, Joined, Line, Owner, effective};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Where journals are kept: `$PONTAGE_STATE_DIR`, else for root
/// `/var/lib/pontage` (`/run/pontage` where that cannot be written), else
/// `$XDG_STATE_HOME/pontage` or `~/.local/state/pontage`.
#[must_use]
pub fn default_dir() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty());
    if let Some(dir) = variable("PONTAGE_STATE_DIR") {
        return dir.into();
    }
    // SAFETY: takes nothing and cannot fail.
    if unsafe { libc::geteuid() } == 0 {
        let kept = PathBuf::from("/var/lib/pontage");
        return match std::fs::create_dir_all(&kept) {
            Ok(()) => kept,
            Err(_) => PathBuf::from("/run/pontage"),
        };
    }
    let home = || variable("HOME").map(|h| PathBuf::from(h).join(".local/state"));
    variable("XDG_STATE_HOME")
        .map(PathBuf::from)
        .or_else(home)
        .unwrap_or_else(std::env::temp_dir)
        .join("pontage")
}

/// The changes of this process. Nothing is written before the first change.
#[derive(Debug)]
pub struct Journal {
    dir: PathBuf,
    open: Option<Open>,
    /// Whether a second process undoes the changes when this one is killed.
    guarded: bool,
    /// Of changes that are to outlive this process: the journal's name.
    standing: Option<&'static str>,
}

#[derive(Debug)]
struct Open {
    path: PathBuf,
    file: File,
    caretaker: Option<Caretaker>,
}

impl Journal {
    /// A journal in `dir` (`default_dir()`), guarded by a caretaker: this same
    /// executable with `CARETAKER_ARGUMENT`, which its `main` must hand to
    /// `caretaker_main`.
    #[must_use]
    pub fn new(dir: &Path) -> Self {
        Journal {
            dir: dir.to_owned(),
            open: None,
            guarded: true,
            standing: None,
        }
    }

    /// Without a caretaker: a killed process leaves its changes to `restore`.
    #[must_use]
    pub fn unguarded(dir: &Path) -> Self {
        let mut journal = Journal::new(dir);
        journal.guarded = false;
        journal
    }

    /// For changes that are to stay when this process has ended, until they are
    /// undone under the same name or by `restore`.
    #[must_use]
    pub fn standing(dir: &Path, name: &'static str) -> Self {
        let mut journal = Journal::unguarded(dir);
        journal.standing = Some(name);
        journal
    }

    /// Writes `value` to the setting at `path`, a file of /sys or /proc. Does
    /// nothing when it already has that value.
    ///
    /// # Errors
    /// When the old value cannot be read or kept (nothing is changed then) or
    /// the new one cannot be written.
    pub fn set(&mut self, path: &Path, value: &str) -> Result<(), HarnessError> {
        let old = std::fs::read_to_string(path).map_err(HarnessError::file("read", path))?;
        let old = effective(&old).to_owned();
        if old == value {
            return Ok(());
        }
        self.keep(&Line::Change {
            path: path.to_owned(),
            old,
            new: value.to_owned(),
        })?;
        write_setting(path, value)?;
        // The kernel may have given less than was asked (huge pages): what it
        // gave is what must still stand there when it is undone.
        if let Ok(now) = std::fs::read_to_string(path) {
            self.keep(&Line::Applied {
                path: path.to_owned(),
                value: effective(&now).to_owned(),
            })?;
        }
        Ok(())
    }

    /// Makes a tracefs instance, a folder whose removal switches off all that
    /// was switched on in it.
    ///
    /// # Errors
    /// When the journal cannot be kept (nothing is made then), the folder
    /// cannot be made, or there is one already: that one is not ours.
    pub fn make_instance(&mut self, path: &Path) -> Result<(), HarnessError> {
        let path = path.to_owned();
        self.make("make tracefs instance", Line::Instance { path })
    }

    /// Makes a monitoring group of resctrl, a folder whose removal hands its tasks
    /// back to the group above.
    ///
    /// # Errors
    /// As [`Journal::make_instance`].
    pub fn make_group(&mut self, path: &Path) -> Result<(), HarnessError> {
        let path = path.to_owned();
        self.make("make monitoring group", Line::Group { path })
    }

    fn make(&mut self, verb: &'static str, line: Line) -> Result<(), HarnessError> {
        let (Line::Instance { path } | Line::Group { path }) = &line else {
            unreachable!("only these are folders");
        };
        let make = HarnessError::file(verb, path);
        if path.exists() {
            return Err(make(std::io::ErrorKind::AlreadyExists.into()));
        }
        self.keep(&line)?;
        std::fs::create_dir(path).map_err(make)
    }

    /// Keeps what a shared file of tracefs is to have afterwards (empty: a list
    /// that is emptied). It may then be written as often as one likes, with the
    /// values of `ours` (none: with any).
    ///
    /// What is held last is let go first; as long as a `current_tracer` cannot be
    /// switched off, or an instance removed, whatever was held before it stays: it
    /// keeps the tracer small.
    ///
    /// # Errors
    /// When the journal cannot be kept.
    pub fn hold(&mut self, path: &Path, old: &str, ours: &[String]) -> Result<(), HarnessError> {
        self.keep(&Line::Held(Held {
            path: path.to_owned(),
            old: old.to_owned(),
            ours: ours.to_vec(),
        }))
    }

    /// Adds to a list of the kernel. `leave` takes it away again, as long as the
    /// list holds `mention`.
    ///
    /// # Errors
    /// When the journal cannot be kept (nothing is added then), or the kernel
    /// does not take it.
    pub fn join(
        &mut self,
        path: &Path,
        text: &str,
        mention: &str,
        leave: &str,
    ) -> Result<(), HarnessError> {
        self.keep(&Line::Joined(Joined {
            path: path.to_owned(),
            mention: mention.to_owned(),
            leave: leave.to_owned(),
        }))?;
        shared::append(path, text).map_err(HarnessError::file("write", path))
    }

    /// Puts everything back, the last change first, and removes the journal;
    /// of a standing one also what an earlier process changed.
    pub fn undo(&mut self) -> Vec<Restored> {
        let Some(open) = self.open.take() else {
            let kept = self.standing.map(|name| self.path_of(name));
            return match kept.filter(|path| path.exists()) {
                Some(path) => undo::undo_file(&path),
                None => Vec::new(),
            };
        };
        let restored = undo::undo_file(&open.path);
        drop(open.caretaker);
        restored
    }

    /// A line is on the disk before the change that it tells of.
    fn keep(&mut self, line: &Line) -> Result<(), HarnessError> {
        if self.open.is_none() {
            self.open = Some(self.create()?);
        }
        let Some(open) = &mut self.open else {
            unreachable!("just opened");
        };
        let text = line.to_text();
        open.file
            .write_all(text.as_bytes())
            .and_then(|()| open.file.sync_all())
            .map_err(HarnessError::file("write journal", &open.path))
    }

    fn path_of(&self, name: &str) -> PathBuf {
        self.dir.join(format!("journal-{name}.jsonl"))
    }

    fn create(&self) -> Result<Open, HarnessError> {
        let dir = &self.dir;
        std::fs::create_dir_all(dir).map_err(HarnessError::file("create folder", dir))?;
        let owner = Owner::this_process();
        let path = match self.standing {
            Some(name) => self.path_of(name),
            None => self.path_of(&owner.pid.to_string()),
        };
        let mut file = OpenOptions::new()
            .append(true)
            .create(self.standing.is_some())
            .create_new(self.standing.is_none())
            .mode(0o600)
            .open(&path)
            .map_err(HarnessError::file("create journal", &path))?;
        file.write_all(Line::Owner(owner).to_text().as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(HarnessError::file("write journal", &path))?;
        // The name must be on the disk too.
        File::open(dir)
            .and_then(|d| d.sync_all())
            .map_err(HarnessError::file("sync folder", dir))?;
        let caretaker = if self.guarded {
            Caretaker::start(&path)
        } else {
            None
        };
        Ok(Open {
            path,
            file,
            caretaker,
        })
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

/// Writes without creating: a setting that is not there is no setting.
fn write_setting(path: &Path, value: &str) -> Result<(), HarnessError> {
    OpenOptions::new()
        .write(true)
        .truncate(true)
        .open(path)
        .and_then(|mut f| f.write_all(value.as_bytes()))
        .map_err(HarnessError::file("write", path))
}

#[cfg(test)]
mod shared_tests;
#[cfg(test)]
mod tests;
