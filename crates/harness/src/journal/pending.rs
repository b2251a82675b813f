//! What killed runs have left changed, without touching it.

use super::folder::Folder;
use super::{Outcome, Restored, undo};
use std::path::{Path, PathBuf};

/// Changes that `restore` would undo, or why a folder of journals is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pending {
    Changes {
        folder: PathBuf,
        /// What is changed, in the words of the journals.
        changed: Vec<PathBuf>,
    },
    Refused {
        cause: String,
        remedy: String,
    },
    /// A journal of another machine, or of a container that may live.
    OfOthers {
        text: String,
    },
    /// A journal that no version of this program has written, or a later one.
    Unreadable {
        journal: PathBuf,
        cause: String,
    },
}

/// Of all folders in which this user's journals may lie.
pub fn pending(places: &[PathBuf]) -> Vec<Pending> {
    places.iter().flat_map(|place| in_folder(place)).collect()
}

fn in_folder(place: &Path) -> Vec<Pending> {
    let folder = match Folder::open(place) {
        Ok(Some(folder)) => folder,
        Ok(None) => return Vec::new(),
        Err(refusal) => {
            return vec![Pending::Refused {
                cause: refusal.to_string(),
                remedy: refusal.remedy,
            }];
        }
    };
    let (dead, others) = undo::dead(&folder);
    let mut changed = Vec::new();
    for journal in dead.iter().filter(|journal| !journal.is_standing()) {
        let open = journal.text.open_lines();
        let mut of_journal: Vec<PathBuf> = open.filter_map(|(_, line)| line.named()).collect();
        of_journal.dedup();
        changed.extend(of_journal);
    }
    let of_other = |other: Restored| match &other.outcome {
        Outcome::Unreadable { cause } => Some(Pending::Unreadable {
            cause: cause.clone(),
            journal: other.path,
        }),
        Outcome::Elsewhere { .. } | Outcome::PerhapsInUse { .. } => Some(Pending::OfOthers {
            text: other.to_string(),
        }),
        _ => None,
    };
    let mut found: Vec<Pending> = others.into_iter().filter_map(of_other).collect();
    if !changed.is_empty() {
        found.push(Pending::Changes {
            folder: folder.path().to_owned(),
            changed,
        });
    }
    found
}
