//! Compressed parts of a file of version 7: whole sections, and each CPU's pages
//! in chunks.

use super::Stretch;
use super::reader::Reader;
use crate::capture::CpuPages;
use crate::error::{Result, TraceError};
use memmap2::Mmap;
use std::io::{Read, Write};
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Zlib,
    Zstd,
}

impl Method {
    pub fn of(name: &str) -> Result<Method> {
        match name {
            "zlib" => Ok(Method::Zlib),
            "zstd" => Ok(Method::Zstd),
            _ => Err(TraceError::malformed(
                "its data",
                format!(
                    "they are compressed by {name}; trace-cmd convert -i FILE -o NEW --compression none makes a file that is not"
                ),
            )),
        }
    }
}

/// A section's bytes, from behind its head.
pub fn section(reader: &mut Reader<'_>, method: Method) -> Result<Vec<u8>> {
    chunk(reader, "a section", method)
}

/// Two sizes and the compressed bytes.
fn chunk(reader: &mut Reader<'_>, what: &str, method: Method) -> Result<Vec<u8>> {
    let packed = reader.u32("size of compressed data")? as usize;
    let size = u64::from(reader.u32("size of data")?);
    let packed = reader.bytes(what, packed)?;
    let malformed = |cause: String| TraceError::malformed(what, cause);
    let mut bytes = Vec::new();
    // One byte more than there should be, to see that there is none.
    let read = match method {
        Method::Zlib => {
            let decoder = flate2::read::ZlibDecoder::new(packed);
            decoder.take(size + 1).read_to_end(&mut bytes)
        }
        Method::Zstd => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(packed);
            let decoder = decoder.map_err(|e| malformed(format!("it is no zstd: {e}")))?;
            decoder.take(size + 1).read_to_end(&mut bytes)
        }
    };
    read.map_err(|e| malformed(format!("it cannot be decompressed: {e}")))?;
    match bytes.len() as u64 == size {
        true => Ok(bytes),
        false => Err(malformed(format!(
            "{} bytes come out of it, and it says {size}",
            bytes.len()
        ))),
    }
}

/// A CPU's pages, decompressed into a file without name: memory holds a chunk,
/// and of the rest what is looked at.
pub fn pages(reader: &Reader<'_>, stretch: &Stretch, method: Method) -> Result<CpuPages> {
    if stretch.bytes == 0 {
        return Ok(CpuPages::owned(stretch.cpu, Vec::new()));
    }
    let what = format!("the pages of CPU {}", stretch.cpu);
    let mut reader = reader.elsewhere(&what, stretch.offset)?;
    let folder = std::env::temp_dir();
    let file = |verb| TraceError::file(verb, &folder);
    let mut unpacked = tempfile::tempfile().map_err(file("create a file in"))?;
    let chunks = reader.u32(&what)?;
    let mut length = 0;
    for _ in 0..chunks {
        let bytes = chunk(&mut reader, &what, method)?;
        unpacked
            .write_all(&bytes)
            .map_err(file("write a file in"))?;
        length += bytes.len();
    }
    if length == 0 {
        return Ok(CpuPages::owned(stretch.cpu, Vec::new()));
    }
    // SAFETY: nobody else knows the file; it stays as it is.
    let mapped = unsafe { Mmap::map(&unpacked) }.map_err(file("map a file in"))?;
    let pages = CpuPages::mapped(stretch.cpu, &Arc::new(mapped), 0..length);
    pages.ok_or_else(|| TraceError::malformed(what, "their file is shorter than was written"))
}
