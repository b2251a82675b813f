//! Which runs this user began here, and with what: kept in the state folder until a
//! run is complete. A record is data that anybody may hand over; what it asks for
//! is executed without a question only where it stands here word for word.

use crate::error::HarnessError;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Below the state folder.
const FOLDER: &str = "begun";
/// Runs that are remembered; beyond them the oldest are forgotten.
const MOST_RUNS: usize = 500;
/// Of one run: recipes are short.
const MOST_BYTES: u64 = 4 << 20;

/// What was begun, by the name of its run.
#[derive(Debug, Clone)]
pub struct Begun {
    state: PathBuf,
}

impl Begun {
    /// Below `state`, one of `journal::places()`.
    pub fn new(state: &Path) -> Self {
        Begun {
            state: state.to_owned(),
        }
    }

    /// Remembers that run `id` was begun with `order`. Two runs of one name (in two
    /// folders, in one second) are both remembered.
    ///
    /// # Errors
    /// When it cannot be written, or others may write there too.
    pub fn keep(&self, id: &str, order: &str) -> Result<(), HarnessError> {
        let path = self.file(id).ok_or_else(|| {
            let name = io::Error::from(io::ErrorKind::InvalidInput);
            HarnessError::file("remember run in", &self.folder())(name)
        })?;
        self.make_folders()?;
        self.forget_oldest();
        OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(&path)
            .and_then(|mut file| file.write_all(line(order).as_bytes()))
            .map_err(HarnessError::file("write", &path))
    }

    /// Whether run `id` was begun here with exactly this order.
    pub fn holds(&self, id: &str, order: &str) -> bool {
        let line = line(order);
        let mut orders = self.orders(id).into_iter().flatten();
        orders.any(|kept| kept == line)
    }

    /// It is complete: nobody will go on with it.
    pub fn forget(&self, id: &str, order: &str) {
        let (Some(path), Some(orders)) = (self.file(id), self.orders(id)) else {
            return;
        };
        let line = line(order);
        // Of two runs of one name the other one may be left.
        let others: String = orders.into_iter().filter(|kept| *kept != line).collect();
        let forgotten = match others.is_empty() {
            true => fs::remove_file(&path),
            false => fs::write(&path, others),
        };
        // What stays is an order that is known already.
        drop(forgotten);
    }

    fn folder(&self) -> PathBuf {
        self.state.join(FOLDER)
    }

    /// None for what is no name of a run of ours: ids come from records.
    fn file(&self, id: &str) -> Option<PathBuf> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let good = !id.is_empty() && id.len() <= 200 && id.chars().all(plain);
        good.then(|| self.folder().join(id))
    }

    /// None where nothing is kept, or others could have written it.
    fn orders(&self, id: &str) -> Option<Vec<String>> {
        let path = self.file(id)?;
        if !(is_private(&self.state) && is_private(&self.folder())) {
            return None;
        }
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        let file = OpenOptions::new().read(true).custom_flags(flags).open(path);
        let file = file.ok()?;
        if !is_own(&file.metadata().ok()?) {
            return None;
        }
        let mut text = String::new();
        file.take(MOST_BYTES).read_to_string(&mut text).ok()?;
        Some(text.split_inclusive('\n').map(str::to_owned).collect())
    }

    fn make_folders(&self) -> Result<(), HarnessError> {
        for folder in [&self.state, &self.folder()] {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
            made.map_err(HarnessError::file("create folder", folder))?;
            if !is_private(folder) {
                let open = io::Error::other("others may use it (chmod 700, or another owner)");
                return Err(HarnessError::file("trust folder", folder)(open));
            }
        }
        Ok(())
    }

    /// Names begin with their time.
    fn forget_oldest(&self) {
        let Ok(entries) = fs::read_dir(self.folder()) else {
            return;
        };
        let mut names: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        names.sort_unstable();
        let too_many = (names.len() + 1).saturating_sub(MOST_RUNS);
        for name in names.drain(..too_many) {
            let _ = fs::remove_file(name);
        }
    }
}

