//! Makes a fixture of a recording:
//!
//!     cargo run -p trace --example slim FROM.dat TO.dat
//!
//! Only the formats of events that occur, the names of tasks that occur and the
//! symbols stay; the machine's own name and the command line go.

use std::collections::HashSet;
use std::fs;
use std::io::{Cursor, Read};
use std::path::Path;
use trace::Item;

type Done<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Done<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = arguments.as_slice() else {
        return Err("usage: slim FROM.dat TO.dat".into());
    };
    let capture = trace::file::open(Path::new(from))?;
    let order = capture.head.order;
    let (mut ids, mut pids) = (HashSet::new(), HashSet::new());
    let mut items = capture.merged();
    while let Some(item) = items.next() {
        if let Item::Event(event) = item? {
            ids.insert(event.id(order));
            pids.insert(event.pid(order));
        }
    }
    let mut head = capture.head.clone();
    let id = |format: &str| {
        let line = format.lines().find_map(|l| l.strip_prefix("ID: "))?;
        line.trim().parse::<u16>().ok()
    };
    for system in &mut head.systems {
        system
            .formats
            .retain(|format| id(format).is_some_and(|id| ids.contains(&id)));
    }
    head.systems.retain(|system| !system.formats.is_empty());
    let occurs = |line: &&str| {
        let pid = line
            .split_whitespace()
            .next()
            .and_then(|pid| pid.parse().ok());
        pid.is_some_and(|pid| pids.contains(&pid))
    };
    let comms = head.comms.lines().filter(occurs);
    head.comms = comms.map(|line| format!("{line}\n")).collect();
    head.printk_formats = String::new();
    head.notes.retain(|note| !note.starts_with("command: "));
    let uname = head.uname.take().unwrap_or_default();
    let words: Vec<&str> = uname.split_whitespace().collect();
    if let [system, _, rest @ ..] = words.as_slice() {
        head.uname = Some(format!("{system} host {}", rest.join(" ")));
    }
    let mut pages = Vec::new();
    for one in &capture.cpus {
        pages.push((one.cpu, Cursor::new(one.to_vec()?)));
    }
    let sources = pages.iter_mut().map(|(cpu, bytes)| {
        let source: &mut dyn Read = bytes;
        (*cpu, source)
    });
    let mut out = fs::File::create(to)?;
    trace::file::write(&mut out, &head, sources.collect())?;
    Ok(())
}
