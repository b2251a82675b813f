//! Figures of pairs as a block of numbers, where they fit. Columns of words that
//! are too wide get numbers in place of their names, and go on below each other.

use crate::document::{Cell as Shown, Column, Document, Phrase, Table, Text, Tone};
use crate::figure::Figure;
use crate::figure::matrix::tone::{is_diverging, is_open};
use crate::figure::matrix::{Cell, Matrix, cell_text, cell_unit};
use std::ops::Range;

const INDENT: usize = 4;
/// Blanks between two columns.
const GAP: usize = 2;
/// More rows than this are a picture, not a table.
const MOST_ROWS: usize = 24;
/// Behind a ratio that does not differ from 1.
const OPEN: char = '~';
/// A ratio from here on is shown as a warning, in colour.
const LARGE: f64 = 1.5;

/// The figure in numbers, where it is a matrix and fits the window.
pub(crate) fn document(figure: &Figure, width: usize) -> Document {
    let matrix = figure.matrix.as_ref().filter(|_| !figure.is_empty());
    let block = matrix.and_then(|matrix| block(figure, matrix, width));
    block.unwrap_or_default()
}

/// A matrix as text.
struct Grid<'a> {
    figure: &'a Figure,
    matrix: &'a Matrix,
    rows: Vec<String>,
    /// What stands above the columns.
    columns: Vec<String>,
    texts: Vec<String>,
}

fn block(figure: &Figure, matrix: &Matrix, width: usize) -> Option<Document> {
    let grid = Grid {
        figure,
        matrix,
        rows: matrix.rows.shown(),
        columns: matrix.columns.shown(),
        texts: matrix.cells.iter().map(|c| text(figure, c)).collect(),
    };
    if grid.rows.len() > MOST_ROWS {
        return None;
    }
    let all = grid.columns.len();
    if grid.fitting(width) >= all {
        let mut document = grid.title("");
        document.table(grid.table(0..all));
        return Some(document);
    }
    let are_words = |name: &String| name.contains(|c: char| !c.is_ascii_digit());
    let named = grid.columns.iter().any(are_words);
    named.then(|| grid.numbered(width))
}

fn longest(all: &[String]) -> usize {
    all.iter().map(|t| t.chars().count()).max().unwrap_or(0)
}

fn text(figure: &Figure, cell: &Cell) -> String {
    let sign = match cell {
        Cell::Measured(point) if is_open(figure, point) => OPEN,
        _ => ' ',
    };
    let mut text = match cell {
        Cell::Measured(point) => cell_text(figure, point.y.center),
        Cell::Absent(_) => "-".to_owned(),
        Cell::Unplanned => ".".to_owned(),
    };
    if is_diverging(figure) {
        text.push(sign);
    }
    text
}

impl Grid<'_> {
    fn corner(&self) -> String {
        let (rows, columns) = (&self.matrix.rows.label, &self.matrix.columns.label);
        format!("{rows}\\{columns}")
    }

    /// Width of a column, the same for all.
    fn each(&self) -> usize {
        longest(&self.texts).max(longest(&self.columns))
    }

    /// Columns that fit in the width.
    fn fitting(&self, width: usize) -> usize {
        let left = longest(&self.rows).max(self.corner().chars().count());
        width.saturating_sub(INDENT + left) / (self.each() + GAP)
    }

    fn title(&self, more: &str) -> Document {
        let unit = match cell_unit(self.figure).1 {
            "" => String::new(),
            unit => format!(", {unit}"),
        };
        let open = match self.texts.iter().any(|t| t.ends_with(OPEN)) {
            true => ", ~ if the interval contains 1",
            false => "",
        };
        indented(format!("{}{unit}{open}{more}", self.figure.title)).into()
    }

    /// With numbers above the columns, in blocks of equal width.
    fn numbered(mut self, width: usize) -> Document {
        let numbers: Vec<String> = (1..=self.columns.len()).map(|n| n.to_string()).collect();
        let names = std::mem::replace(&mut self.columns, numbers);
        let named = names.iter().zip(&self.columns);
        let named: Vec<String> = named.map(|(name, n)| format!("{n}={name}")).collect();
        let mut document = self.title("; columns:");
        document.text(indented(named.join(", ")));
        let all = self.columns.len();
        let blocks = all.div_ceil(self.fitting(width).max(1));
        let step = all.div_ceil(blocks.max(1)).max(1);
        for start in (0..all).step_by(step) {
            document.table(self.table(start..all.min(start + step)));
        }
        document
    }

    fn table(&self, columns: Range<usize>) -> Table {
        // The sign behind a number is no part of its column.
        let sign = if is_diverging(self.figure) { " " } else { "" };
        let each = self.each();
        let left = longest(&self.rows);
        let heads = self.columns[columns.clone()].iter();
        let heads = heads.map(|name| Column::number(format!("{name}{sign}")).least(each));
        let corner = Column::number(self.corner()).least(left);
        let mut table = Table::new(std::iter::once(corner).chain(heads)).indent(INDENT);
        table.head_tone = Tone::Soft;
        let wide = self.columns.len().max(1);
        let cells = self.matrix.cells.chunks(wide).zip(self.texts.chunks(wide));
        for (name, (cells, texts)) in self.rows.iter().zip(cells) {
            let shown = cells[columns.clone()].iter().zip(&texts[columns.clone()]);
            let shown = shown.map(|(cell, text)| Shown::toned(text.as_str(), self.tone(cell)));
            table.row(std::iter::once(Shown::from(name.as_str())).chain(shown));
        }
        table
    }

    fn tone(&self, cell: &Cell) -> Tone {
        match cell {
            Cell::Measured(p) if !is_diverging(self.figure) || p.y.center == 1.0 => Tone::Plain,
            Cell::Measured(p) if is_open(self.figure, p) => Tone::Soft,
            Cell::Measured(p) if p.y.center >= LARGE => Tone::Bad,
            Cell::Measured(p) if p.y.center > 1.0 => Tone::Caution,
            Cell::Measured(_) => Tone::Good,
            Cell::Absent(_) | Cell::Unplanned => Tone::Plain,
        }
    }
}

fn indented(text: String) -> Text {
    Text::new(text).lead(Phrase::from(" ".repeat(INDENT)))
}
