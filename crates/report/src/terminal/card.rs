//! Machine card, conditions and instrument as aligned lines.

use crate::document::{Document, Span, Text, Tone};
use crate::instrument::{condition_lines, instrument_lines, speed_lines};
use analysis::RunView;
use record::RunHead;

const LABEL_COLUMNS: usize = 14;

pub(super) fn document(view: &RunView) -> Document {
    let head = &view.head;
    let mut document = Document::new();
    let title = format!(
        "{}  {}  pontage {}  {}",
        head.machine.host, head.started_utc, head.tool_version, head.recipe.name
    );
    document.text(Text::new(title).hang(2).tone(Tone::Strong));
    let lines = machine_lines(head).into_iter();
    document.extend(lines.map(|(label, value)| line(&label, value)));
    let joined = |lines: Vec<(&str, String)>| {
        let facts = lines
            .iter()
            .map(|(label, value)| format!("{label} {value}"));
        facts.collect::<Vec<_>>().join(", ")
    };
    let conditions = condition_lines(head);
    if !conditions.is_empty() {
        document.text(line("conditions", joined(conditions)));
    }
    let speeds = speed_lines(view).into_iter();
    document.extend(speeds.map(|(label, value)| line(label, value)));
    document.text(line("instrument", joined(instrument_lines(head))));
    let notes = head.conditions.notes.iter().chain(&head.instrument.notes);
    document.extend(notes.map(|note| line("note", note.clone())));
    document
}

/// The card's own lines; a record without them still names its machine.
pub fn machine_lines(head: &RunHead) -> Vec<(String, String)> {
    let m = &head.machine;
    if !m.lines.is_empty() {
        return m.lines.clone();
    }
    let processor = format!("{}, {}", m.cpu_model, m.arch);
    let lines = [
        ("processor", processor),
        ("CPUs", m.cpus.to_string()),
        ("kernel", m.kernel.clone()),
    ];
    lines
        .map(|(label, value)| (label.to_owned(), value))
        .to_vec()
}

fn line(label: &str, value: String) -> Text {
    // A record of another program may have longer labels than ours.
    Text::new(value).label(2, Span::new(label).tone(Tone::Soft), LABEL_COLUMNS)
}
