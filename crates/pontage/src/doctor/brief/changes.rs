//! What the user can change now, each with its command.

use super::{Room, heading};
use ::report::document::{Document, Text};
use probe::absence::Help;
use probe::capability::Capability;

/// Blanks before a command that has a line of its own.
const OWN_LINE: usize = 4;
const GAP: usize = 2;
/// Before a name.
const INDENT: usize = 2;

/// One command, and what it makes available.
pub(super) struct Change<'a> {
    command: &'a str,
    opens: Vec<&'a Capability>,
}

/// In the order of the capabilities; each command once.
pub(super) fn of(all: &[Capability]) -> Vec<Change<'_>> {
    let mut found: Vec<Change<'_>> = Vec::new();
    for c in all.iter().filter(|c| c.help == Some(Help::Command)) {
        match found.iter_mut().find(|known| known.command == c.remedy) {
            Some(known) => known.opens.push(c),
            None => found.push(Change {
                command: &c.remedy,
                opens: vec![c],
            }),
        }
    }
    found
}

/// As many in lines as there is room for, the others by name.
pub(super) fn document(changes: &[Change<'_>], room: Room, width: usize) -> Document {
    let mut document = Document::new();
    let count: usize = changes.iter().map(|c| c.opens.len()).sum();
    if count == 0 {
        return document;
    }
    document.line(heading(&format!("You can change: {count}")));
    let (shown, left) = changes.split_at(room.changes.min(changes.len()));
    let widest = |of: fn(&Change<'_>) -> usize| shown.iter().map(of).max().unwrap_or(0);
    let columns = (
        widest(|c| c.name().chars().count()) + GAP,
        widest(|c| c.now().chars().count()) + GAP,
    );
    for change in shown {
        document.append(change.lines(columns, room.tight, width));
    }
    if !left.is_empty() {
        let names: Vec<String> = left.iter().map(Change::name).collect();
        let first = if shown.is_empty() { "" } else { "also " };
        let text = format!("{first}{}: pontage doctor --all", names.join(", "));
        document.text(Text::new(text).lead("  "));
    }
    document
}

impl Change<'_> {
    /// The one that is shown: the first of the area that most of them belong to.
    fn first(&self) -> Option<&Capability> {
        let alike = |c: &Capability| self.opens.iter().filter(|o| o.area == c.area).count();
        let opens = self.opens.iter().copied();
        // Of equals the first: `max_by_key` takes the last.
        opens.rev().max_by_key(|c| alike(c))
    }

    /// `tracefs and 4 more`.
    fn name(&self) -> String {
        let first = self.first().map_or("", |c| c.name.as_str());
        match self.opens.len() {
            0 | 1 => first.to_owned(),
            n => format!("{first} and {} more", n - 1),
        }
    }

    fn now(&self) -> &str {
        self.first().map_or("", |c| c.short.as_str())
    }

    /// Name, state and command in a line; where that is too wide, the command in its own, or the
    /// state left out. A command that is wider than the window is left to the table.
    fn lines(&self, (name, now): (usize, usize), tight: bool, width: usize) -> Document {
        let (state, length) = (self.now(), self.command.chars().count());
        let mut document = Document::new();
        let mut line = |words: String| {
            document.text(Text::line(words).label(INDENT, self.name(), name));
        };
        if INDENT + name + now + length <= width {
            line(format!("{state:<now$}{}", self.command));
        } else if tight && INDENT + name + length <= width {
            line(self.command.to_owned());
        } else if OWN_LINE + length <= width {
            line(state.to_owned());
            document.line(format!("{:OWN_LINE$}{}", "", self.command));
        } else {
            line(format!("{state:<now$}pontage doctor --all"));
        }
        document
    }
}
