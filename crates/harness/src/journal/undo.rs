//! The way back, from a journal file.

use super::entry::{Held, Joined, Line, effective};
use super::{shared, write_setting};
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What became of one change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The old value is in force again.
    PutBack { value: String },
    /// Somebody else has changed it since: it stays as they set it.
    LeftToOthers { found: String, ours: String },
    /// Could not be put back; the journal keeps it.
    Failed { wanted: String, cause: String },
    /// The tracefs instance is gone, and with it all that it traced.
    Removed,
    /// The tracefs instance is still there; the journal keeps it.
    NotRemoved { cause: String },
    /// The monitoring group is gone, and its tasks are where they were.
    GroupRemoved,
    /// The monitoring group is still there; the journal keeps it.
    GroupNotRemoved { cause: String },
    /// A list of the kernel holds again what it held.
    Left,
    /// The machine was started anew since: nothing is left of the change.
    GoneWithReboot,
    /// The process that made it still runs.
    InUse { pid: u32 },
    /// The journal itself cannot be read.
    Unreadable { cause: String },
}

impl Outcome {
    /// Whether somebody should look at it.
    #[must_use]
    pub fn is_trouble(&self) -> bool {
        !matches!(
            self,
            Outcome::PutBack { .. }
                | Outcome::Removed
                | Outcome::GroupRemoved
                | Outcome::Left
                | Outcome::GoneWithReboot
        )
    }
}

/// One setting of a journal and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The setting; for a journal that is in use or unreadable, the journal.
    pub path: PathBuf,
    pub outcome: Outcome,
}

impl fmt::Display for Restored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.outcome {
            Outcome::PutBack { value } if value.is_empty() => write!(f, "{path} is empty again"),
            Outcome::PutBack { value } => write!(f, "{path} is {value} again"),
            Outcome::Left => write!(f, "{path} holds nothing of ours any more"),
            Outcome::LeftToOthers { found, ours } => write!(
                f,
                "{path} left as it is: it was set to {found} since this program set it to {ours}"
            ),
            Outcome::Failed { wanted, cause } => {
                write!(f, "cannot set {path} back to {wanted}: {cause}")
            }
            Outcome::Removed => write!(f, "tracefs instance {path} is removed"),
            Outcome::NotRemoved { cause } => {
                write!(f, "cannot remove tracefs instance {path}: {cause}")
            }
            Outcome::GroupRemoved => write!(f, "monitoring group {path} is removed"),
            Outcome::GroupNotRemoved { cause } => {
                write!(f, "cannot remove monitoring group {path}: {cause}")
            }
            Outcome::GoneWithReboot => write!(f, "{path} was reset by a reboot"),
            Outcome::InUse { pid } => write!(f, "{path} belongs to process {pid}, still running"),
            Outcome::Unreadable { cause } => write!(f, "cannot read journal {path}: {cause}"),
        }
    }
}

/// Undoes every journal in `dir` whose process is gone. A folder that does not
/// exist holds no journals. Journals that are wholly undone are removed.
#[must_use]
pub fn restore(dir: &Path) -> Vec<Restored> {
    let Ok(listing) = std::fs::read_dir(dir) else {
        return Vec::new();
    };
    let mut journals: Vec<PathBuf> = listing
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| is_journal(path))
        .collect();
    journals.sort();
    journals.iter().flat_map(|path| undo_dead(path)).collect()
}

fn is_journal(path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| name.starts_with("journal-") && name.ends_with(".jsonl"))
}

fn undo_dead(path: &Path) -> Vec<Restored> {
    match read(path) {
        Err(cause) => vec![Restored {
            path: path.to_owned(),
            outcome: Outcome::Unreadable { cause },
        }],
        Ok(journal) if journal.in_use(path) => vec![Restored {
            path: path.to_owned(),
            outcome: Outcome::InUse { pid: pid_of(path) },
        }],
        Ok(_) => undo_file(path),
    }
}

#[derive(Debug, Clone)]
enum Entry {
    Setting(Change),
    Instance(PathBuf),
    Group(PathBuf),
    Held(Held),
    Joined(Joined),
}

/// One setting as the journal saw it change.
#[derive(Debug, Clone)]
struct Change {
    path: PathBuf,
    old: String,
    new: String,
    /// What it read after the change; None when the process was killed before
    /// it could say.
    applied: Option<String>,
}

impl Entry {
    fn path(&self) -> &Path {
        match self {
            Entry::Setting(change) => &change.path,
            Entry::Instance(path) | Entry::Group(path) => path,
            Entry::Held(held) => &held.path,
            Entry::Joined(joined) => &joined.path,
        }
    }

    fn setting(&mut self) -> Option<&mut Change> {
        match self {
            Entry::Setting(change) => Some(change),
            _ => None,
        }
    }
}

#[derive(Debug, Default)]
struct JournalText {
    owner: Option<super::entry::Owner>,
    entries: Vec<Entry>,
}

