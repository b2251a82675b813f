//! `trace.dat`, the file of trace-cmd and KernelShark, which is ours too: read
//! in versions 6 and 7, written in version 6. trace-cmd.dat.v6(5),
//! trace-cmd.dat.v7(5).

mod compressed;
mod options;
mod reader;
mod sections;
mod v6;
mod write;

pub use write::write;

use crate::bytes::Order;
use crate::capture::{Capture, CpuPages};
use crate::error::{Result, TraceError};
use crate::head::Head;
use compressed::Method;
use memmap2::Mmap;
use reader::Reader;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The first ten bytes.
const MAGIC: &[u8; 10] = b"\x17\x08\x44tracing";

/// A ring whose data a file holds: the whole machine's, or an instance's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Buffer {
    /// Empty: not an instance.
    name: String,
    clock: Option<String>,
    page_bytes: Option<u32>,
    cpus: Vec<Stretch>,
}

/// Where one CPU's pages lie in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stretch {
    cpu: u32,
    offset: u64,
    bytes: u64,
}

/// Opens a trace.dat. Where it holds several rings the first one with events is
/// taken: the machine's own, else an instance's.
///
/// # Errors
/// A file that is none, that is cut, or that has descriptions which cannot be
/// understood.
pub fn open(path: &Path) -> Result<Capture> {
    open_instance(path, None)
}

/// What the machine's own ring is called among the instances.
pub const OWN: &str = "top";

/// Opens the ring of the instance `name`, [`OWN`] for the machine's own one;
/// None: as [`open`].
///
/// # Errors
/// As [`open`]; an instance that the file does not have.
pub fn open_instance(path: &Path, name: Option<&str>) -> Result<Capture> {
    let file = File::open(path).map_err(TraceError::file("open", path))?;
    // SAFETY: the file is only read. Should somebody cut it meanwhile, reading
    // ends in SIGBUS, as with every mapped file; nothing of ours is changed.
    let mapped = unsafe { Mmap::map(&file) }.map_err(TraceError::file("map", path))?;
    let named = |error: TraceError| match error {
        TraceError::Malformed { what, cause } => {
            TraceError::malformed(format!("{}: {what}", path.display()), cause)
        }
        TraceError::NoInstance { name, has, .. } => TraceError::NoInstance {
            path: path.to_owned(),
            name,
            has,
        },
        other => other,
    };
    read(Arc::new(mapped), name).map_err(named)
}

fn read(file: Arc<Mmap>, instance: Option<&str>) -> Result<Capture> {
    let mut reader = Reader::new(&file, Order::Little);
    let magic = reader.bytes("its first bytes", MAGIC.len())?;
    if magic != MAGIC {
        return Err(TraceError::malformed(
            "the file",
            "it is no trace.dat: it does not begin with 17 08 44 \"tracing\"",
        ));
    }
    let version = reader.text("its version")?;
    let order = match reader.u8("its byte order")? {
        0 => Order::Little,
        1 => Order::Big,
        other => {
            return Err(TraceError::malformed(
                "its byte order",
                format!("it is {other}, neither 0 (little) nor 1 (big)"),
            ));
        }
    };
    let long_bytes = reader.u8("its size of longs")?;
    if !matches!(long_bytes, 4 | 8) {
        return Err(TraceError::malformed(
            "its size of longs",
            format!("it is {long_bytes}, neither 4 nor 8"),
        ));
    }
    reader.order = order;
    let page_bytes = reader.u32("its size of pages")?;
    let head = Head::empty(order, long_bytes, page_bytes);
    match version.as_str() {
        "6" => v6::read(&file, reader, head, instance),
        "7" => sections::read(&file, reader, head, instance),
        other => Err(TraceError::malformed(
            "its version",
            format!("it is {other:?}; 6 and 7 are known"),
        )),
    }
}

/// The ring to be read, with its own clock and pages.
fn chosen<'a>(buffers: &'a [Buffer], instance: Option<&str>) -> Result<Option<&'a Buffer>> {
    let Some(name) = instance else {
        return Ok(first(buffers));
    };
    let called = |buffer: &Buffer| match buffer.name.is_empty() {
        true => OWN.to_owned(),
        false => buffer.name.clone(),
    };
    // An instance may have that name too, and then means itself.
    let by_name = buffers.iter().find(|b| b.name == name);
    let found = by_name.or_else(|| buffers.iter().find(|b| called(b) == name));
    match found {
        Some(buffer) => Ok(Some(buffer)),
        None => Err(TraceError::NoInstance {
            path: PathBuf::new(),
            name: name.to_owned(),
            has: buffers.iter().map(called).collect(),
        }),
    }
}

fn first(buffers: &[Buffer]) -> Option<&Buffer> {
    // Where data are compressed, a CPU without any has a count of 0 chunks.
    let has_data = |b: &&Buffer| b.cpus.iter().any(|c| c.bytes > 4);
    buffers.iter().find(has_data).or_else(|| buffers.first())
}

/// Maps the pages of `buffer`.
fn capture(
    file: &Arc<Mmap>,
    mut head: Head,
    buffer: Option<&Buffer>,
    method: Option<Method>,
) -> Result<Capture> {
    let mut cpus = Vec::new();
    if let Some(buffer) = buffer {
        head.clock = buffer.clock.clone().or(head.clock);
        head.page_bytes = buffer.page_bytes.unwrap_or(head.page_bytes);
        if !(64..=1 << 26).contains(&head.page_bytes) {
            return Err(TraceError::malformed(
                "its size of pages",
                format!("it is {}", head.page_bytes),
            ));
        }
        for stretch in &buffer.cpus {
            cpus.push(match method {
                None => pages(file, stretch)?,
                Some(method) => compressed::pages(&Reader::new(file, head.order), stretch, method)?,
            });
        }
    }
    Capture::new(head, cpus)
}

fn pages(file: &Arc<Mmap>, stretch: &Stretch) -> Result<CpuPages> {
    if stretch.bytes == 0 {
        return Ok(CpuPages::owned(stretch.cpu, Vec::new()));
    }
    let begin = usize::try_from(stretch.offset).ok();
    let length = usize::try_from(stretch.bytes).ok();
    let range = begin
        .zip(length)
        .and_then(|(b, l)| Some(b..b.checked_add(l)?));
    let mapped = range.and_then(|range| CpuPages::mapped(stretch.cpu, file, range));
    mapped.ok_or_else(|| {
        TraceError::malformed(
            format!("the pages of CPU {}", stretch.cpu),
            format!(
                "they should be {} bytes at {}, and the file has {}: it is cut",
                stretch.bytes,
                stretch.offset,
                file.len()
            ),
        )
    })
}

#[cfg(test)]
mod sections_tests;
#[cfg(test)]
mod tests;
