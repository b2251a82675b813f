//! What a killed program may leave on a machine, counted.

use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::Path;

/// What is counted, and its head in the table.
const KINDS: [(&str, &str); 8] = [
    ("processes", "processes"),
    // System V and POSIX.
    ("queues", "queue"),
    // System V segments and files of /dev/shm.
    ("shared memory", "shared"),
    // Of tracefs.
    ("instances", "instance"),
    // Folders of resctrl, and of cgroups called pontage.
    ("groups", "groups"),
    ("huge pages", "pages"),
    ("scratch", "scratch"),
    // Of runs without a run.json, and journals.
    ("folders", "folders"),
];
/// Those that the whole machine has, also before a round.
const OF_MACHINE: Range<usize> = 1..6;

/// How many of each kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Left([usize; KINDS.len()]);

impl Left {
    /// Whether nothing was left.
    pub fn is_nothing(&self) -> bool {
        *self == Left::default()
    }

    /// Adds what another round left.
    pub fn add(&mut self, other: &Left) {
        for (sum, count) in self.0.iter_mut().zip(other.0) {
            *sum += count;
        }
    }

    /// What there is more than in `before`.
    pub fn beyond(mut self, before: &Left) -> Left {
        for kind in OF_MACHINE {
            self.0[kind] = self.0[kind].saturating_sub(before.0[kind]);
        }
        self
    }

    /// The heads of the table.
    pub fn heads() -> String {
        KINDS.map(|(_, head)| head).join(" ")
    }

    /// Under the heads of the table.
    pub fn row(&self) -> String {
        let cell = |((_, head), count): (&(&str, &str), &usize)| format!("{count:>0$}", head.len());
        let cells: Vec<String> = KINDS.iter().zip(&self.0).map(cell).collect();
        cells.join(" ")
    }

    /// Of the whole machine, and of a round: its processes, its scratch folders and its
    /// folders.
    pub fn now([processes, scratch, folders]: [usize; 3]) -> Left {
        let all = |path: &str| entries(Path::new(path), "");
        let lines = |path: &str| {
            fs::read_to_string(path).map_or(0, |t| t.lines().count().saturating_sub(1))
        };
        let queues = lines("/proc/sysvipc/msg") + all("/dev/mqueue");
        let shared = lines("/proc/sysvipc/shm") + all("/dev/shm");
        let instances = all("/sys/kernel/tracing/instances");
        let groups =
            all("/sys/fs/resctrl/mon_groups") + entries(Path::new("/sys/fs/cgroup"), "pontage");
        let pages = fs::read_to_string("/proc/sys/vm/nr_hugepages");
        let pages = pages.ok().and_then(|t| t.trim().parse().ok()).unwrap_or(0);
        Left([
            processes, queues, shared, instances, groups, pages, scratch, folders,
        ])
    }
}

/// Entries of a folder whose names begin so; none where there is no such folder.
pub fn entries(folder: &Path, prefix: &str) -> usize {
    fs::read_dir(folder).map_or(0, |listing| {
        listing
            .flatten()
            .filter(|e| e.file_name().to_string_lossy().starts_with(prefix))
            .count()
    })
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named: Vec<String> = (KINDS.iter().zip(self.0))
            .filter(|(_, count)| *count > 0)
            .map(|((name, _), count)| format!("{count} {name}"))
            .collect();
        match named.is_empty() {
            true => f.write_str("nothing"),
            false => f.write_str(&named.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Left;

    #[test]
    fn what_was_there_before_is_not_ours_and_processes_always_are() {
        let before = Left([1, 2, 0, 0, 0, 0, 0, 0]);
        let after = Left([1, 3, 0, 0, 0, 0, 0, 0]);
        let left = after.clone().beyond(&before);
        assert_eq!(left.to_string(), "1 processes, 1 queues");
        assert!(!left.is_nothing());
        assert_eq!(before.beyond(&after).0[1], 0);
        assert_eq!(Left::default().to_string(), "nothing");
    }
}
