//! Version 7: sections anywhere, found through options.

use super::compressed::{self, Method};
use super::options::{self, End, Found};
use super::reader::Reader;
use super::{Opened, v6};
use crate::capture::Capture;
use crate::error::{Result, ensure};
use crate::head::Head;

/// A section's flag: its bytes are compressed.
const COMPRESSED: u16 = 1;
// Numbers of sections: the same list as that of options.
const OPTIONS: u16 = 0;
const FTRACE_EVENTS: u16 = 17;
const EVENT_FORMATS: u16 = 18;
const KALLSYMS: u16 = 19;
const PRINTK: u16 = 20;

struct Section {
    id: u16,
    compressed: bool,
    bytes: u64,
}

/// Reads a file of version 7, which has sections.
pub fn read(opened: &Opened<'_>, mut reader: Reader<'_>, mut head: Head) -> Result<Capture> {
    let method = reader.text("its compression")?;
    reader.text("version of its compression")?;
    let mut found = Found::default();
    let mut next = reader.u64("place of its options")?;
    // Each options section lies behind the one before; that no file can go round.
    let mut last = 0;
    while next > last {
        last = next;
        let mut there = reader.elsewhere("its options", next)?;
        let section = section(&mut there)?;
        ensure(section.id == OPTIONS, "its options", || {
            format!("found section {} instead", section.id)
        })?;
        let bytes = contents(&mut there, &section, &method)?;
        next = options::read(
            &mut Reader::of_bytes(&bytes, reader.order, reader.budget),
            &mut head,
            &mut found,
            End::Next,
        )?;
    }
    for (id, offset) in &found.sections {
        describe(&reader, *id, *offset, &method, &mut head)?;
    }
    let buffer = opened.chosen(&found.buffers)?;
    let compressed = match buffer {
        None => false,
        Some(buffer) => {
            let mut there = reader.elsewhere("the section of the data", buffer.section)?;
            section(&mut there)?.compressed
        }
    };
    let method = compressed.then(|| Method::named(&method)).transpose()?;
    opened.capture(head, &found.buffers, buffer, method)
}

fn section(reader: &mut Reader<'_>) -> Result<Section> {
    let id = reader.u16("a section")?;
    let compressed = reader.u16("flags of a section")? & COMPRESSED != 0;
    reader.u32("name of a section")?;
    let bytes = reader.u64("size of a section")?;
    Ok(Section {
        id,
        compressed,
        bytes,
    })
}

fn contents(reader: &mut Reader<'_>, section: &Section, method: &str) -> Result<Vec<u8>> {
    let what = name(section.id);
    match section.compressed {
        true => compressed::section(reader, &what, Method::named(method)?),
        false => reader.bytes(&what, section.bytes),
    }
}

fn name(id: u16) -> String {
    let known = match id {
        OPTIONS => "options",
        options::HEADER_INFO => "header info",
        FTRACE_EVENTS => "ftrace formats",
        EVENT_FORMATS => "event formats",
        KALLSYMS => "kallsyms",
        PRINTK => "printk formats",
        options::CMDLINES => "names of tasks",
        _ => return format!("section {id}"),
    };
    format!("section {id} ({known})")
}

fn describe(
    reader: &Reader<'_>,
    id: u16,
    offset: u64,
    method: &str,
    head: &mut Head,
) -> Result<()> {
    let mut there = reader.elsewhere("a section", offset)?;
    let section = section(&mut there)?;
    let bytes = contents(&mut there, &section, method)?;
    let mut reader = Reader::of_bytes(&bytes, reader.order, reader.budget);
    match id {
        options::HEADER_INFO => v6::headers(&mut reader, head)?,
        FTRACE_EVENTS => v6::ftrace_formats(&mut reader, head)?,
        EVENT_FORMATS => v6::event_formats(&mut reader, head)?,
        KALLSYMS => head.kallsyms = reader.sized_lines("kallsyms", 4)?,
        PRINTK => head.printk_formats = reader.sized_lines("printk formats", 4)?,
        options::CMDLINES => head.comms = reader.sized_lines("names of tasks", 8)?,
        _ => {}
    }
    Ok(())
}
