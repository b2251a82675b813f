//! What a folder stands on: file system, device, options, journal.

use crate::mounts::unescaped;
use rustix::fs::{major, minor};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The file system under a folder, as the kernel lists it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Medium {
    /// `ext4`, `xfs`, `tmpfs`.
    pub file_system: String,
    /// `/dev/vda1`; the file system's own name where it has no device.
    pub device: String,
    pub mount_point: PathBuf,
    /// Options of the file system, as /proc/self/mountinfo has them.
    pub options: String,
    /// `ordered`, `writeback` or `journal`; None where the kernel names none.
    pub data_mode: Option<String>,
    /// Name of the journal's device; None where it is unknown.
    pub journal: Option<String>,
}

impl Medium {
    /// What `folder` stands on.
    ///
    /// # Errors
    /// The folder, or the kernel's list of mounts, cannot be read.
    pub fn of(folder: &Path) -> io::Result<Medium> {
        let number = fs::metadata(folder)?.dev();
        let path = folder.canonicalize()?;
        let mounts = fs::read_to_string("/proc/self/mountinfo")?;
        let device = (major(number), minor(number));
        let mut medium = find(&mounts, device, &path).unwrap_or_default();
        medium.read_journal(Path::new("/"));
        Ok(medium)
    }

    /// Whether its files are memory and nothing else.
    pub fn is_memory(&self) -> bool {
        matches!(self.file_system.as_str(), "tmpfs" | "ramfs" | "devtmpfs")
    }

    /// Whether the journal lies on a device of its own.
    pub fn journal_is_elsewhere(&self) -> bool {
        let own = self.short_device();
        self.journal.as_deref().is_some_and(|j| j != own)
    }

    /// One line for the notes of a point.
    pub fn describe(&self) -> String {
        let mut text = format!("{} on {}", self.file_system, self.device);
        if let Some(mode) = &self.data_mode {
            text += &format!(", data={mode}");
        }
        if let Some(journal) = &self.journal {
            text += match self.journal_is_elsewhere() {
                true => ", journal on ",
                false => ", journal on the same device, ",
            };
            text += journal;
        }
        format!("{text} ({})", self.options)
    }

    fn short_device(&self) -> &str {
        let name = Path::new(&self.device).file_name();
        name.and_then(|n| n.to_str()).unwrap_or(&self.device)
    }

    /// ext4 shows its data mode and its journal below /proc/fs, and xfs its
    /// journal's device among the options.
    fn read_journal(&mut self, root: &Path) {
        let name = self.short_device().to_owned();
        if self.file_system == "xfs" {
            let named = self
                .options
                .split(',')
                .find_map(|o| o.strip_prefix("logdev="));
            let device = named.map_or(name.as_str(), |d| d.trim_start_matches("/dev/"));
            self.journal = Some(device.to_owned());
            return;
        }
        let options = fs::read_to_string(root.join("proc/fs/ext4").join(&name).join("options"));
        let Ok(options) = options else { return };
        let mode = options.lines().find_map(|l| l.strip_prefix("data="));
        self.data_mode = mode.map(str::to_owned);
        let inside = root.join(format!("proc/fs/jbd2/{name}-8"));
        self.journal = match inside.exists() {
            true => Some(name),
            false => journal_thread(root, &name),
        };
    }
}

/// The journal's thread carries its device's name.
fn journal_thread(root: &Path, device: &str) -> Option<String> {
    let number = root.join("sys/fs/ext4").join(device).join("journal_task");
    let number = fs::read_to_string(number).ok()?;
    let comm = root.join("proc").join(number.trim()).join("comm");
    let comm = fs::read_to_string(comm).ok()?;
    comm.trim().strip_prefix("jbd2/").map(str::to_owned)
}

/// The mount that holds `path`: of those of its device, the one that lies
/// nearest above it; the later of two at the same place hides the other.
fn find(mounts: &str, device: (u32, u32), path: &Path) -> Option<Medium> {
    let number = format!("{}:{}", device.0, device.1);
    let fits = |line: &&str| line.split(' ').nth(2) == Some(&number);
    let holding = mounts.lines().filter(fits).filter_map(parse);
    holding
        .filter(|m| path.starts_with(&m.mount_point))
        .max_by_key(|m| m.mount_point.as_os_str().len())
}

