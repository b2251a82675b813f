//! Replacing a file so that a reader, also one after a power cut, sees either
//! the old content or the new.

use crate::error::RecordError;
use files::output;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Write `bytes` to a new file next to `path`, sync, rename over it, sync the folder.
///
/// # Errors
/// With the file and how many bytes were needed. The old content stays.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    output::replace_own(path, bytes)
        .map_err(|source| RecordError::write(path, bytes.len() as u64, source))
}

/// Appends what lies behind the first `kept_bytes` of `file`, which is at `path`, to
/// `<path>.cut`: it is about to be cut off.
pub(crate) fn keep_cut_bytes(
    path: &Path,
    file: &mut File,
    kept_bytes: u64,
) -> Result<(), RecordError> {
    let mut cut = path.to_owned().into_os_string();
    cut.push(".cut");
    let cut = PathBuf::from(cut);
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(kept_bytes))
        .and_then(|_| file.read_to_end(&mut tail))
        .map_err(|source| RecordError::io("read", path, source))?;
    output::open_own(output::options().append(true).create(true), &cut)
        .and_then(|mut cut| cut.write_all(&tail))
        .map_err(|source| RecordError::write(&cut, tail.len() as u64, source))
}

/// Make the names in the folder of `path` durable.
pub(crate) fn sync_folder_of(path: &Path) -> Result<(), RecordError> {
    output::sync_folder_of(path)
        .map_err(|source| RecordError::io("sync the folder of", path, source))
}
