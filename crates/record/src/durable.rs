//! Replacing a file so that a reader, also one after a power cut, sees either
//! the old content or the new.

use crate::error::RecordError;
use crate::own_files;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write `bytes` beside `path`, sync, rename over it, sync the folder.
///
/// # Errors
/// With the file and how many bytes were needed. The old content stays.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    let temporary = temporary_name(path);
    let failed = |source| RecordError::write(path, bytes.len() as u64, source);
    // What an earlier program left, or a link that somebody put there.
    let _ = fs::remove_file(&temporary);
    let made = own_files::options()
        .write(true)
        .create_new(true)
        .open(&temporary);
    let written = made.and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    if let Err(source) = written.and_then(|()| fs::rename(&temporary, path)) {
        // Give the space back; the first error is the one to tell.
        let _ = fs::remove_file(&temporary);
        return Err(failed(source));
    }
    sync_folder_of(path)
}

/// Make the names in the folder of `path` durable.
pub(crate) fn sync_folder_of(path: &Path) -> Result<(), RecordError> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .or_else(|source| match source.kind() {
            // Some network and user-space file systems cannot sync a folder.
            std::io::ErrorKind::InvalidInput | std::io::ErrorKind::Unsupported => Ok(()),
            _ => Err(RecordError::io("sync", folder, source)),
        })
}

fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    PathBuf::from(name)
}
