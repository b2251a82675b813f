//! Folders that the kernel makes for us, tracefs instances and monitoring groups, and
//! its files and lists that several programs share.

use super::entry::{Held, Joined, Line};
use super::kind::Doing;
use super::target::Ground;
use super::{Journal, known, takes};
use crate::error::HarnessError;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

impl Journal {
    /// Makes a tracefs instance, a folder whose removal switches off all that
    /// was switched on in it.
    ///
    /// # Errors
    /// When the journal cannot be kept (nothing is made then), the folder
    /// cannot be made, or there is one already: that one is not ours.
    pub fn make_instance(&mut self, path: &Path) -> Result<(), HarnessError> {
        let line = |path| Line::Instance { path };
        self.make(Doing::MakeInstance, "create tracefs instance", path, line)
    }

    /// Makes a monitoring group of resctrl, a folder whose removal hands its tasks
    /// back to the group above.
    ///
    /// # Errors
    /// As [`Journal::make_instance`].
    pub fn make_group(&mut self, path: &Path) -> Result<(), HarnessError> {
        let line = |path| Line::Group { path };
        self.make(Doing::MakeGroup, "create monitoring group", path, line)
    }

    fn make(
        &mut self,
        doing: Doing,
        verb: &'static str,
        path: &Path,
        line: fn(PathBuf) -> Line,
    ) -> Result<(), HarnessError> {
        let ground = Ground::new(&self.root);
        let target = known(&ground, doing, verb, path)?;
        let make = HarnessError::file(verb, path);
        if path.symlink_metadata().is_ok() {
            return Err(make(ErrorKind::AlreadyExists.into()));
        }
        self.keep(&line(path.to_owned()))?;
        let made = target.make_folder(&ground);
        self.unless_made(path, &made, || true);
        made.map_err(make)
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
    /// When the file or its value is not on the closed list, or the journal cannot
    /// be kept.
    pub fn hold(&mut self, path: &Path, old: &str, ours: &[String]) -> Result<(), HarnessError> {
        let ground = Ground::new(&self.root);
        takes(&known(&ground, Doing::Hold, "hold", path)?, old)?;
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
    /// As [`Journal::hold`] (nothing is added then), or the kernel does not take
    /// it.
    pub fn join(
        &mut self,
        path: &Path,
        text: &str,
        mention: &str,
        leave: &str,
    ) -> Result<(), HarnessError> {
        let ground = Ground::new(&self.root);
        let target = known(&ground, Doing::Join, "join", path)?;
        takes(&target, leave)?;
        self.keep(&Line::Joined(Joined {
            path: path.to_owned(),
            mention: mention.to_owned(),
            leave: leave.to_owned(),
        }))?;
        let joined = target.append(&ground, text);
        self.unless_made(path, &joined, || true);
        joined.map_err(HarnessError::file("write", path))
    }
}
