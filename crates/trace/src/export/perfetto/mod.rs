//! Perfetto's protobuf: what ui.perfetto.dev and trace_processor open.
//!
//! Perfetto thinks in the boot clock; stamps stay those of the capture, whatever
//! its clock is, and a snapshot says that both are the same. The kernel's names
//! are of threads; whose process a thread is, no trace says, so that each task is
//! a process of its own.

mod event;
pub mod messages;

use crate::capture::Capture;
use crate::merge::Merged;
use crate::page::Item;
use crate::select::Selection;
use event::MessageFormat;
use messages::{
    Bundle, Clock, ClockSnapshot, CpuStats, Data, FtraceStats, Packet, Process, ProcessTree,
    SystemInfo, Utsname,
};
use prost::Message;
use std::io::{self, Write};

/// Events of a packet, so that memory stays small.
const BUNDLE_EVENTS: usize = 1024;
/// BuiltinClock.
const MONOTONIC: u32 = 3;
const BOOTTIME: u32 = 6;
/// The one writer of the file.
const SEQUENCE: u32 = 1;
/// FtraceStats.Phase.
const END_OF_TRACE: u32 = 2;

/// Writes the selected part, CPU by CPU. `damaged` is called for each place that
/// cannot be read.
///
/// # Errors
/// As writing.
pub fn write(
    capture: &Capture,
    selection: &Selection,
    out: &mut impl Write,
    mut damaged: impl FnMut(crate::TraceError),
) -> io::Result<()> {
    let mut known: Vec<Option<MessageFormat<'_>>> = Vec::new();
    for format in capture.formats.iter() {
        let id = usize::from(format.id);
        known.resize_with(known.len().max(id + 1), || None);
        known[id] = Some(MessageFormat::new(format));
    }
    for data in beginning(capture) {
        packet(data, out)?;
    }
    for pages in capture.cpus.iter().filter(|p| selection.has_cpu(p.cpu)) {
        let selection = Selection {
            cpus: Some(vec![pages.cpu]),
            ..*selection
        };
        let items = capture.selected(&selection);
        bundles(capture, &known, pages.cpu, items, out, &mut damaged)?;
    }
    packet(Data::FtraceStats(stats(capture)), out)
}

fn bundles(
    capture: &Capture,
    known: &[Option<MessageFormat<'_>>],
    cpu: u32,
    mut items: Merged<'_>,
    out: &mut impl Write,
    damaged: &mut impl FnMut(crate::TraceError),
) -> io::Result<()> {
    let order = capture.head.order;
    let fresh = |lost: bool| Bundle {
        cpu: Some(cpu),
        event: Vec::new(),
        lost_events: lost.then_some(true),
    };
    let mut bundle = fresh(false);
    while let Some(item) = items.next() {
        match item {
            Err(error) => damaged(error),
            Ok(Item::Lost(_)) => {
                let before = std::mem::replace(&mut bundle, fresh(true));
                packet(Data::Bundle(before), out)?;
            }
            Ok(Item::Event(event)) => {
                let id = usize::from(event.id(order));
                bundle.event.push(match known.get(id) {
                    Some(Some(known)) => known.message(&event, order),
                    _ => event::unknown(&event, order),
                });
            }
        }
        if bundle.event.len() == BUNDLE_EVENTS {
            let full = std::mem::replace(&mut bundle, fresh(false));
            packet(Data::Bundle(full), out)?;
        }
    }
    packet(Data::Bundle(bundle), out)
}

/// What stands before the events.
fn beginning(capture: &Capture) -> Vec<Data> {
    let at = capture.begin_ns().unwrap_or(0);
    let clock = |id| Clock {
        id: Some(id),
        timestamp: Some(at),
    };
    let mut all = vec![Data::ClockSnapshot(ClockSnapshot {
        clocks: vec![clock(MONOTONIC), clock(BOOTTIME)],
        primary: Some(BOOTTIME),
    })];
    if let Some(uname) = &capture.head.uname {
        // Linux HOST RELEASE ...; Perfetto takes the meaning of prev_state from it.
        let mut words = uname.split_whitespace();
        all.push(Data::SystemInfo(SystemInfo {
            utsname: Some(Utsname {
                sysname: words.next().map(str::to_owned),
                release: words.nth(1).map(str::to_owned),
            }),
        }));
    }
    let mut tasks: Vec<_> = capture.tasks().collect();
    tasks.sort_unstable();
    let process = |(pid, name): (i32, &str)| Process {
        pid: Some(pid),
        cmdline: vec![name.to_owned()],
        cmdline_is_comm: Some(true),
    };
    all.push(Data::ProcessTree(ProcessTree {
        processes: tasks.into_iter().map(process).collect(),
    }));
    all
}

fn stats(capture: &Capture) -> FtraceStats {
    let one = |stat: &crate::CpuStat| CpuStats {
        cpu: Some(u64::from(stat.cpu)),
        entries: stat.value("entries"),
        overrun: stat.value("overrun"),
        commit_overrun: stat.value("commit overrun"),
        dropped_events: stat.value("dropped events"),
        read_events: stat.value("read events"),
    };
    FtraceStats {
        phase: Some(END_OF_TRACE),
        cpus: capture.head.cpu_stats.iter().map(one).collect(),
    }
}

/// A packet of the file. A bundle without events says nothing, unless events
/// were lost.
fn packet(data: Data, out: &mut impl Write) -> io::Result<()> {
    if let Data::Bundle(bundle) = &data
        && bundle.event.is_empty()
        && bundle.lost_events.is_none()
    {
        return Ok(());
    }
    let packet = Packet {
        timestamp: None,
        sequence: Some(SEQUENCE),
        data: Some(data),
    };
    // Tag 1, length-delimited: `repeated TracePacket packet = 1`.
    let mut bytes = vec![0x0a];
    packet.encode_length_delimited(&mut bytes)?;
    out.write_all(&bytes)
}

#[cfg(test)]
mod tests;
