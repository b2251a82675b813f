//! Options of both versions: what was known when the file was written.

use super::Buffer;
use super::reader::Reader;
use crate::error::Result;
use crate::head::{CpuStat, Head, TimeScale};
use crate::width::narrow;

// Numbers of options as trace-cmd writes them: TRACECMD_OPTION_* in its
// trace-cmd-private.h.
/// No option follows.
pub const DONE: u16 = 0;
/// Statistics of a CPU's ring, as text.
pub const CPUSTAT: u16 = 2;
/// The ring of an instance.
pub const BUFFER: u16 = 3;
/// Name of the clock.
pub const TRACECLOCK: u16 = 4;
/// What uname(2) returned.
pub const UNAME: u16 = 5;
/// Nanoseconds to add to all times.
pub const OFFSET: u16 = 7;
/// Number of CPUs.
pub const CPUCOUNT: u16 = 8;
/// Version of the recorder.
pub const VERSION: u16 = 9;
/// How counts of the TSC become nanoseconds.
pub const TSC2NSEC: u16 = 14;
/// Where the formats of pages are.
pub const HEADER_INFO: u16 = 16;
/// Where the names of tasks are.
pub const CMDLINES: u16 = 21;

/// How options end: nothing behind the last one, or where the next ones are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Version 6.
    Bare,
    /// Version 7.
    Next,
}

/// What options say about places in the file.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// Version 6: offset and name of instances.
    pub instances: Vec<(u64, String)>,
    pub cpu_count: Option<u32>,
    /// Version 7.
    pub buffers: Vec<Buffer>,
    /// Version 7: ID of an option of a section, and where that begins.
    pub sections: Vec<(u16, u64)>,
}

/// Reads options up to their end; where the next ones are (version 7, 0: no more).
pub fn read(reader: &mut Reader<'_>, head: &mut Head, found: &mut Found, end: End) -> Result<u64> {
    loop {
        let id = reader.u16("an option")?;
        if id == DONE {
            if end == End::Bare {
                return Ok(0);
            }
            reader.u32("size of an option")?;
            return reader.u64("place of more options");
        }
        let size = reader.u32("size of an option")?;
        let bytes = reader.bytes("an option", size.into())?;
        let mut option = Reader::of_bytes(&bytes, reader.order, reader.budget);
        take(id, &mut option, &bytes, head, found, end)?;
    }
}

fn take(
    id: u16,
    option: &mut Reader<'_>,
    bytes: &[u8],
    head: &mut Head,
    found: &mut Found,
    end: End,
) -> Result<()> {
    let text = || {
        let text = String::from_utf8_lossy(bytes);
        text.trim_end_matches('\0').to_owned()
    };
    match id {
        CPUSTAT => head.cpu_stats.push(cpu_stat(text(), head.cpu_stats.len())),
        TRACECLOCK => head.clock = Some(clock(&text())),
        UNAME => head.uname = Some(text()),
        OFFSET => head.offset_ns = text().trim().parse().unwrap_or(0),
        CPUCOUNT => found.cpu_count = Some(super::cpu_count(option.u32("number of CPUs")?)?),
        VERSION => {
            let text = text();
            let count = text.lines().count() as u64;
            option
                .budget
                .parts("lines of the writer's version", count)?;
            let mut lines = text.lines();
            head.writer = lines.next().map(str::to_owned);
            head.notes.extend(lines.map(str::to_owned));
        }
        TSC2NSEC => {
            head.scale = Some(TimeScale {
                mult: option.u32("scale of time")?,
                shift: option.u32("scale of time")?,
                offset: option.u64("scale of time")?,
            });
        }
        BUFFER if end == End::Bare => {
            let offset = option.u64("place of an instance")?;
            found
                .instances
                .push((offset, option.text("name of an instance")?));
        }
        BUFFER => found.buffers.push(buffer(option)?),
        HEADER_INFO..=CMDLINES => {
            found.sections.push((id, option.u64("place of a section")?));
        }
        _ => {}
    }
    Ok(())
}

/// `[local] global counter` -> `local`; a single word is itself.
fn clock(text: &str) -> String {
    let behind = text.split_once('[').map(|(_, behind)| behind);
    let chosen = behind.and_then(|behind| behind.split_once(']'));
    chosen.map_or(text.trim(), |(clock, _)| clock).to_owned()
}

fn cpu_stat(text: String, index: usize) -> CpuStat {
    let number = text
        .lines()
        .find_map(|l| l.strip_prefix("CPU:")?.trim().parse().ok());
    CpuStat {
        cpu: number.unwrap_or_else(|| narrow(index)),
        text,
    }
}

fn buffer(option: &mut Reader<'_>) -> Result<Buffer> {
    let section = option.u64("place of a ring's data")?;
    let name = option.text("name of a ring")?;
    let clock = option.text("clock of a ring")?;
    let page_bytes = option.u32("size of a ring's pages")?;
    let count = super::cpu_count(option.u32("number of CPUs")?)?;
    let mut stretch = |_| {
        let cpu = option.u32("a CPU")?;
        option.stretch(cpu)
    };
    Ok(Buffer {
        name,
        section,
        clock: (!clock.is_empty()).then_some(clock),
        page_bytes: Some(page_bytes),
        cpus: (0..count).map(&mut stretch).collect::<Result<_>>()?,
    })
}
