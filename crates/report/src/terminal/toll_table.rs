//! The toll map as a table that fits the window.

use super::paint::{painted, wrapped};
use super::{Page, remedy};
use crate::toll::{COLUMNS_BYTES, Toll, TollCell, TollMap, TollNote, legend};
use comfy_table::{CellAlignment, ContentArrangement, Table};
use record::axis::human_bytes;

/// From this width on a cell has two lines instead of three.
const WIDE: usize = 120;

pub(super) fn render(map: &TollMap, page: &Page) -> String {
    if map.rows.is_empty() {
        return String::new();
    }
    let title = if map.emulated {
        "Toll map (emulated)"
    } else {
        "Toll map"
    };
    let mut text = page.paint.bold(title);
    text.push_str(&page.paint.dim("  what one operation costs, by bytes moved"));
    text.push('\n');
    text.push_str(&paint_table(&table(map, page.width).to_string(), page));
    text.push('\n');
    for (mark, meaning) in legend(map) {
        text.push_str(&painted(
            meaning,
            page.width,
            &format!("  {mark} "),
            "    ",
            |l| page.paint.dim(l),
        ));
    }
    for (i, note) in map.notes.iter().enumerate() {
        text.push_str(&note_text(i, note, page));
    }
    text
}

fn table(map: &TollMap, width: usize) -> Table {
    let mut table = Table::new();
    table
        .load_preset(comfy_table::presets::UTF8_HORIZONTAL_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(u16::try_from(width).unwrap_or(u16::MAX));
    let sizes = COLUMNS_BYTES.iter().map(|b| human_bytes(*b));
    table.set_header(std::iter::once("per operation".to_owned()).chain(sizes));
    for row in &map.rows {
        let cells = row.cells.iter().map(|c| cell(c, &map.notes, width >= WIDE));
        table.add_row(std::iter::once(escape::terminal(&row.label).into_owned()).chain(cells));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
        column.set_padding((1, 0));
    }
    table
}

fn cell(cell: &TollCell, notes: &[TollNote], wide: bool) -> String {
    match cell {
        TollCell::Missing => "-".to_owned(),
        TollCell::Absent { note } => format!("{} [{}]", notes[*note].word, note + 1),
        TollCell::Measured(t) => measured(t, wide),
    }
}

fn measured(t: &Toll, wide: bool) -> String {
    let mark = match t.standing_mark() {
        "" => String::new(),
        mark => format!("{mark} "),
    };
    let time = format!("{mark}{}{}", t.time(), t.flag_mark());
    let between = if wide { " " } else { "\n" };
    match t.gb_per_s {
        Some(_) => format!("{time}{between}{}\n{}", t.uncertainty(), t.rate()),
        None => format!("{time}{between}{}", t.uncertainty()),
    }
}

/// Colour after layout: a cell is found again by its mark.
fn paint_table(plain: &str, page: &Page) -> String {
    if page.paint.is_plain() {
        return plain.to_owned();
    }
    plain
        .lines()
        .map(|line| paint_line(line, page))
        .collect::<Vec<_>>()
        .join("\n")
}

fn paint_line(line: &str, page: &Page) -> String {
    line.split("  ")
        .map(|part| {
            let word = part.trim();
            if word.starts_with("* ") {
                page.paint.green(part)
            } else if word.ends_with('!') {
                page.paint.yellow(part)
            } else if word.starts_with('±') || word.ends_with(']') {
                page.paint.dim(part)
            } else {
                part.to_owned()
            }
        })
        .collect::<Vec<_>>()
        .join("  ")
}

fn note_text(index: usize, note: &TollNote, page: &Page) -> String {
    let first = format!("  [{}] {} ", index + 1, note.word);
    let mut text = wrapped(&note.reason, page.width, &first, "      ");
    if !note.remedy.is_empty() {
        text.push_str(&remedy(&note.remedy, "      "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_map_prints_nothing() {
        let map = TollMap {
            emulated: false,
            rows: Vec::new(),
            notes: Vec::new(),
        };
        let page = Page {
            width: 80,
            paint: super::super::Paint::new(false),
        };
        assert_eq!(render(&map, &page), "");
    }
}
