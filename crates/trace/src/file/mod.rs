//! `trace.dat`, the file of trace-cmd and KernelShark, which is ours too: read
//! in versions 6 and 7, written in version 6. trace-cmd.dat.v6(5),
//! trace-cmd.dat.v7(5).

mod compressed;
mod limits;
mod options;
mod reader;
mod sections;
mod v6;
mod write;

pub use limits::CPUS;
pub use write::write;

use crate::bytes::Order;
use crate::capture::Capture;
use crate::error::{Result, TraceError, ensure};
use crate::head::Head;
use crate::pages::CpuPages;
use compressed::Method;
use limits::Budget;
use reader::Reader;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// The first ten bytes.
const MAGIC: &[u8; 10] = b"\x17\x08\x44tracing";

/// A ring whose data a file holds: the whole machine's, or an instance's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Buffer {
    /// Empty: not an instance.
    name: String,
    /// Version 7: where the section of its data begins.
    section: u64,
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
    let file = files::input::open(path).map_err(TraceError::file("open", path))?;
    open_with(file, path, name)
}

/// As [`open`], of a regular file that is open already; `path` names it in errors.
///
/// # Errors
/// As [`open`].
pub fn open_file(file: File, path: &Path) -> Result<Capture> {
    open_with(file, path, None)
}

fn open_with(file: File, path: &Path, name: Option<&str>) -> Result<Capture> {
    let found = file.metadata().map_err(TraceError::file("open", path))?;
    let opened = Opened {
        file: Arc::new(file),
        length: found.len(),
        path,
        instance: name,
    };
    read(&opened).map_err(|error| match error {
        TraceError::Malformed { what, cause } => {
            TraceError::malformed(format!("{}: {what}", path.display()), cause)
        }
        other => other,
    })
}

/// An open file, the size that it had then, and what is wanted of it.
struct Opened<'a> {
    file: Arc<File>,
    length: u64,
    path: &'a Path,
    instance: Option<&'a str>,
}

fn read(opened: &Opened<'_>) -> Result<Capture> {
    let budget = Budget::description();
    let mut reader = Reader::of_file(&opened.file, opened.length, &budget);
    let magic: [u8; MAGIC.len()] = reader.few("its first bytes")?;
    ensure(magic == *MAGIC, "the file", || {
        "it is not a trace.dat: it does not start with 17 08 44 \"tracing\"".to_owned()
    })?;
    let version = reader.text("its version")?;
    let order = match reader.u8("its byte order")? {
        0 => Order::Little,
        1 => Order::Big,
        other => {
            let cause = format!("it is {other}, neither 0 (little) nor 1 (big)");
            return Err(TraceError::malformed("its byte order", cause));
        }
    };
    let long_bytes = reader.u8("its size of longs")?;
    ensure(matches!(long_bytes, 4 | 8), "its size of longs", || {
        format!("it is {long_bytes}, neither 4 nor 8")
    })?;
    reader.order = order;
    let page_bytes = reader.u32("its size of pages")?;
    let head = Head::empty(order, long_bytes, page_bytes);
    match version.as_str() {
        "6" => v6::read(opened, reader, head),
        "7" => sections::read(opened, reader, head),
        other => Err(TraceError::malformed(
            "its version",
            format!("it is {other:?}; 6 and 7 are known"),
        )),
    }
}

impl Buffer {
    fn called(&self) -> String {
        match self.name.is_empty() {
            true => OWN.to_owned(),
            false => self.name.clone(),
        }
    }

    /// Where data are compressed, a CPU without any has a count of 0 chunks.
    fn has_data(&self) -> bool {
        self.cpus.iter().any(|c| c.bytes > 4)
    }
}

/// A number of CPUs, or of one.
fn cpu_count(count: u32) -> Result<u32> {
    ensure(count <= CPUS, "number of CPUs", || {
        format!("it is {count}; {CPUS} are allowed")
    })?;
    Ok(count)
}

