//! Machine card, conditions and instrument as aligned lines.

use crate::document::{Document, Span, Text, Tone};
use crate::instrument::{condition_lines, instrument_lines};
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
    for (label, value) in machine_lines(head) {
        document.text(line(&label, value));
    }
    let joined = |lines: Vec<(&str, String)>| {
        let caches = lines
            .iter()
            .map(|(label, value)| format!("{label} {value}"));
        caches.collect::<Vec<_>>().join(", ")
    };
    let conditions = condition_lines(head);
    if !conditions.is_empty() {
        document.text(line("conditions", joined(conditions)));
    }
    document.text(line("instrument", joined(instrument_lines(head))));
    for note in head.conditions.notes.iter().chain(&head.instrument.notes) {
        document.text(line("note", note.clone()));
    }
    document
}

/// The card's own lines; a record without them still names its machine.
pub fn machine_lines(head: &RunHead) -> Vec<(String, String)> {
    let m = &head.machine;
    if !m.lines.is_empty() {
        return m.lines.clone();
    }
    vec![
        (
            "processor".to_owned(),
            format!("{}, {}", m.cpu_model, m.arch),
        ),
        ("CPUs".to_owned(), m.cpus.to_string()),
        ("kernel".to_owned(), m.kernel.clone()),
    ]
}

fn line(label: &str, value: String) -> Text {
    // A record of another program may have longer labels than ours.
    Text::new(value).label(2, Span::new(label).tone(Tone::Soft), LABEL_COLUMNS)
}
