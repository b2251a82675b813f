//! `<area>-<name>.copies.stream`: recorded copies of a run that is not closed, as
//! they were handed over. The header and the frames are those of
//! `samples.stream`, with a first word and a version of their own; the payload of
//! a frame is, in postcard's encoding, a list of copies.

use crate::append::Appender;
use crate::copies::RecordedCopy;
use crate::durable::keep_cut_bytes;
use crate::error::RecordError;
use crate::stream::{self, PayloadError, Recovery, StreamKind};
use crate::table::COPIES_VERSION;
use files::output;
use std::fs::File;
use std::path::Path;

const COPIES: StreamKind = StreamKind {
    magic: *b"PNTGCOPY",
    version: COPIES_VERSION,
    name: "a stream of copies",
};
/// Copies in a frame: one of a size that memory is no question of.
const COPIES_PER_FRAME: usize = 1 << 16;

/// Goes on with the stream at `path`, or begins it. Bytes behind the last whole
/// frame are moved to `<path>.cut`.
pub(crate) fn open(path: &Path) -> Result<Appender<File>, RecordError> {
    let failed = |source| RecordError::io("open", path, source);
    let mut options = output::options();
    let options = options.read(true).append(true).create(true);
    let mut file = output::open_own(options, path).map_err(failed)?;
    let recovery = if file.metadata().map_err(failed)?.len() == 0 {
        Recovery::default()
    } else {
        read(path, &mut |_| Ok(()))?
    };
    if recovery.dropped_bytes > 0 {
        keep_cut_bytes(path, &mut file, recovery.kept_bytes)?;
    }
    Appender::open(file, path, recovery.kept_bytes, &stream::header_of(COPIES))
}

/// Survives kill -9 once it has returned.
pub(crate) fn append(
    stream: &mut Appender<File>,
    path: &Path,
    copies: &[RecordedCopy],
) -> Result<(), RecordError> {
    for portion in copies.chunks(COPIES_PER_FRAME) {
        let payload = postcard::to_stdvec(portion)
            .map_err(|e| RecordError::unstorable("recorded copies", path, e))?;
        stream.append(&payload)?;
    }
    Ok(())
}

/// Hands over the copies of every whole frame, in order.
///
/// # Errors
/// A file that is no such stream or cannot be read, and what `take` says.
pub(crate) fn read(
    path: &Path,
    take: &mut dyn FnMut(Vec<RecordedCopy>) -> Result<(), RecordError>,
) -> Result<Recovery, RecordError> {
    let mut refused = None;
    let recovery = stream::read_kind(path, COPIES, &mut |_, payload| {
        let copies: Vec<RecordedCopy> =
            stream::decode(payload, "copies", PayloadError::BehindCopies)?;
        let count = copies.len() as u64;
        if refused.is_none() {
            refused = take(copies).err();
        }
        Ok(count)
    })?;
    refused.map_or(Ok(recovery), Err)
}
