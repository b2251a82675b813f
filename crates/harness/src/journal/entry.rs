//! Lines of a journal file.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub enum Line {
    /// First line: who changes.
    Owner(Owner),
    /// Written before the change.
    Change {
        path: PathBuf,
        old: String,
        new: String,
    },
    /// Written after it: what the setting then read.
    Applied { path: PathBuf, value: String },
    /// Written before a tracefs instance, a folder, is made.
    Instance { path: PathBuf },
    /// Written before a monitoring group of resctrl, a folder, is made.
    Group { path: PathBuf },
    /// Written before a file of tracefs is used that everybody shares.
    Held(Held),
    /// Written before something joins a list of the kernel.
    Joined(Joined),
}

/// A shared file that this process may write as often as it likes until it is
/// let go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    pub path: PathBuf,
    /// What is written back; empty: a list, which is emptied.
    pub old: String,
    /// What this process writes to it. Another value is somebody else's; where
    /// there are none, every value is taken for ours.
    pub ours: Vec<String>,
}

/// Something that joins a list of the kernel, as probes and triggers do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joined {
    pub path: PathBuf,
    /// The list mentions it so.
    pub mention: String,
    /// Written to the list, it takes it away.
    pub leave: String,
}

/// A process, told apart from a later one of the same number by its start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    pub pid: u32,
    /// Clock ticks after boot; 0 where /proc does not say.
    pub start_ticks: u64,
    /// Identity of the boot; empty where /proc does not say.
    pub boot: String,
}

impl Line {
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string(self).expect("strings and numbers are always JSON");
        text.push('\n');
        text
    }
}

impl Owner {
    pub fn this_process() -> Self {
        let pid = std::process::id();
        Owner {
            pid,
            start_ticks: start_ticks(pid).unwrap_or(0),
            boot: boot_id(),
        }
    }

    pub fn is_alive(&self) -> bool {
        self.boot == boot_id() && start_ticks(self.pid) == Some(self.start_ticks)
    }

    /// Whether the machine was started anew since: /sys and /proc then have
    /// their own values again.
    pub fn is_of_earlier_boot(&self) -> bool {
        let now = boot_id();
        !self.boot.is_empty() && !now.is_empty() && self.boot != now
    }
}

fn boot_id() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .map_or(String::new(), |t| t.trim().to_owned())
}

/// Field 22 of /proc/PID/stat; a zombie counts as gone.
fn start_ticks(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace();
    let state = fields.next()?;
    if state == "Z" || state == "X" {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

/// The value in force: `always [madvise] never` means madvise.
pub fn effective(text: &str) -> &str {
    let text = text.trim();
    text.split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'))
        .map_or(text, |(value, _)| value)
}
