//! One file or folder of the kernel, reached part by part from the root: no
//! link of a user's is followed, and it must lie on the file system that its
//! kind lies on.

use super::kind::{Doing, FileKind, FileSystem};
use machine::Source;
use machine::mounts::{self, Mount};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

/// Lists of probes are the longest.
const LIMIT_BYTES: u64 = 16 << 20;
/// Links of the kernel's own in one path; there is one, of cpufreq.
const LINKS: u32 = 4;
/// PATH_MAX
const PATH_BYTES: usize = 4096;

/// The machine whose settings are changed: `/`, or a tree of plain files in a
/// test.
#[derive(Debug, Clone)]
pub struct Ground {
    root: PathBuf,
    mounts: Vec<Mount>,
}

/// What the closed list knows, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    kind: FileKind,
    path: PathBuf,
    /// Below the root.
    parts: Vec<String>,
}

/// A path that is not on the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotOurs(pub &'static str);

impl Ground {
    /// The machine below `root`, with its mounts as of now.
    pub fn new(root: &Path) -> Ground {
        Ground {
            root: root.to_owned(),
            mounts: mounts::read(&Source::new(root)),
        }
    }

    /// Whether a file system of this kind is mounted anywhere.
    pub fn has(&self, file_system: FileSystem) -> bool {
        let kinds = |m: &Mount| {
            m.kind == file_system.name()
                || (file_system == FileSystem::Tracefs && m.kind == "debugfs")
        };
        self.mounts.iter().any(kinds)
    }

    /// What `path` is when this is done to it.
    ///
    /// # Errors
    /// It is not on the list.
    pub fn target(&self, doing: Doing, path: &Path) -> Result<Target, NotOurs> {
        let parts = self.parts(path)?;
        let words: Vec<&str> = parts.iter().map(String::as_str).collect();
        let kind = FileKind::of(doing, &words, &self.mounts)
            .ok_or(NotOurs("this program does not change it"))?;
        Ok(Target {
            kind,
            path: path.to_owned(),
            parts,
        })
    }

    /// Of a plain path below the root.
    fn parts(&self, path: &Path) -> Result<Vec<String>, NotOurs> {
        let text = path
            .to_str()
            .filter(|t| t.len() < PATH_BYTES && !t.contains('\0'));
        let text = text.ok_or(NotOurs("it is not a path"))?;
        let below = path
            .strip_prefix(&self.root)
            .map_err(|_| NotOurs("it is not an absolute path"))?;
        let mut parts = Vec::new();
        for part in below.components() {
            match part {
                Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
                _ => return Err(NotOurs("it is not a plain path")),
            }
        }
        // `a/./b` and `a//b` are taken for `a/b` above.
        let plain = self.root.join(parts.join("/"));
        match plain.as_os_str() == text {
            true => Ok(parts),
            false => Err(NotOurs("it is not a plain path")),
        }
    }

    /// Where the machine's files begin.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A tree of a test has no file systems of the kernel.
    fn is_live(&self) -> bool {
        self.root == Path::new("/")
    }
}

