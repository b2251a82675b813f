//! What can go wrong with a run folder, and what to do about it.

use files::output::folder_of;
use std::io;
use std::path::{Path, PathBuf};

/// `cannot <verb> <object>: <cause>`; [`RecordError::hint`] has the remedy.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error("cannot {verb} {}: {source}", path.display())]
    Io {
        verb: &'static str,
        path: PathBuf,
        source: io::Error,
        /// Bytes the failed write had to store; None where nothing was written.
        needed_bytes: Option<u64>,
    },
    #[error("cannot create run {}: the folder exists", path.display())]
    Exists { path: PathBuf },
    #[error("cannot create run {id:?}: the name is not a plain folder name")]
    BadName { id: String },
    /// Not written by this program.
    #[error("cannot open {} as a run: {cause}", path.display())]
    NotARun { path: PathBuf, cause: String },
    /// Written by this program and damaged since.
    #[error("cannot read {}: {cause}", path.display())]
    Damaged { path: PathBuf, cause: String },
    #[error(
        "cannot read {}: schema version {found} is newer than {known}, the newest this program knows",
        path.display()
    )]
    TooNew {
        path: PathBuf,
        found: u64,
        known: u32,
    },
    #[error("cannot write run {}: another process is writing it", path.display())]
    Locked { path: PathBuf },
    #[error("cannot resume run {}: {cause}", path.display())]
    NotResumable { path: PathBuf, cause: String },
    #[error("cannot delete run {}: {cause}", path.display())]
    NotDeletable { path: PathBuf, cause: String },
    #[error("cannot write run {}: it is closed", path.display())]
    Closed { path: PathBuf },
    #[error("cannot find experiment {id} in run {}", path.display())]
    UnknownExperiment { path: PathBuf, id: String },
    #[error("cannot store {what} in {}: {cause}", path.display())]
    Unstorable {
        what: String,
        path: PathBuf,
        cause: String,
    },
}

impl RecordError {
    pub(crate) fn io(verb: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        RecordError::Io {
            verb,
            path,
            source,
            needed_bytes: None,
        }
    }

    pub(crate) fn write(path: &Path, needed_bytes: u64, source: io::Error) -> Self {
        RecordError::Io {
            verb: "write",
            path: path.to_owned(),
            source,
            needed_bytes: Some(needed_bytes),
        }
    }

    pub(crate) fn damaged(path: &Path, cause: impl std::fmt::Display) -> Self {
        RecordError::Damaged {
            path: path.to_owned(),
            cause: one_line(cause),
        }
    }

    pub(crate) fn unstorable(
        what: impl Into<String>,
        path: &Path,
        cause: impl std::fmt::Display,
    ) -> Self {
        RecordError::Unstorable {
            what: what.into(),
            path: path.to_owned(),
            cause: cause.to_string(),
        }
    }

    pub(crate) fn too_new(path: &Path, found: u64, known: u32) -> Self {
        let path = path.to_owned();
        RecordError::TooNew { path, found, known }
    }

    pub(crate) fn not_a_run(path: &Path, cause: impl std::fmt::Display) -> Self {
        RecordError::NotARun {
            path: path.to_owned(),
            cause: one_line(cause),
        }
    }

    /// What the user can do, where something can be done.
    pub fn hint(&self) -> Option<String> {
        match self {
            RecordError::Io {
                path,
                source,
                needed_bytes,
                ..
            } => io_hint(path, source, *needed_bytes),
            RecordError::Exists { .. } => {
                Some("start again, or choose another folder with --out DIR".into())
            }
            RecordError::NotARun { .. } => {
                Some("a run is a folder that holds run.json, as `pontage run` writes it".into())
            }
            RecordError::TooNew { .. } => Some("read it with a newer pontage".into()),
            RecordError::Locked { path } => Some(format!(
                "wait for it, or find it with: fuser -v {}",
                path.join(crate::layout::STREAM).display()
            )),
            RecordError::Damaged { path, .. } => Some(format!(
                "restore it from a copy; the other files of {} can still be read",
                folder_of(path).display()
            )),
            RecordError::NotDeletable { path, .. } => {
                Some(format!("look what it is: ls -la {}", path.display()))
            }
            RecordError::UnknownExperiment { path, .. } => Some(format!(
                "list what the run holds with: pontage report {}",
                path.display()
            )),
            _ => None,
        }
    }

    /// The medium is full or a quota or size limit is reached: nothing stored
    /// is lost, and the same call may succeed once there is space.
    pub fn is_full(&self) -> bool {
        matches!(self, RecordError::Io { source, .. } if is_full(source.kind()))
    }
}

/// Causes repeat words of the file.
fn one_line(cause: impl std::fmt::Display) -> String {
    escape::terminal(&cause.to_string()).into_owned()
}

fn is_full(kind: io::ErrorKind) -> bool {
    use io::ErrorKind as K;
    matches!(
        kind,
        K::StorageFull | K::QuotaExceeded | K::FileTooLarge | K::WriteZero
    )
}

fn io_hint(path: &Path, cause: &io::Error, needed_bytes: Option<u64>) -> Option<String> {
    use io::ErrorKind as K;
    let above = folder_of(path);
    let folder = above.display();
    if matches!(cause.raw_os_error(), Some(EMFILE | ENFILE)) {
        return Some("raise the limit of open files: ulimit -n 4096".into());
    }
    match cause.kind() {
        kind if is_full(kind) => Some(room_hint(above, kind, needed_bytes)),
        K::PermissionDenied | K::ReadOnlyFilesystem => Some(format!(
            "check its permissions with: ls -ld {folder}; or choose another folder with --out DIR"
        )),
        K::NotFound => Some("check the path; list runs with: pontage runs".into()),
        _ if needed_bytes.is_some() => Some(format!(
            "look for errors of the medium with: dmesg | tail; what was measured before is kept \
             in {folder}"
        )),
        _ => None,
    }
}

/// Numbers of the errors of too many open files (errno(3)), the same on every
/// architecture of Linux.
const ENFILE: i32 = 23;
const EMFILE: i32 = 24;

/// For a full disk, a quota, or a limit of a file's size.
fn room_hint(folder: &Path, kind: io::ErrorKind, needed_bytes: Option<u64>) -> String {
    let shown = folder.display();
    let needed = needed_bytes.map_or_else(
        || "space".to_owned(),
        |bytes| format!("at least {}", crate::axis::human_bytes(bytes)),
    );
    let room = match kind {
        io::ErrorKind::FileTooLarge => {
            "raise the limit of file size: ulimit -f unlimited".to_owned()
        }
        _ => format!("free {needed} on the file system of {shown} (see: df -h {shown})"),
    };
    // A run that could not begin has left nothing to go on with.
    match folder.join(crate::layout::HEAD).exists() {
        true => format!(
            "{room} and continue with: pontage run --resume {shown}; or measure to another \
             place with --out DIR; what was measured is kept"
        ),
        false => format!("{room}; or choose another place with --out DIR"),
    }
}
