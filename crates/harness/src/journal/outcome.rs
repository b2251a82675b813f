//! What became of a change, in words.

use escape::terminal;
use std::fmt;
use std::path::PathBuf;

/// What became of one change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The old value is in force again.
    PutBack { value: String },
    /// Another process has changed it since: it stays as they set it.
    LeftToOthers { found: String, ours: String },
    /// Could not be put back; the journal keeps it.
    Failed { wanted: String, cause: String },
    /// The tracefs instance is gone, and with it all that it traced.
    Removed,
    /// The tracefs instance is still there; the journal keeps it.
    NotRemoved { cause: String },
    /// The monitoring group is gone, and its tasks are where they were.
    GroupRemoved,
    /// The monitoring group is still there; the journal keeps it.
    GroupNotRemoved { cause: String },
    /// A list of the kernel holds again what it held.
    Left,
    /// The System V queues are gone.
    QueuesRemoved,
    /// A queue is still there; the journal keeps it.
    QueueNotRemoved { cause: String },
    /// What the rings of a killed recording still held is in its spool.
    Drained { bytes: u64 },
    /// It is lost; the spool keeps what it had.
    NotDrained { cause: String },
    /// The machine was started anew since: nothing is left of the change.
    GoneWithReboot,
    /// The machine has that CPU no more.
    GoneWithCpu,
    /// The process that made it still runs.
    InUse { pid: u32 },
    /// Whether that process still runs cannot be seen from here.
    PerhapsInUse { pid: u32 },
    /// It was made on another machine, which shares this folder.
    Elsewhere { host: String },
    /// The journal itself cannot be read, or holds what no run writes. Nothing
    /// of it was undone.
    Unreadable { cause: String },
    /// The folder is not one that this user alone can write to. Nothing in it was
    /// looked at.
    Refused { cause: String, remedy: String },
}

impl Outcome {
    pub(super) fn unreadable(cause: &dyn std::error::Error) -> Outcome {
        Outcome::Unreadable {
            cause: cause.to_string(),
        }
    }

    /// Whether the user should look at it.
    pub fn is_trouble(&self) -> bool {
        !matches!(
            self,
            Outcome::PutBack { .. }
                | Outcome::Removed
                | Outcome::GroupRemoved
                | Outcome::Left
                | Outcome::QueuesRemoved
                | Outcome::Drained { .. }
                | Outcome::GoneWithReboot
                | Outcome::GoneWithCpu
                | Outcome::Elsewhere { .. }
        )
    }

    /// Whether the journal must be kept for another attempt.
    pub fn is_to_do(&self) -> bool {
        matches!(
            self,
            Outcome::Failed { .. }
                | Outcome::NotRemoved { .. }
                | Outcome::GroupNotRemoved { .. }
                | Outcome::QueueNotRemoved { .. }
        )
    }
}

/// One setting of a journal and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The setting; where nothing was undone, the journal or the folder.
    pub path: PathBuf,
    pub outcome: Outcome,
}

impl fmt::Display for Restored {
    /// Names and values come from a file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.to_string_lossy();
        let path = terminal(&path);
        match &self.outcome {
            Outcome::PutBack { value } if value.is_empty() => write!(f, "{path} is empty again"),
            Outcome::PutBack { value } => write!(f, "{path} is {} again", terminal(value)),
            Outcome::Left => write!(f, "{path} holds nothing of ours any more"),
            Outcome::LeftToOthers { found, ours } => write!(
                f,
                "{path} left as it is: it was set to {} since this program set it to {}",
                terminal(found),
                terminal(ours)
            ),
            Outcome::Failed { wanted, cause } => write!(
                f,
                "cannot set {path} back to {}: {}",
                terminal(wanted),
                terminal(cause)
            ),
            Outcome::Removed => write!(f, "tracefs instance {path} is removed"),
            Outcome::NotRemoved { cause } => {
                write!(
                    f,
                    "cannot remove tracefs instance {path}: {}",
                    terminal(cause)
                )
            }
            Outcome::GroupRemoved => write!(f, "monitoring group {path} is removed"),
            Outcome::GroupNotRemoved { cause } => {
                write!(
                    f,
                    "cannot remove monitoring group {path}: {}",
                    terminal(cause)
                )
            }
            Outcome::QueuesRemoved => write!(f, "{path} are removed"),
            Outcome::QueueNotRemoved { cause } => {
                write!(f, "cannot remove {path}: {}", terminal(cause))
            }
            Outcome::Drained { bytes } => write!(
                f,
                "{path} has what the rings still held, {bytes} bytes: \
                 pontage trace record --recover {path}"
            ),
            Outcome::NotDrained { cause } => write!(
                f,
                "cannot keep in {path} what the rings still held: {}",
                terminal(cause)
            ),
            Outcome::GoneWithReboot => write!(f, "{path} was reset by a reboot"),
            Outcome::GoneWithCpu => write!(f, "{path} went with its CPU"),
            Outcome::InUse { pid } => write!(f, "{path} belongs to process {pid}, still running"),
            Outcome::PerhapsInUse { pid } => write!(
                f,
                "{path} belongs to process {pid} of another container, which may still run: \
                 run pontage restore there, or as root of the host"
            ),
            Outcome::Elsewhere { host } => {
                write!(
                    f,
                    "{path} was written on another machine, {}: run pontage restore there, or \
                     remove it where that machine is gone",
                    terminal(host)
                )
            }
            Outcome::Unreadable { cause } => {
                write!(f, "cannot read journal {path}: {}", terminal(cause))
            }
            Outcome::Refused { cause, remedy } => write!(
                f,
                "cannot use the folder {path}: {}; {}",
                terminal(cause),
                terminal(remedy)
            ),
        }
    }
}
