//! What is wrong with a trace: which object, why, and what helps.

use std::io::ErrorKind;
use std::path::PathBuf;

/// What reading and writing traces returns.
pub type Result<T> = std::result::Result<T, TraceError>;

/// Reads `cannot <verb> <object>: <cause>`.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// A file that cannot be opened, read or written.
    #[error("cannot {verb} {}: {cause}", path.display())]
    File {
        /// What was to be done with it.
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// As the system says.
        #[source]
        cause: std::io::Error,
    },
    /// Bytes that are not what they should be.
    #[error("cannot read {what}: {cause}")]
    Malformed {
        /// What was read: a section, the pages of a CPU.
        what: String,
        /// What is wrong with it.
        cause: String,
    },
    /// A description that the kernel or the file does not hold.
    #[error("cannot find the format of {what}: {cause}")]
    NoFormat {
        /// The event, `system:name`.
        what: String,
        /// What is missing.
        cause: String,
    },
    /// `has`: the names there are.
    #[error("cannot find instance {name:?} in {}: it has {}", path.display(), has.join(", "))]
    NoInstance {
        /// The file.
        path: PathBuf,
        /// The instance asked for.
        name: String,
        /// The instances of the file.
        has: Vec<String>,
    },
}

impl TraceError {
    /// `what` cannot be read because of `cause`.
    pub fn malformed(what: impl Into<String>, cause: impl Into<String>) -> Self {
        TraceError::Malformed {
            what: what.into(),
            cause: cause.into(),
        }
    }

    /// Bytes of `what` that an open file did not give.
    pub(crate) fn unread(what: impl Into<String>, error: &std::io::Error) -> Self {
        let cause = match error.kind() {
            ErrorKind::UnexpectedEof => "the file has become shorter while it was read".to_owned(),
            _ => error.to_string(),
        };
        TraceError::malformed(what, cause)
    }

    /// For `map_err` on a file.
    pub fn file(
        verb: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> TraceError {
        let path = path.into();
        move |cause| TraceError::File { verb, path, cause }
    }
}

/// An error of `what` unless it is as it should be.
pub(crate) fn ensure(
    holds: bool,
    what: impl Into<String>,
    cause: impl FnOnce() -> String,
) -> Result<()> {
    match holds {
        true => Ok(()),
        false => Err(TraceError::malformed(what, cause())),
    }
}
