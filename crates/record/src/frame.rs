//! Frames: a length, a checksum and a payload, over any byte stream.
//!
//! The sample stream of a run and the pipe between the measuring process and
//! its coordinator use the same frames:
//!
//! | bytes | content |
//! |---|---|
//! | 4 | payload length, u32 little endian |
//! | 4 | CRC-32 (IEEE) of the four length bytes and the payload, little endian |
//! | length | payload |
//!
//! The checksum covers the length, so that a tail of zeros, which a file
//! system may leave after a power cut, is not a valid empty frame.

use std::io::{self, Read, Write};

/// Largest payload that is written or accepted, in bytes. A length above it is
/// taken for damage instead of being allocated.
pub const MAX_PAYLOAD_BYTES: usize = 64 << 20;

/// Bytes in front of each payload.
pub const HEADER_BYTES: usize = 8;

/// Why no frame could be read. A clean end is not an error: `Ok(None)`.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The stream ends inside a frame.
    #[error("cannot read frame at byte {offset}: stream ends after {have} of {need} bytes")]
    Truncated { offset: u64, have: u64, need: u64 },
    /// Length and payload do not match their checksum.
    #[error("cannot read frame at byte {offset}: checksum mismatch over {length} bytes")]
    Corrupt { offset: u64, length: u64 },
    /// The length is beyond what a writer ever writes.
    #[error("cannot read frame at byte {offset}: length {length} is over the limit of {limit}")]
    Oversized {
        offset: u64,
        length: u64,
        limit: u64,
    },
    #[error("cannot read frame at byte {offset}: {source}")]
    Io { offset: u64, source: io::Error },
}

/// The frame around `payload`, header included.
///
/// # Errors
/// `InvalidInput` when the payload is longer than [`MAX_PAYLOAD_BYTES`].
pub fn encode_frame(payload: &[u8]) -> io::Result<Vec<u8>> {
    let length = u32::try_from(payload.len())
        .ok()
        .filter(|_| payload.len() <= MAX_PAYLOAD_BYTES)
        .ok_or_else(|| {
            let text = format!(
                "frame of {} bytes is over the limit of {MAX_PAYLOAD_BYTES}",
                payload.len()
            );
            io::Error::new(io::ErrorKind::InvalidInput, text)
        })?;
    let mut frame = Vec::with_capacity(HEADER_BYTES + payload.len());
    frame.extend_from_slice(&frame_header(length, payload));
    frame.extend_from_slice(payload);
    Ok(frame)
}

/// What stands in front of a payload of `length` bytes. Allocates nothing, so that a
/// signal handler may send a frame.
pub fn frame_header(length: u32, payload: &[u8]) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..4].copy_from_slice(&length.to_le_bytes());
    header[4..].copy_from_slice(&checksum(length, payload).to_le_bytes());
    header
}

/// Write one frame with a single `write_all`; does not flush.
///
/// # Errors
/// As [`encode_frame`] and whatever the writer says. After an error part of
/// the frame may have been written: a file must be cut back to its old length.
pub fn write_frame(to: &mut impl Write, payload: &[u8]) -> io::Result<()> {
    to.write_all(&encode_frame(payload)?)
}

fn checksum(length: u32, payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&length.to_le_bytes());
    hasher.update(payload);
    hasher.finalize()
}

/// Reads frames one after the other and knows how far it came.
#[derive(Debug)]
pub struct FrameReader<R> {
    from: R,
    offset: u64,
    ended: bool,
}

impl<R: Read> FrameReader<R> {
    /// Frames of up to [`MAX_PAYLOAD_BYTES`] from a stream that starts here.
    pub fn new(from: R) -> Self {
        Self::starting_at(from, 0)
    }

    /// As `new`, where `offset` bytes of the stream were read before (a file
    /// header): errors and [`Self::offset`] count from the stream's start.
    pub fn starting_at(from: R, offset: u64) -> Self {
        Self {
            from,
            offset,
            ended: false,
        }
    }

    /// Bytes from the start of the stream to the end of the last frame read,
    /// a corrupt one included.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next payload; `None` at a clean end.
    ///
    /// After `Corrupt` the reader stands behind the damaged frame and may go
    /// on: one bad byte in a payload costs one frame. After every other error
    /// it has ended and gives `None`.
    ///
    /// # Errors
    /// See [`FrameError`].
    #[allow(clippy::should_implement_trait)] // an error is not the end: `?` reads best
    pub fn next(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        if self.ended {
            return Ok(None);
        }
        let result = self.read_one();
        self.ended = !matches!(result, Ok(Some(_)) | Err(FrameError::Corrupt { .. }));
        result
    }

