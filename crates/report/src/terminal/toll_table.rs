//! The toll map as a table that fits the window.

use super::remedy;
use crate::document::{Cell, Column, Document, Look, Phrase, Span, Table, Text, Tone};
use crate::toll::{self, COLUMNS_BYTES, Toll, TollCell, TollMap, TollNote, legend};
use record::axis::human_bytes;

/// From this width on a cell has two lines instead of three.
const WIDE: usize = 120;

pub(super) fn document(map: &TollMap, width: usize) -> Document {
    let mut document = Document::new();
    if map.rows.is_empty() {
        return document;
    }
    let title = match map.emulated {
        true => "Toll map (emulated)",
        false => "Toll map",
    };
    let aside = Span::new("  cost of one operation, by bytes moved").tone(Tone::Soft);
    document.heading(2, Phrase::of([Span::new(title), aside]));
    document.table(table(map, width));
    for (mark, meaning) in legend(map) {
        let text = Text::new(meaning).lead(format!("  {mark} "));
        document.text(text.hang(4).tone(Tone::Soft));
    }
    for (i, note) in map.notes.iter().enumerate() {
        let first = format!("  [{}] {} ", i + 1, note.word);
        document.text(Text::new(note.reason.as_str()).lead(first).hang(6));
        document.extend(remedy(&note.remedy, 6));
    }
    document
}

fn table(map: &TollMap, width: usize) -> Table {
    let sizes = COLUMNS_BYTES.iter().enumerate();
    let sizes = sizes.map(|(at, bytes)| {
        // The first size has the blank behind the names before it too.
        Column::number(human_bytes(*bytes)).gap(if at == 0 { 2 } else { 1 })
    });
    let names = Column::words("per operation");
    let mut table = Table::new(std::iter::once(names).chain(sizes));
    for row in &map.rows {
        let cells = row.cells.iter().map(|c| cell(c, &map.notes, width >= WIDE));
        table.row(std::iter::once(Cell::from(row.label.as_str())).chain(cells));
    }
    table.indent(1).look(Look::Ruled).fitting()
}

fn cell(cell: &TollCell, notes: &[TollNote], wide: bool) -> Cell {
    match cell {
        TollCell::Missing => Cell::from("-"),
        TollCell::Absent { note } => {
            let word = Span::new(notes[*note].word).note(note + 1);
            Cell::from(word.tone(Tone::Soft))
        }
        TollCell::Measured(t) => measured(t, wide),
    }
}

fn measured(t: &Toll, wide: bool) -> Cell {
    let mark = match toll::standing_mark(t) {
        "" => String::new(),
        mark => format!("{mark} "),
    };
    let flag = toll::flag_mark(t);
    let time = format!("{mark}{}{flag}", toll::time(t));
    let tone = match (mark.starts_with('*'), flag.ends_with('!')) {
        (true, _) => Tone::Good,
        (false, true) if !wide => Tone::Caution,
        (false, _) => Tone::Plain,
    };
    let mut lines = match wide {
        true => vec![Phrase::toned(
            format!("{time} {}", toll::uncertainty(t)),
            tone,
        )],
        false => vec![
            Phrase::toned(time, tone),
            Phrase::toned(toll::uncertainty(t), Tone::Soft),
        ],
    };
    lines.extend(t.gb_per_s.map(|_| Phrase::from(toll::rate(t))));
    Cell::of(lines)
}
