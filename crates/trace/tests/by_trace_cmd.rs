//! Files of version 7 that trace-cmd itself recorded, against what it says of them:
//! every event, its task, CPU, flags, time and sentence. fixtures/traces/README.md.

use flate2::read::GzDecoder;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use trace::Capture;
use trace::text::{Lines, Style};

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/traces")
        .join(name)
}

fn open(name: &str, ring: Option<&str>) -> Capture {
    trace::file::open_instance(&path(&format!("{name}.dat")), ring).unwrap()
}

/// Front (task, CPU, flags, time, event) and words of a line.
type Parts = (String, Vec<String>);

fn parts(line: &str) -> Parts {
    let (at, rest) = line.split_once(": ").unwrap();
    let (event, text) = rest.split_once(':').unwrap();
    let front: Vec<&str> = at.split_whitespace().chain([event]).collect();
    let words = text.split_whitespace().map(str::to_owned).collect();
    (front.join(" "), words)
}

/// By ring, `top` for the machine's own; frames of stacks are lines of their own.
fn theirs(name: &str, ring: &str) -> Vec<Parts> {
    let file = File::open(path(&format!("{name}.txt.gz"))).unwrap();
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let mut all: Vec<Parts> = Vec::new();
    let mut here = false;
    for line in text.lines().filter(|line| !line.starts_with("cpus=")) {
        if line.starts_with('\t') {
            let (_, words) = all.last_mut().unwrap();
            words.extend(line.split_whitespace().map(str::to_owned));
            continue;
        }
        let (of, line) = match line.split_once(": ") {
            Some((of, rest)) if !of.contains('[') => (of, rest),
            _ => ("top", line),
        };
        here = of == ring;
        if here {
            all.push(parts(line));
        }
    }
    assert!(here || ring == "top" || !all.is_empty());
    all
}

fn ours(capture: &Capture) -> Vec<Parts> {
    let mut lines = Lines::new(capture, Style::Text, false);
    let mut out = String::new();
    let mut items = capture.merged();
    while let Some(item) = items.next() {
        lines.write(&item.unwrap(), &mut out);
    }
    out.lines().map(parts).collect()
}

/// trace-cmd prints eight frames of a stack, whatever there are, and what lies in
/// the event behind fewer; code of the boot has no symbol for it.
fn same(ours: &Parts, theirs: &Parts) -> bool {
    if ours.0 != theirs.0 {
        return false;
    }
    if !ours.0.ends_with("kernel_stack") {
        return ours.1 == theirs.1;
    }
    let ours = ours
        .1
        .strip_prefix(&["<stack".to_owned(), "trace>".to_owned()]);
    ours.is_some_and(|ours| {
        let mut pairs = ours.iter().zip(&theirs.1);
        pairs.all(|(a, b)| a == b || b.starts_with("0x"))
    })
}

#[test]
fn what_trace_cmd_recorded_reads_as_it_says() {
    for (name, ring, least) in [
        ("tc-none", "top", 80),
        ("tc-zlib", "top", 200),
        ("tc-zlib", "net", 100),
        ("tc-function", "top", 80),
        ("tc-graph", "top", 300),
        ("tc-tsc", "top", 50),
    ] {
        let capture = open(name, Some(ring));
        let (ours, theirs) = (ours(&capture), theirs(name, ring));
        assert!(ours.len() >= least, "{name} {ring}: {}", ours.len());
        assert_eq!(ours.len(), theirs.len(), "{name} {ring}");
        // Events of one time stand in either order.
        let sorted = |mut all: Vec<Parts>| {
            all.sort();
            all
        };
        for (a, b) in sorted(ours).iter().zip(&sorted(theirs)) {
            assert!(same(a, b), "{name} {ring}\n{a:?}\n{b:?}");
        }
    }
}

#[test]
fn methods_rings_clocks_and_stacks_are_those_that_were_asked_for() {
    for (name, method) in [
        ("tc-none", "none"),
        ("tc-zlib", "zlib"),
        ("tc-graph", "zlib"),
        ("tc-function", "zstd"),
        ("tc-tsc", "zstd"),
    ] {
        let bytes = std::fs::read(path(&format!("{name}.dat"))).unwrap();
        assert_eq!(&bytes[10..12], b"7\0", "{name}");
        assert_eq!(&bytes[18..18 + method.len()], method.as_bytes(), "{name}");
    }
    assert_eq!(open("tc-zlib", None).other_rings, ["net"]);
    let tsc = open("tc-tsc", None).head;
    assert_eq!(tsc.clock.as_deref(), Some("tsc2nsec"));
    assert!(tsc.scale.is_some() && tsc.in_nanoseconds());
    // More frames than the format has, and fewer.
    let frames = |parts: &Parts| parts.1.iter().filter(|word| *word == "=>").count();
    let stacks: Vec<usize> = ours(&open("tc-none", None))
        .iter()
        .filter(|parts| parts.0.ends_with("kernel_stack"))
        .map(frames)
        .collect();
    assert!(stacks.iter().any(|depth| *depth > 8), "{stacks:?}");
    let graph = open("tc-graph", None);
    let known = trace::analyse::Known::of(&graph);
    let symbols = trace::analyse::Symbols::parse(&graph.head.kallsyms);
    let mut tree = trace::analyse::functions::CallTree::new(&known, &symbols, Some("ksys_write"));
    trace::analyse::Pass::over(&graph, &known, &mut [&mut tree]);
    let lines = tree.lines(&symbols, 0.0);
    assert_eq!(
        lines.first().map(|l| l.function.as_str()),
        Some("ksys_write")
    );
    assert!(lines.iter().any(|line| line.function == "vfs_write"));
}
