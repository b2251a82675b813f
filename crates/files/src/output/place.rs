//! What stands at an output's path, and what may be done with it.

use super::folder_of;
use crate::input::kind_of;
use rustix::fs::{Access, AtFlags, OFlags};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// What an output goes into.
#[derive(Debug)]
pub enum Destination {
    /// Nothing, or a regular file of this mode.
    File { target: PathBuf, mode: Option<u32> },
    /// Written into as it comes.
    Stream(File),
}

/// Whether an output may go into a device or a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streams {
    Taken,
    /// Refused before it is opened: a FIFO's reader would see its end.
    Refused,
}

/// # Errors
/// What is no output, and as open(2).
pub fn resolve(path: &Path, streams: Streams) -> io::Result<Destination> {
    let found = match std::fs::symlink_metadata(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return absent(path),
        found => found?,
    };
    if !found.is_symlink() {
        return at(path, &found, streams);
    }
    // What /dev/stdout and /dev/fd/1 are in the end.
    if is_own_descriptor(path) {
        return own_descriptor(path, streams);
    }
    believed(&found)?;
    let target = folder_of(path).join(std::fs::read_link(path)?);
    match std::fs::symlink_metadata(&target) {
        Err(e) if e.kind() == ErrorKind::NotFound => absent(&target),
        Ok(found) if !found.is_symlink() => at(&target, &found, streams),
        Ok(_) if is_own_descriptor(&target) => own_descriptor(&target, streams),
        Ok(_) => Err(io::Error::new(
            ErrorKind::InvalidInput,
            "it is a symbolic link to a symbolic link; name the file itself",
        )),
        Err(e) => Err(e),
    }
}

/// Where a link leads is chosen by its owner, and what stands there is replaced with
/// our rights. Stricter than `fs.protected_symlinks` (proc_sys_fs(5)), which looks at
/// sticky folders only and at no link that is read by hand.
fn believed(link: &Metadata) -> io::Result<()> {
    if crate::owner::is_believed(link.uid()) {
        return Ok(());
    }
    Err(io::Error::new(
        ErrorKind::PermissionDenied,
        format!(
            "it is a symbolic link of another user (uid {}); name the file itself",
            link.uid()
        ),
    ))
}

/// A descriptor of this process, under the name that procfs gives it.
fn is_own_descriptor(path: &Path) -> bool {
    let folder = std::fs::canonicalize(folder_of(path));
    let own = std::fs::canonicalize("/proc/self/fd");
    matches!((folder, own), (Ok(folder), Ok(own)) if folder == own)
}

fn absent(path: &Path) -> io::Result<Destination> {
    // A trailing slash asks for a folder.
    if path.file_name().is_none() || path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(io::Error::new(ErrorKind::IsADirectory, "it names a folder"));
    }
    Ok(Destination::File {
        target: path.to_owned(),
        mode: None,
    })
}

fn at(path: &Path, found: &Metadata, streams: Streams) -> io::Result<Destination> {
    let kind = found.file_type();
    if kind.is_file() {
        // A rename asks the folder alone.
        rustix::fs::accessat(rustix::fs::CWD, path, Access::WRITE_OK, AtFlags::EACCESS)?;
        return Ok(Destination::File {
            target: path.to_owned(),
            mode: mode_kept(found),
        });
    }
    if kind.is_dir() {
        return Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder"));
    }
    if streams == Streams::Taken && takes_bytes(found) {
        return stream(path);
    }
    Err(no_output(kind_of(kind)))
}

/// Who may read a file is its owner's choice, where that is who writes it now.
pub fn mode_kept(found: &Metadata) -> Option<u32> {
    let us = rustix::process::geteuid().as_raw();
    (found.uid() == us).then_some(found.mode() & 0o777)
}

/// The error for a file of a kind that is not written.
pub fn no_output(kind: &str) -> io::Error {
    io::Error::new(
        ErrorKind::InvalidInput,
        format!("it is {kind}, not a regular file"),
    )
}

/// A FIFO, and devices that nothing can be broken by writing into: null, zero, full,
/// and terminals (Documentation/admin-guide/devices.txt). Not serial lines: what hangs
/// on one may be no terminal.
fn takes_bytes(found: &Metadata) -> bool {
    let (major, minor) = (libc::major(found.rdev()), libc::minor(found.rdev()));
    let device = matches!(
        (major, minor),
        (1, 3 | 5 | 7) | (4, 0..=63) | (5, 0 | 1) | (136..=143, _)
    );
    let kind = found.file_type();
    kind.is_fifo() || (kind.is_char_device() && device)
}

/// Opened once, and looked at again: in a folder of another user it may have become
/// another file since.
fn stream(path: &Path) -> io::Result<Destination> {
    let file = appending(path, libc::O_NONBLOCK | libc::O_NOFOLLOW)?;
    let found = file.metadata()?;
    if !takes_bytes(&found) {
        return Err(no_output(kind_of(found.file_type())));
    }
    // It has a reader, or needs none: from here on it may wait.
    let flags = rustix::fs::fcntl_getfl(&file)?;
    rustix::fs::fcntl_setfl(&file, flags - OFlags::NONBLOCK)?;
    Ok(Destination::Stream(file))
}

fn own_descriptor(path: &Path, streams: Streams) -> io::Result<Destination> {
    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_socket() {
        return Err(no_output(kind_of(kind)));
    }
    match streams {
        Streams::Taken => appending(path, 0).map(Destination::Stream),
        Streams::Refused => Err(io::Error::new(
            ErrorKind::InvalidInput,
            "it is a descriptor of this process; name a file",
        )),
    }
}

/// A regular file behind /dev/stdout keeps what it holds.
fn appending(path: &Path, flags: i32) -> io::Result<File> {
    let opened = OpenOptions::new()
        .append(true)
        .custom_flags(flags | libc::O_NOCTTY)
        .open(path);
    match opened {
        Err(e) if e.raw_os_error() == Some(libc::ENXIO) => Err(io::Error::new(
            ErrorKind::NotFound,
            "it is a FIFO that nobody reads; start its reader first",
        )),
        opened => opened,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Between the look at a FIFO and its opening another process may put another file there.
    #[test]
    fn what_took_the_place_of_a_fifo_is_not_written_into() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "kept").unwrap();
        symlink(&file, &link).unwrap();
        let error = stream(&file).unwrap_err().to_string();
        assert!(error.contains("it is a regular file"), "{error}");
        let error = stream(&link).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ELOOP));
    }
}
