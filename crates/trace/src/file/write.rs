//! Writing version 6, the one that every trace-cmd and KernelShark reads.

use super::limits::CPUS;
use super::{MAGIC, options};
use crate::bytes::Order;
use crate::head::{Head, System};
use std::io::{self, Read, Seek, Write};

/// Pages of one CPU that are to be written.
pub type Source<'a> = (u32, &'a mut dyn Read);

/// Writes a whole file. A CPU that has no pages is written with none, so that
/// numbers of CPUs stay what they are.
///
/// # Errors
/// As writing and as reading the pages; `InvalidInput` for the number of a CPU that
/// no reader takes.
pub fn write(out: &mut (impl Write + Seek), head: &Head, cpus: Vec<Source<'_>>) -> io::Result<()> {
    let count = cpu_count(&cpus)?;
    let mut text = Text {
        bytes: Vec::new(),
        order: head.order,
    };
    text.head(head, count);
    out.write_all(&text.bytes)?;
    // Filled in when the sizes are known.
    let table_at = text.bytes.len() as u64;
    let mut table = vec![(0u64, 0u64); count as usize];
    out.write_all(&vec![0; 16 * table.len()])?;
    let page = u64::from(head.page_bytes.max(1));
    for (cpu, pages) in cpus {
        let at = out.stream_position()?.next_multiple_of(page);
        out.seek(io::SeekFrom::Start(at))?;
        let bytes = io::copy(pages, out)?;
        table[cpu as usize] = (at, bytes);
    }
    let end = out.stream_position()?;
    out.seek(io::SeekFrom::Start(table_at))?;
    for (at, bytes) in table {
        // A CPU without pages has a place all the same.
        let at = if at == 0 { end } else { at };
        out.write_all(&head.order.of_u64(at))?;
        out.write_all(&head.order.of_u64(bytes))?;
    }
    out.seek(io::SeekFrom::Start(end))?;
    Ok(())
}

/// One more than the largest number.
fn cpu_count(cpus: &[Source<'_>]) -> io::Result<u32> {
    let count = cpus.iter().map(|(cpu, _)| cpu.saturating_add(1)).max();
    let count = count.unwrap_or(0);
    match count <= CPUS {
        true => Ok(count),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!(
                "CPU {} cannot be written: numbers must be below {CPUS}",
                count - 1
            ),
        )),
    }
}

struct Text {
    bytes: Vec<u8>,
    order: Order,
}

impl Text {
    fn u16(&mut self, value: u16) {
        self.bytes.extend(self.order.of_u16(value));
    }

    fn u32(&mut self, value: usize) {
        let value = u32::try_from(value).unwrap_or(u32::MAX);
        self.bytes.extend(self.order.of_u32(value));
    }

    fn text(&mut self, text: &str) {
        self.bytes.extend(text.as_bytes());
    }

    /// Behind its length, a number of 8 bytes.
    fn long_text(&mut self, text: &str) {
        self.bytes.extend(self.order.of_u64(text.len() as u64));
        self.text(text);
    }

    fn terminated(&mut self, text: &str) {
        self.text(text);
        self.bytes.push(0);
    }

    fn option(&mut self, id: u16, bytes: &[u8]) {
        self.u16(id);
        self.u32(bytes.len());
        self.bytes.extend(bytes);
    }

    fn text_option(&mut self, id: u16, text: &str) {
        let bytes: Vec<u8> = text.bytes().chain([0]).collect();
        self.option(id, &bytes);
    }

    fn head(&mut self, head: &Head, cpus: u32) {
        self.bytes.extend(MAGIC);
        self.terminated("6");
        self.bytes.push(u8::from(head.order == Order::Big));
        self.bytes.push(head.long_bytes);
        self.u32(head.page_bytes as usize);
        self.terminated("header_page");
        self.long_text(&head.header_page);
        self.terminated("header_event");
        self.long_text(&head.header_event);
        let (ftrace, systems): (Vec<&System>, Vec<&System>) =
            head.systems.iter().partition(|s| s.name == "ftrace");
        self.u32(ftrace.iter().map(|s| s.formats.len()).sum());
        for system in ftrace {
            system.formats.iter().for_each(|text| self.long_text(text));
        }
        self.u32(systems.len());
        for system in systems {
            self.terminated(&system.name);
            self.u32(system.formats.len());
            system.formats.iter().for_each(|text| self.long_text(text));
        }
        for text in [&head.kallsyms, &head.printk_formats] {
            self.u32(text.len());
            self.text(text);
        }
        self.long_text(&head.comms);
        self.u32(cpus as usize);
        self.options(head);
        self.terminated("flyrecord");
    }

    fn options(&mut self, head: &Head) {
        self.text("options  \0");
        for stat in &head.cpu_stats {
            self.text_option(options::CPUSTAT, &stat.text);
        }
        if let Some(clock) = &head.clock {
            // As in the file trace_clock, which readers look for brackets in.
            self.text_option(options::TRACECLOCK, &format!("[{clock}]"));
        }
        if let Some(uname) = &head.uname {
            self.text_option(options::UNAME, uname);
        }
        if head.offset_ns != 0 {
            self.text_option(options::OFFSET, &head.offset_ns.to_string());
        }
        if let Some(scale) = head.scale {
            let mut bytes = self.order.of_u32(scale.mult).to_vec();
            bytes.extend(self.order.of_u32(scale.shift));
            bytes.extend(self.order.of_u64(scale.offset));
            self.option(options::TSC2NSEC, &bytes);
        }
        if head.writer.is_some() || !head.notes.is_empty() {
            let mut text = head.writer.clone().unwrap_or_default();
            for note in &head.notes {
                text.push('\n');
                text.push_str(note);
            }
            self.text_option(options::VERSION, &text);
        }
        self.u16(options::DONE);
    }
}