impl Opened<'_> {
    /// The ring to be read, with its own clock and pages.
    fn chosen<'b>(&self, buffers: &'b [Buffer]) -> Result<Option<&'b Buffer>> {
        let Some(name) = self.instance else {
            let with_data = buffers.iter().find(|b| b.has_data());
            return Ok(with_data.or_else(|| buffers.first()));
        };
        // An instance may have that name too, and then means itself.
        let by_name = buffers.iter().find(|b| b.name == name);
        let found = by_name.or_else(|| buffers.iter().find(|b| b.called() == name));
        let none = || TraceError::NoInstance {
            path: self.path.to_owned(),
            name: name.to_owned(),
            has: buffers.iter().map(Buffer::called).collect(),
        };
        found.ok_or_else(none).map(Some)
    }

    /// The pages of `buffer`, to be read from the file or decompressed into a temporary file.
    fn capture(
        &self,
        mut head: Head,
        buffers: &[Buffer],
        buffer: Option<&Buffer>,
        method: Option<Method>,
    ) -> Result<Capture> {
        let mut cpus = Vec::new();
        if let Some(buffer) = buffer {
            head.clock = buffer.clock.clone().or(head.clock);
            head.page_bytes = buffer.page_bytes.unwrap_or(head.page_bytes);
            self.check(&head, buffer)?;
            let packed = buffer.cpus.iter().map(|c| c.bytes).sum();
            let budget = Budget::unpacked(packed);
            let mut reader = Reader::of_file(&self.file, self.length, &budget);
            reader.order = head.order;
            for stretch in &buffer.cpus {
                cpus.push(match method {
                    None => self.pages(stretch),
                    Some(method) => compressed::pages(&reader, stretch, method, &budget)?,
                });
            }
        }
        let others = buffers
            .iter()
            .filter(|b| b.has_data() && Some(*b) != buffer);
        let mut capture = Capture::new(head, cpus)?;
        capture.other_rings = others.map(Buffer::called).collect();
        Ok(capture)
    }

    /// What the ring says of itself is possible, and the file has it.
    fn check(&self, head: &Head, buffer: &Buffer) -> Result<()> {
        const PAGE_SIZE: &str = "its size of pages";
        let (page_bytes, most) = (head.page_bytes, limits::PAGE_BYTES);
        ensure((64..=most).contains(&page_bytes), PAGE_SIZE, || {
            format!("it is {page_bytes}; 64 to {most} are allowed")
        })?;
        if let Some(Stretch { cpu, .. }) = buffer.cpus.iter().find(|c| c.cpu >= CPUS) {
            let cause = format!("it is {cpu}, not below {CPUS}");
            return Err(TraceError::malformed("number of a CPU", cause));
        }
        let cpus = buffer.cpus.len();
        let (at_once, most) = (
            u64::from(page_bytes) * cpus as u64,
            limits::PAGES_AT_ONCE_BYTES,
        );
        ensure(at_once <= most, PAGE_SIZE, || {
            format!(
                "{cpus} CPUs with pages of {page_bytes} bytes need {at_once} bytes of memory; {most} are allowed"
            )
        })?;
        for stretch in &buffer.cpus {
            self.check_place(stretch)?;
        }
        let mut sizes = buffer.cpus.iter().map(|c| c.bytes);
        let all = sizes.try_fold(0u64, u64::checked_add);
        ensure(
            all.is_some_and(|all| all <= self.length),
            "the pages of its CPUs",
            || {
                let length = self.length;
                format!("together they have more bytes than the file, {length}")
            },
        )
    }

    fn check_place(&self, stretch: &Stretch) -> Result<()> {
        let Stretch { cpu, offset, bytes } = stretch;
        let end = offset.checked_add(*bytes);
        ensure(
            *bytes == 0 || end.is_some_and(|end| end <= self.length),
            format!("the pages of CPU {cpu}"),
            || {
                let length = self.length;
                format!(
                    "they should be {bytes} bytes at {offset}, and the file has {length}: it is \
                     truncated"
                )
            },
        )
    }

    fn pages(&self, stretch: &Stretch) -> CpuPages {
        match stretch.bytes {
            0 => CpuPages::owned(stretch.cpu, Vec::new()),
            bytes => CpuPages::of_file(stretch.cpu, &self.file, stretch.offset, bytes),
        }
    }
}

#[cfg(test)]
mod limits_tests;
#[cfg(test)]
mod sections_tests;
#[cfg(test)]
mod tests;
