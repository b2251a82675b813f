//! What this machine can and cannot measure, on one screen: groups by who can change it.

mod changes;
mod machine;
mod names;
mod trust;

use super::Report;
use ::report::document::{Document, Phrase, Span, Text, Tone, terminal};
use changes::Change;
use probe::absence::{Help, option};
use probe::capability::{Area, Capability, State};

/// Lines that it takes at most, in a window that is wide or is not.
const LINES: (usize, usize) = (30, 36);
/// From this width on a window is wide.
const WIDE: usize = 96;
/// Columns of a label.
const LABEL: usize = 10;
/// Changes of killed runs that are shown.
const PENDING: usize = 2;

/// The report on one screen of `width` columns. Commands that it has no room for are named.
pub fn document(report: &Report, width: usize) -> Document {
    let width = width.max(terminal::LEAST_WIDTH);
    let most = if width >= WIDE { LINES.0 } else { LINES.1 };
    let changes = changes::of(&report.capabilities);
    let ample = Room {
        changes: changes.len(),
        tight: false,
    };
    let tight = |changes| Room {
        changes,
        tight: true,
    };
    let rooms = std::iter::once(ample).chain((0..=changes.len()).rev().map(tight));
    let shown = |room: Room| whole(report, &changes, room, width);
    let fits = |room: &Room| lines(&shown(*room), width) <= most;
    let room = rooms.into_iter().find(fits);
    shown(room.unwrap_or(tight(0)))
}

/// How much of it is shown.
#[derive(Debug, Clone, Copy)]
struct Room {
    /// Commands.
    changes: usize,
    /// States and options only where they take no line.
    tight: bool,
}

fn lines(document: &Document, width: usize) -> usize {
    terminal::write(document, width, false).lines().count()
}

fn whole(report: &Report, changes: &[Change<'_>], room: Room, width: usize) -> Document {
    let all = &report.capabilities;
    let helped = |help| all.iter().filter(move |c| c.help == Some(help));
    let named = |c: &Capability| match option(&c.remedy).filter(|_| !room.tight) {
        // What stands in brackets explains it.
        Some(option) => {
            let option = option.split(" (").next().unwrap_or(option);
            format!("{} ({option})", c.name)
        }
        None => c.name.clone(),
    };
    let kernel: Vec<String> = helped(Help::Kernel).map(named).collect();
    let elsewhere = helped(Help::Elsewhere).map(|c| c.name.clone());
    let elsewhere: Vec<String> = elsewhere.collect();
    Document::sections([
        machine::document(&report.machine, width),
        ready(all),
        changes::document(changes, room, width),
        listed("Another kernel or boot option", &kernel, room),
        listed("Only the host or other hardware", &elsewhere, room),
        end(report),
    ])
}

/// What is available, a line for each area.
fn ready(all: &[Capability]) -> Document {
    let mut document = Document::new();
    let available = |c: &&Capability| c.state == State::Available;
    let count = all.iter().filter(available).count();
    document.line(heading(&format!("Ready: {count} of {}", all.len())));
    for area in Area::ALL {
        let of_area = all.iter().filter(available).filter(|c| c.area == area);
        let names: Vec<String> = of_area.map(|c| c.name.clone()).collect();
        if !names.is_empty() {
            let text = Text::new(names::joined(&names));
            document.text(text.label(2, area.word(), LABEL));
        }
    }
    document
}

/// Names under their number, or behind it.
fn listed(title: &str, names: &[String], room: Room) -> Document {
    let mut document = Document::new();
    if !names.is_empty() {
        let title = format!("{title}: {}", names.len());
        let text = Text::new(names::joined(names));
        match room.tight {
            true => document.text(text.lead(heading(&(title + "  "))).hang(2)),
            false => {
                document.line(heading(&title));
                document.text(text.lead("  "));
            }
        }
    }
    document
}

fn heading(words: &str) -> Phrase {
    Phrase::from(Span::new(words).tone(Tone::Strong))
}

/// What is in the way, the trust to expect, and what to type next.
fn end(report: &Report) -> Document {
    let mut document = Document::new();
    let pending = report.pending.iter().take(PENDING);
    for text in pending {
        let text = Text::new(format!("pending: {text}"));
        document.text(text.tone(Tone::Caution));
    }
    if report.perf.is_none() {
        let note = "A stored tree: perf events and programs were not tested.";
        document.text(Text::new(note).tone(Tone::Soft));
    }
    document.text(trust::sentence(report));
    document.text(next(report).as_str());
    document
}

fn next(report: &Report) -> String {
    let root = report.root.display();
    match report.perf {
        Some(_) => "Next: pontage run (about a minute); reasons for every line: pontage doctor \
                    --all"
            .to_owned(),
        None => format!("Next: reasons for every line: pontage doctor --all --root {root}"),
    }
}