impl JournalText {
    /// Without a whole first line its process may be just about to write it.
    fn in_use(&self, path: &Path) -> bool {
        match &self.owner {
            Some(owner) => owner.is_alive(),
            None => Path::new(&format!("/proc/{}", pid_of(path))).exists(),
        }
    }

    fn rebooted(&self) -> bool {
        self.owner
            .as_ref()
            .is_some_and(super::entry::Owner::is_of_earlier_boot)
    }
}

/// The process number in the name of a journal; 0, which is none, for others.
fn pid_of(path: &Path) -> u32 {
    let name = path.file_stem().and_then(|n| n.to_str());
    name.and_then(|n| n.strip_prefix("journal-")?.parse().ok())
        .unwrap_or(0)
}

/// A last line that is cut was not finished, so its change was not made.
fn read(path: &Path) -> Result<JournalText, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let mut journal = JournalText::default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    for (number, line) in whole.lines().enumerate() {
        let line: Line =
            serde_json::from_str(line).map_err(|e| format!("line {}: {e}", number + 1))?;
        match line {
            Line::Owner(owner) => journal.owner = Some(owner),
            Line::Change { path, old, new } => journal.entries.push(Entry::Setting(Change {
                path,
                old,
                new,
                applied: None,
            })),
            Line::Applied { path, value } => {
                let settings = journal.entries.iter_mut().rev().filter_map(Entry::setting);
                if let Some(change) = settings.into_iter().find(|c| c.path == path) {
                    change.applied = Some(value);
                }
            }
            Line::Instance { path } => journal.entries.push(Entry::Instance(path)),
            Line::Group { path } => journal.entries.push(Entry::Group(path)),
            Line::Held(held) => journal.entries.push(Entry::Held(held)),
            Line::Joined(joined) => journal.entries.push(Entry::Joined(joined)),
        }
    }
    Ok(journal)
}

/// Undoes one journal, the last change first, whoever owns it.
pub fn undo_file(path: &Path) -> Vec<Restored> {
    let journal = match read(path) {
        Ok(journal) => journal,
        Err(cause) => {
            return vec![Restored {
                path: path.to_owned(),
                outcome: Outcome::Unreadable { cause },
            }];
        }
    };
    let rebooted = journal.rebooted();
    // A tracer that is still on must not lose what keeps it small.
    let mut still_on = false;
    let mut restored = Vec::new();
    for entry in journal.entries.iter().rev() {
        let outcome = match entry {
            _ if rebooted => Outcome::GoneWithReboot,
            Entry::Setting(change) => put_back(change),
            Entry::Instance(path) => match remove(path) {
                Ok(()) => Outcome::Removed,
                Err(cause) => Outcome::NotRemoved { cause },
            },
            Entry::Group(path) => match remove(path) {
                Ok(()) => Outcome::GroupRemoved,
                Err(cause) => Outcome::GroupNotRemoved { cause },
            },
            Entry::Held(held) if still_on => shared::kept(held),
            Entry::Held(held) => shared::let_go(held),
            Entry::Joined(joined) => shared::leave(joined),
        };
        still_on |= shared::is_still_on(entry.path(), &outcome);
        restored.push(Restored {
            path: entry.path().to_owned(),
            outcome,
        });
    }
    if !restored.iter().any(|r| failed(&r.outcome)) {
        // If it cannot be removed, the next restore finds everything in order.
        let _ = std::fs::remove_file(path);
    }
    restored
}

fn failed(outcome: &Outcome) -> bool {
    matches!(
        outcome,
        Outcome::Failed { .. } | Outcome::NotRemoved { .. } | Outcome::GroupNotRemoved { .. }
    )
}

fn put_back(change: &Change) -> Outcome {
    let failed = |cause: String| Outcome::Failed {
        wanted: change.old.clone(),
        cause,
    };
    let found = match std::fs::read_to_string(&change.path) {
        Ok(text) => effective(&text).to_owned(),
        Err(e) => return failed(e.to_string()),
    };
    let done = Outcome::PutBack {
        value: change.old.clone(),
    };
    if found == change.old {
        return done;
    }
    // Killed between the change and its confirmation: whatever stands there
    // is taken for ours.
    if let Some(applied) = &change.applied
        && found != *applied
    {
        return Outcome::LeftToOthers {
            found,
            ours: change.new.clone(),
        };
    }
    match write_setting(&change.path, &change.old) {
        Ok(()) => done,
        Err(e) => failed(e.to_string()),
    }
}

/// How long a killed process may take to let go of its files.
pub const LETTING_GO: Duration = Duration::from_millis(40);
pub const TRIES: u32 = 50;

/// Never more than an empty folder, or what tracefs and resctrl take for one.
fn remove(path: &Path) -> Result<(), String> {
    for _ in 0..TRIES {
        match std::fs::remove_dir(path) {
            Ok(()) => return Ok(()),
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
            Err(e) if e.kind() == ErrorKind::ResourceBusy => std::thread::sleep(LETTING_GO),
            Err(e) => return Err(e.to_string()),
        }
    }
    Err("a process still has files of it open".to_owned())
}
