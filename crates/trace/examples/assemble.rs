//! Makes a fixture of what `lab/guest/tests/trace.sh` left in a folder:
//!
//!     cargo run -p pontage-trace --example assemble FOLDER fixtures/traces/NAME
//!
//! writes NAME.dat and NAME.txt.gz, the kernel's own text of the same events.
//! Of names of tasks and symbols only those stay that the text speaks of; the
//! machine's own name goes.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::HashSet;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use trace::{CpuStat, Head, Order, System};

type Done<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Done<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = arguments.as_slice() else {
        return Err("usage: assemble FOLDER NAME".into());
    };
    let from = Path::new(from);
    let text = fs::read_to_string(from.join("trace.txt"))?;
    let head = head(from, &text)?;
    let mut pages = Vec::new();
    for cpu in 0.. {
        match fs::read(from.join(format!("cpu{cpu}.raw"))) {
            Ok(bytes) => pages.push((cpu, bytes)),
            Err(_) => break,
        }
    }
    let mut slices: Vec<(u32, &[u8])> = pages.iter().map(|(n, b)| (*n, b.as_slice())).collect();
    let sources = slices.iter_mut().map(|(cpu, bytes)| {
        let source: &mut dyn Read = bytes;
        (*cpu, source)
    });
    let mut out = fs::File::create(format!("{to}.dat"))?;
    trace::file::write(&mut out, &head, sources.collect())?;
    let mut packed = GzEncoder::new(
        fs::File::create(format!("{to}.txt.gz"))?,
        Compression::best(),
    );
    packed.write_all(text.as_bytes())?;
    packed.finish()?;
    Ok(())
}

fn head(from: &Path, text: &str) -> Done<Head> {
    let read = |name: &str| fs::read_to_string(from.join(name));
    let mut head = Head::empty(Order::HERE, 8, 4096);
    head.header_page = read("header_page")?;
    head.header_event = read("header_event")?;
    let words: HashSet<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .collect();
    let named = |line: &&str, word: usize| {
        let word = line.split_whitespace().nth(word);
        word.is_some_and(|word| words.contains(word))
    };
    let kept = |text: &str, word: usize| {
        let lines = text.lines().filter(|line| named(line, word));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    head.kallsyms = kept(&read("kallsyms")?, 2);
    head.comms = kept(&read("saved_cmdlines")?, 0);
    let clock = read("trace_clock")?;
    let chosen = clock.split(['[', ']']).nth(1).unwrap_or("local");
    head.clock = Some(chosen.to_owned());
    let uname = read("uname")?;
    let words: Vec<&str> = uname.split_whitespace().collect();
    head.uname = Some(format!("{} host {}", words[0], words[2..].join(" ")));
    head.writer = Some("pontage, a fixture".to_owned());
    let mut systems: Vec<_> = fs::read_dir(from.join("events"))?.collect::<Result<_, _>>()?;
    systems.sort_by_key(std::fs::DirEntry::file_name);
    for system in systems {
        let mut formats = Vec::new();
        let mut events: Vec<_> = fs::read_dir(system.path())?.collect::<Result<_, _>>()?;
        events.sort_by_key(std::fs::DirEntry::file_name);
        for event in events {
            formats.push(fs::read_to_string(event.path().join("format"))?);
        }
        head.systems.push(System {
            name: system.file_name().to_string_lossy().into_owned(),
            formats,
        });
    }
    for cpu in 0.. {
        match read(&format!("cpu{cpu}.stats")) {
            Ok(text) => head.cpu_stats.push(CpuStat {
                cpu,
                text: format!("CPU: {cpu}\n{text}"),
            }),
            Err(_) => break,
        }
    }
    Ok(head)
}
