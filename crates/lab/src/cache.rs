//! The folder that holds what was fetched and built, so that it is done once.
//! A folder in it is either whole or not there: it is made next to its place and
//! renamed.

use crate::stop::{Stop, cannot};
use std::env;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Between two looks whether another run has let go of the cache.
const PATIENCE: Duration = Duration::from_millis(200);

/// Ending of a folder that is being filled; the process's number follows.
const UNFINISHED: &str = ".unfinished-";

/// A folder of fetched and built things that several runs share.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
}

/// Holds the cache for one run until dropped, or until the process ends.
#[derive(Debug)]
pub struct Held {
    _file: File,
}

impl Cache {
    /// The cache in `folder`, which is made when it is held.
    pub fn at(folder: PathBuf) -> Cache {
        Cache { folder }
    }

    /// Where `PONTAGE_LAB_CACHE` says, else below the user's cache folder.
    ///
    /// # Errors
    /// When the environment names none of them.
    pub fn of_user() -> Result<Cache, Stop> {
        let named = |name: &str| {
            env::var_os(name)
                .filter(|v| !v.is_empty())
                .map(PathBuf::from)
        };
        named("PONTAGE_LAB_CACHE")
            .or_else(|| Some(named("XDG_CACHE_HOME")?.join("pontage/lab")))
            .or_else(|| Some(named("HOME")?.join(".cache/pontage/lab")))
            .and_then(|folder| std::path::absolute(folder).ok())
            .map(Cache::at)
            .ok_or_else(|| {
                Stop::failed("cannot find a cache folder: HOME is not set")
                    .hint("PONTAGE_LAB_CACHE=DIR pontage lab ...")
            })
    }

    /// A place below its folder.
    pub fn path(&self, below: &str) -> PathBuf {
        self.folder.join(below)
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes the cache for this process; waits while another has it.
    ///
    /// # Errors
    /// When it cannot be made or locked, or the user interrupts the wait.
    pub fn hold(&self, say: &dyn Fn(&str), stop: &AtomicBool) -> Result<Held, Stop> {
        fs::create_dir_all(&self.folder).map_err(cannot("make", &self.folder))?;
        let path = self.path("lock");
        let file = File::create(&path).map_err(cannot("make", &path))?;
        let mut announced = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Held { _file: file }),
                Err(TryLockError::Error(e)) => return Err(cannot("lock", &path)(e)),
                Err(TryLockError::WouldBlock) => {}
            }
            if stop.load(Ordering::Relaxed) {
                return Err(Stop::Interrupted);
            }
            if !announced {
                say(&format!(
                    "waiting for another run that uses {}",
                    self.folder.display()
                ));
                announced = true;
            }
            thread::sleep(PATIENCE);
        }
    }

    /// The folder `name`, made by `fill` unless it is there.
    ///
    /// # Errors
    /// What `fill` says; then nothing of it remains.
    pub fn whole(
        &self,
        name: &str,
        fill: impl FnOnce(&Path) -> Result<(), Stop>,
    ) -> Result<PathBuf, Stop> {
        let place = self.path(name);
        if place.is_dir() {
            return Ok(place);
        }
        remove_unfinished(&place);
        // A name of our own: a program that a killed run had started may still
        // be writing into its folder.
        let unfinished = with_suffix(&place, &format!("{UNFINISHED}{}", std::process::id()));
        emptied(&unfinished)?;
        let filled = fill(&unfinished)
            .and_then(|()| fs::rename(&unfinished, &place).map_err(cannot("make", &place)));
        if filled.is_err() {
            let _ = fs::remove_dir_all(&unfinished);
        }
        filled.map(|()| place)
    }
}

/// `place` with more behind its name.
fn with_suffix(place: &Path, more: &str) -> PathBuf {
    let mut name = place.to_owned().into_os_string();
    name.push(more);
    PathBuf::from(name)
}

/// What killed runs left of `place`; what cannot be removed now is next time.
fn remove_unfinished(place: &Path) {
    let begin = with_suffix(place, UNFINISHED).into_os_string();
    let entries = place.parent().and_then(|folder| fs::read_dir(folder).ok());
    for entry in entries.into_iter().flatten().flatten() {
        let path = entry.path();
        let ours = path.as_os_str().as_encoded_bytes();
        if ours.starts_with(begin.as_encoded_bytes()) {
            let _ = fs::remove_dir_all(path);
        }
    }
}

/// Makes `folder` anew.
///
/// # Errors
/// As mkdir(2) and unlink(2).
pub fn emptied(folder: &Path) -> Result<(), Stop> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(cannot("remove", folder))?;
    }
    fs::create_dir_all(folder).map_err(cannot("make", folder))
}

#[cfg(test)]
mod tests {
    use super::Cache;
    use crate::stop::Stop;
    use std::fs;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn a_folder_is_whole_or_not_there() {
        let home = tempfile::tempdir().unwrap();
        let cache = Cache::at(home.path().to_owned());
        let cut = cache.whole("k/one", |folder| {
            fs::write(folder.join("half"), "x").unwrap();
            Err(Stop::Interrupted)
        });
        assert_eq!(cut, Err(Stop::Interrupted));
        assert_eq!(fs::read_dir(home.path().join("k")).unwrap().count(), 0);
        // What a killed run left is not taken for the whole.
        let left = home.path().join("k/one.unfinished-1");
        fs::create_dir_all(left.join("half")).unwrap();
        let made = cache.whole("k/one", |folder| {
            assert!(!folder.join("half").exists());
            fs::write(folder.join("all"), "x").map_err(|e| Stop::failed(e.to_string()))
        });
        assert!(made.unwrap().join("all").exists());
        assert!(!left.exists());
        cache.whole("k/one", |_| panic!("it is there")).unwrap();
    }

    #[test]
    fn two_runs_do_not_hold_it_at_once() {
        let home = tempfile::tempdir().unwrap();
        let cache = Cache::at(home.path().to_owned());
        let stop = AtomicBool::new(false);
        let first = cache.hold(&|_| {}, &stop).unwrap();
        let waits = AtomicBool::new(false);
        // Once `say` has been called it waits; it is interrupted at the next look.
        let say = |_: &str| waits.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(cache.hold(&say, &waits).unwrap_err(), Stop::Interrupted);
        drop(first);
        cache.hold(&say, &stop).unwrap();
    }
}
