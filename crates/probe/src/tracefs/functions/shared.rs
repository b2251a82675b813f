//! Files of a tracer that all processes share, and whether another one uses them.

use crate::tracefs::absence::{Result, TracefsError};
use crate::tracefs::mount::{Tracefs, tracer_of};
use std::path::{Path, PathBuf};

/// A file to be written back afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub path: PathBuf,
    /// Empty: a list, which is emptied.
    pub old: String,
    /// What we write to it; none: anything.
    pub ours: Vec<String>,
}

impl Held {
    /// A list that was empty, and is emptied again.
    pub fn list(path: PathBuf) -> Held {
        Held {
            path,
            old: String::new(),
            ours: Vec::new(),
        }
    }

    /// A setting with its value before and those that this program writes to it.
    pub fn setting(path: PathBuf, old: impl Into<String>, ours: &[&str]) -> Held {
        Held {
            path,
            old: old.into(),
            ours: ours.iter().map(|v| (*v).to_owned()).collect(),
        }
    }
}

/// Whether a list of functions or tasks holds none: the kernel then says so in
/// a line of its own (`#### all functions enabled ####`, `no pid`).
pub fn is_empty(text: &str) -> bool {
    let is_comment =
        |line: &str| line.is_empty() || line.starts_with('#') || line.starts_with("no ");
    text.lines().all(|line| is_comment(line.trim()))
}

/// The tracer of the machine's own ring must be off, and nothing left set.
///
/// # Errors
/// `Refused`, with the name of the tracer or the file.
pub fn is_free(tracefs: &Tracefs, what: &str, list: &str) -> Result<()> {
    match tracefs.read(list) {
        Ok(text) if is_empty(&text) => Ok(()),
        Ok(_) => {
            let cause = format!("another process has set {list}");
            Err(in_use(
                what,
                &cause,
                "it is",
                "",
                &tracefs.folder().join(list),
            ))
        }
        Err(TracefsError::File { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Folders of tracing with a tracer that is on: its name and where.
pub fn active(tracefs: &Tracefs) -> Vec<(String, PathBuf)> {
    let instances = tracefs.folder().join("instances");
    let listed = std::fs::read_dir(instances).into_iter().flatten().flatten();
    let folders = listed.map(|entry| entry.path());
    let folders = [tracefs.folder().to_owned()].into_iter().chain(folders);
    folders
        .filter_map(|folder| Some((tracer_of(&folder)?, folder)))
        .collect()
}

/// `cannot <what>`: a tracer is active in `folder`.
pub fn taken(what: &str, tracer: &str, folder: &Path) -> TracefsError {
    let cause = format!("tracer {tracer} is active in {}", folder.display());
    in_use(
        what,
        &cause,
        "it is",
        "nop ",
        &folder.join("current_tracer"),
    )
}

/// `cannot <what>: <cause>`, and what to write to `path` where `it is` not needed: a
/// value with its blank, or nothing.
pub fn in_use(what: &str, cause: &str, it_is: &str, value: &str, path: &Path) -> TracefsError {
    let path = path.display();
    TracefsError::refused(
        what,
        format!("{cause}; if {it_is} not needed: sudo sh -c 'echo {value}> {path}'"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_own_words_for_nothing() {
        assert!(is_empty("#### all functions enabled ####\n"));
        assert!(is_empty("no pid\n") && is_empty("") && is_empty("\n"));
        assert!(!is_empty("vfs_read\n"));
        assert!(!is_empty(
            "#### all functions enabled ####\nvfs_read:traceon:unlimited\n"
        ));
    }
}
