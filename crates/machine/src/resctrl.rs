//! Whether the processor reports who occupies its last-level cache and who uses its
//! memory's bandwidth, and whether the kernel exposes it (resctrl).
//!
//! Source: Documentation/arch/x86/resctrl.rst.

use crate::cpuinfo;
use crate::mounts::{self, Mount};
use crate::source::Source;
use crate::text::Unexpected;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Type of the file system, in the table of mounts.
pub const KIND: &str = "resctrl";

/// Events of a monitoring group, by the names of their files.
pub const OCCUPANCY: &str = "llc_occupancy";
/// Event: bytes to and from all memory, since the group was made.
pub const TOTAL: &str = "mbm_total_bytes";
/// Event: bytes to and from the memory of the own NUMA node.
pub const LOCAL: &str = "mbm_local_bytes";

/// Cache and bandwidth monitoring, as processor and kernel offer it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Resctrl {
    /// Whether the kernel has the file system, which it offers only where the
    /// processor has something for it; `None` when nothing says.
    pub supported: Option<bool>,
    /// Flags of x86 processors that monitor (`cqm_llc`, `cqm_mbm_total`).
    pub flags: Vec<String>,
    pub mount: Option<String>,
    /// Empty where it is not mounted, or manages caches without monitoring them.
    pub events: Vec<String>,
    /// Monitoring IDs of the processor: groups at a time, the root group included.
    pub rmids: Option<u32>,
    /// A group that is removed blocks its number until so little of the cache is
    /// still its own.
    pub max_threshold_bytes: Option<u64>,
}

impl Resctrl {
    /// Whether the processor counts this event.
    pub fn has(&self, event: &str) -> bool {
        self.events.iter().any(|e| e == event)
    }

    /// Whether the processor monitors, as far as can be seen before it is mounted.
    pub fn monitors(&self) -> bool {
        match self.mount {
            Some(_) => !self.events.is_empty(),
            None => self.supported == Some(true) && !self.flags.is_empty(),
        }
    }
}

/// The resctrl of the machine that `source` shows.
pub fn find(source: &Source) -> Resctrl {
    read(source, &mounts::read(source))
}

/// From the processor's flags, the configuration and the mounted file system.
pub fn read(source: &Source, mounts: &[Mount]) -> Resctrl {
    let mut flags = cpuinfo::read(source).common_words(&["flags"]);
    flags.retain(|flag| flag.starts_with("cqm"));
    let mut found = Resctrl {
        supported: source.knows_file_system(KIND),
        flags,
        ..Resctrl::default()
    };
    if let Some(mount) = mounts.iter().find(|m| m.kind == KIND) {
        let file = |name: &str| format!("{}/info/L3_MON/{name}", mount.point);
        let events = source.parse(&file("mon_features"), parse_events);
        found.events = events.unwrap_or_default();
        if !found.events.is_empty() {
            found.rmids = source.number(&file("num_rmids"));
            found.max_threshold_bytes = source.number(&file("max_threshold_occupancy"));
        }
        found.mount = Some(mount.point.clone());
    }
    found
}

/// One event a line.
///
/// # Errors
/// A line that is no file name.
pub fn parse_events(text: &str) -> Result<Vec<String>, Unexpected> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut events = Vec::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        if !line.chars().all(is_name) {
            return Err(Unexpected::new("an event", line));
        }
        events.push(line.to_owned());
    }
    Ok(events)
}

/// Control group of this process, as a prefix of paths, and its monitoring group: empty is the
/// first and none, and so is what kernels say that have no such file.
pub fn own_groups(root: &Path) -> (String, String) {
    let text = std::fs::read_to_string(root.join("proc/self/cpu_resctrl_groups"));
    let (control, watched) = membership(text.as_deref().unwrap_or_default());
    (control, watched.to_owned())
}

/// Control group, as a prefix of paths, and monitoring group of
/// /proc/PID/cpu_resctrl_groups; empty is the first and none.
fn membership(text: &str) -> (String, &str) {
    let value = |key| text.lines().find_map(|line| line.strip_prefix(key));
    let plain = |name: &str| !name.is_empty() && !name.contains('/') && !name.starts_with('.');
    let control = value("res:").unwrap_or_default().trim_matches(['/', ' ']);
    let control = match plain(control) {
        true => format!("{control}/"),
        false => String::new(),
    };
    (control, value("mon:").unwrap_or_default().trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::Path;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    const FLAGS: &str = "processor\t: 0\nflags\t\t: fpu cqm_llc cqm_occup_llc avx2\n\n\
                         processor\t: 1\nflags\t\t: fpu cqm_llc cqm_occup_llc avx2\n";

    #[test]
    fn what_is_monitored_is_read_where_it_is_mounted() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let see = || find(&Source::new(root));
        assert_eq!(see(), Resctrl::default());
        write(root, "proc/filesystems", "nodev\tsysfs\n\text4\n");
        assert_eq!(see().supported, Some(false));
        assert!(!see().monitors());

        write(root, "proc/filesystems", "nodev\tsysfs\nnodev\tresctrl\n");
        assert!(!see().monitors(), "it may be there for allocation alone");
        write(root, "proc/cpuinfo", FLAGS);
        assert!(see().monitors());
        assert_eq!(see().flags, ["cqm_llc", "cqm_occup_llc"]);

        write(
            root,
            "proc/self/mounts",
            "resctrl /mnt/r resctrl rw,relatime 0 0\n",
        );
        assert!(!see().monitors(), "mounted, and nothing is monitored");
        let info = "mnt/r/info/L3_MON";
        let events = "llc_occupancy\nmbm_total_bytes\nmbm_local_bytes\n";
        write(root, &format!("{info}/mon_features"), events);
        write(root, &format!("{info}/num_rmids"), "224\n");
        write(root, &format!("{info}/max_threshold_occupancy"), "65536\n");
        let seen = see();
        assert_eq!(seen.mount.as_deref(), Some("/mnt/r"));
        assert!(seen.monitors() && seen.has(OCCUPANCY) && seen.has(TOTAL) && seen.has(LOCAL));
        assert_eq!(seen.rmids, Some(224));
        assert_eq!(seen.max_threshold_bytes, Some(65536));
    }

    #[test]
    fn a_strange_list_is_a_problem_and_no_event() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "proc/self/mounts", "r /r resctrl rw 0 0\n");
        write(root.path(), "r/info/L3_MON/mon_features", "../tasks\n");
        let source = Source::new(root.path());
        assert!(!find(&source).monitors());
        assert_eq!(source.problems().len(), 1);
    }

    #[test]
    fn names_of_groups_lead_nowhere_else() {
        assert_eq!(membership("res:/\nmon:\n"), (String::new(), ""));
        assert_eq!(membership("res:/a\nmon:b\n"), ("a/".to_owned(), "b"));
        assert_eq!(membership("res:/../x\nmon:\n").0, "");
        assert_eq!(membership("").0, "");
    }

    proptest! {
        #[test]
        fn any_membership_is_read(text in "(?s).*") {
            let (control, _) = membership(&text);
            prop_assert!(!control.starts_with(['/', '.']));
        }

        #[test]
        fn any_list_is_read(text in "(?s).*") {
            for event in parse_events(&text).unwrap_or_default() {
                prop_assert!(!event.is_empty() && !event.contains(['/', '.', '\0']));
            }
        }
    }
}
