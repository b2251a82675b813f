//! Processes and threads that run now, by their numbers.
//!
//! Source: proc_pid(5).

use std::path::Path;

/// This program's own file, also when it was replaced or removed since it began.
pub const OWN_PROGRAM: &str = "/proc/self/exe";

/// Whether /proc shows processes at all: where it does not, every one looks gone.
pub fn are_seen() -> bool {
    Path::new("/proc/self").exists()
}

/// Whether process or thread `task` exists, be it a zombie.
pub fn exists(task: u32) -> bool {
    Path::new(&format!("/proc/{task}")).exists()
}

/// When it began, clock ticks after boot (field 22 of its stat). `None` of one that has ended,
/// collected or not.
pub fn start_ticks(process: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace();
    let state = fields.next()?;
    if state == "Z" || state == "X" {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

/// Processes that this one sees; `None` without /proc.
pub fn processes() -> Option<Vec<u32>> {
    numbers(Path::new("/proc"))
}

/// Threads of a process, its first included; empty of one that has ended.
pub fn threads(root: &Path, process: u32) -> Vec<u32> {
    numbers(&root.join(format!("proc/{process}/task"))).unwrap_or_default()
}

fn numbers(folder: &Path) -> Option<Vec<u32>> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let number = |entry: std::fs::DirEntry| entry.file_name().to_str()?.parse().ok();
    Some(entries.filter_map(number).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_seen_and_has_begun() {
        let us = std::process::id();
        assert!(are_seen() && exists(us) && start_ticks(us).is_some());
        assert!(processes().unwrap().contains(&us));
        assert!(threads(Path::new("/"), us).contains(&us));
    }

    #[test]
    fn nobody_has_a_number_above_the_kernels() {
        assert!(!exists(u32::MAX) && start_ticks(u32::MAX).is_none());
        assert!(threads(Path::new("/"), u32::MAX).is_empty());
    }
}
