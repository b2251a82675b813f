//! Replacing a file so that a reader, also one after a power cut, sees either
//! the old content or the new.

use crate::error::RecordError;
use std::path::Path;

/// Write `bytes` to a new file next to `path`, sync, rename over it, sync the folder.
///
/// # Errors
/// With the file and how many bytes were needed. The old content stays.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    files::output::replace_own(path, bytes)
        .map_err(|source| RecordError::write(path, bytes.len() as u64, source))
}

/// Make the names in the folder of `path` durable.
pub(crate) fn sync_folder_of(path: &Path) -> Result<(), RecordError> {
    files::output::sync_folder_of(path)
        .map_err(|source| RecordError::io("sync the folder of", path, source))
}
