//! Whether another process could run, and for how long it did (/proc/PID/stat, proc(5)).

use crate::cpu_time::tick_ns;
use std::path::Path;
use std::time::Duration;

/// What the kernel says of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessState {
    /// Its first thread runs, or waits for a CPU or a disk.
    pub runnable: bool,
    /// Time in user and kernel mode, of all its threads and the children that it waited for.
    pub ran: Duration,
}

impl ProcessState {
    /// Of process `pid`; `root` is where /proc is found. None where there is no such process.
    pub fn of(root: &Path, pid: u32) -> Option<ProcessState> {
        let path = root.join(format!("proc/{pid}/stat"));
        ProcessState::parse(&std::fs::read_to_string(path).ok()?, tick_ns())
    }

    fn parse(stat: &str, tick_ns: u64) -> Option<ProcessState> {
        // The name stands in brackets and may hold anything.
        let (_, rest) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
        // Fields 14 to 17 of the manual page; the state is its third.
        let sum = (11..15).try_fold(0u64, |sum, at| Some(sum.saturating_add(ticks(at)?)))?;
        Some(ProcessState {
            runnable: matches!(*fields.first()?, "R" | "D"),
            ran: Duration::from_nanos(sum.saturating_mul(tick_ns)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::ProcessState;
    use std::path::Path;
    use std::time::Duration;

    #[test]
    fn the_name_of_a_process_may_look_like_fields() {
        let stat = "7 (a) b) R 1 1 1 0 -1 0 0 0 0 0 1 2 0 3 20 0 1 0";
        let expected = ProcessState {
            runnable: true,
            ran: Duration::from_millis(60),
        };
        assert_eq!(ProcessState::parse(stat, 10_000_000), Some(expected));
        assert_eq!(ProcessState::parse("7 (x) R 1", 1), None);
        assert_eq!(ProcessState::parse("", 1), None);
    }

    #[test]
    fn this_process_runs() {
        assert!(ProcessState::of(Path::new("/"), std::process::id()).is_some());
        assert_eq!(ProcessState::of(Path::new("/nonexistent"), 1), None);
    }
}
