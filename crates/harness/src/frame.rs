//! Frames of a byte stream: length (u32, little endian), CRC-32 of the
//! payload (u32, little endian), payload. A writer that dies leaves a frame
//! that is short or whose sum does not match, never one that reads wrong.

use std::io::{self, Read, Write};

/// Longer frames are taken for damage: no job or point comes near.
const LARGEST_BYTES: u32 = 256 << 20;

/// Writes one frame and flushes.
///
/// # Errors
/// As the writer; a payload over 256 MiB is `InvalidInput`.
pub fn write_frame(out: &mut impl Write, payload: &[u8]) -> io::Result<()> {
    let length = u32::try_from(payload.len())
        .ok()
        .filter(|n| *n <= LARGEST_BYTES)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "frame over 256 MiB"))?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&crc32fast::hash(payload).to_le_bytes())?;
    out.write_all(payload)?;
    out.flush()
}

/// Reads one frame; `None` at the end of the stream.
///
/// # Errors
/// As the reader; `UnexpectedEof` inside a frame, `InvalidData` for a length
/// or a sum that cannot be.
pub fn read_frame(input: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut head = [0u8; 8];
    if !fill_or_end(input, &mut head)? {
        return Ok(None);
    }
    let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
    let sum = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
    if length > LARGEST_BYTES {
        return Err(damaged(&format!("frame of {length} bytes")));
    }
    let mut payload = vec![0; length as usize];
    input.read_exact(&mut payload)?;
    if crc32fast::hash(&payload) != sum {
        return Err(damaged("frame with a wrong checksum"));
    }
    Ok(Some(payload))
}

/// False when the stream ends before the first byte.
fn fill_or_end(input: &mut impl Read, head: &mut [u8]) -> io::Result<bool> {
    loop {
        match input.read(&mut head[..1]) {
            Ok(0) => return Ok(false),
            Ok(_) => break,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    input.read_exact(&mut head[1..])?;
    Ok(true)
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(payloads: &[&[u8]]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for payload in payloads {
            write_frame(&mut bytes, payload).unwrap();
        }
        bytes
    }

    #[test]
    fn frames_come_back_in_order() {
        let bytes = framed(&[b"one", b"", b"three"]);
        let mut input = &bytes[..];
        assert_eq!(read_frame(&mut input).unwrap().unwrap(), b"one");
        assert_eq!(read_frame(&mut input).unwrap().unwrap(), b"");
        assert_eq!(read_frame(&mut input).unwrap().unwrap(), b"three");
        assert!(read_frame(&mut input).unwrap().is_none());
    }

    #[test]
    fn a_cut_or_flipped_frame_is_an_error_at_every_byte() {
        let whole = framed(&[b"payload"]);
        for end in 1..whole.len() {
            assert!(read_frame(&mut &whole[..end]).is_err(), "cut at {end}");
        }
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x40;
            assert!(read_frame(&mut &bytes[..]).is_err(), "flipped at {at}");
        }
    }
}
