//! Where tracefs is, and what it lists.

use super::absence::{Result, TracefsError};
use crate::absence::{MOUNT_TRACEFS, needs_kernel};
use machine::{Source, mounts, tracing};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The folder of the kernel's tracing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracefs {
    folder: PathBuf,
    /// Of /proc and /sys: `/` on a live machine.
    root: PathBuf,
}

impl Tracefs {
    /// Looks into the table of mounts below `root`: a mount of its own, or the
    /// folder in debugfs.
    ///
    /// # Errors
    /// `Absent`: a kernel without, not mounted, or closed to this process.
    pub fn find(root: &Path) -> Result<Tracefs> {
        let source = Source::new(root);
        let found = tracing::mount_point(&source, &mounts::read(&source));
        let Some(point) = found else {
            let known = source.text("/proc/filesystems");
            if known.is_none() && !source.exists("/proc/self/mounts") {
                return Err(TracefsError::absent(
                    "cannot list mounts: /proc is missing",
                    "mount -t proc proc /proc",
                ));
            }
            let built_in = known.is_none_or(|t| t.split_whitespace().any(|w| w == "tracefs"));
            return Err(match built_in {
                true => TracefsError::absent("tracefs is not mounted", MOUNT_TRACEFS),
                false => TracefsError::absent(
                    "this kernel has no tracefs",
                    needs_kernel("CONFIG_FTRACE and CONFIG_EVENT_TRACING"),
                ),
            });
        };
        let tracefs = Tracefs {
            folder: root.join(point.trim_start_matches('/')),
            root: root.to_owned(),
        };
        tracefs.events().map(|_| tracefs)
    }

    /// Where tracefs is mounted.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The root of the machine's files, `/` on a live one.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where an instance of this process belongs. It does not exist yet.
    pub fn instance_path(&self) -> PathBuf {
        let name = format!("pontage-{}", std::process::id());
        self.folder.join("instances").join(name)
    }

    /// Events of `available_events`, by system.
    ///
    /// # Errors
    /// As reading the file.
    pub fn events(&self) -> Result<BTreeMap<String, Vec<String>>> {
        let mut systems: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for line in self.read("available_events")?.lines() {
            if let Some((system, event)) = line.trim().split_once(':') {
                let events = systems.entry(system.to_owned()).or_default();
                events.push(event.to_owned());
            }
        }
        Ok(systems)
    }

    /// The tracer of the machine's own ring, if one is active: not ours, and
    /// left alone, but it slows the machine while we record.
    pub fn other_tracer(&self) -> Option<String> {
        tracer_of(&self.folder)
    }

    /// # Errors
    /// As reading; no permission is `Absent`.
    pub fn read(&self, name: &str) -> Result<String> {
        read(&self.folder.join(name))
    }
}

/// The tracer that is on in a folder.
pub fn tracer_of(folder: &Path) -> Option<String> {
    let text = read(&folder.join("current_tracer")).ok()?;
    let name = text.trim();
    (!name.is_empty() && name != "nop").then(|| name.to_owned())
}

/// Numbers of the CPUs that a folder of tracing has a ring for, in order.
///
/// # Errors
/// As listing `per_cpu`.
pub fn ring_cpus(folder: &Path) -> Result<Vec<u32>> {
    let folder = folder.join("per_cpu");
    let listed = std::fs::read_dir(&folder).map_err(TracefsError::file("list", &folder))?;
    let names = listed.flatten().map(|entry| entry.file_name());
    let number = |name: std::ffi::OsString| name.to_str()?.strip_prefix("cpu")?.parse().ok();
    let mut cpus: Vec<u32> = names.filter_map(number).collect();
    cpus.sort_unstable();
    Ok(cpus)
}

/// Events that the ring of a CPU holds.
pub fn ring_entries(folder: &Path, cpu: u32) -> u64 {
    let stats = read(&folder.join(format!("per_cpu/cpu{cpu}/stats"))).unwrap_or_default();
    let text = stats.lines().find_map(|line| line.strip_prefix("entries:"));
    text.and_then(|n| n.trim().parse().ok()).unwrap_or(0)
}

/// Replaces the content of a file.
///
/// # Errors
/// As opening and writing; no permission is `Absent`.
pub fn write(path: &Path, text: &str) -> Result<()> {
    store(path, text).map_err(TracefsError::file("write", path))
}

/// As [`write()`].
pub fn store(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).truncate(true).open(path)?;
    file.write_all(text.as_bytes())
}

/// Text of a file; what is not UTF-8 is replaced.
pub fn read(path: &Path) -> Result<String> {
    let bytes = whole(path).map_err(TracefsError::file("read", path))?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// `header_page` and filters answer one read only, with as much as it takes:
/// the first one is large.
fn whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = vec![0; 1 << 16];
    let mut filled = 0;
    loop {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
        if filled == bytes.len() {
            bytes.resize(2 * filled, 0);
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::testing::Tree;
    use super::*;

    fn absent(root: &Path) -> (String, String) {
        match Tracefs::find(root) {
            Err(TracefsError::Absent { reason, remedy }) => (reason, remedy),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn its_own_mount_or_the_folder_in_debugfs() {
        let tree = Tree::new();
        let found = tree.tracefs();
        assert!(found.folder().ends_with("sys/kernel/tracing"));
        assert_eq!(found.events().unwrap()["irq"].len(), 5);
        assert_eq!(found.other_tracer(), None);
        tree.write("sys/kernel/tracing/current_tracer", "function\n");
        assert_eq!(found.other_tracer().as_deref(), Some("function"));

        tree.write("proc/self/mounts", "x /sys/kernel/debug debugfs rw 0 0\n");
        tree.write("sys/kernel/debug/tracing/available_events", "a:b\n");
        let found = tree.tracefs();
        assert!(found.folder().ends_with("debug/tracing"));
    }

    #[test]
    fn what_is_missing_is_named_with_its_remedy() {
        let tree = Tree::new();
        tree.write("proc/self/mounts", "\n");
        let (reason, remedy) = absent(tree.root());
        assert_eq!(reason, "tracefs is not mounted");
        assert_eq!(remedy, MOUNT_TRACEFS);
        tree.write("proc/filesystems", "nodev\tproc\n");
        let (reason, remedy) = absent(tree.root());
        assert_eq!(reason, "this kernel has no tracefs");
        assert!(remedy.contains("CONFIG_FTRACE"), "{remedy}");
    }

    #[test]
    fn no_permission_is_an_absence_and_says_sudo() {
        let path = Path::new("/x/available_events");
        let error = TracefsError::file("read", path)(std::io::ErrorKind::PermissionDenied.into());
        let TracefsError::Absent { reason, remedy } = error else {
            panic!("{error}")
        };
        assert_eq!(reason, "cannot read /x/available_events: permission denied");
        assert!(remedy.starts_with("sudo pontage"));
    }
}
