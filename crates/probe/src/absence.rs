//! Why something is not to be had, and what helps.

use serde::{Deserialize, Serialize};

/// A reason, and the exact command that helps, or `none: <why>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{reason} ({remedy})")]
pub struct Absence {
    pub reason: String,
    pub remedy: String,
}

impl Absence {
    /// The remedy is a command, or `none: <why>`.
    pub fn new(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Absence {
            reason: reason.into(),
            remedy: remedy.into(),
        }
    }
}

/// Command that mounts tracefs.
pub const MOUNT_TRACEFS: &str = "sudo mount -t tracefs nodev /sys/kernel/tracing";

/// The remedy where the kernel was built without `option`.
pub fn needs_kernel(option: &str) -> String {
    format!("none: needs a kernel with {option}")
}

/// Command that lets every user read a mounted tracefs.
pub fn open_tracefs(point: &str) -> String {
    format!("sudo chmod -R o+rX {point}")
}