impl Target {
    /// Which file of the closed list it is.
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// As the journal names it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// # Errors
    /// As open(2) and read(2); what is not where it belongs.
    pub fn read(&self, ground: &Ground) -> io::Result<String> {
        let file = self.open(ground, OFlags::RDONLY)?;
        let bytes = files::input::read_from(file, LIMIT_BYTES)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Writes without creating: a setting that is not there is no setting.
    ///
    /// # Errors
    /// As open(2) and write(2); what is not where it belongs.
    pub fn write(&self, ground: &Ground, value: &str) -> io::Result<()> {
        self.send(ground, OFlags::TRUNC, value)
    }

    /// Truncating a list would empty it.
    ///
    /// # Errors
    /// As [`Target::write`].
    pub fn append(&self, ground: &Ground, text: &str) -> io::Result<()> {
        self.send(ground, OFlags::APPEND, text)
    }

    /// The kernel takes a command by one write.
    fn send(&self, ground: &Ground, how: OFlags, text: &str) -> io::Result<()> {
        self.open(ground, OFlags::WRONLY | how)?
            .write_all(text.as_bytes())
    }

    fn open(&self, ground: &Ground, how: OFlags) -> io::Result<File> {
        let (folder, name) = self.folder(ground)?;
        let stat = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => {}
            FileType::Symlink => return Err(a_link(name)),
            _ => return Err(misplaced(format!("{name} is not a file"))),
        }
        let flags = how | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&folder, name, flags, Mode::empty())?;
        Ok(File::from(fd))
    }

    /// # Errors
    /// As mkdir(2); what is not where it belongs.
    pub fn make_folder(&self, ground: &Ground) -> io::Result<()> {
        let (folder, name) = self.folder(ground)?;
        Ok(rustix::fs::mkdirat(&folder, name, Mode::RWXU)?)
    }

    /// Never more than an empty folder, or what tracefs and resctrl take for one.
    ///
    /// # Errors
    /// As rmdir(2); what is not where it belongs.
    pub fn remove_folder(&self, ground: &Ground) -> io::Result<()> {
        let (folder, name) = self.folder(ground)?;
        Ok(rustix::fs::unlinkat(&folder, name, AtFlags::REMOVEDIR)?)
    }

    /// That the folder is there, and where it belongs.
    ///
    /// # Errors
    /// It is not.
    pub fn stands(&self, ground: &Ground) -> io::Result<()> {
        self.belongs(ground, &walk(&ground.root, &self.parts)?)
    }

    /// Whether it is of a CPU that this machine does not have; one that is offline it has.
    pub fn is_without_its_cpu(&self, ground: &Ground) -> bool {
        let of_cpu = |part: &String| {
            let number = part.strip_prefix("cpu").unwrap_or_default();
            !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
        };
        let Some(at) = self.parts.iter().position(of_cpu) else {
            return false;
        };
        let look = |parts: usize| walk(&ground.root, &self.parts[..parts]);
        let missing = |found: io::Result<_>| found.is_err_and(|e| e.kind() == ErrorKind::NotFound);
        look(at).is_ok() && missing(look(at + 1).map(drop))
    }

    fn belongs(&self, ground: &Ground, folder: &OwnedFd) -> io::Result<()> {
        let wanted = self.kind.file_system();
        match ground.is_live() && magic(folder)? != wanted.magic() {
            true => Err(misplaced(format!("it is not on {}", wanted.name()))),
            false => Ok(()),
        }
    }

    /// The folder that it lies in, opened, and its name there.
    fn folder(&self, ground: &Ground) -> io::Result<(OwnedFd, &str)> {
        let (name, folders) = self.parts.split_last().ok_or(ErrorKind::NotFound)?;
        let folder = walk(&ground.root, folders)?;
        self.belongs(ground, &folder)?;
        Ok((folder, name))
    }
}

/// Opens a folder below `root`. Only links of sysfs are followed, which the
/// kernel made: cpufreq of a CPU is one.
fn walk(root: &Path, folders: &[String]) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut links = 0;
    let mut opened = vec![rustix::fs::open(root, flags, Mode::empty())?];
    let mut to_go: Vec<String> = folders.iter().rev().cloned().collect();
    while let Some(part) = to_go.pop() {
        if part == ".." {
            // Of a link of the kernel's.
            opened.pop();
            if opened.is_empty() {
                return Err(misplaced("a link points outside the machine".to_owned()));
            }
            continue;
        }
        let Some(here) = opened.last() else {
            return Err(ErrorKind::NotFound.into());
        };
        match rustix::fs::openat(here, &part, flags, Mode::empty()) {
            Ok(fd) => opened.push(fd),
            Err(cause @ (Errno::NOTDIR | Errno::LOOP)) => {
                let Ok(to) = rustix::fs::readlinkat(here, &part, Vec::new()) else {
                    return Err(cause.into());
                };
                links += 1;
                if magic(here)? != FileSystem::Sysfs.magic() || links > LINKS {
                    return Err(a_link(&part));
                }
                to_go.extend(relative(to.into_bytes(), &part)?.into_iter().rev());
            }
            Err(cause) => return Err(cause.into()),
        }
    }
    opened.pop().ok_or_else(|| ErrorKind::NotFound.into())
}

fn relative(link: Vec<u8>, name: &str) -> io::Result<Vec<String>> {
    let path = PathBuf::from(OsString::from_vec(link));
    path.components()
        .map(|part| match part {
            Component::Normal(name) => Ok(name.to_string_lossy().into_owned()),
            Component::ParentDir => Ok("..".to_owned()),
            Component::CurDir => Ok(".".to_owned()),
            _ => Err(a_link(name)),
        })
        .collect()
}

fn magic(folder: &OwnedFd) -> io::Result<u64> {
    // Its type differs between architectures; the number has 32 bits.
    Ok(rustix::fs::fstatfs(folder)?.f_type as u64 & 0xffff_ffff)
}

fn a_link(name: &str) -> io::Error {
    misplaced(format!("{name} is a symbolic link"))
}

fn misplaced(cause: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, cause)
}
