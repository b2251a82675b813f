//! The one writer of outputs.
//!
//! A regular file is replaced in one step, and stays as it was until the new
//! one is whole. What is no regular file is never replaced: a terminal, a pipe
//! and the null device are written into, every other device is refused. One
//! symbolic link is followed, a link behind it is not.

mod place;

use place::{Destination, Streams};
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Of a new file. The umask may take more away; it never adds.
const FILE_MODE: u32 = 0o644;
/// Of a new folder.
const FOLDER_MODE: u32 = 0o755;
/// Names tried for what is not whole yet.
const ATTEMPTS: u32 = 100;

/// An output that is being written. Dropped before [`Output::finish`], it leaves
/// what stood at its path as it was.
#[derive(Debug)]
pub struct Output {
    file: File,
    /// None where it is written into directly.
    part: Option<Part>,
}

/// A file that is not whole yet.
#[derive(Debug)]
struct Part {
    at: PathBuf,
    target: PathBuf,
}

impl Output {
    /// Begins to write `path`.
    ///
    /// # Errors
    /// What stands at `path` and is no output (`InvalidInput`, a folder
    /// `IsADirectory`), and as open(2).
    pub fn create(path: &Path) -> io::Result<Output> {
        Output::begin(place::resolve(path, Streams::Taken)?)
    }

    fn begin(place: Destination) -> io::Result<Output> {
        match place {
            Destination::Stream(file) => Ok(Output { file, part: None }),
            Destination::File { target, mode } => {
                let (at, file) = begin_part(&target)?;
                let part = Some(Part { at, target });
                let output = Output { file, part };
                if let Some(mode) = mode {
                    output.file.set_permissions(Permissions::from_mode(mode))?;
                }
                Ok(output)
            }
        }
    }

    /// As [`Output::create`], for what is written out of order or read again: no
    /// device and no pipe.
    ///
    /// # Errors
    /// As [`Output::create`]; `InvalidInput` for what is no regular file.
    pub fn create_file(path: &Path) -> io::Result<Output> {
        Output::begin(place::resolve(path, Streams::Refused)?)
    }

    /// Puts the file in its place. Returns its bytes, 0 for a stream.
    ///
    /// # Errors
    /// As rename(2); what stood there then stays.
    pub fn finish(mut self) -> io::Result<u64> {
        self.place()
    }

    /// As [`Output::finish`], and survives a power cut once it has returned.
    ///
    /// # Errors
    /// As [`Output::finish`] and fsync(2).
    pub fn finish_durably(mut self) -> io::Result<u64> {
        let Some(part) = &self.part else {
            return self.place();
        };
        let target = part.target.clone();
        self.file.sync_all()?;
        let bytes = self.place()?;
        sync_folder_of(&target)?;
        Ok(bytes)
    }

    fn place(&mut self) -> io::Result<u64> {
        let Some(part) = &self.part else {
            return self.file.flush().map(|()| 0);
        };
        let bytes = self.file.metadata()?.len();
        std::fs::rename(&part.at, &part.target)?;
        self.part = None;
        Ok(bytes)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Output {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(part) = &self.part {
            // Gives the space back; there is nobody to tell.
            let _ = std::fs::remove_file(&part.at);
        }
    }
}

/// Writes all of `path` at once: whole, or not at all.
///
/// # Errors
/// As [`Output::create`], write(2) and [`Output::finish`].
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut output = Output::create(path)?;
    output.write_all(bytes)?;
    output.finish().map(drop)
}

/// As [`write()`], and survives a power cut once it has returned; of a file inside a
/// folder of our own: a link that another user put there is replaced, and not followed.
///
/// # Errors
/// As [`write()`] and fsync(2); `InvalidInput` for what is neither file nor link.
pub fn replace_own(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mode = match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => place::mode_kept(&found),
        Ok(found) if !found.is_symlink() => {
            return Err(place::no_output(crate::input::kind_of(found.file_type())));
        }
        _ => None,
    };
    let target = path.to_owned();
    let mut output = Output::begin(Destination::File { target, mode })?;
    output.write_all(bytes)?;
    output.finish_durably().map(drop)
}

/// Whether `path` can be an output, before the work that fills it. Leaves
/// nothing there.
///
/// # Errors
/// As [`Output::create`].
pub fn check(path: &Path) -> io::Result<()> {
    Output::create(path).map(drop)
}

