//! Our files read by trace-cmd, and its files read by us, event for event. Where
//! trace-cmd is not installed nothing is tested, and a message says so.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use trace::text::{Lines, Style};
use trace::{Capture, Item, Selection};

const FIXTURES: [&str; 4] = ["x86-6.1", "x86-6.12", "arm64-6.1", "x86-6.18"];

fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/traces");
    folder.join(format!("{name}.dat"))
}

/// Whether trace-cmd is here. Its version 3 reads everything that is tried.
fn is_here() -> bool {
    let found = Command::new("trace-cmd").arg("--version").output().is_ok();
    if !found {
        eprintln!("SKIP: trace-cmd is not installed; remedy: apt-get install trace-cmd");
    }
    found
}

fn trace_cmd(arguments: &[&str], file: &Path) -> (String, String) {
    let output = Command::new("trace-cmd")
        .args(arguments)
        .arg(file)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(output.stdout), text(output.stderr))
}

/// Task, CPU, time, event, words: as both print them.
type Parts = (String, Vec<String>);

fn parts(text: &str) -> Vec<Parts> {
    let one = |line: &str| {
        let (front, rest) = line.split_once(": ")?;
        let front: Vec<&str> = front.split_whitespace().collect();
        let words = rest.split_whitespace().map(str::to_owned).collect();
        (front.len() >= 3).then(|| (front.join(" "), words))
    };
    text.lines().filter_map(one).collect()
}

/// Without the letters of what the CPU was doing, which it does not print.
fn ours(capture: &Capture, raw: bool) -> Vec<Parts> {
    let mut lines = Lines::new(capture, Style::Text, raw);
    let mut out = String::new();
    let mut items = capture.selected(&Selection::all());
    while let Some(item) = items.next() {
        lines.write(&item.unwrap(), &mut out);
    }
    let mut all = parts(&out);
    for (front, _) in &mut all {
        let mut words: Vec<&str> = front.split(' ').collect();
        words.remove(words.len() - 2);
        *front = words.join(" ");
    }
    all
}

/// trace-cmd 3.1.6 sets every flag of timer_start, and prints modes of hrtimers as
/// numbers; what the kernel prints there is ours (fixtures.rs).
fn is_theirs(word: &str) -> bool {
    word.starts_with("flags=") || word.starts_with("mode=")
}

fn same_sentence(ours: &[String], theirs: &[String]) -> bool {
    let pairs = ours.iter().zip(theirs);
    ours.len() == theirs.len() && pairs.into_iter().all(|(a, b)| a == b || is_theirs(a))
}

/// Numbers are the same whatever their base and leading zeros.
fn same_value(ours: &str, theirs: &str) -> bool {
    let value = |word: &str| match word.trim_start_matches("0x") {
        hex if hex.len() < word.len() => u64::from_str_radix(hex, 16).ok(),
        _ => word
            .parse::<i64>()
            .ok()
            .map(i64::cast_unsigned)
            .or_else(|| word.parse().ok()),
    };
    let same = |a: &str, b: &str| a == b || (value(a).is_some() && value(a) == value(b));
    match (ours.split_once('='), theirs.split_once('=')) {
        (Some((a, x)), Some((b, y))) => a == b && (same(x, y) || is_symbol(a)),
        _ => ours == theirs,
    }
}

/// Where trace-cmd puts a name for an address, or an array's elements.
fn is_symbol(field: &str) -> bool {
    matches!(field, "function" | "ip" | "args" | "buf")
}

#[test]
fn it_reads_our_files_as_we_do() {
    if !is_here() {
        return;
    }
    for name in FIXTURES {
        let file = fixture(name);
        let (text, messages) = trace_cmd(&["report", "-t", "-N", "-i"], &file);
        assert_eq!(messages.trim(), "", "{name}");
        let (theirs, ours) = (
            parts(&text),
            ours(&trace::file::open(&file).unwrap(), false),
        );
        assert!(ours.len() > 400, "{name}");
        assert_eq!(ours.len(), theirs.len(), "{name}");
        for ((front, a), (other, b)) in ours.iter().zip(&theirs) {
            assert_eq!(front, other, "{name}");
            assert!(same_sentence(a, b), "{name} {front}\n{a:?}\n{b:?}");
        }
    }
}

#[test]
fn raw_fields_are_the_same() {
    if !is_here() {
        return;
    }
    for name in FIXTURES {
        let file = fixture(name);
        let (text, _) = trace_cmd(&["report", "-t", "-R", "-i"], &file);
        let (theirs, ours) = (parts(&text), ours(&trace::file::open(&file).unwrap(), true));
        assert!(ours.len() > 400, "{name}");
        assert_eq!(ours.len(), theirs.len(), "{name}");
        for ((front, a), (other, b)) in ours.iter().zip(&theirs) {
            assert_eq!(front, other, "{name}");
            // Its arrays are several words, and what a program wrote is free text.
            let free = |words: &[String]| words[0] == "sys_enter:" || words[0] == "print:";
            let same = a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(a, b));
            assert!(same || free(a), "{name} {front}\n{a:?}\n{b:?}");
        }
    }
}

fn pages(capture: &Capture) -> BTreeMap<u32, Vec<u8>> {
    let cpus = capture.cpus.iter().filter(|p| p.len_bytes() > 0);
    cpus.map(|p| (p.cpu, p.to_vec().unwrap())).collect()
}

