//! Events in any order, as no kernel would write them: what is drawn and counted
//! must hold all the same. Each event is a few bytes: which one, CPU and time, one
//! byte a field. The formats are those of kernels, from the fixtures.

use crate::traces;
use std::path::PathBuf;
use std::sync::LazyLock;
use trace::format::{EventFormat, Field, PageLayout};
use trace::page::PageWriter;
use trace::{Capture, CpuPages, Head, System};

/// Between them they have every event that an analysis knows.
const FIXTURES: [&str; 3] = [
    "x86-6.18-sched-timer.dat",
    "x86-6.12.dat",
    "written-function-graph.dat",
];
/// What no fixture has.
const MORE: [(&str, &str, &str); 4] = [
    ("syscalls", "sys_enter_read", "int __syscall_nr"),
    ("syscalls", "sys_exit_read", "int __syscall_nr"),
    ("power", "cpu_idle", "u32 state"),
    ("ftrace", "function", "unsigned long ip"),
];
const CPUS: u8 = 4;
const MOST_EVENTS: usize = 500;

static HEAD: LazyLock<Head> = LazyLock::new(head);

/// Runs the target on one input; a panic is a finding.
pub fn body(input: &[u8]) {
    let mut events = Events::of(&HEAD);
    let mut input = input.iter().copied();
    for _ in 0..MOST_EVENTS {
        if events.push(&mut input).is_none() {
            break;
        }
    }
    let cpus = (0u32..).zip(events.cpus);
    let pages = cpus.map(|(cpu, writer)| CpuPages::owned(cpu, writer.finish()));
    let capture = Capture::new(HEAD.clone(), pages.collect()).expect("formats of kernels");
    traces::judged(&capture);
}

/// The systems of all fixtures, with IDs of our own.
fn head() -> Head {
    let folder = PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/traces"
    ));
    let mut all: Vec<Head> = Vec::new();
    for name in FIXTURES {
        all.push(trace::file::open(&folder.join(name)).expect(name).head);
    }
    let mut head = all[0].clone();
    head.cpu_stats.clear();
    head.systems.clear();
    let mut names = Vec::new();
    let mut add = |system: &str, text: &str| {
        let name = text.lines().next().unwrap_or_default().to_owned();
        if names.contains(&name) {
            return;
        }
        let id = text.lines().find(|l| l.starts_with("ID: ")).expect("an ID");
        let own = text.replacen(id, &format!("ID: {}", names.len() + 1), 1);
        names.push(name);
        head.systems.push(System {
            name: system.to_owned(),
            formats: vec![own],
        });
    };
    for system in all.iter().flat_map(|head| &head.systems) {
        system
            .formats
            .iter()
            .for_each(|text| add(&system.name, text));
    }
    for (system, name, field) in MORE {
        let size = if field.contains("long") { 8 } else { 4 };
        add(
            system,
            &format!(
                "name: {name}\nID: 0\nformat:\n\
                 \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
                 \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
                 \tfield:{field};\toffset:8;\tsize:{size};\tsigned:0;\n\nprint fmt: \"\"\n"
            ),
        );
    }
    head
}

struct Events<'h> {
    head: &'h Head,
    formats: Vec<EventFormat>,
    cpus: Vec<PageWriter>,
    at_ns: u64,
}

impl<'h> Events<'h> {
    fn of(head: &'h Head) -> Self {
        let capture = Capture::new(head.clone(), Vec::new()).expect("formats of kernels");
        let layout = PageLayout::usual(head.long_bytes);
        let page = || PageWriter::new(head.page_bytes as usize, layout, head.order);
        Events {
            head,
            formats: capture.formats.iter().cloned().collect(),
            cpus: (0..CPUS).map(|_| page()).collect(),
            at_ns: 1_000_000_000,
        }
    }

    /// None where the input is at its end.
    fn push(&mut self, input: &mut impl Iterator<Item = u8>) -> Option<()> {
        let (kind, place, pid) = (input.next()?, input.next()?, input.next()?);
        let cpu = usize::from(place % CPUS);
        // From nothing to half an hour, in powers of two.
        let step = u32::from(place / CPUS) % 42;
        self.at_ns += if step == 0 { 0 } else { 1 << (step - 1) };
        if kind == u8::MAX {
            self.cpus[cpu].lose(Some(u64::from(pid)));
            return Some(());
        }
        let format = &self.formats[usize::from(kind) % self.formats.len()];
        let end = format.fields.iter().map(|f| f.offset + f.size).max();
        let mut payload = vec![0; end.unwrap_or(8).max(8)];
        let order = self.head.order;
        payload[..2].copy_from_slice(&order.of_u16(format.id));
        payload[4..8].copy_from_slice(&order.of_u32(u32::from(pid)));
        for field in &format.fields {
            fill(&mut payload, field, input.next()?, self.head);
        }
        self.cpus[cpu].push(self.at_ns, &payload);
        Some(())
    }
}

/// A byte is itself, or stands for a number at which something ends.
fn fill(payload: &mut Vec<u8>, field: &Field, byte: u8, head: &Head) {
    let number: u64 = match byte {
        255 => u64::MAX,
        254 => i64::MAX as u64,
        253 => u64::from(u32::MAX),
        252 => 0xffff_ffff_8100_0000,
        251 => 1_000_000_000,
        small => u64::from(small),
    };
    if field.c_type.starts_with("__data_loc") {
        let text = format!("t{byte}\0");
        let location = (text.len() as u32) << 16 | payload.len() as u32;
        payload.extend(text.bytes());
        payload[field.offset..field.offset + 4].copy_from_slice(&head.order.of_u32(location));
        return;
    }
    let place = &mut payload[field.offset..field.offset + field.size];
    match field.size {
        1 => place[0] = number as u8,
        2 => place.copy_from_slice(&head.order.of_u16(number as u16)),
        4 => place.copy_from_slice(&head.order.of_u32(number as u32)),
        8 => place.copy_from_slice(&head.order.of_u64(number)),
        size => {
            let mut text = format!("t{byte}").into_bytes();
            text.truncate(size);
            place[..text.len()].copy_from_slice(&text);
        }
    }
}
