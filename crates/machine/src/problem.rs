//! What can be wrong with the files of a machine.

use serde::{Deserialize, Serialize};

/// A file that exists and does not say what it should. Recorded, never raised:
/// one strange file does not hide the rest of the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Problem {
    /// The content is not in the documented form.
    #[error("cannot read {path}: line {line}: {cause}")]
    Malformed {
        path: String,
        line: usize,
        cause: String,
    },
    /// The kernel refused for a reason other than absence or permission.
    #[error("cannot read {path}: {cause}")]
    Unreadable { path: String, cause: String },
}

/// One line that a text parser could not use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// Counted from 1.
    pub line: usize,
    pub cause: String,
}

impl Flaw {
    /// A flaw of line `line`, counted from 1.
    pub fn at(line: usize, cause: impl Into<String>) -> Self {
        Flaw {
            line,
            cause: cause.into(),
        }
    }
}