/// A line of mountinfo: fixed fields, optional ones up to a dash, three more.
fn parse(line: &str) -> Option<Medium> {
    let (front, behind) = line.split_once(" - ")?;
    let mut behind = behind.split(' ');
    let (file_system, device, options) = (behind.next()?, behind.next()?, behind.next()?);
    let mut front = front.split(' ').skip(4);
    let (mount_point, local) = (front.next()?, front.next()?);
    // Per-mount options (noatime) and those of the file system, each once.
    let mut all: Vec<&str> = options.split(',').collect();
    all.extend(
        local
            .split(',')
            .filter(|o| !options.split(',').any(|p| p == *o)),
    );
    Some(Medium {
        file_system: file_system.to_owned(),
        device: device.to_owned(),
        mount_point: PathBuf::from(unescaped(mount_point)),
        options: all.join(","),
        data_mode: None,
        journal: None,
    })
}

/// Bytes that an ordinary user may still write below `folder`.
///
/// # Errors
/// What statvfs says.
pub fn free_bytes(folder: &Path) -> io::Result<u64> {
    let state = rustix::fs::statvfs(folder)?;
    Ok(state.f_bavail.saturating_mul(state.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::{Medium, find};
    use std::fs;
    use std::path::Path;

    const MOUNTS: &str = "\
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
30 27 0:25 / /dev/shm rw,relatime shared:4 - tmpfs tmpfs rw,size=24684092k
31 27 259:1 / /mnt/a\\040b rw,noatime - ext4 /dev/pmem0 rw,dax=always
32 27 254:0 /srv /mnt/bound rw - ext4 /dev/vda rw,discard
33 27 254:3 / /mnt/x rw - xfs /dev/vdc rw,logdev=/dev/vdd
";

    #[test]
    fn the_nearest_mount_of_the_device_is_taken() {
        let at = |device, path: &str| find(MOUNTS, device, Path::new(path)).expect("is mounted");
        assert_eq!(at((254, 0), "/home/x").mount_point, Path::new("/"));
        assert_eq!(
            at((254, 0), "/mnt/bound/x").mount_point,
            Path::new("/mnt/bound")
        );
        let dax = at((259, 1), "/mnt/a b/c");
        assert_eq!(dax.options, "rw,dax=always,noatime");
        assert_eq!(dax.describe(), "ext4 on /dev/pmem0 (rw,dax=always,noatime)");
        assert!(at((0, 25), "/dev/shm").is_memory());
        assert_eq!(find(MOUNTS, (9, 9), Path::new("/")), None);
    }

    #[test]
    fn the_journal_is_found_inside_and_elsewhere() {
        let root = tempfile_folder();
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("proc/fs/ext4/vda/options", "rw\nbarrier\ndata=ordered\n");
        write("proc/fs/jbd2/vda-8/info", "");
        write("proc/fs/ext4/pmem0/options", "rw\ndata=writeback\n");
        write("sys/fs/ext4/pmem0/journal_task", "77\n");
        write("proc/77/comm", "jbd2/vdb\n");
        let read = |device, path: &str| {
            let mut medium = find(MOUNTS, device, Path::new(path)).unwrap();
            medium.read_journal(&root);
            medium
        };
        let inside = read((254, 0), "/");
        assert_eq!(inside.data_mode.as_deref(), Some("ordered"));
        assert!(!inside.journal_is_elsewhere());
        let outside = read((259, 1), "/mnt/a b");
        assert!(outside.journal_is_elsewhere());
        assert!(
            outside
                .describe()
                .contains("data=writeback, journal on vdb")
        );
        let log = read((254, 3), "/mnt/x");
        assert_eq!(log.journal.as_deref(), Some("vdd"));
        fs::remove_dir_all(root).unwrap();
    }

    fn tempfile_folder() -> std::path::PathBuf {
        let root = std::env::temp_dir().join(format!("pontage-medium-{}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        root
    }

    #[test]
    fn the_folder_of_temporary_files_stands_on_something() {
        let medium = Medium::of(&std::env::temp_dir()).unwrap();
        assert!(!medium.file_system.is_empty());
    }
}
