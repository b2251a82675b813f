//! The stream of an older schema, gone on with in this one.

use crate::durable::sync_folder_of;
use crate::error::RecordError;
use crate::layout;
use crate::stream;
use files::output;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// Replaces the stream in `folder` by one of this schema that holds the same points. The
/// old one stays until the new one is durable; what is returned is open for appending, and
/// locked before its name is.
pub(super) fn rewritten(folder: &Path) -> Result<File, RecordError> {
    let path = folder.join(layout::STREAM);
    let new = path.with_extension("stream.new");
    let failed = |source| RecordError::io("write", &new, source);
    // Of an earlier attempt that was killed.
    let _ = fs::remove_file(&new);
    let mut options = output::options();
    let options = options.read(true).append(true).create_new(true);
    let mut to = options.open(&new).map_err(failed)?;
    super::lock(folder, &to)?;
    to.write_all(&stream::encode_header()).map_err(failed)?;
    let mut refused = None;
    stream::read_file(folder, &mut |head, samples| {
        let frame = stream::encode_point(&head, &samples)
            .map_err(|e| RecordError::unstorable("a point", &new, e))
            .and_then(|payload| crate::frame::write_frame(&mut to, &payload).map_err(failed));
        refused = refused.take().or(frame.err());
    })?;
    if let Some(cause) = refused {
        return Err(cause);
    }
    to.sync_all().map_err(failed)?;
    fs::rename(&new, &path).map_err(failed)?;
    sync_folder_of(&path)?;
    Ok(to)
}