/// As [`check`], of [`Output::create_file`].
///
/// # Errors
/// As [`Output::create_file`].
pub fn check_file(path: &Path) -> io::Result<()> {
    Output::create_file(path).map(drop)
}

/// Makes a folder and those above it, with a mode of our own.
///
/// # Errors
/// As mkdir(2).
pub fn folder(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(FOLDER_MODE)
        .create(path)
}

/// Makes one folder that is not there yet, with a mode of our own.
///
/// # Errors
/// As mkdir(2).
pub fn new_folder(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().mode(FOLDER_MODE).create(path)
}

/// For files inside a folder of our own that grow where they are: with a mode
/// of our own, through no link, and waiting for no reader.
pub fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options
        .mode(FILE_MODE)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY);
    options
}

/// Opens a file of our own that is there already, or with `create` made. It
/// must be a regular file of one name: a record that came from elsewhere may hold a
/// link of either kind or a FIFO of that name.
///
/// # Errors
/// As open(2); `InvalidInput` for what is no such file.
pub fn open_own(with: &OpenOptions, path: &Path) -> io::Result<File> {
    let file = with.open(path)?;
    let found = file.metadata()?;
    let kind = found.file_type();
    if !kind.is_file() {
        return Err(place::no_output(crate::input::kind_of(kind)));
    }
    if found.nlink() > 1 {
        return Err(place::no_output("a file with a second name (hard link)"));
    }
    Ok(file)
}

/// Makes the names in the folder of `path` durable.
///
/// # Errors
/// As fsync(2).
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    match File::open(folder_of(path))?.sync_all() {
        // Some network and user-space file systems cannot sync a folder.
        Err(e) if matches!(e.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        synced => synced,
    }
}

/// The folder that a file lies in; of a bare name, here.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// A new file in the folder of `target`, held by a lock as long as it is
/// written: what a killed program left is recognised and used again.
fn begin_part(target: &Path) -> io::Result<(PathBuf, File)> {
    for number in 0..ATTEMPTS {
        let at = part_name(target, number);
        for _ in 0..2 {
            match options().write(true).create_new(true).open(&at) {
                Ok(file) => {
                    // A file system without locks: nobody then takes it for left behind.
                    let _ = file.try_lock();
                    if is_still(&file, &at) {
                        return Ok((at, file));
                    }
                }
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                    if !remove_abandoned(&at) {
                        break;
                    }
                }
                Err(e) => return Err(e),
            }
        }
    }
    Err(io::Error::new(
        ErrorKind::AlreadyExists,
        format!(
            "{} files like {} exist already",
            ATTEMPTS,
            part_name(target, 0).display()
        ),
    ))
}

/// `.report.html.part`, `.report.html.1.part`: short enough for any file system.
fn part_name(target: &Path, number: u32) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let short: String = name.chars().take(60).collect();
    folder_of(target).join(match number {
        0 => format!(".{short}.part"),
        n => format!(".{short}.{n}.part"),
    })
}

/// Whether a file of this name is what a killed writer of `of`, in the same folder, has
/// left: `.run.json.part` and `.run.json.1.part` of `run.json`.
pub fn is_part_of(name: &str, of: &str) -> bool {
    let numbers = || {
        let rest = name.strip_prefix('.')?.strip_prefix(of)?;
        let number = rest.strip_prefix('.')?.strip_suffix("part")?;
        match number.strip_suffix('.') {
            Some(number) => number.parse::<u32>().ok(),
            None => number.is_empty().then_some(0),
        }
    };
    numbers().is_some_and(|n| part_name(Path::new(of), n).file_name() == Some(name.as_ref()))
}

fn is_still(file: &File, at: &Path) -> bool {
    let same =
        |a: std::fs::Metadata, b: std::fs::Metadata| a.ino() == b.ino() && a.dev() == b.dev();
    match (file.metadata(), std::fs::symlink_metadata(at)) {
        (Ok(a), Ok(b)) => same(a, b),
        _ => false,
    }
}

/// Removes what a killed program left: a regular file of ours, under one name, that
/// nobody writes.
fn remove_abandoned(at: &Path) -> bool {
    let Ok(file) = options().write(true).open(at) else {
        return false;
    };
    let us = rustix::process::geteuid().as_raw();
    let found = file.metadata();
    let ours = found.is_ok_and(|found| found.is_file() && found.uid() == us && found.nlink() == 1);
    ours && file.try_lock().is_ok() && std::fs::remove_file(at).is_ok()
}

#[cfg(test)]
mod tests;
