//! The findings that change most for the reader, numbered.

use super::WIDE;
use crate::document::{Cell, Column, Document, Table, Tone};
use summary::{Class, Ranked};

pub(super) fn document(shown: &[Ranked], width: usize) -> Document {
    let mut document = Document::new();
    if shown.is_empty() {
        return document;
    }
    let wide = width >= WIDE;
    let trust = wide.then(|| Column::words(""));
    let columns = [
        Column::number("").least(2),
        Column::words("").gap(1),
        Column::words("").gap(1),
    ];
    let mut table = Table::new(columns.into_iter().chain(trust)).fitting();
    for (at, finding) in shown.iter().enumerate() {
        table.row(row(at + 1, finding, wide));
    }
    document.table(table);
    document
}

fn row(number: usize, finding: &Ranked, wide: bool) -> Vec<Cell> {
    let tone = match finding.class {
        Class::Contradicts => Tone::Caution,
        Class::Choice | Class::Figure => Tone::Plain,
    };
    let mut cells = vec![
        Cell::toned(number.to_string(), Tone::Soft),
        Cell::toned(finding.class.mark(), tone),
        Cell::from(finding.sentence.as_str()),
    ];
    if wide {
        cells.push(Cell::toned(finding.trust.name(), Tone::Soft));
    }
    cells
}
