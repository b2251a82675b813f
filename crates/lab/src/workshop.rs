//! What fetching and building go with: where their results are kept, who hears of them,
//! and whether they go on.

use crate::cache::Cache;
use crate::command;
use crate::stop::{Stop, cannot};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// Handed to everything that fetches or builds.
#[derive(Clone, Copy)]
pub struct Workshop<'a> {
    pub cache: &'a Cache,
    /// Receives a line about each step that takes time.
    pub say: &'a dyn Fn(&str),
    /// Set when the user interrupts.
    pub stop: &'a AtomicBool,
}

impl Workshop<'_> {
    /// Runs a program to its end; returns standard output.
    ///
    /// # Errors
    /// When it cannot be started or fails, with its last lines.
    pub fn run(&self, command: &mut Command, doing: &str) -> Result<String, Stop> {
        command::run(command, doing, self.stop)
    }

    /// As `run`, of a script for bash.
    ///
    /// # Errors
    /// As `run`; the first program of a pipe that fails counts.
    pub fn script(&self, script: &str, doing: &str) -> Result<(), Stop> {
        let script = format!("set -o pipefail; {script}");
        self.run(command::tied("bash").args(["-c", &script]), doing)
            .map(drop)
    }

    /// A folder of the cache, made where it is missing.
    ///
    /// # Errors
    /// As mkdir(2).
    pub fn folder(&self, below: &str) -> Result<PathBuf, Stop> {
        let folder = self.cache.path(below);
        fs::create_dir_all(&folder).map_err(cannot("make", &folder))?;
        Ok(folder)
    }
}

/// `name` with a number of what it is made from, because two clones on one machine share
/// the cache.
pub(crate) fn own_name(name: &str, from: impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    from.hash(&mut hasher);
    format!("{name}-{:016x}", hasher.finish())
}