    fn read_one(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        let header = self.read_up_to(HEADER_BYTES)?;
        if header.is_empty() {
            return Ok(None);
        }
        let Some((length, expected)) = split_header(&header) else {
            return Err(self.truncated(header.len(), HEADER_BYTES));
        };
        let size = length as usize;
        if size > MAX_PAYLOAD_BYTES {
            return Err(FrameError::Oversized {
                offset: self.offset,
                length: u64::from(length),
                limit: MAX_PAYLOAD_BYTES as u64,
            });
        }
        let payload = self.read_up_to(size)?;
        if payload.len() < size {
            return Err(self.truncated(HEADER_BYTES + payload.len(), HEADER_BYTES + size));
        }
        let offset = self.offset;
        self.offset += (HEADER_BYTES + size) as u64;
        if checksum(length, &payload) != expected {
            let length = u64::from(length);
            return Err(FrameError::Corrupt { offset, length });
        }
        Ok(Some(payload))
    }

    /// Up to `count` bytes, fewer only at the end of the stream. Memory grows
    /// with what arrives, not with what a damaged length promises.
    fn read_up_to(&mut self, count: usize) -> Result<Vec<u8>, FrameError> {
        let mut bytes = Vec::with_capacity(count.min(1 << 20));
        (&mut self.from)
            .take(count as u64)
            .read_to_end(&mut bytes)
            .map_err(|source| FrameError::Io {
                offset: self.offset,
                source,
            })?;
        Ok(bytes)
    }

    fn truncated(&self, have: usize, need: usize) -> FrameError {
        FrameError::Truncated {
            offset: self.offset,
            have: have as u64,
            need: need as u64,
        }
    }
}

/// Length and checksum of a whole header.
fn split_header(header: &[u8]) -> Option<(u32, u32)> {
    let (length, rest) = header.split_first_chunk::<4>()?;
    let checksum = rest.first_chunk::<4>()?;
    Some((u32::from_le_bytes(*length), u32::from_le_bytes(*checksum)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frames(payloads: &[Vec<u8>]) -> Vec<u8> {
        let mut out = Vec::new();
        for payload in payloads {
            write_frame(&mut out, payload).expect("a vector takes every write");
        }
        out
    }

    #[test]
    fn a_frame_has_the_documented_bytes() {
        let frame = encode_frame(b"123456789").expect("short");
        assert_eq!(frame[..4], [9, 0, 0, 0]);
        // CRC-32 of 09 00 00 00 "123456789", from Python's zlib.crc32.
        assert_eq!(frame[4..8], 0xa51c_61e2_u32.to_le_bytes());
        assert_eq!(frame[8..], *b"123456789");
    }

    #[test]
    fn clean_end_truncation_damage_and_bad_length_are_distinguished() {
        let whole = frames(&[b"one".to_vec(), b"two".to_vec()]);
        let mut reader = FrameReader::new(&whole[..]);
        assert_eq!(reader.next().unwrap().unwrap(), b"one");
        assert_eq!(reader.next().unwrap().unwrap(), b"two");
        assert_eq!(reader.offset(), whole.len() as u64);
        assert!(reader.next().unwrap().is_none());

        let mut reader = FrameReader::new(&whole[..whole.len() - 1]);
        reader.next().unwrap();
        let torn = reader.next().unwrap_err();
        assert!(matches!(
            torn,
            FrameError::Truncated {
                offset: 11,
                have: 10,
                need: 11
            }
        ));
        assert!(reader.next().unwrap().is_none());

        let mut damaged = whole.clone();
        damaged[8] ^= 1;
        let mut reader = FrameReader::new(&damaged[..]);
        let bad = reader.next().unwrap_err();
        assert!(matches!(
            bad,
            FrameError::Corrupt {
                offset: 0,
                length: 3
            }
        ));
        assert_eq!(reader.next().unwrap().unwrap(), b"two");

        let huge = [0xff_u8; 16];
        let too_long = FrameReader::new(&huge[..]).next().unwrap_err();
        assert!(matches!(too_long, FrameError::Oversized { offset: 0, .. }));
    }

    #[test]
    fn zeros_left_by_a_power_cut_are_not_frames() {
        let zeros = [0_u8; 64];
        let error = FrameReader::new(&zeros[..]).next().unwrap_err();
        assert!(matches!(error, FrameError::Corrupt { .. }));
    }

    #[test]
    fn a_payload_over_the_limit_is_refused_on_both_sides() {
        let big = vec![0_u8; MAX_PAYLOAD_BYTES + 1];
        assert!(encode_frame(&big).is_err());
        let header = frame_header(MAX_PAYLOAD_BYTES as u32 + 1, &big);
        let frame = [&header[..], &big].concat();
        let mut reader = FrameReader::new(&frame[..]);
        assert!(matches!(reader.next(), Err(FrameError::Oversized { .. })));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(payloads in prop::collection::vec(
            prop::collection::vec(any::<u8>(), 0..200), 0..8)) {
            let bytes = frames(&payloads);
            let mut reader = FrameReader::new(&bytes[..]);
            let mut back = Vec::new();
            while let Some(payload) = reader.next().unwrap() {
                back.push(payload);
            }
            prop_assert_eq!(back, payloads);
        }

        #[test]
        fn every_single_bit_flip_is_noticed(
            payload in prop::collection::vec(any::<u8>(), 0..64), at in any::<prop::sample::Index>()) {
            let mut bytes = frames(&[payload]);
            let bit = at.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(FrameReader::new(&bytes[..]).next().is_err());
        }
    }
}
