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

    /// Of process `pid` and of all that it started, their children included: one of them is
    /// runnable, the times of all together. Without CONFIG_PROC_CHILDREN of `pid` alone.
    pub fn of_family(root: &Path, pid: u32) -> Option<ProcessState> {
        let mut all = ProcessState::of(root, pid)?;
        let mut left = children(root, pid);
        // A process that starts others for ever is not followed for ever.
        for _ in 0..MOST {
            let Some(child) = left.pop() else { break };
            let Some(state) = ProcessState::of(root, child) else {
                continue;
            };
            all.runnable |= state.runnable;
            all.ran = all.ran.saturating_add(state.ran);
            left.extend(children(root, child));
        }
        Some(all)
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

/// Processes of a family that are looked at.
const MOST: usize = 1000;

/// What the threads of a process have started and not yet waited for.
fn children(root: &Path, pid: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(root.join(format!("proc/{pid}/task")));
    let lists = tasks.into_iter().flatten().flatten().map(|task| {
        let list = std::fs::read_to_string(task.path().join("children"));
        list.unwrap_or_default()
    });
    let numbers = |list: String| -> Vec<u32> {
        let words = list.split_ascii_whitespace();
        words.filter_map(|word| word.parse().ok()).collect()
    };
    lists.flat_map(numbers).collect()
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
    fn a_family_works_while_the_eldest_sleeps() {
        let root = std::env::temp_dir().join(format!("pontage-family-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = root.join("proc").join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, text).expect("written");
        };
        let stat =
            |state: &str, ran: u32| format!("1 (x) {state} 1 1 1 0 -1 0 0 0 0 0 {ran} 0 0 0 0");
        write("7/stat", &stat("S", 1));
        write("7/task/7/children", "8 ");
        write("7/task/9/children", "");
        write("8/stat", &stat("S", 2));
        write("8/task/8/children", "10 11 ");
        // 10 has ended meanwhile.
        write("11/stat", &stat("R", 3));
        let tick = Duration::from_nanos(crate::cpu_time::tick_ns());
        let expected = ProcessState {
            runnable: true,
            ran: tick * 6,
        };
        assert_eq!(ProcessState::of_family(&root, 7), Some(expected));
        assert_eq!(ProcessState::of(&root, 7).map(|s| s.runnable), Some(false));
        std::fs::remove_dir_all(root).expect("removed");
    }

    #[test]
    fn this_process_runs() {
        assert!(ProcessState::of(Path::new("/"), std::process::id()).is_some());
        assert_eq!(ProcessState::of(Path::new("/nonexistent"), 1), None);
    }
}
