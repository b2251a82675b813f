//! Compressed parts of a file of version 7: whole sections, and each CPU's pages
//! in chunks. They are decompressed as a stream that ends at the size which they
//! say, and that size is held against what is allowed first.

use super::Stretch;
use super::limits::{Budget, FREE_BYTES, RATIO};
use super::reader::Reader;
use crate::error::{Result, TraceError, ensure};
use crate::pages::CpuPages;
use std::io::{self, BufWriter, Read, Write};
use std::sync::Arc;

/// How sections are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Zlib,
    Zstd,
}

impl Method {
    /// The method of a name in a file.
    ///
    /// # Errors
    /// The name is not known here.
    pub fn named(name: &str) -> Result<Method> {
        match name {
            "zlib" => Ok(Method::Zlib),
            "zstd" => Ok(Method::Zstd),
            _ => Err(TraceError::malformed(
                "its data",
                format!(
                    "they are compressed by {name}; to convert: trace-cmd convert -i FILE -o NEW \
                     --compression none"
                ),
            )),
        }
    }
}

/// A section's bytes, from behind its head.
pub fn section(reader: &mut Reader<'_>, what: &str, method: Method) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    chunk(reader, what, method, reader.budget, &mut bytes)?;
    Ok(bytes)
}

/// Two sizes and the compressed bytes; how many come out. What comes out counts
/// against `budget`.
fn chunk(
    reader: &mut Reader<'_>,
    what: &str,
    method: Method,
    budget: &Budget,
    out: &mut impl Write,
) -> Result<u64> {
    let packed = u64::from(reader.u32("size of compressed data")?);
    let size = u64::from(reader.u32("size of data")?);
    let malformed = |cause: String| TraceError::malformed(what, cause);
    let stream = reader.stream(what, packed)?;
    let allowed = packed.saturating_mul(RATIO).max(FREE_BYTES);
    ensure(size <= allowed, what, || {
        format!(
            "its {packed} bytes should become {size}; at most {allowed} are allowed, {RATIO} \
             times as many"
        )
    })?;
    budget.take(what, size)?;
    // One byte more than there should be, to see that there is none.
    let copied = match method {
        Method::Zlib => {
            let decoder = flate2::bufread::ZlibDecoder::new(stream);
            io::copy(&mut decoder.take(size + 1), out)
        }
        Method::Zstd => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(stream);
            let decoder = decoder.map_err(|e| malformed(format!("it is not zstd data: {e}")))?;
            io::copy(&mut decoder.take(size + 1), out)
        }
    };
    let bytes = copied.map_err(|e| malformed(format!("it cannot be decompressed: {e}")))?;
    ensure(bytes == size, what, || {
        let more = if bytes > size { "more than " } else { "" };
        let bytes = bytes.min(size);
        format!("{more}{bytes} bytes come out of it, and it says {size}")
    })?;
    Ok(size)
}

/// A CPU's pages, decompressed into a file without a name, of which memory holds
/// what is looked at. They count against `budget`, which is the whole ring's.
pub fn pages(
    reader: &Reader<'_>,
    stretch: &Stretch,
    method: Method,
    budget: &Budget,
) -> Result<CpuPages> {
    if stretch.bytes == 0 {
        return Ok(CpuPages::owned(stretch.cpu, Vec::new()));
    }
    let what = format!("the pages of CPU {}", stretch.cpu);
    let mut reader = reader.elsewhere(&what, stretch.offset)?;
    let folder = std::env::temp_dir();
    let file = |verb| TraceError::file(verb, &folder);
    let chunks = reader.u32(&what)?;
    if chunks == 0 {
        return Ok(CpuPages::owned(stretch.cpu, Vec::new()));
    }
    let unpacked = tempfile::tempfile().map_err(file("create a file in"))?;
    let mut out = BufWriter::new(&unpacked);
    let mut length = 0;
    for _ in 0..chunks {
        length += chunk(&mut reader, &what, method, budget, &mut out)?;
    }
    out.flush().map_err(file("write a file in"))?;
    drop(out);
    let unpacked = Arc::new(unpacked);
    Ok(CpuPages::of_file(stretch.cpu, &unpacked, 0, length))
}
