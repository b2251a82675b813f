//! JSON of chrome://tracing, written as the events come: slices of each CPU and
//! of each task, interrupts, everything else as instants.
//!
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>
//! (Trace Event Format).

mod interrupts;

use crate::analyse::{Known, Switch, What};
use crate::capture::Capture;
use crate::page::{Event, Item, Lost};
use crate::print::Printer;
use crate::select::Selection;
use crate::text::quote;
use interrupts::Interrupts;
use std::collections::{HashMap, HashSet};
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

struct Page<'c> {
    capture: &'c Capture,
    known: Known,
    printer: Printer<'c>,
    /// When each CPU was switched last; the first slice of a CPU has no begin.
    switched_ns: HashMap<u32, u64>,
    interrupts: Interrupts,
    /// Tasks whose lane has a name.
    named: HashSet<i32>,
    text: String,
    scratch: String,
}

impl<'c> Page<'c> {
    fn new(capture: &'c Capture) -> Page<'c> {
        let known = Known::of(capture);
        Page {
            capture,
            interrupts: Interrupts::new(&known),
            known,
            printer: Printer::new(capture),
            switched_ns: HashMap::new(),
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
    fn slice(&mut self, name: &str, group: u32, lane: i64, begin_ns: u64, end_ns: u64) {
        self.open('X', name, group, lane);
        self.text.push_str(",\"ts\":");
        microseconds(begin_ns, &mut self.text);
        self.text.push_str(",\"dur\":");
        microseconds(end_ns.saturating_sub(begin_ns), &mut self.text);
    }

    /// A moment on a CPU's lane, whose object stays open likewise.
    fn instant(&mut self, name: &str, cpu: u32, at_ns: u64) {
        self.open('i', name, CPUS, i64::from(cpu));
        self.text.push_str(",\"s\":\"t\",\"ts\":");
        microseconds(at_ns, &mut self.text);
    }

    fn event(&mut self, event: &Event<'_>) {
        let what = self.known.read(event.payload);
        if let Some(What::Switch(switch)) = what {
            return self.switch(event, &switch);
        }
        if let Some(what) = what.filter(|what| self.interrupts.is_edge(what, &self.known)) {
            if let Some((name, begin_ns)) = self.interrupts.pass(event, &what, &self.known) {
                let lane = i64::from(event.cpu);
                self.slice(&name, INTERRUPTS, lane, begin_ns, event.at_ns);
                self.text.push('}');
            }
            return;
        }
        let name = self.printer.format(event).map_or("?", |f| f.name.as_str());
        self.instant(name, event.cpu, event.at_ns);
        let pid = event.pid(self.known.order);
        let _ = write!(self.text, ",\"args\":{{\"task\":{pid},\"text\":");
        self.scratch.clear();
        self.printer.write(event, &mut self.scratch);
        quote(&self.scratch, &mut self.text);
        self.text.push_str("}}");
    }

    /// The slice that ends here, on its CPU's lane and on its task's.
    fn switch(&mut self, event: &Event<'_>, switch: &Switch) {
        let (cpu, end_ns) = (event.cpu, event.at_ns);
        let begin_ns = self.switched_ns.insert(cpu, end_ns);
        let (pid, comm) = (switch.prev_pid, switch.prev_comm.to_string());
        let Some(begin_ns) = begin_ns.filter(|_| pid != 0) else {
            return;
        };
        if self.named.insert(pid) {
            let name = format!("{comm} {pid}");
            self.name("thread_name", TASKS, i64::from(pid), &name);
        }
        // The kernel's bits: 0 it could go on, 0x100 (0x400 on old kernels) it was preempted.
        let state = switch.prev_state.cast_signed();
        self.slice(&comm, CPUS, i64::from(cpu), begin_ns, end_ns);
        let _ = write!(
            self.text,
            ",\"args\":{{\"task\":{pid},\"state\":{state}}}}}"
        );
        let name = format!("CPU {cpu}");
        self.slice(&name, TASKS, i64::from(pid), begin_ns, end_ns);
        let _ = write!(self.text, ",\"args\":{{\"state\":{state}}}}}");
    }

    /// What ran in a gap is not known: open slices end with nothing.
    fn lost(&mut self, lost: &Lost) {
        self.switched_ns.remove(&lost.cpu);
        self.interrupts.forget(lost.cpu);
        self.instant("events lost", lost.cpu, lost.until_ns);
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
