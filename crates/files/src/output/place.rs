//! What stands at an output's path, and what may be done with it.

use super::folder_of;
use crate::input::kind_of;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub enum Place {
    /// Nothing, or a regular file of this mode.
    File { target: PathBuf, mode: Option<u32> },
    /// Written into as it comes.
    Stream(File),
}

/// # Errors
/// What is no output, and as open(2).
pub fn resolve(path: &Path) -> io::Result<Place> {
    let found = match std::fs::symlink_metadata(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return absent(path),
        found => found?,
    };
    if !found.is_symlink() {
        return at(path, &found);
    }
    // What /dev/stdout and /dev/fd/1 are in the end.
    if is_own_descriptor(path) {
        return stream(path);
    }
    let target = folder_of(path).join(std::fs::read_link(path)?);
    match std::fs::symlink_metadata(&target) {
        Err(e) if e.kind() == ErrorKind::NotFound => absent(&target),
        Ok(found) if !found.is_symlink() => at(&target, &found),
        Ok(_) if is_own_descriptor(&target) => stream(&target),
        Ok(_) => Err(io::Error::new(
            ErrorKind::InvalidInput,
            "it is a symbolic link to a symbolic link; name the file itself",
        )),
        Err(e) => Err(e),
    }
}

/// A descriptor of this process, under the name that procfs gives it.
fn is_own_descriptor(path: &Path) -> bool {
    let folder = std::fs::canonicalize(folder_of(path));
    let own = std::fs::canonicalize("/proc/self/fd");
    matches!((folder, own), (Ok(folder), Ok(own)) if folder == own)
}

fn absent(path: &Path) -> io::Result<Place> {
    // A trailing slash asks for a folder.
    if path.file_name().is_none() || path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(io::Error::new(ErrorKind::IsADirectory, "it names a folder"));
    }
    Ok(Place::File {
        target: path.to_owned(),
        mode: None,
    })
}

fn at(path: &Path, found: &Metadata) -> io::Result<Place> {
    let kind = found.file_type();
    if kind.is_file() {
        return Ok(Place::File {
            target: path.to_owned(),
            // Who may read it is its owner's choice.
            mode: Some(found.mode() & 0o777),
        });
    }
    if kind.is_dir() {
        return Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder"));
    }
    if kind.is_fifo() || (kind.is_char_device() && takes_bytes(found.rdev())) {
        return stream(path);
    }
    Err(no_output(kind_of(kind)))
}

pub fn no_output(kind: &str) -> io::Error {
    io::Error::new(
        ErrorKind::InvalidInput,
        format!("it is {kind}, and only regular files are written here"),
    )
}

/// Devices that nothing can be broken by writing into: null, zero, full, and
/// terminals (Documentation/admin-guide/devices.txt).
fn takes_bytes(device: u64) -> bool {
    let (major, minor) = (libc::major(device), libc::minor(device));
    matches!((major, minor), (1, 3 | 5 | 7) | (4 | 5, _) | (136..=143, _))
}

fn stream(path: &Path) -> io::Result<Place> {
    // Appending: a regular file behind /dev/stdout keeps what it holds.
    let open = |flags| {
        OpenOptions::new()
            .append(true)
            .custom_flags(flags | libc::O_NOCTTY)
            .open(path)
    };
    match open(libc::O_NONBLOCK) {
        // There is a reader, so this one does not wait for it.
        Ok(_reader_is_there) => open(0).map(Place::Stream),
        Err(e) if e.raw_os_error() == Some(libc::ENXIO) => Err(io::Error::new(
            ErrorKind::NotFound,
            "it is a FIFO that nobody reads; start its reader first",
        )),
        Err(e) => Err(e),
    }
}
