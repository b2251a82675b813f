//! What is wrong with a trace: which object, why, and what helps.

use std::path::PathBuf;

pub type Result<T> = std::result::Result<T, TraceError>;

/// Reads `cannot <verb> <object>: <cause>`.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    #[error("cannot {verb} {}: {cause}", path.display())]
    File {
        verb: &'static str,
        path: PathBuf,
        #[source]
        cause: std::io::Error,
    },
    /// Bytes that are not what they should be.
    #[error("cannot read {what}: {cause}")]
    Malformed { what: String, cause: String },
    /// A description that the kernel or the file does not hold.
    #[error("cannot find the format of {what}: {cause}")]
    NoFormat { what: String, cause: String },
    /// `has`: the names there are.
    #[error("cannot find instance {name:?} in {}: it has {}", path.display(), has.join(", "))]
    NoInstance {
        path: PathBuf,
        name: String,
        has: Vec<String>,
    },
}

impl TraceError {
    pub fn malformed(what: impl Into<String>, cause: impl Into<String>) -> Self {
        TraceError::Malformed {
            what: what.into(),
            cause: cause.into(),
        }
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
