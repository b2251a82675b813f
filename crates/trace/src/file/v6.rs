//! Version 6: one part behind the other.

use super::options::{self, Found};
use super::reader::Reader;
use super::{Buffer, Opened, Stretch, cpu_count};
use crate::capture::Capture;
use crate::error::{Result, ensure};
use crate::head::{Head, System};

/// What data may be, ten bytes each.
const OPTIONS: &[u8; 10] = b"options  \0";
const LATENCY: &[u8; 10] = b"latency  \0";
const FLYRECORD: &[u8; 10] = b"flyrecord\0";

/// Reads a file of version 6, which has its parts in one order.
pub fn read(opened: &Opened<'_>, mut reader: Reader<'_>, mut head: Head) -> Result<Capture> {
    headers(&mut reader, &mut head)?;
    ftrace_formats(&mut reader, &mut head)?;
    event_formats(&mut reader, &mut head)?;
    head.kallsyms = reader.sized_lines("kallsyms", 4)?;
    head.printk_formats = reader.sized_lines("printk formats", 4)?;
    head.comms = reader.sized_lines("names of tasks", 8)?;
    let cpus = cpu_count(reader.u32("number of CPUs")?)?;
    let mut found = Found::default();
    let mut kind = reader.few("kind of data")?;
    if kind == *OPTIONS {
        options::read(&mut reader, &mut head, &mut found, options::End::Bare)?;
        kind = reader.few("kind of data")?;
    }
    let mut buffers = vec![Buffer {
        cpus: data(&mut reader, &kind, cpus)?,
        ..Buffer::default()
    }];
    for (offset, name) in &found.instances {
        let mut there = reader.elsewhere("an instance", *offset)?;
        let kind = there.few("kind of data")?;
        let cpus = found.cpu_count.unwrap_or(cpus);
        buffers.push(Buffer {
            name: name.clone(),
            cpus: data(&mut there, &kind, cpus)?,
            ..Buffer::default()
        });
    }
    opened.capture(head, &buffers, opened.chosen(&buffers)?, None)
}

/// `header_page` and `header_event`.
pub fn headers(reader: &mut Reader<'_>, head: &mut Head) -> Result<()> {
    reader.expect(b"header_page\0")?;
    head.header_page = reader.sized_text("header_page", 8)?;
    reader.expect(b"header_event\0")?;
    head.header_event = reader.sized_text("header_event", 8)?;
    Ok(())
}

/// Reads the formats of the tracer's own events.
pub fn ftrace_formats(reader: &mut Reader<'_>, head: &mut Head) -> Result<()> {
    let count = reader.u32("number of ftrace formats")?;
    let formats = formats(reader, "ftrace", count)?;
    if !formats.is_empty() {
        head.systems.push(System {
            name: "ftrace".to_owned(),
            formats,
        });
    }
    Ok(())
}

/// Reads the formats of all other events.
pub fn event_formats(reader: &mut Reader<'_>, head: &mut Head) -> Result<()> {
    let systems = reader.u32("number of event systems")?;
    for _ in 0..systems {
        reader.budget.parts("number of event systems", 1)?;
        let name = reader.text("name of an event system")?;
        let count = reader.u32("number of events of a system")?;
        let formats = formats(reader, &name, count)?;
        head.systems.push(System { name, formats });
    }
    Ok(())
}

fn formats(reader: &mut Reader<'_>, system: &str, count: u32) -> Result<Vec<String>> {
    let what = format!("format of an event of {system}");
    (0..count).map(|_| reader.sized_text(&what, 8)).collect()
}

fn data(reader: &mut Reader<'_>, kind: &[u8; 10], cpus: u32) -> Result<Vec<Stretch>> {
    ensure(kind != LATENCY, "the data", || {
        "it is the text output of a latency tracer, not events".to_owned()
    })?;
    ensure(kind == FLYRECORD, "kind of data", || {
        format!("it is {:?}", String::from_utf8_lossy(kind))
    })?;
    // Of each ring anew, which may all lie in the same place of the file.
    reader.budget.parts("places of CPUs' pages", cpus.into())?;
    (0..cpus).map(|cpu| reader.stretch(cpu)).collect()
}
