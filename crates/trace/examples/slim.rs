//! Makes a fixture of a recording:
//!
//!     cargo run -p pontage-trace --example slim FROM.dat TO.dat
//!
//! Only the formats of events that occur (and the kernel's own, of ftrace), the names of
//! tasks that occur and the symbols stay; the machine's own name and the command line go.

use std::collections::HashSet;
use std::path::Path;
use trace::{Item, Selection};

type Done<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Done<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = arguments.as_slice() else {
        return Err("usage: slim FROM.dat TO.dat".into());
    };
    let mut capture = trace::file::open(Path::new(from))?.trimmed()?;
    let order = capture.head.order;
    let mut pids = HashSet::new();
    let mut items = capture.merged();
    while let Some(item) = items.next() {
        if let Item::Event(event) = item? {
            pids.insert(event.pid(order));
        }
    }
    let occurs = |line: &&str| {
        let pid = line.split_whitespace().next().map(str::parse);
        pid.is_some_and(|pid| pid.is_ok_and(|pid| pids.contains(&pid)))
    };
    let head = &mut capture.head;
    let comms = head.comms.lines().filter(occurs);
    head.comms = comms.map(|line| format!("{line}\n")).collect();
    head.printk_formats = String::new();
    head.notes.retain(|note| !note.starts_with("command: "));
    let uname = head.uname.take().unwrap_or_default();
    let words: Vec<&str> = uname.split_whitespace().collect();
    if let [system, _, rest @ ..] = words.as_slice() {
        head.uname = Some(format!("{system} host {}", rest.join(" ")));
    }
    trace::cut(&capture, &Selection::all(), Path::new(to))?;
    Ok(())
}
