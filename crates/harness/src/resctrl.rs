//! Monitoring groups of our own in resctrl: whose tasks fill how much of the cache.
//! Nothing is mounted and nothing is divided; groups go with their owner, and by the
//! journal where that was killed.

use crate::error::HarnessError;
use crate::journal::Journal;
use machine::Source;
use machine::resctrl::Resctrl;
pub use machine::resctrl::{LOCAL, OCCUPANCY, TOTAL};
pub use probe::resctrl::{Absence, growth};
use probe::resctrl::{EventError, obstacle, read_event};
use std::cell::{Cell, RefCell};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};

/// A mounted resctrl, and the groups that this process made there.
#[derive(Debug)]
pub struct Monitor {
    /// Of /proc.
    root: PathBuf,
    mount: PathBuf,
    /// Folder of the group that divides the caches for this process.
    control: PathBuf,
    found: Resctrl,
    journal: RefCell<Journal>,
    made: Cell<u32>,
}

/// A group of tasks that are watched together. Dropping it removes it; its tasks go
/// back to the group above.
#[derive(Debug)]
pub struct Group {
    monitor: Rc<Monitor>,
    folder: PathBuf,
}

impl Monitor {
    /// That of this machine, the same for all who ask on this thread while one of
    /// them keeps it; None where the processor does not monitor.
    ///
    /// # Errors
    /// It does, but groups cannot be made.
    pub fn here() -> Result<Option<Rc<Monitor>>, Absence> {
        thread_local! {
            static LAST: RefCell<Weak<Monitor>> = const { RefCell::new(Weak::new()) };
            static NONE: Cell<bool> = const { Cell::new(false) };
        }
        if NONE.get() {
            return Ok(None);
        }
        let last = LAST.with_borrow(Weak::upgrade);
        if last.is_some() {
            return Ok(last);
        }
        let journal = Journal::here();
        let opened = Monitor::open(Path::new("/"), journal)?.map(Rc::new);
        match &opened {
            Some(monitor) => LAST.set(Rc::downgrade(monitor)),
            None => NONE.set(true),
        }
        Ok(opened)
    }

    /// That of the machine below `root`; each group is entered in `journal` before it is made.
    ///
    /// # Errors
    /// As [`Monitor::here`].
    pub fn open(root: &Path, journal: Journal) -> Result<Option<Monitor>, Absence> {
        let found = machine::resctrl::find(&Source::new(root));
        if !found.monitors() {
            return Ok(None);
        }
        if let Some(absent) = obstacle(&found) {
            return Err(absent);
        }
        let point = found.mount.as_deref().unwrap_or_default();
        let mount = root.join(point.trim_start_matches('/'));
        let (control, watched) = machine::resctrl::own_groups(root);
        if !watched.is_empty() {
            return Err(Absence::new(
                format!("this program is monitored already, by the group {watched}"),
                format!("echo $$ | sudo tee {point}/{control}tasks"),
            ));
        }
        Ok(Some(Monitor {
            root: root.to_owned(),
            control: mount.join(control),
            mount,
            found,
            journal: RefCell::new(journal.of_machine(root)),
            made: Cell::new(0),
        }))
    }

    /// An empty group.
    ///
    /// # Errors
    /// No permission, or as many groups as the processor has monitoring IDs for.
    pub fn group(self: &Rc<Self>) -> Result<Group, Absence> {
        let number = self.made.get();
        self.made.set(number + 1);
        let name = format!("pontage-{}-{number}", std::process::id());
        let folder = self.control.join("mon_groups").join(name);
        let made = self.journal.borrow_mut().make_group(&folder);
        made.map_err(|error| self.refused(&error))?;
        Ok(Group {
            monitor: Rc::clone(self),
            folder,
        })
    }

    fn refused(&self, error: &HarnessError) -> Absence {
        let code = match error {
            HarnessError::File { source, .. } => source.raw_os_error(),
            HarnessError::NoJournal { remedy, .. } => {
                return Absence::new(error.to_string(), remedy.clone());
            }
            _ => None,
        };
        let remedy = match code {
            Some(libc::ENOSPC) => format!(
                "sudo rmdir groups that are not needed: ls {}",
                self.control.join("mon_groups").display()
            ),
            // Numbers of removed groups whose lines are still cached.
            Some(libc::EBUSY) => {
                "none: wait until the caches no longer hold lines of removed groups".to_owned()
            }
            Some(libc::EACCES | libc::EPERM) => "sudo pontage ...".to_owned(),
            Some(libc::EROFS) => format!("sudo mount -o remount,rw {}", self.mount.display()),
            _ => "none: the kernel rejected it".to_owned(),
        };
        Absence::new(format!("{error}{}", self.last_status()), remedy)
    }

    /// What resctrl says of the last thing that it refused, if anything.
    fn last_status(&self) -> String {
        let text = std::fs::read_to_string(self.mount.join("info/last_cmd_status"));
        match text.as_deref().map(str::trim) {
            Ok("" | "ok") | Err(_) => String::new(),
            Ok(status) => format!(" (last_cmd_status: {status})"),
        }
    }
}

impl Group {
    /// Takes in all threads of a process, or one thread; what they start later is
    /// taken in by the kernel.
    ///
    /// # Errors
    /// It is gone, or belongs to others.
    pub fn add(&self, task: u32) -> Result<(), Absence> {
        let file = self.folder.join("tasks");
        let mut known = vec![task];
        self.move_in(&file, task)?;
        // Threads that start meanwhile are of a thread that may not have moved yet.
        loop {
            let mut new = machine::task::threads(&self.monitor.root, task);
            new.retain(|thread| !known.contains(thread));
            if new.is_empty() {
                return Ok(());
            }
            for thread in new {
                known.push(thread);
                match append(&file, thread) {
                    Err(e) if e.raw_os_error() == Some(libc::ESRCH) => {}
                    other => other.map_err(|e| self.not_moved(&file, e))?,
                }
            }
        }
    }

    /// Takes in one thread and not the others of its process.
    ///
    /// # Errors
    /// As [`Group::add`].
    pub fn add_thread(&self, thread: u32) -> Result<(), Absence> {
        self.move_in(&self.folder.join("tasks"), thread)
    }

    fn move_in(&self, file: &Path, thread: u32) -> Result<(), Absence> {
        append(file, thread).map_err(|e| self.not_moved(file, e))
    }

    fn not_moved(&self, file: &Path, cause: io::Error) -> Absence {
        let refused = HarnessError::file("move a task to", file);
        self.monitor.refused(&refused(cause))
    }

    /// Whether the processor has this event.
    pub fn counts(&self, event: &str) -> bool {
        self.monitor.found.has(event)
    }

    /// An event as of now, bytes; None where the processor does not have it.
    pub fn read(&self, event: &str) -> Option<Result<u64, EventError>> {
        self.counts(event).then(|| read_event(&self.folder, event))
    }

    /// Its folder below `mon_groups/`.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Group {
    /// What cannot be removed now, the journal removes later or reports.
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.folder);
    }
}

/// One task a write.
fn append(file: &Path, thread: u32) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).open(file)?;
    file.write_all(format!("{thread}\n").as_bytes())
}

#[cfg(test)]
mod tests;
