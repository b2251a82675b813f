//! What the kernel says of its own formats, taken from tracefs and /proc.

use super::absence::Result;
use super::instance::Prepared;
use super::mount::{Tracefs, read};
use super::select::Selection;
use machine::Source;
use std::collections::BTreeMap;
use std::ffi::CStr;
use trace::format::PageLayout;
use trace::{Head, Order, System};

/// The formats of every system that an event is recorded of, and the kernel's own: those of all
/// systems are two megabytes of each file. A trigger may switch on an event of another system, so
/// with one all are taken.
///
/// # Errors
/// As reading tracefs, or a `header_page` that cannot be understood.
pub fn read_head(tracefs: &Tracefs, prepared: &Prepared, selection: &Selection) -> Result<Head> {
    let header_page = tracefs.read("events/header_page")?;
    let layout = PageLayout::parse(&header_page)
        .map_err(|e| super::TracefsError::refused("read events/header_page", e))?;
    let order = if cfg!(target_endian = "big") {
        Order::Big
    } else {
        Order::Little
    };
    // Of the kernel, which may be wider than this program.
    let long_bytes = if layout.commit_bytes == 4 { 4 } else { 8 };
    let mut head = Head::empty(order, long_bytes, prepared.page_bytes);
    head.header_page = header_page;
    head.header_event = tracefs.read("events/header_event")?;
    head.systems = systems(tracefs, |system| is_recorded(system, selection))?;
    head.printk_formats = tracefs.read("printk_formats").unwrap_or_default();
    head.comms = task_names(tracefs);
    head.clock = Some(prepared.clock.clone());
    head.uname = Some(uname());
    head.writer = Some(format!("pontage {}", env!("CARGO_PKG_VERSION")));
    let clocksource = machine::clock::read(&Source::new(tracefs.root())).current;
    head.notes
        .extend(clocksource.map(|name| format!("clocksource: {name}")));
    if let Some(tracer) = prepared.other_tracer(tracefs) {
        head.notes.push(format!(
            "another tracer was active at the same time: {tracer}"
        ));
    }
    if let Some(functions) = &prepared.functions {
        head.notes.push(functions.clone());
    }
    Ok(head)
}

/// The system of the events that the kernel's tracers write.
const OWN: &str = "ftrace";

fn is_recorded(system: &str, selection: &Selection) -> bool {
    let mut switched = selection.switched.iter();
    system == OWN || switched.any(|s| s.system == system || !s.triggers.is_empty())
}

fn systems(tracefs: &Tracefs, wanted: impl Fn(&str) -> bool) -> Result<Vec<System>> {
    let events = tracefs.folder().join("events");
    let mut systems = Vec::new();
    for system in folders(&events).into_iter().filter(|name| wanted(name)) {
        let folder = events.join(&system);
        let mut formats = Vec::new();
        for event in folders(&folder) {
            let path = folder.join(event).join("format");
            if path.exists() {
                formats.push(read(&path)?);
            }
        }
        if !formats.is_empty() {
            systems.push(System {
                name: system,
                formats,
            });
        }
    }
    Ok(systems)
}

fn folders(folder: &std::path::Path) -> Vec<String> {
    let listed = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = listed
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

/// Lines of `PID NAME`: what the kernel remembers (of 128 tasks, unless
/// saved_cmdlines_size says otherwise), and every task that now lives.
pub fn task_names(tracefs: &Tracefs) -> String {
    let mut names = BTreeMap::new();
    add_names(
        &mut names,
        &tracefs.read("saved_cmdlines").unwrap_or_default(),
    );
    let source = Source::new(tracefs.root());
    for process in source.entries("/proc") {
        if process.parse::<u32>().is_err() {
            continue;
        }
        for task in source.entries(&format!("/proc/{process}/task")) {
            let comm = source.word(&format!("/proc/{process}/task/{task}/comm"));
            if let (Ok(pid), Some(comm)) = (task.parse(), comm) {
                names.insert(pid, comm);
            }
        }
    }
    lines(&names)
}

/// `later` wins: a task may have taken another name.
pub fn merged_names(earlier: &str, later: &str) -> String {
    let mut names = BTreeMap::new();
    add_names(&mut names, earlier);
    add_names(&mut names, later);
    lines(&names)
}

fn add_names(names: &mut BTreeMap<u32, String>, text: &str) {
    for line in text.lines() {
        if let Some((pid, name)) = line.trim_start().split_once(' ')
            && let Ok(pid) = pid.parse()
        {
            names.insert(pid, name.to_owned());
        }
    }
}

fn lines(names: &BTreeMap<u32, String>) -> String {
    let lines = names.iter().map(|(pid, name)| format!("{pid} {name}\n"));
    lines.collect()
}

fn uname() -> String {
    let name = rustix::system::uname();
    let fields = [
        name.sysname(),
        name.nodename(),
        name.release(),
        name.version(),
        name.machine(),
    ];
    fields.map(CStr::to_string_lossy).join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::testing::Tree;
    use super::super::{Settings, Specification};
    use super::*;

    #[test]
    fn formats_of_what_is_recorded_names_and_the_machines_clock() {
        let tree = Tree::new();
        let clocksource = "sys/devices/system/clocksource/clocksource0/current_clocksource";
        tree.write(clocksource, "tsc\n");
        let Ok(irq) = "irq".parse::<Specification>();
        let chosen = Selection::resolve(&tree.tracefs(), &[irq], None).unwrap();
        let settings = Settings {
            clock: "mono".to_owned(),
            buffer_kib: 512,
            overwrite: true,
            pids: Vec::new(),
        };
        let prepared = tree.instance().prepare(&settings, &chosen).unwrap();
        let head = read_head(&tree.tracefs(), &prepared, &chosen).unwrap();
        let of = |name: &str| head.systems.iter().find(|s| s.name == name).unwrap();
        // Nothing of syscalls is recorded.
        let names: Vec<&str> = head.systems.iter().map(|s| s.name.as_str()).collect();
        assert!(
            names.iter().all(|name| ["ftrace", "irq"].contains(name)),
            "{names:?}"
        );
        assert_eq!(of("irq").formats.len(), 5);
        assert_eq!(head.comms, "5 five\n7 seven\n8 eight of seven\n");
        assert_eq!(head.clock.as_deref(), Some("mono"));
        assert_eq!(head.notes, ["clocksource: tsc"]);
        assert_eq!((head.long_bytes, head.page_bytes), (8, 4096));
        assert!(head.kallsyms.is_empty());
        assert!(trace::Capture::new(head, Vec::new()).is_ok());
    }

    #[test]
    fn the_later_name_of_a_task_wins() {
        assert_eq!(merged_names("1 a\n2 b c\n", " 2 d\nodd\n"), "1 a\n2 d\n");
    }
}
