//! Lines of a journal file.

use super::owner::Owner;
use super::queues::{self, Queues};
use crate::path_bytes;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A line of a journal, as JSON with the tag `line`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub enum Line {
    /// First line: who changes.
    Owner(Owner),
    /// Written before the change.
    Change {
        #[serde(with = "path_bytes")]
        path: PathBuf,
        old: String,
        new: String,
    },
    /// Written after it: what the setting then read.
    Applied {
        #[serde(with = "path_bytes")]
        path: PathBuf,
        value: String,
    },
    /// Written where the last change of this path, or what it was to make, was refused.
    NotMade {
        #[serde(with = "path_bytes")]
        path: PathBuf,
    },
    /// Written of a line (the owners' not counted, from 0) that is undone, where others
    /// of the journal could not be: it is not undone again.
    Undone { number: usize },
    /// Written before a tracefs instance, a folder, is made.
    Instance {
        #[serde(with = "path_bytes")]
        path: PathBuf,
    },
    /// Written before a monitoring group of resctrl, a folder, is made.
    Group {
        #[serde(with = "path_bytes")]
        path: PathBuf,
    },
    /// Written before a file of tracefs is used that everybody shares.
    Held(Held),
    /// Written before something joins a list of the kernel.
    Joined(Joined),
    /// Written before System V queues are made.
    Queues(Queues),
    /// Written before the rings of an instance are read into a spool.
    Recording {
        #[serde(with = "path_bytes")]
        ring: PathBuf,
        #[serde(with = "path_bytes")]
        spool: PathBuf,
    },
}

/// A shared file that this process may write as often as it likes until it is
/// let go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    #[serde(with = "path_bytes")]
    pub path: PathBuf,
    /// What is written back; empty: a list, which is emptied.
    pub old: String,
    /// What this process writes to it. Any other value is another process's;
    /// empty: every value is taken for ours.
    pub ours: Vec<String>,
}

/// Something that joins a list of the kernel, as probes and triggers do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joined {
    #[serde(with = "path_bytes")]
    pub path: PathBuf,
    /// The list mentions it so.
    pub mention: String,
    /// Written to the list, it takes it away.
    pub leave: String,
}

impl Line {
    /// The line with its end of line.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string(self).expect("strings and numbers are always JSON");
        text.push('\n');
        text
    }

    /// The file or folder that it changes.
    fn path(&self) -> Option<&Path> {
        match self {
            Line::Change { path, .. }
            | Line::Instance { path }
            | Line::Group { path }
            | Line::Held(Held { path, .. })
            | Line::Joined(Joined { path, .. }) => Some(path),
            _ => None,
        }
    }

    /// Whether it is a change of `path`.
    pub fn is_of(&self, path: &Path) -> bool {
        self.path() == Some(path)
    }

    /// What it changes; `None` for lines that change nothing.
    pub fn named(&self) -> Option<PathBuf> {
        match self {
            Line::Queues(queues) => Some(queues::named(queues)),
            line => line.path().map(Path::to_owned),
        }
    }
}

/// The value in force: `always [madvise] never` means madvise.
pub fn effective(text: &str) -> &str {
    let text = text.trim();
    text.split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
        .map_or(text, |(value, _)| value)
}
