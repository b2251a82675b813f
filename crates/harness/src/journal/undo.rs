//! The way back, from a journal file.

use super::entry::{Line, effective};
use super::folder::{Folder, Lock, PATIENTLY, SHORTLY, lock};
use super::outcome::{Outcome, Restored};
use super::owner::Life;
use super::reading::{Change, Entry, JournalText, read};
use super::shared::patiently;
use super::target::{Ground, Target};
use super::{drain, queues, shared};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Undoes every journal in `dir` whose process is gone, on the machine below
/// `root` (`/`). A folder that does not exist holds no journals. Journals that are
/// wholly undone are removed.
pub fn restore(root: &Path, dir: &Path) -> Vec<Restored> {
    let folder = match Folder::open(dir) {
        Ok(None) => return Vec::new(),
        Ok(Some(folder)) => folder,
        Err(refusal) => {
            return vec![Restored {
                path: refusal.path,
                outcome: Outcome::Refused {
                    cause: refusal.cause,
                    remedy: refusal.remedy,
                },
            }];
        }
    };
    let (dead, mut restored) = dead(&folder);
    let ground = Ground::new(root);
    for found in dead {
        restored.extend(undo(&folder, &found, &ground, Undoer::Another));
    }
    restored
}

/// A journal whose process is gone. Its lock is held meanwhile.
pub struct Dead {
    name: OsString,
    pub text: JournalText,
    rebooted: bool,
    file: File,
}

impl Dead {
    /// Made to outlive its process.
    pub fn is_standing(&self) -> bool {
        pid_of(&self.name) == 0
    }
}

/// Who undoes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undoer {
    /// Who made the changes: its recordings are at their end.
    Owner,
    Another,
}

/// Journals of dead processes, and the reports on the others.
pub fn dead(folder: &Folder) -> (Vec<Dead>, Vec<Restored>) {
    let (mut dead, mut others) = (Vec::new(), Vec::new());
    let _guard = folder.guard();
    for name in folder.journals().unwrap_or_default() {
        match look(folder, &name) {
            Ok(Some(found)) => dead.push(found),
            Ok(None) => {}
            Err(outcome) => others.push(Restored {
                path: folder.path().join(&name),
                outcome,
            }),
        }
    }
    (dead, others)
}

/// `None`: it went away just now.
fn look(folder: &Folder, name: &OsStr) -> Result<Option<Dead>, Outcome> {
    let file = match folder.open_journal(name) {
        Ok(Some(file)) => file,
        Ok(None) => return Ok(None),
        Err(cause) => return Err(Outcome::unreadable(&cause)),
    };
    let mut taken = lock(&file, SHORTLY);
    if taken == Lock::Others {
        // What it holds may be half written.
        let owner = read(&file).ok().and_then(|text| text.owner);
        let pid = owner
            .as_ref()
            .map_or_else(|| pid_of(name), |owner| owner.pid);
        // Who looks at a dead one's holds it too, for a moment.
        if owner.is_some_and(|owner| owner.by_number() == Life::Gone) {
            taken = lock(&file, PATIENTLY);
        }
        if taken == Lock::Others {
            return Err(Outcome::InUse { pid });
        }
    }
    let lock = taken;
    let text = read(&file).map_err(|cause| Outcome::unreadable(&cause))?;
    let rebooted = match &text.owner {
        Some(owner) => match owner.life(lock) {
            Life::Gone => false,
            Life::GoneWithBoot => true,
            Life::Runs => return Err(Outcome::InUse { pid: owner.pid }),
            Life::Unknown => return Err(Outcome::PerhapsInUse { pid: owner.pid }),
            Life::Elsewhere => {
                let host = owner.host.clone();
                return Err(Outcome::Elsewhere { host });
            }
        },
        // Without a whole first line its process may be just about to write it.
        None if machine::task::exists(pid_of(name)) => {
            return Err(Outcome::InUse { pid: pid_of(name) });
        }
        None => false,
    };
    Ok(Some(Dead {
        name: name.to_owned(),
        text,
        rebooted,
        file,
    }))
}

