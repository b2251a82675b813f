//! Namespaces of processes: in containers the same number means another process,
//! and the same key another queue.
//!
//! Source: namespaces(7).

use crate::task;
use std::os::unix::fs::MetadataExt;

/// Those that give numbers to processes and keys to queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Namespace {
    Pid,
    Ipc,
}

/// PROC_PID_INIT_INO of linux/proc_ns.h: from it all processes are seen.
const FIRST_PID_NAMESPACE: u64 = 0xEFFF_FFFC;

impl Namespace {
    fn name(self) -> &'static str {
        match self {
            Namespace::Pid => "pid",
            Namespace::Ipc => "ipc",
        }
    }
}

/// Inode of this process's own; 0 where /proc does not say.
pub fn own(which: Namespace) -> u64 {
    inode("self", which).unwrap_or(0)
}

fn inode(process: &str, which: Namespace) -> Option<u64> {
    let path = format!("/proc/{process}/ns/{}", which.name());
    std::fs::metadata(path).ok().map(|m| m.ino())
}

/// Processes in it, by the numbers they have here; `None` where some may be out
/// of sight.
pub fn members(which: Namespace, wanted: u64) -> Option<Vec<u32>> {
    let sees_all =
        own(Namespace::Pid) == FIRST_PID_NAMESPACE && rustix::process::geteuid().is_root();
    let mut found = task::processes()?;
    found.retain(|process| inode(&process.to_string(), which) == Some(wanted));
    (sees_all || !found.is_empty()).then_some(found)
}
