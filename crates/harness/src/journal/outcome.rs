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

impl Outcome {
    /// What became of `path`.
    fn of(&self, path: &str) -> String {
        match self {
            Outcome::PutBack { value } if value.is_empty() => format!("{path} is empty again"),
            Outcome::PutBack { value } => format!("{path} is {value} again"),
            Outcome::Left => format!("{path} has nothing of this program any more"),
            Outcome::LeftToOthers { found, ours } => format!(
                "{path} left unchanged: something set it to {found} after this program set it to \
                 {ours}"
            ),
            Outcome::Failed { wanted, cause } => {
                format!("cannot set {path} back to {wanted}: {cause}")
            }
            Outcome::Removed => format!("tracefs instance {path} is removed"),
            Outcome::NotRemoved { cause } => {
                format!("cannot remove tracefs instance {path}: {cause}")
            }
            Outcome::GroupRemoved => format!("monitoring group {path} is removed"),
            Outcome::GroupNotRemoved { cause } => {
                format!("cannot remove monitoring group {path}: {cause}")
            }
            Outcome::QueuesRemoved => format!("{path} are removed"),
            Outcome::QueueNotRemoved { cause } => format!("cannot remove {path}: {cause}"),
            Outcome::Drained { bytes } => format!(
                "{path} has the rest of the ring buffers, {bytes} bytes: pontage trace record \
                 --recover {path}"
            ),
            Outcome::NotDrained { cause } => {
                format!("cannot save the rest of the ring buffers in {path}: {cause}")
            }
            Outcome::GoneWithReboot => format!("{path} was reset by a reboot"),
            Outcome::GoneWithCpu => format!("{path} is gone with its CPU"),
            Outcome::InUse { pid } => format!("{path} belongs to process {pid}, still running"),
            Outcome::PerhapsInUse { pid } => format!(
                "{path} belongs to process {pid} of another container, which may still run: \
                 run pontage restore there, or as root of the host"
            ),
            Outcome::Elsewhere { host } => format!(
                "{path} was written on another machine, {host}: run pontage restore there, or \
                 remove it if that machine is gone"
            ),
            Outcome::Unreadable { cause } => format!("cannot read journal {path}: {cause}"),
            Outcome::Refused { cause, remedy } => {
                format!("cannot use the folder {path}: {cause}; {remedy}")
            }
        }
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
    /// Names and values come from a file: all of it is made fit for a terminal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&terminal(&self.outcome.of(&self.path.to_string_lossy())))
    }
}