/// The process number in the name of a journal; 0, which is none, for others.
fn pid_of(name: &OsStr) -> u32 {
    let name = name.to_str().and_then(|n| n.strip_prefix("journal-"));
    let digits = name.and_then(|n| n.split(['-', '.']).next());
    digits.and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// Undoes the journal of that name for its owner, which is no process.
pub fn undo_journal(folder: &Folder, name: &OsStr, root: &Path) -> Vec<Restored> {
    match folder.open_journal(name) {
        Ok(Some(file)) => undo_file(folder, name, file, root, Undoer::Owner),
        Ok(None) => Vec::new(),
        Err(cause) => unreadable(folder, name, &cause),
    }
}

fn unreadable(folder: &Folder, name: &OsStr, cause: &dyn std::error::Error) -> Vec<Restored> {
    vec![Restored {
        path: folder.path().join(name),
        outcome: Outcome::unreadable(cause),
    }]
}

/// Undoes an open journal whoever owns it, be it that its name is gone.
pub fn undo_file(
    folder: &Folder,
    name: &OsStr,
    file: File,
    root: &Path,
    who: Undoer,
) -> Vec<Restored> {
    let text = match read(&file) {
        Ok(text) => text,
        Err(cause) => return unreadable(folder, name, &cause),
    };
    let rebooted = text
        .owner
        .as_ref()
        .is_some_and(|o| o.life(Lock::Taken) == Life::GoneWithBoot);
    let found = Dead {
        name: name.to_owned(),
        text,
        rebooted,
        file,
    };
    undo(folder, &found, &Ground::new(root), who)
}

/// The process that holds `path` changed, by the journals of others that live.
pub fn holder(folder: &Folder, path: &Path) -> Option<u32> {
    let journals = folder.journals().unwrap_or_default();
    journals.iter().find_map(|name| {
        let file = folder.open_journal(name).ok()??;
        let text = read(&file).ok()?;
        let owner = text.owner.as_ref().filter(|owner| !owner.is_us())?;
        text.open_lines().find(|(_, line)| line.is_of(path))?;
        // A standing one's owner is no process. The lock last: to ask for it takes time.
        let lives = pid_of(name) != 0 && owner.life(lock(&file, 1)) == Life::Runs;
        lives.then_some(owner.pid)
    })
}

/// The last change first.
fn undo(folder: &Folder, found: &Dead, ground: &Ground, who: Undoer) -> Vec<Restored> {
    let entries = match found.text.entries(ground) {
        // Its file systems may have been mounted by hand, and are not yet again.
        _ if found.rebooted => return rebooted(folder, found),
        Ok(entries) => entries,
        Err(cause) => return unreadable(folder, &found.name, &cause),
    };
    let mut restored = Vec::new();
    if who == Undoer::Another {
        // Before anything is undone: a ring loses all with its instance or size.
        restored.extend(
            entries
                .iter()
                .filter_map(|(_, entry)| drain::rescued(ground, entry)),
        );
    }
    // A tracer that is still on must not lose what keeps it small.
    let mut still_on = false;
    let mut finished = String::new();
    for (number, entry) in entries.iter().rev() {
        let Some((path, outcome)) = undone(ground, entry, &mut still_on) else {
            continue;
        };
        if !outcome.is_to_do() {
            finished += &Line::Undone { number: *number }.to_text();
        }
        restored.push(Restored { path, outcome });
    }
    if restored.iter().any(|r| r.outcome.is_to_do()) {
        // What another process sets from here on is its own. If it cannot be written, what is
        // undone is undone again.
        let _ = (&found.file).write_all(finished.as_bytes());
    } else {
        // If it cannot be removed, the next restore finds everything in order.
        let _ = folder.remove_journal(&found.name, &found.file);
    }
    restored
}

fn rebooted(folder: &Folder, found: &Dead) -> Vec<Restored> {
    let gone = |path: PathBuf| Restored {
        path,
        outcome: Outcome::GoneWithReboot,
    };
    let lines = found.text.lines.iter().rev();
    let restored = lines.filter_map(Line::named).map(gone).collect();
    let _ = folder.remove_journal(&found.name, &found.file);
    restored
}

fn undone(ground: &Ground, entry: &Entry, still_on: &mut bool) -> Option<(PathBuf, Outcome)> {
    let of = |target: &Target| target.path().to_owned();
    Some(match entry {
        Entry::Setting(change) => (of(&change.target), put_back(ground, change)),
        Entry::Instance(target) => {
            let outcome = match remove(ground, target) {
                Ok(()) => Outcome::Removed,
                Err(cause) => Outcome::NotRemoved { cause },
            };
            *still_on |= shared::is_still_on(target, &outcome);
            (of(target), outcome)
        }
        Entry::Group(target) => match remove(ground, target) {
            Ok(()) => (of(target), Outcome::GroupRemoved),
            Err(cause) => (of(target), Outcome::GroupNotRemoved { cause }),
        },
        Entry::GroupGone(path) => (path.clone(), Outcome::GroupRemoved),
        Entry::Held(target, held) => {
            let outcome = match *still_on {
                true => shared::kept(held),
                false => shared::let_go(ground, target, held),
            };
            *still_on |= shared::is_still_on(target, &outcome);
            (of(target), outcome)
        }
        Entry::Joined(target, joined) => (of(target), shared::leave(ground, target, joined)),
        Entry::Queues(queues) => (queues::named(queues), queues::remove(queues)),
        Entry::Recording { .. } => return None,
    })
}

fn put_back(ground: &Ground, change: &Change) -> Outcome {
    let failed = |cause: String| Outcome::Failed {
        wanted: change.old.clone(),
        cause,
    };
    let found = match change.target.read(ground) {
        Ok(text) => effective(&text).to_owned(),
        // Of a CPU that is offline it comes back with it.
        Err(_) if change.target.is_without_its_cpu(ground) => return Outcome::GoneWithCpu,
        Err(e) => return failed(e.to_string()),
    };
    let done = Outcome::PutBack {
        value: change.old.clone(),
    };
    if found == change.old {
        return done;
    }
    let is_ours = match &change.applied {
        Some(applied) => found == *applied,
        None => may_be_ours(change, &found),
    };
    if !is_ours {
        return Outcome::LeftToOthers {
            found,
            ours: change.new.clone(),
        };
    }
    match change.target.write(ground, &change.old) {
        Ok(()) => done,
        Err(e) => failed(e.to_string()),
    }
}

/// Killed between the change and its confirmation. The kernel may have given less than
/// was asked (huge pages).
fn may_be_ours(change: &Change, found: &str) -> bool {
    let number = |text: &str| text.parse::<u64>().ok();
    let between = || {
        let (old, new) = (number(&change.old)?, number(&change.new)?);
        Some((old.min(new)..=old.max(new)).contains(&number(found)?))
    };
    found == change.new || between().unwrap_or(false)
}

/// Removes the folder; one that is gone already counts as removed.
fn remove(ground: &Ground, target: &Target) -> Result<(), String> {
    match patiently(|| target.remove_folder(ground)) {
        Err(e) if e.kind() == ErrorKind::ResourceBusy => {
            Err("a process still has files of it open".to_owned())
        }
        Err(e) if e.kind() != ErrorKind::NotFound => Err(e.to_string()),
        _ => Ok(()),
    }
}
