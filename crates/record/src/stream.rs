//! `samples.stream`: what a run measured, point by point, while it is not
//! complete. A header, then one frame for each point appended.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `PNTGSTRM` |
//! | 4 | schema version, u32 little endian |
//! | 4 | CRC-32 (IEEE) of the 12 bytes before, little endian |
//! | rest | frames, see [`crate::frame`] |
//!
//! The payload of a frame is, in postcard's encoding, the point's head as JSON
//! text and the list of its samples. JSON, because the head is a tree of tagged
//! words; postcard for the samples, because every bit of a double counts. Samples of
//! streams of version 1 and 2 have fewer fields (`old_sample`).

use crate::error::RecordError;
use crate::frame::{FrameError, FrameReader};
use crate::old_sample::{self, OldSample};
use crate::run::{PointHead, PointState};
use crate::sample::Sample;
use crate::{SCHEMA_VERSION, layout};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::{BufReader, Read};
use std::path::Path;

const MAGIC: [u8; 8] = *b"PNTGSTRM";
pub(crate) const HEADER_BYTES: usize = 16;
/// Of a stream that holds no sample yet.
pub const STREAM_HEADER_BYTES: u64 = HEADER_BYTES as u64;

/// What was found in a stream, and what was not whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recovery {
    /// Of the stream's schema; 0 where not even the header is whole.
    pub version: u32,
    /// Whole frames.
    pub frames: u32,
    /// Or recorded copies, in a stream of those.
    pub samples: u64,
    /// Length up to the end of the last whole frame, header included; 0 where
    /// not even the header is whole.
    pub kept_bytes: u64,
    /// Bytes behind it, which make no whole frame.
    pub dropped_bytes: u64,
    /// Damaged frames in front of it, skipped.
    pub damaged_frames: u32,
    /// Why the reading ended before the end of the file or skipped something.
    pub cause: Option<String>,
}

impl Recovery {
    /// Nothing was dropped and nothing skipped.
    pub fn is_clean(&self) -> bool {
        self.dropped_bytes == 0 && self.damaged_frames == 0
    }
}

/// What a stream begins with, by kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StreamKind {
    pub magic: [u8; 8],
    pub version: u32,
    /// In errors: `a sample stream`.
    pub name: &'static str,
}

const SAMPLES: StreamKind = StreamKind {
    magic: MAGIC,
    version: SCHEMA_VERSION,
    name: "a sample stream",
};

/// Takes the version of a stream and the payload of a frame, and returns how many samples
/// or copies it held.
pub(crate) type Decode<'a> = &'a mut dyn FnMut(u32, &[u8]) -> Result<u64, PayloadError>;

/// Why the payload of a whole frame is not what its stream holds.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PayloadError {
    #[error("{what}: {source}")]
    Postcard {
        what: &'static str,
        source: postcard::Error,
    },
    #[error("point: {0}")]
    Head(serde_json::Error),
    #[error("point: {0} bytes behind the samples")]
    BehindSamples(usize),
    #[error("{0} bytes behind the copies")]
    BehindCopies(usize),
}

