//! JSON of chrome://tracing, written as the events come: slices of each CPU and
//! of each task, interrupts, everything else as instants.
//!
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>
//! (Trace Event Format).

mod slices;

use crate::bytes::Order;
use crate::capture::Capture;
use crate::page::{Event, Item, Lost};
use crate::print::Printer;
use crate::select::Selection;
use crate::text::quote;
use slices::{Interrupts, Switches};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Lanes stand in groups, which Chrome calls processes.
const CPUS: u32 = 1;
const TASKS: u32 = 2;
const INTERRUPTS: u32 = 3;

/// Written when so much has come together.
const BUFFER_BYTES: usize = 1 << 16;

/// Writes the selected part. `damaged` is called for each place that cannot be
/// read.
///
/// # Errors
/// As writing.
pub fn write(
    capture: &Capture,
    selection: &Selection,
    out: &mut impl Write,
    mut damaged: impl FnMut(crate::TraceError),
) -> io::Result<()> {
    let mut page = Page::new(capture);
    page.heading(selection);
    let mut items = capture.selected(selection);
    while let Some(item) = items.next() {
        match item {
            Err(error) => damaged(error),
            Ok(Item::Event(event)) => page.event(&event),
            Ok(Item::Lost(lost)) => page.lost(&lost),
        }
        if page.text.len() >= BUFFER_BYTES {
            out.write_all(page.text.as_bytes())?;
            page.text.clear();
        }
    }
    page.text.push_str("\n],\"displayTimeUnit\":\"ns\"}\n");
    out.write_all(page.text.as_bytes())?;
    out.flush()
}

/// A time on a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slice {
    begin_ns: u64,
    end_ns: u64,
}

struct Page<'c> {
    capture: &'c Capture,
    order: Order,
    printer: Printer<'c>,
    switches: Switches,
    interrupts: Interrupts,
    /// Tasks whose lane has a name.
    named: HashSet<i32>,
    text: String,
    scratch: String,
}

impl<'c> Page<'c> {
    fn new(capture: &'c Capture) -> Page<'c> {
        Page {
            capture,
            order: capture.head.order,
            printer: Printer::new(capture),
            switches: Switches::of(&capture.formats),
            interrupts: Interrupts::of(&capture.formats),
            named: HashSet::new(),
            text: String::from("{\"traceEvents\":["),
            scratch: String::new(),
        }
    }

    /// Begins an object; what comes before it ends with a comma, if anything does.
    fn open(&mut self, kind: char, name: &str, group: u32, lane: i64) {
        let first = self.text.ends_with('[');
        self.text.push_str(if first { "\n" } else { ",\n" });
        let _ = write!(self.text, "{{\"ph\":\"{kind}\",\"name\":");
        quote(name, &mut self.text);
        let _ = write!(self.text, ",\"pid\":{group},\"tid\":{lane}");
    }

    fn name(&mut self, what: &str, group: u32, lane: i64, name: &str) {
        self.open('M', what, group, lane);
        self.text.push_str(",\"args\":{\"name\":");
        quote(name, &mut self.text);
        self.text.push_str("}}");
    }

    fn heading(&mut self, selection: &Selection) {
        for (group, name) in [(CPUS, "CPUs"), (TASKS, "tasks"), (INTERRUPTS, "interrupts")] {
            self.name("process_name", group, 0, name);
        }
        let all: Vec<u32> = self.capture.cpus.iter().map(|p| p.cpu).collect();
        for cpu in all.into_iter().filter(|cpu| selection.has_cpu(*cpu)) {
            let name = format!("CPU {cpu}");
            self.name("thread_name", CPUS, i64::from(cpu), &name);
            self.name("thread_name", INTERRUPTS, i64::from(cpu), &name);
        }
    }

    /// A slice whose object stays open for its arguments.
    fn slice(&mut self, name: &str, group: u32, lane: i64, slice: Slice) {
        self.open('X', name, group, lane);
        self.text.push_str(",\"ts\":");
        microseconds(slice.begin_ns, &mut self.text);
        self.text.push_str(",\"dur\":");
        let length_ns = slice.end_ns.saturating_sub(slice.begin_ns);
        microseconds(length_ns, &mut self.text);
    }

    fn event(&mut self, event: &Event<'_>) {
        let id = event.id(self.order);
        if self.switches.is(id) {
            return self.switch(event);
        }
        if self.interrupts.is_entry(id) {
            return self.interrupts.enter(event, self.order);
        }
        if self.interrupts.is_exit(id) {
            if let Some((name, slice)) = self.interrupts.leave(event, self.order) {
                self.slice(&name, INTERRUPTS, i64::from(event.cpu), slice);
                self.text.push('}');
            }
            return;
        }
        let name = self.printer.format(event).map_or("?", |f| f.name.as_str());
        self.open('i', name, CPUS, i64::from(event.cpu));
        self.text.push_str(",\"s\":\"t\",\"ts\":");
        microseconds(event.at_ns, &mut self.text);
        let pid = event.pid(self.order);
        let _ = write!(self.text, ",\"args\":{{\"task\":{pid},\"text\":");
        self.scratch.clear();
        self.printer.write(event, &mut self.scratch);
        quote(&self.scratch, &mut self.text);
        self.text.push_str("}}");
    }

    /// The slice that ends here, on its CPU's lane and on its task's.
    fn switch(&mut self, event: &Event<'_>) {
        let Some(ended) = self.switches.switch(event, self.order) else {
            return;
        };
        if ended.pid == 0 {
            return;
        }
        if self.named.insert(ended.pid) {
            let name = format!("{} {}", ended.comm, ended.pid);
            self.name("thread_name", TASKS, i64::from(ended.pid), &name);
        }
        self.slice(&ended.comm, CPUS, i64::from(event.cpu), ended.slice);
        let _ = write!(
            self.text,
            ",\"args\":{{\"task\":{},\"state\":{}}}}}",
            ended.pid, ended.state
        );
        let name = format!("CPU {}", event.cpu);
        self.slice(&name, TASKS, i64::from(ended.pid), ended.slice);
        let _ = write!(self.text, ",\"args\":{{\"state\":{}}}}}", ended.state);
    }

    /// What ran in a gap is not known: open slices end with nothing.
    fn lost(&mut self, lost: &Lost) {
        self.switches.forget(lost.cpu);
        self.interrupts.forget(lost.cpu);
        self.open('i', "events lost", CPUS, i64::from(lost.cpu));
        self.text.push_str(",\"s\":\"t\",\"ts\":");
        microseconds(lost.until_ns, &mut self.text);
        let count = lost.count.map_or("null".to_owned(), |n| n.to_string());
        let _ = write!(self.text, ",\"args\":{{\"count\":{count}}}}}");
    }
}

/// With every nanosecond.
fn microseconds(ns: u64, out: &mut String) {
    let _ = write!(out, "{}.{:03}", ns / 1000, ns % 1000);
}

#[cfg(test)]
mod tests;
