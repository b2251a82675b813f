//! What a killed program may leave on a machine, counted.

use std::fmt;
use std::fs;
use std::path::Path;

/// Numbers of things.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Left {
    pub processes: usize,
    /// System V and POSIX.
    pub queues: usize,
    /// System V segments and files of /dev/shm.
    pub shared: usize,
    /// tracefs instances.
    pub instances: usize,
    /// Folders of resctrl and of cgroups called pontage.
    pub groups: usize,
    /// Huge pages above what there was.
    pub huge_pages: usize,
    /// Scratch folders.
    pub scratch: usize,
    /// Run folders without a run.json, and journals.
    pub folders: usize,
}

impl Left {
    const NAMES: [&str; 8] = [
        "processes",
        "queues",
        "shared memory",
        "instances",
        "groups",
        "huge pages",
        "scratch",
        "folders",
    ];

    fn counts(&self) -> [usize; 8] {
        [
            self.processes,
            self.queues,
            self.shared,
            self.instances,
            self.groups,
            self.huge_pages,
            self.scratch,
            self.folders,
        ]
    }

    /// Whether nothing was left.
    pub fn is_nothing(&self) -> bool {
        self.counts() == [0; 8]
    }

    /// Adds what another round left.
    pub fn add(&mut self, other: &Left) {
        self.processes += other.processes;
        self.queues += other.queues;
        self.shared += other.shared;
        self.instances += other.instances;
        self.groups += other.groups;
        self.huge_pages += other.huge_pages;
        self.scratch += other.scratch;
        self.folders += other.folders;
    }

    /// What there is more than in `before`.
    pub fn beyond(&self, before: &Left) -> Left {
        let more = |now: usize, then: usize| now.saturating_sub(then);
        Left {
            processes: self.processes,
            queues: more(self.queues, before.queues),
            shared: more(self.shared, before.shared),
            instances: more(self.instances, before.instances),
            groups: more(self.groups, before.groups),
            huge_pages: more(self.huge_pages, before.huge_pages),
            scratch: self.scratch,
            folders: self.folders,
        }
    }

    /// Under the heads of the table.
    pub fn row(&self) -> String {
        let [
            processes,
            queues,
            shared,
            instances,
            groups,
            pages,
            scratch,
            folders,
        ] = self.counts();
        format!(
            "{processes:>9} {queues:>5} {shared:>6} {instances:>8} {groups:>6} {pages:>5} \
             {scratch:>7} {folders:>7}"
        )
    }

    /// Of the whole machine; processes, scratch and folders are the round's own.
    pub fn of_machine() -> Left {
        let lines = |path: &str| {
            fs::read_to_string(path).map_or(0, |t| t.lines().count().saturating_sub(1))
        };
        Left {
            queues: lines("/proc/sysvipc/msg") + entries(Path::new("/dev/mqueue"), ""),
            shared: lines("/proc/sysvipc/shm") + entries(Path::new("/dev/shm"), ""),
            instances: entries(Path::new("/sys/kernel/tracing/instances"), ""),
            groups: entries(Path::new("/sys/fs/resctrl/mon_groups"), "")
                + entries(Path::new("/sys/fs/cgroup"), "pontage"),
            huge_pages: fs::read_to_string("/proc/sys/vm/nr_hugepages")
                .ok()
                .and_then(|t| t.trim().parse().ok())
                .unwrap_or(0),
            ..Left::default()
        }
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
        let named: Vec<String> = Left::NAMES
            .iter()
            .zip(self.counts())
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| format!("{count} {name}"))
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
        let before = Left {
            queues: 2,
            processes: 1,
            ..Left::default()
        };
        let after = Left {
            queues: 3,
            processes: 1,
            ..Left::default()
        };
        let left = after.beyond(&before);
        assert_eq!(left.to_string(), "1 processes, 1 queues");
        assert!(!left.is_nothing());
        assert_eq!(before.beyond(&after).queues, 0);
        assert_eq!(Left::default().to_string(), "nothing");
    }
}
