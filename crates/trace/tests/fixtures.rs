//! Captures of real kernels against the kernel's own text of the same events:
//! every event, its CPU, task, time and sentence. fixtures/traces/README.md.

use flate2::read::GzDecoder;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use trace::{Capture, Item, Printer};

/// Whether the kernel printed addresses as they are.
const FIXTURES: [(&str, bool); 4] = [
    ("x86-6.1", true),
    ("x86-6.12", true),
    ("arm64-6.1", true),
    ("x86-6.18", false),
];

#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    pid: i32,
    /// Interrupts off, need resched and so on.
    flags: String,
    /// As the kernel rounds it.
    at_us: u64,
    name: String,
    words: Vec<String>,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/traces")
}

fn open(name: &str) -> Capture {
    trace::file::open(&folder().join(format!("{name}.dat"))).unwrap()
}

/// `  sh-27614   [000] ...1. 39617.833027: sched_waking: comm=sh pid=1`
fn kernels(line: &str) -> Option<(u32, Line)> {
    if line.starts_with('#') {
        return None;
    }
    let (front, rest) = line.split_once(" [")?;
    let (cpu, rest) = rest.split_once(']')?;
    let (flags, rest) = rest.trim_start().split_once(' ')?;
    let (at, rest) = rest.trim_start().split_once(": ")?;
    let (seconds, us) = at.split_once('.')?;
    let (name, mut text) = rest.split_once(": ")?;
    // What a program wrote is reported as a function of its own.
    let name = match name {
        "tracing_mark_write" => {
            text = rest;
            "print"
        }
        name => name,
    };
    let line = Line {
        flags: flags.to_owned(),
        pid: front.trim_end().rsplit_once('-')?.1.parse().ok()?,
        at_us: seconds.parse::<u64>().ok()? * 1_000_000 + us.parse::<u64>().ok()?,
        name: name.to_owned(),
        words: text.split_whitespace().map(str::to_owned).collect(),
    };
    Some((cpu.parse().ok()?, line))
}

fn text(name: &str) -> BTreeMap<u32, Vec<Line>> {
    let file = File::open(folder().join(format!("{name}.txt.gz"))).unwrap();
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let mut cpus: BTreeMap<u32, Vec<Line>> = BTreeMap::new();
    for (cpu, line) in text.lines().filter_map(kernels) {
        cpus.entry(cpu).or_default().push(line);
    }
    cpus
}

fn ours(capture: &Capture) -> BTreeMap<u32, Vec<Line>> {
    let printer = Printer::new(capture);
    let mut cpus: BTreeMap<u32, Vec<Line>> = BTreeMap::new();
    let mut text = String::new();
    let mut items = capture.merged();
    while let Some(item) = items.next() {
        let Item::Event(event) = item.unwrap() else {
            continue;
        };
        text.clear();
        printer.write(&event, &mut text);
        assert_eq!(printer.not_understood(&event), None, "{text}");
        cpus.entry(event.cpu).or_default().push(Line {
            pid: event.pid(capture.head.order),
            flags: String::from_utf8(trace::text::letters(&event).to_vec()).unwrap(),
            at_us: (event.at_ns + 500) / 1000,
            name: printer.format(&event).unwrap().name.clone(),
            words: text.split_whitespace().map(str::to_owned).collect(),
        });
    }
    cpus
}

/// Addresses have `0x` here and sixteen digits there, or are hidden.
fn alike(ours: &str, kernels: &str, addresses: bool) -> bool {
    if ours == kernels {
        return true;
    }
    let (Some((key, value)), Some((other_key, other))) =
        (ours.split_once("=0x"), kernels.split_once('='))
    else {
        return false;
    };
    let value = u64::from_str_radix(value, 16);
    let same = value == u64::from_str_radix(other, 16);
    key == other_key && other.len() == 16 && (same || !addresses)
}

#[test]
fn events_are_the_kernels_own() {
    for (name, addresses) in FIXTURES {
        let (ours, kernels) = (ours(&open(name)), text(name));
        let count: usize = kernels.values().map(Vec::len).sum();
        assert!(count > 400, "{name}: {count} events");
        assert_eq!(ours.len(), kernels.len(), "{name}: CPUs");
        for (cpu, kernels) in kernels {
            let ours = &ours[&cpu];
            assert_eq!(ours.len(), kernels.len(), "{name}: events of CPU {cpu}");
            for (a, b) in ours.iter().zip(&kernels) {
                let words = a.words.len() == b.words.len()
                    && (a.words.iter().zip(&b.words)).all(|(a, b)| alike(a, b, addresses));
                let same =
                    (a.pid, a.at_us, &a.name) == (b.pid, b.at_us, &b.name) && a.flags == b.flags;
                assert!(words && same, "{name}: CPU {cpu}\n{a:?}\n{b:?}");
            }
        }
    }
}

#[test]
fn every_kind_of_event_is_in_some_fixture() {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in FIXTURES {
        names.extend(ours(&open(name)).into_values().flatten().map(|l| l.name));
    }
    for name in [
        "sched_switch",
        "sched_waking",
        "sched_process_exec",
        "timer_start",
        "timer_expire_entry",
        "hrtimer_start",
        "hrtimer_expire_entry",
        "irq_handler_entry",
        "softirq_entry",
        "local_timer_entry",
        "sys_enter",
        "print",
        "tick_stop",
    ] {
        assert!(names.iter().any(|n| n == name), "{name}");
    }
}