#[test]
fn its_version_7_holds_the_same_pages_compressed_or_not() {
    if !is_here() {
        return;
    }
    let (methods, _) = trace_cmd(&["list"], Path::new("-c"));
    for name in FIXTURES {
        let file = fixture(name);
        let wanted = trace::file::open(&file).unwrap();
        for method in ["none", "zlib", "zstd"] {
            if method != "none" && !methods.contains(method) {
                eprintln!("SKIP: this trace-cmd was built without {method}");
                continue;
            }
            let folder = tempfile::tempdir().unwrap();
            let new = folder.path().join("v7.dat");
            let out = Command::new("trace-cmd")
                .args([
                    "convert",
                    "--file-version",
                    "7",
                    "--compression",
                    method,
                    "-i",
                ])
                .arg(&file)
                .arg("-o")
                .arg(&new)
                .output()
                .unwrap();
            assert!(out.status.success(), "{out:?}");
            assert!(std::fs::read(&new).unwrap()[10] == b'7');
            let got = trace::file::open(&new).unwrap();
            assert!(pages(&got) == pages(&wanted), "{name} {method}");
            assert!(got.head.systems == wanted.head.systems, "{name} {method}");
            assert_eq!(got.head.kallsyms, wanted.head.kallsyms);
            assert!(ours(&got, false) == ours(&wanted, false), "{name} {method}");
        }
    }
}

#[test]
fn it_reads_what_was_cut() {
    if !is_here() {
        return;
    }
    for name in FIXTURES {
        let capture = trace::file::open(&fixture(name)).unwrap();
        let stamps: Vec<u64> = capture.merged().map(|i| i.unwrap().at_ns()).collect();
        let selection = Selection {
            from_ns: stamps[stamps.len() / 4],
            to_ns: stamps[stamps.len() * 3 / 4],
            cpus: None,
        };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cut.dat");
        trace::cut(&capture, &selection, &file).unwrap();
        let (text, messages) = trace_cmd(&["report", "-t", "-N", "-i"], &file);
        assert_eq!(messages.trim(), "", "{name}");
        let seconds = |ns: u64| format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
        let stamp = |item: trace::Result<Item<'_>>| match item.unwrap() {
            Item::Event(event) => Some(seconds(event.at_ns)),
            Item::Lost(_) => None,
        };
        let events = capture.selected(&selection).map(stamp);
        let wanted: Vec<String> = events.flatten().collect();
        let got: Vec<String> = parts(&text)
            .into_iter()
            .filter_map(|(front, _)| Some(front.rsplit_once(' ')?.1.to_owned()))
            .collect();
        assert!(
            wanted.len() > 100 && got == wanted,
            "{name}: {} {}",
            got.len(),
            wanted.len()
        );
    }
}

/// Scales of counters and offsets are options; both readers make the same time of
/// them.
#[test]
fn times_that_options_change_are_the_same() {
    if !is_here() {
        return;
    }
    let scale = trace::TimeScale {
        mult: 3_000_000,
        shift: 22,
        // trace-cmd keeps an offset of the scale, and does not add it.
        offset: 77_000_000_000,
    };
    for (clock, scale, offset_ns) in [
        ("mono", None, 1_234_567_891),
        ("x86-tsc", Some(scale), 0),
        ("x86-tsc", Some(scale), 5_000_000_001),
    ] {
        let mut capture = trace::file::open(&fixture("x86-6.12")).unwrap();
        capture.head.clock = Some(clock.to_owned());
        (capture.head.scale, capture.head.offset_ns) = (scale, offset_ns);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("scaled.dat");
        trace::cut(&capture, &Selection::all(), &file).unwrap();
        let (text, messages) = trace_cmd(&["report", "-t", "-N", "-i"], &file);
        assert_eq!(messages.trim(), "", "{clock}");
        let fronts = |parts: Vec<Parts>| parts.into_iter().map(|p| p.0).collect::<Vec<_>>();
        let (theirs, ours) = (fronts(parts(&text)), fronts(ours(&capture, false)));
        assert_eq!(ours.len(), theirs.len());
        for (a, b) in ours.iter().zip(&theirs) {
            assert_eq!(a, b, "{clock} {offset_ns}");
        }
    }
}

#[test]
fn gaps_that_we_write_are_gaps_to_it() {
    if !is_here() {
        return;
    }
    let capture = trace::file::open(&fixture("x86-6.12")).unwrap();
    let head = capture.head.clone();
    let page_bytes = head.page_bytes as usize;
    let mut writer = trace::page::PageWriter::new(page_bytes, capture.layout, head.order);
    let mut items = capture.cpu(0).unwrap();
    let mut index = 0;
    while let Some(item) = items.next() {
        match index {
            100 => writer.lose(Some(7)),
            200 => writer.lose(None),
            _ => {}
        }
        if let Item::Event(event) = item.unwrap() {
            assert!(writer.push(event.at_ns, event.payload));
        }
        index += 1;
    }
    let pages = trace::CpuPages::owned(0, writer.finish());
    let lossy = Capture::new(head, vec![pages]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lossy.dat");
    trace::cut(&lossy, &Selection::all(), &file).unwrap();
    let (text, _) = trace_cmd(&["report", "-t", "-N", "-i"], &file);
    let of = |words: &str| text.lines().filter(|line| line.contains(words)).count();
    assert_eq!(
        (of("[7 EVENTS DROPPED]"), of("[EVENTS DROPPED]")),
        (1, 1),
        "{text}"
    );
    let events = capture.cpu(0).unwrap().count();
    assert_eq!(parts(&text).len(), events);
}