/// Why a point cannot be written as a frame.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EncodeError {
    #[error("{0}")]
    Head(#[from] serde_json::Error),
    #[error("{0}")]
    Samples(#[from] postcard::Error),
}

pub(crate) fn encode_header() -> [u8; HEADER_BYTES] {
    header_of(SAMPLES)
}

pub(crate) fn header_of(kind: StreamKind) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(&kind.magic);
    header[8..12].copy_from_slice(&kind.version.to_le_bytes());
    let checksum = crc32fast::hash(&header[..12]);
    header[12..].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// Payload of the frame of one point.
pub(crate) fn encode_point(head: &PointHead, samples: &[Sample]) -> Result<Vec<u8>, EncodeError> {
    let head = serde_json::to_string(head)?;
    Ok(postcard::to_stdvec(&(head, samples))?)
}

/// Inverse of [`encode_point`], in a stream of any version.
pub(crate) fn decode_point(
    version: u32,
    payload: &[u8],
) -> Result<(PointHead, Vec<Sample>), PayloadError> {
    let (head, samples): (&str, Vec<Sample>) = if version < old_sample::LATER {
        let (head, old): (&str, Vec<OldSample>) =
            decode(payload, "point", PayloadError::BehindSamples)?;
        (head, old.into_iter().map(Sample::from).collect())
    } else {
        decode(payload, "point", PayloadError::BehindSamples)?
    };
    let head = serde_json::from_str(head).map_err(PayloadError::Head)?;
    Ok((head, samples))
}

/// What a payload holds, and nothing `behind` it.
pub(crate) fn decode<'a, T: Deserialize<'a>>(
    payload: &'a [u8],
    what: &'static str,
    behind: fn(usize) -> PayloadError,
) -> Result<T, PayloadError> {
    let (held, rest) = postcard::take_from_bytes(payload)
        .map_err(|source| PayloadError::Postcard { what, source })?;
    match rest.len() {
        0 => Ok(held),
        more => Err(behind(more)),
    }
}

/// Points of a stream by index, frames of the same point put together.
#[derive(Debug, Default)]
pub(crate) struct Points(pub BTreeMap<u32, (PointHead, Vec<Sample>)>);

impl Points {
    /// Frames of one point add up (one for each process); only an attempt that
    /// failed is superseded by the next.
    pub fn add(&mut self, head: PointHead, samples: Vec<Sample>) {
        let Some(entry) = self.0.get_mut(&head.index) else {
            self.0.insert(head.index, (head, samples));
            return;
        };
        if matches!(entry.0.state, PointState::Failed { .. }) {
            entry.1.clear();
        }
        entry.0.take(&head);
        entry.1.extend(samples);
    }

    /// By point index; points without samples left out.
    pub fn into_samples(self) -> BTreeMap<u32, Vec<Sample>> {
        let samples = self
            .0
            .into_iter()
            .map(|(index, (_, samples))| (index, samples));
        samples.filter(|(_, samples)| !samples.is_empty()).collect()
    }
}

/// Read the stream of samples in `folder`, giving each whole point to `visit`.
pub(crate) fn read_file(
    folder: &Path,
    visit: &mut dyn FnMut(PointHead, Vec<Sample>),
) -> Result<Recovery, RecordError> {
    read_kind(
        &folder.join(layout::STREAM),
        SAMPLES,
        &mut |version, payload| {
            let (head, samples) = decode_point(version, payload)?;
            let count = samples.len() as u64;
            visit(head, samples);
            Ok(count)
        },
    )
}

/// Read a stream of any kind. Torn and damaged frames are counted, not errors; an error
/// is a file that is no such stream, or cannot be read at all.
pub(crate) fn read_kind(
    path: &Path,
    kind: StreamKind,
    decode: Decode<'_>,
) -> Result<Recovery, RecordError> {
    let failed = |source| RecordError::io("read", path, source);
    let file = files::input::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let mut from = BufReader::new(file);
    let mut header = Vec::new();
    (&mut from)
        .take(HEADER_BYTES as u64)
        .read_to_end(&mut header)
        .map_err(failed)?;
    let Some(version) = version_of(path, kind, &header)? else {
        return Ok(Recovery {
            dropped_bytes: length,
            cause: Some("the stream ends inside its header".into()),
            ..Recovery::default()
        });
    };
    let frames = FrameReader::starting_at(from, HEADER_BYTES as u64);
    let mut recovery = read_frames(path, frames, &mut |payload| decode(version, payload))?;
    recovery.version = version;
    recovery.dropped_bytes = length.saturating_sub(recovery.kept_bytes);
    Ok(recovery)
}

/// What the header says; None where it is torn, an error where it is something else.
fn version_of(path: &Path, kind: StreamKind, header: &[u8]) -> Result<Option<u32>, RecordError> {
    let seen = header.len().min(kind.magic.len());
    if header[..seen] != kind.magic[..seen] {
        let cause = format!("it is not {}", kind.name);
        return Err(RecordError::damaged(path, cause));
    }
    let Ok(header) = <&[u8; HEADER_BYTES]>::try_from(header) else {
        return Ok(None);
    };
    let word = |at: usize| {
        u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
    };
    if crc32fast::hash(&header[..12]) != word(12) {
        let cause = "checksum mismatch in its header";
        return Err(RecordError::damaged(path, cause));
    }
    match word(8) {
        found if (1..=kind.version).contains(&found) => Ok(Some(found)),
        found => Err(RecordError::too_new(path, found.into(), kind.version)),
    }
}

fn read_frames<R: Read>(
    path: &Path,
    mut frames: FrameReader<R>,
    decode: &mut dyn FnMut(&[u8]) -> Result<u64, PayloadError>,
) -> Result<Recovery, RecordError> {
    let mut recovery = Recovery {
        kept_bytes: frames.offset(),
        ..Recovery::default()
    };
    // Damage counts as skipped only when a whole frame follows it.
    let mut damaged = 0;
    loop {
        let offset = frames.offset();
        let cause = match frames.next() {
            Ok(None) => return Ok(recovery),
            Ok(Some(payload)) => match decode(&payload) {
                Ok(count) => {
                    recovery.frames += 1;
                    recovery.samples += count;
                    recovery.kept_bytes = frames.offset();
                    recovery.damaged_frames += std::mem::take(&mut damaged);
                    continue;
                }
                Err(cause) => format!("cannot decode frame at byte {offset}: {cause}"),
            },
            Err(FrameError::Io { source, .. }) => {
                return Err(RecordError::io("read", path, source));
            }
            Err(cause) => cause.to_string(),
        };
        damaged += 1;
        recovery.cause.get_or_insert(cause);
    }
}