/// One line, whatever stands in it.
fn line(order: &str) -> String {
    serde_json::Value::from(order).to_string() + "\n"
}

/// A folder that is no link, ours, and writable by nobody else.
fn is_private(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_dir() && is_own(&meta))
}

fn is_own(meta: &fs::Metadata) -> bool {
    let us = rustix::process::geteuid().as_raw();
    meta.uid() == us && meta.mode() & 0o022 == 0
}

#[cfg(test)]
mod tests {
    use super::{Begun, FOLDER, MOST_RUNS};
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    const ID: &str = "20261121T002946Z-host";

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn only_what_was_begun_word_for_word_is_known() {
        let state = tempfile::tempdir().unwrap();
        let begun = Begun::new(&state.path().join("new/state"));
        assert!(!begun.holds(ID, "a\nrecipe"));
        begun.keep(ID, "a\nrecipe").unwrap();
        assert!(begun.holds(ID, "a\nrecipe"));
        for (id, order) in [
            (ID, "a\nrecipe "),
            (ID, "a"),
            (ID, ""),
            ("20261121T002947Z-host", "a\nrecipe"),
        ] {
            assert!(!begun.holds(id, order), "{id} {order:?}");
        }
    }

    #[test]
    fn two_runs_of_one_name_are_forgotten_one_by_one() {
        let state = tempfile::tempdir().unwrap();
        let begun = Begun::new(state.path());
        begun.keep(ID, "light").unwrap();
        begun.keep(ID, "heavy").unwrap();
        begun.forget(ID, "light");
        assert!(!begun.holds(ID, "light") && begun.holds(ID, "heavy"));
        begun.forget(ID, "heavy");
        let folder = state.path().join(FOLDER);
        assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
    }

    #[test]
    fn a_name_that_leads_elsewhere_is_no_run_of_ours() {
        let state = tempfile::tempdir().unwrap();
        let begun = Begun::new(&state.path().join("state"));
        begun.keep(ID, "x").unwrap();
        fs::write(state.path().join("state/planted"), "\"x\"\n").unwrap();
        for bad in ["", ".", "..", "../planted", "a/b", "a\0b", "/etc/passwd"] {
            assert!(begun.keep(bad, "x").is_err(), "{bad:?}");
            assert!(!begun.holds(bad, "x"), "{bad:?}");
        }
    }

    #[test]
    fn what_others_could_have_written_is_not_believed() {
        let state = tempfile::tempdir().unwrap();
        let begun = Begun::new(state.path());
        begun.keep(ID, "x").unwrap();
        let folder = state.path().join(FOLDER);
        for open in [state.path(), &folder, &folder.join(ID)] {
            let mode = fs::metadata(open).unwrap().permissions().mode();
            set_mode(open, mode | 0o002);
            assert!(!begun.holds(ID, "x"), "{}", open.display());
            set_mode(open, mode);
            assert!(begun.holds(ID, "x"));
        }
        let moved = state.path().join("elsewhere");
        fs::rename(&folder, &moved).unwrap();
        symlink(&moved, &folder).unwrap();
        assert!(!begun.holds(ID, "x"), "the folder is a link");
        assert!(begun.keep(ID, "y").is_err());
        fs::remove_file(&folder).unwrap();
        fs::rename(&moved, &folder).unwrap();
        fs::rename(folder.join(ID), folder.join("b")).unwrap();
        symlink(folder.join("b"), folder.join(ID)).unwrap();
        assert!(!begun.holds(ID, "x"), "the file is a link");
        assert!(
            begun.keep(ID, "y").is_err(),
            "nothing is written through it"
        );
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let state = tempfile::tempdir().unwrap();
        let begun = Begun::new(state.path());
        let id = |n: usize| format!("{n:06}-host");
        for n in 0..MOST_RUNS + 3 {
            begun.keep(&id(n), "x").unwrap();
        }
        assert!(!begun.holds(&id(2), "x") && begun.holds(&id(3), "x"));
        assert!(begun.holds(&id(MOST_RUNS + 2), "x"));
    }
}
