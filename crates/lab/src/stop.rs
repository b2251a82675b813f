//! Why something in the laboratory did not go on.

use std::fmt::{self, Display};
use std::path::Path;

/// The end of an attempt that did not reach its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The host lacks something. `remedy` is the command that would help.
    Skip { reason: String, remedy: String },
    /// It should have worked: `cannot <verb> <object>: <cause>`.
    Failed {
        message: String,
        hint: Option<String>,
    },
    /// The user pressed Ctrl-C.
    Interrupted,
}

impl Stop {
    /// `cannot <verb> <object>: <cause>`, without a hint.
    pub fn failed(message: impl Into<String>) -> Stop {
        Stop::Failed {
            message: message.into(),
            hint: None,
        }
    }

    /// Something that the host lacks; `remedy` is the command that would help.
    pub fn skip(reason: impl Into<String>, remedy: impl Into<String>) -> Stop {
        Stop::Skip {
            reason: reason.into(),
            remedy: remedy.into(),
        }
    }

    /// The same failure with a hint; other ends stay what they are.
    pub fn hint(self, hint: impl Into<String>) -> Stop {
        match self {
            Stop::Failed { message, .. } => Stop::Failed {
                message,
                hint: Some(hint.into()),
            },
            other => other,
        }
    }
}

impl Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Skip { reason, remedy } => write!(f, "SKIP {reason} (remedy: {remedy})"),
            Stop::Failed { message, hint } => {
                f.write_str(message)?;
                hint.as_ref()
                    .map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
            }
            Stop::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// "cannot `doing` `path`: cause", for `map_err`.
pub(crate) fn cannot<E: Display>(doing: &str, path: &Path) -> impl FnOnce(E) -> Stop {
    let what = format!("cannot {doing} {}", path.display());
    move |cause| Stop::failed(format!("{what}: {cause}"))
}
