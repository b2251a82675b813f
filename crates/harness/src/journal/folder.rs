//! The folder that journals lie in. What stands in a journal is written to the
//! machine with our rights, so only this user may be able to put one there.

use rustix::fs::{AtFlags, Dir, FlockOperation, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Of the folder; a journal has [`JOURNAL_MODE`].
const FOLDER_MODE: u32 = 0o700;
const JOURNAL_MODE: u32 = 0o600;
const ELSEWHERE: &str = "keep journals elsewhere: PONTAGE_STATE_DIR=DIR, a folder that you own";
/// Of a journal: a thousand times what a run writes, and no more than is held in
/// memory without a thought. The writer keeps to it too.
pub const LIMIT_BYTES: u64 = 4 << 20;
/// Between two tries for a lock.
const LOCK_PAUSE: Duration = Duration::from_millis(5);
/// For who only looks, and holds a lock for microseconds. In tests a process that another
/// one of them starts has every lock until it executes its program.
pub const SHORTLY: u32 = if cfg!(test) { 400 } else { 10 };
/// For who looks at many journals.
const LONG: u32 = 1000;
/// For what who has died has started and not yet ended, and for who looks at many: 2 s.
pub const PATIENTLY: u32 = 400;

/// A checked folder. Everything in it is reached through its descriptor.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    fd: OwnedFd,
}

/// Why a folder is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot use the folder {}: {cause}", escape::terminal(&path.to_string_lossy()))]
pub struct Refusal {
    pub path: PathBuf,
    pub cause: String,
    pub remedy: String,
}

/// What became of asking for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    Taken,
    /// Another process has it.
    Others,
    /// This file system has none.
    Unsupported,
}

impl Folder {
    /// `None` where there is none.
    ///
    /// # Errors
    /// A folder that others can write to, or that is not ours.
    pub fn open(path: &Path) -> Result<Option<Folder>, Refusal> {
        // Behind a last `/` or `/.` a link would be followed.
        let path: PathBuf = path.components().collect();
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
        let fd = match rustix::fs::open(&path, flags, Mode::empty()) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(None),
            Err(cause) => return Err(not_opened(&path, cause)),
        };
        let folder = Folder { path, fd };
        folder.is_ours()?;
        Ok(Some(folder))
    }

    /// The folder, made if need be. `Ok(Err(cause))`: it cannot be made here.
    ///
    /// # Errors
    /// As [`Folder::open`].
    pub fn make(path: &Path) -> Result<io::Result<Folder>, Refusal> {
        if let Some(parent) = path.parent()
            && let Err(cause) = std::fs::DirBuilder::new()
                .recursive(true)
                .mode(FOLDER_MODE)
                .create(parent)
        {
            return Ok(Err(cause));
        }
        match std::fs::DirBuilder::new().mode(FOLDER_MODE).create(path) {
            Err(cause) if cause.kind() != io::ErrorKind::AlreadyExists => return Ok(Err(cause)),
            Err(_) => {}
            // A folder above may hand down its group's bit, and a umask take ours.
            Ok(()) => {
                let mode = std::fs::Permissions::from_mode(FOLDER_MODE);
                if let Err(cause) = std::fs::set_permissions(path, mode) {
                    return Ok(Err(cause));
                }
            }
        }
        Folder::open(path)?.map_or_else(|| Ok(Err(io::ErrorKind::NotFound.into())), |f| Ok(Ok(f)))
    }

    /// Nothing is changed here: the folder may be any that the user has named.
    fn is_ours(&self) -> Result<(), Refusal> {
        let refuse = |cause: String, remedy: String| Refusal {
            path: self.path.clone(),
            cause,
            remedy,
        };
        let stat = self
            .stat()
            .map_err(|e| refuse(e.to_string(), String::new()))?;
        let us = rustix::process::geteuid().as_raw();
        if stat.st_uid != us {
            return Err(refuse(
                format!("it belongs to user {}, not to user {us}", stat.st_uid),
                ELSEWHERE.to_owned(),
            ));
        }
        let mode = stat.st_mode & 0o7777;
        if mode == FOLDER_MODE {
            return Ok(());
        }
        let shown = self.path.display();
        let (cause, first) = match mode & 0o022 {
            0 => (format!("others may read it (mode {mode:o})"), ""),
            // It must not look as if it had always been so.
            _ => (
                format!("others may write to it (mode {mode:o})"),
                "inspect the journals in it; ",
            ),
        };
        let remedy = format!("{first}if it has only journals: chmod 700 {shown}; or {ELSEWHERE}");
        Err(refuse(cause, remedy))
    }

    fn stat(&self) -> rustix::io::Result<Stat> {
        rustix::fs::fstat(&self.fd)
    }

    /// Its path when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Names of the journals, in order.
    ///
    /// # Errors
    /// As reading the folder.
    pub fn journals(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.fd)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if is_journal(&name) {
                names.push(OsString::from(name));
            }
        }
        names.sort();
        Ok(names)
    }

    /// A journal, to be read and appended to; `None` where there is none.
    ///
    /// # Errors
    /// What is not a regular file that only this user owns, or larger than a journal gets.
    pub fn open_journal(&self, name: &OsStr) -> Result<Option<File>, NotAJournal> {
        // Before it is opened: opening some devices does something.
        match rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(None),
            stat => is_journal_file(&stat?)?,
        }
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::NOFOLLOW;
        // Should it have become a FIFO since, it shall not wait.
        let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let fd = match rustix::fs::openat(&self.fd, name, flags, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            fd => fd?,
        };
        let stat = rustix::fs::fstat(&fd)?;
        if stat.st_nlink == 0 {
            return Ok(None);
        }
        is_journal_file(&stat)?;
        Ok(Some(File::from(fd)))
    }

    /// A new journal. `AlreadyExists` where the name is taken.
    pub fn create_journal(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL;
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(JOURNAL_MODE);
        let fd = rustix::fs::openat(&self.fd, name, flags, mode)?;
        // The umask may have taken away what the owner needs.
        rustix::fs::fchmod(&fd, mode)?;
        Ok(File::from(fd))
    }

    /// Removes the journal `file`, if that is still its name.
    pub fn remove_journal(&self, name: &OsStr, file: &File) -> io::Result<()> {
        match self.has(name, file) {
            true => Ok(rustix::fs::unlinkat(&self.fd, name, AtFlags::empty())?),
            false => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Whether the journal of that name is this one.
    pub fn has(&self, name: &OsStr, file: &File) -> bool {
        let at = rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW);
        match (at, rustix::fs::fstat(file)) {
            (Ok(at), Ok(own)) => (at.st_dev, at.st_ino) == (own.st_dev, own.st_ino),
            _ => false,
        }
    }

    /// Names in it are then on the disk.
    pub fn sync(&self) -> io::Result<()> {
        match rustix::fs::fsync(&self.fd) {
            // Some network and user-space file systems cannot sync a folder.
            Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
            ended => Ok(ended?),
        }
    }

    /// Holds off who begins a journal while another looks who has died: between
    /// its name and its lock a new journal looks like a dead one's.
    #[must_use]
    pub fn guard(&self) -> Guard {
        let taken = lock(&self.fd, LONG) == Lock::Taken;
        // A second descriptor has the same lock.
        Guard(taken.then(|| self.fd.try_clone().ok()).flatten())
    }
}

