//! Why there is no recording.

use std::io;
use std::path::{Path, PathBuf};

/// Of this module's functions.
pub type Result<T> = std::result::Result<T, TracefsError>;

/// What kept a recording from being set up, made or read.
#[derive(Debug, thiserror::Error)]
pub enum TracefsError {
    /// This machine, or this user, has no such thing: nothing to be repaired in
    /// the program.
    #[error("{reason}")]
    Absent {
        reason: String,
        /// An exact command, or `none: <why>`.
        remedy: String,
    },
    #[error("cannot {verb} {}: {cause}", path.display())]
    File {
        verb: &'static str,
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    /// The kernel, or we, do not take what was asked.
    #[error("cannot {what}: {cause}")]
    Refused { what: String, cause: String },
}

impl TracefsError {
    /// Nothing to repair in the program; `remedy` is a command, or `none: <why>`.
    pub fn absent(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        TracefsError::Absent {
            reason: reason.into(),
            remedy: remedy.into(),
        }
    }

    /// `cannot <what>: <cause>`.
    pub fn refused(what: impl Into<String>, cause: impl ToString) -> Self {
        TracefsError::Refused {
            what: what.into(),
            cause: cause.to_string(),
        }
    }

    /// For `map_err` on a file. No permission is an absence.
    pub fn file(verb: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |cause| match cause.kind() {
            io::ErrorKind::PermissionDenied => TracefsError::absent(
                format!("cannot {verb} {}: {cause}", path.display()),
                "sudo pontage ...",
            ),
            _ => TracefsError::File { verb, path, cause },
        }
    }
}
