//! The toll map as a table that fits the window.

use super::remedy;
use crate::document::{Cell, Column, Document, Look, Phrase, Span, Table, Text, Tone};
use crate::toll::{self, COLUMNS_BYTES, Toll, TollCell, TollMap, TollNote, TollRow, legend};
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
    for group in map.groups() {
        let rows = toll::in_order(map, group);
        if rows.is_empty() {
            continue;
        }
        let (title, aside) = toll::title(group);
        let aside = match aside {
            "" => String::new(),
            aside => format!("  {aside}"),
        };
        let heading = [Span::new(title), Span::new(aside).tone(Tone::Soft)];
        document.heading(2, Phrase::of(heading));
        let sizes: Vec<String> = COLUMNS_BYTES.iter().map(|b| human_bytes(*b)).collect();
        document.table(table(
            map,
            &rows,
            ("per operation", &sizes),
            |row| &row.cells,
            width,
        ));
        let with_partner: Vec<&TollRow> = rows
            .into_iter()
            .filter(|row| row.round_trips.iter().any(|cell| cell.toll().is_some()))
            .collect();
        if !with_partner.is_empty() {
            let heads = ("64 B and back, by partner", &map.partners[..]);
            document.table(table(
                map,
                &with_partner,
                heads,
                |row| &row.round_trips,
                width,
            ));
        }
    }
    document.extend(absent(map));
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

/// Ways that were not measured anywhere, by their note.
fn absent(map: &TollMap) -> Vec<Text> {
    let rows = map.rows.iter().filter(|row| !row.is_measured());
    let noted = rows.map(|row| {
        let note = row.all_cells().find_map(|cell| match cell {
            TollCell::Absent { note } => Some(format!(" [{}]", note + 1)),
            _ => None,
        });
        format!("{}{}", row.label, note.unwrap_or_default())
    });
    let noted: Vec<String> = noted.collect();
    let text = (!noted.is_empty()).then(|| Text::new(noted.join("; ")).lead("Not measured: "));
    text.map(|text| text.hang(2)).into_iter().collect()
}

/// Some cells of these rows under their heads; the first names the ways.
fn table(
    map: &TollMap,
    rows: &[&TollRow],
    (names, heads): (&str, &[String]),
    cells: fn(&TollRow) -> &[TollCell],
    width: usize,
) -> Table {
    let columns = heads.iter().enumerate().map(|(at, head)| {
        // The first has the blank behind the names before it too.
        Column::number(head.as_str()).gap(if at == 0 { 2 } else { 1 })
    });
    let mut table = Table::new(std::iter::once(Column::words(names)).chain(columns));
    for row in rows {
        let cells = cells(row).iter();
        let cells = cells.map(|c| cell(c, &map.notes, width >= WIDE));
        table.row(std::iter::once(Cell::from(row.way.as_str())).chain(cells));
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
    let flag = match toll::flag_mark(t) {
        none if none.is_empty() => none,
        some => format!(" {some}"),
    };
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
