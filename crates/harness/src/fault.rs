//! What went wrong while something was measured.

use std::fmt::Display;

/// An operation that was set up and then did not do what it claims. What this machine
/// lacks is no fault but [`crate::SetupError::Skip`], which has the remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The kernel or a device refused.
    #[error("cannot {doing}: {cause}")]
    Refused { doing: String, cause: String },
    /// The other side has left.
    #[error("{who} is gone: {how}")]
    Gone { who: String, how: String },
    /// The other side is there and does not answer.
    #[error("{who} has not answered for {seconds} s")]
    Silent { who: String, seconds: u64 },
    /// It works, and took longer than anybody waits: why.
    #[error("{0}")]
    Slow(String),
    /// It ran, and its result is not the one it must have.
    #[error("{0}")]
    Wrong(String),
}

impl Fault {
    /// `doing` names the verb and its object: "read the file back".
    pub fn refused(doing: &str, cause: impl Display) -> Fault {
        Fault::Refused {
            doing: doing.to_owned(),
            cause: cause.to_string(),
        }
    }

    /// Whether time is all that was missing: then the point is left out, and does not fail.
    pub fn is_slow(&self) -> bool {
        matches!(self, Fault::Silent { .. } | Fault::Slow(_))
    }

    /// The sentence names the object, what it has and what it should have.
    pub fn wrong(sentence: impl Into<String>) -> Fault {
        Fault::Wrong(sentence.into())
    }
}
