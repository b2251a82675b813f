//! What a machine can and cannot measure, and how to enable it.

use crate::document::{Cell, Document, Look, Table, Tone};

/// Narrower than this, the table cannot be read.
pub const NARROWEST: usize = 60;
/// From here on what was found has a column of its own.
const WIDE: usize = 120;
/// Before the reason why nothing would help.
const NO_COMMAND: &str = "none: ";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Doctor {
    /// Lines of the machine's card: label and value.
    pub machine: Vec<(String, String)>,
    pub capabilities: Vec<Capability>,
    /// What else is to be known, a line each.
    pub remarks: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    pub name: String,
    pub state: State,
    pub purpose: String,
    /// What was found.
    pub detail: String,
    /// The command that would help; `none: ` and a reason; or empty.
    pub remedy: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Available,
    Limited,
    Absent,
}

impl State {
    const ALL: [State; 3] = [State::Available, State::Limited, State::Absent];

    fn word(self) -> &'static str {
        match self {
            State::Available => "available",
            State::Limited => "limited",
            State::Absent => "absent",
        }
    }

    fn tone(self) -> Tone {
        match self {
            State::Available => Tone::Good,
            State::Limited => Tone::Caution,
            State::Absent => Tone::Bad,
        }
    }
}

impl Capability {
    fn command(&self) -> Option<&str> {
        let none = self.remedy.is_empty() || self.remedy.starts_with(NO_COMMAND);
        (!none).then_some(self.remedy.as_str())
    }

    fn found(&self) -> String {
        match self.remedy.strip_prefix(NO_COMMAND) {
            Some(reason) => format!("{} (no command: {reason})", self.detail),
            None => self.detail.clone(),
        }
    }
}

impl Doctor {
    /// For a window so wide. Commands alone are never broken, so that they can be
    /// copied.
    pub fn document(&self, width: usize) -> Document {
        let parts = [
            self.card(),
            self.table(width >= WIDE),
            self.commands(),
            self.footer(),
        ];
        Document::sections(parts)
    }

    fn card(&self) -> Document {
        let mut table = Table::of(2, ["", ""]).indent(1).fitting();
        for (label, value) in &self.machine {
            table.row([label.as_str(), value.as_str()]);
        }
        let mut document = Document::new();
        document.table(table);
        document
    }

    /// Commands stand below it by number, so that they need not be broken.
    fn table(&self, wide: bool) -> Document {
        let behind: &[&str] = match wide {
            true => &["what it is for", "what was found"],
            false => &["what it is for -> what was found"],
        };
        let heads = ["capability", "state", ""].iter().chain(behind).copied();
        let table = Table::of(usize::MAX, heads).look(Look::Underlined);
        let mut table = table.indent(1).fitting();
        let mut number = 0;
        for c in &self.capabilities {
            number += usize::from(c.command().is_some());
            let mark = c.command().map_or(String::new(), |_| format!("[{number}]"));
            let mut row = vec![
                Cell::from(c.name.as_str()),
                Cell::toned(c.state.word(), c.state.tone()),
                Cell::from(mark),
            ];
            match wide {
                true => row.extend([c.purpose.clone(), c.found()].map(Cell::from)),
                false => row.push(Cell::from(format!("{} -> {}", c.purpose, c.found()))),
            }
            table.row(row);
        }
        let mut document = Document::new();
        document.table(table);
        document
    }

    fn commands(&self) -> Document {
        let mut document = Document::new();
        let given = self.capabilities.iter();
        let given = given.filter_map(|c| Some((&c.name, c.command()?)));
        for (index, (name, command)) in given.enumerate() {
            if index == 0 {
                document.line("To enable:");
            }
            document.line(format!("[{}] {name}:", index + 1));
            document.line(format!("    {command}"));
        }
        document
    }

    fn footer(&self) -> Document {
        let of = |state: State| {
            let found = self.capabilities.iter().filter(|c| c.state == state);
            format!("{} {}", found.count(), state.word())
        };
        let mut document = Document::new();
        document.line(State::ALL.map(of).join(", "));
        self.remarks.iter().for_each(|r| document.line(r.as_str()));
        document
    }
}