/// Ends with its scope.
#[derive(Debug)]
pub struct Guard(Option<OwnedFd>);

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(fd) = &self.0 {
            let _ = rustix::fs::flock(fd, FlockOperation::Unlock);
        }
    }
}

/// Takes the lock of a file or folder; who has it goes with its process.
pub fn lock(file: impl std::os::fd::AsFd, tries: u32) -> Lock {
    for _ in 0..tries {
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Lock::Taken,
            Err(Errno::WOULDBLOCK | Errno::INTR) => std::thread::sleep(LOCK_PAUSE),
            Err(_) => return Lock::Unsupported,
        }
    }
    Lock::Others
}

fn is_journal(name: &str) -> bool {
    name.starts_with("journal-") && name.ends_with(".jsonl")
}

/// Why a file in a folder of journals is not read as one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAJournal {
    #[error("{0}")]
    Io(#[from] Errno),
    #[error("it is a symbolic link")]
    Symlink,
    #[error("it is a FIFO, not a regular file")]
    Fifo,
    #[error("it is a folder, not a regular file")]
    Folder,
    #[error("it is not a regular file")]
    NotRegular,
    #[error("it belongs to user {owner}, not to user {us}")]
    OfAnother { owner: u32, us: u32 },
    #[error("others may write to it (mode {mode:o})")]
    Writable { mode: u32 },
    #[error("it has a second name (hard link)")]
    HardLink,
    #[error("it has {bytes} bytes, and a journal {LIMIT_BYTES} at most")]
    TooLong { bytes: u64 },
}

/// Refuses what another user could have put there or could change: what a journal says
/// is written as root.
fn is_journal_file(stat: &Stat) -> Result<(), NotAJournal> {
    use rustix::fs::FileType;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {}
        FileType::Symlink => return Err(NotAJournal::Symlink),
        FileType::Fifo => return Err(NotAJournal::Fifo),
        FileType::Directory => return Err(NotAJournal::Folder),
        _ => return Err(NotAJournal::NotRegular),
    }
    let (owner, us) = (stat.st_uid, rustix::process::geteuid().as_raw());
    if owner != us {
        return Err(NotAJournal::OfAnother { owner, us });
    }
    let mode = stat.st_mode & 0o777;
    if mode & 0o022 != 0 {
        return Err(NotAJournal::Writable { mode });
    }
    if stat.st_nlink > 1 {
        return Err(NotAJournal::HardLink);
    }
    let bytes = u64::try_from(stat.st_size).unwrap_or(u64::MAX);
    match bytes > LIMIT_BYTES {
        true => Err(NotAJournal::TooLong { bytes }),
        false => Ok(()),
    }
}

fn not_opened(path: &Path, cause: Errno) -> Refusal {
    let is_link = path.symlink_metadata().is_ok_and(|m| m.is_symlink());
    let cause = match cause {
        Errno::LOOP | Errno::NOTDIR if is_link => "it is a symbolic link".to_owned(),
        Errno::NOTDIR => "it is not a folder".to_owned(),
        cause => io::Error::from(cause).to_string(),
    };
    let remedy = match is_link {
        true => "name the folder that it leads to, if you made the link".to_owned(),
        false => ELSEWHERE.to_owned(),
    };
    Refusal {
        path: path.to_owned(),
        cause,
        remedy,
    }
}
