//! Machine card, conditions and instrument as aligned lines.

use super::Page;
use super::paint::wrapped;
use crate::instrument::{condition_lines, instrument_lines};
use analysis::RunView;
use record::RunHead;

const LABEL_COLUMNS: usize = 14;

pub(super) fn render(view: &RunView, page: &Page) -> String {
    let head = &view.head;
    let mut text = wrapped(
        &format!(
            "{}  {}  pontage {}  {}",
            head.machine.host, head.started_utc, head.tool_version, head.recipe.name
        ),
        page.width,
        "",
        "  ",
    );
    text = page.paint.bold(text.trim_end());
    text.push('\n');
    for (label, value) in machine_lines(head) {
        text.push_str(&line(&label, &value, page));
    }
    let joined = |lines: Vec<(&str, String)>| {
        lines
            .into_iter()
            .map(|(label, value)| format!("{label} {value}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let conditions = condition_lines(head);
    if !conditions.is_empty() {
        text.push_str(&line("conditions", &joined(conditions), page));
    }
    text.push_str(&line("instrument", &joined(instrument_lines(head)), page));
    for note in head.conditions.notes.iter().chain(&head.instrument.notes) {
        text.push_str(&line("note", note, page));
    }
    text
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

fn line(label: &str, value: &str, page: &Page) -> String {
    // A record of another program may have longer labels than ours.
    let label = escape::terminal(label);
    let first = format!(
        "  {:<1$}",
        label,
        LABEL_COLUMNS.max(label.chars().count() + 1)
    );
    let rest = " ".repeat(LABEL_COLUMNS + 2);
    let text = wrapped(value, page.width, &first, &rest);
    // The label has a fixed place, so it can be painted after wrapping.
    text.strip_prefix(&first).map_or(text.clone(), |tail| {
        format!("{}{tail}", page.paint.dim(&first))
    })
}
