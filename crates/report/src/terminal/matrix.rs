//! Figures of pairs as a block of numbers, where they fit. Columns of words that
//! are too wide get numbers in place of their names, and go on below each other.

use super::Page;
use super::paint::wrapped;
use crate::figure::matrix::tone::{is_diverging, is_open};
use crate::figure::matrix::{Cell, Matrix, cell_text, cell_unit};
use crate::figure::{self, Figure};
use analysis::ExperimentTable;
use record::{FigureKind, RunHead};

const INDENT: &str = "    ";
/// More rows than this are a picture, not a table.
const MOST_ROWS: usize = 24;
/// Behind a ratio that is not told apart from 1.
const OPEN: char = '~';
/// A ratio from here on is shown as a warning, in colour.
const LARGE: f64 = 1.5;

/// Every matrix of an experiment that has numbers and fits the page.
pub(super) fn render(table: &ExperimentTable, run: &RunHead, page: &Page) -> String {
    let heads = table.head.figures.iter().enumerate();
    heads
        .filter(|(_, head)| head.kind == FigureKind::Matrix)
        .flat_map(|(i, _)| figure::figures(run, table, i))
        .filter(|figure| !figure.is_empty())
        .filter_map(|figure| block(&figure, figure.matrix.as_ref()?, page))
        .collect()
}

/// A matrix as text.
struct Grid<'a> {
    figure: &'a Figure,
    matrix: &'a Matrix,
    page: &'a Page,
    corner: String,
    rows: Vec<String>,
    /// What stands above the columns.
    columns: Vec<String>,
    texts: Vec<String>,
    left: usize,
}

fn block(figure: &Figure, matrix: &Matrix, page: &Page) -> Option<String> {
    let names = |side: &figure::matrix::Side| -> Vec<String> {
        side.shown()
            .iter()
            .map(|n| escape::terminal(n).into_owned())
            .collect()
    };
    let rows = names(&matrix.rows);
    let corner = format!(
        "{}\\{}",
        escape::terminal(&matrix.rows.label),
        escape::terminal(&matrix.columns.label)
    );
    let grid = Grid {
        left: longest(&rows).max(corner.chars().count()),
        figure,
        matrix,
        page,
        corner,
        rows,
        columns: names(&matrix.columns),
        texts: matrix.cells.iter().map(|c| text(figure, c)).collect(),
    };
    if grid.rows.len() > MOST_ROWS {
        return None;
    }
    let all = grid.columns.len();
    if grid.fitting() >= all {
        return Some(grid.title("") + &grid.lines(0..all));
    }
    let are_words = |name: &String| name.contains(|c: char| !c.is_ascii_digit());
    if !grid.columns.iter().any(are_words) {
        return None;
    }
    Some(grid.numbered())
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
        Cell::Measured(point) => cell_text(figure, point.y),
        Cell::Absent(_) => "-".to_owned(),
        Cell::Unplanned => ".".to_owned(),
    };
    if is_diverging(figure) {
        text.push(sign);
    }
    text
}

impl Grid<'_> {
    fn each(&self) -> usize {
        longest(&self.texts).max(longest(&self.columns)) + 2
    }

    /// Columns that fit beside each other.
    fn fitting(&self) -> usize {
        let room = self.page.width.saturating_sub(INDENT.len() + self.left);
        room / self.each()
    }

    fn title(&self, more: &str) -> String {
        let unit = match cell_unit(self.figure).1 {
            "" => String::new(),
            unit => format!(", {unit}"),
        };
        let open = match self.texts.iter().any(|t| t.ends_with(OPEN)) {
            true => ", ~ where the interval holds 1",
            false => "",
        };
        let title = format!("{}{unit}{open}{more}", self.figure.title);
        wrapped(&title, self.page.width, INDENT, INDENT)
    }

    /// With numbers above the columns, in blocks of equal width.
    fn numbered(mut self) -> String {
        let numbers: Vec<String> = (1..=self.columns.len()).map(|n| n.to_string()).collect();
        let names = std::mem::replace(&mut self.columns, numbers);
        let named: Vec<String> = names
            .iter()
            .zip(&self.columns)
            .map(|(name, number)| format!("{number}={name}"))
            .collect();
        let legend = wrapped(&named.join(", "), self.page.width, INDENT, INDENT);
        let mut out = self.title("; columns:") + &legend;
        let all = self.columns.len();
        let blocks = all.div_ceil(self.fitting().max(1));
        let step = all.div_ceil(blocks.max(1));
        for start in (0..all).step_by(step.max(1)) {
            out.push_str(&self.lines(start..all.min(start + step)));
        }
        out
    }

    fn lines(&self, columns: std::ops::Range<usize>) -> String {
        let (left, each) = (self.left, self.each());
        let heads: String = self.columns[columns.clone()]
            .iter()
            // The sign behind a number is no part of its column.
            .map(|name| match is_diverging(self.figure) {
                true => format!("{name:>w$} ", w = each - 1),
                false => format!("{name:>each$}"),
            })
            .collect();
        let head = format!("{INDENT}{:>left$}{heads}", self.corner);
        let mut out = self.page.paint.dim(head.trim_end());
        out.push('\n');
        let wide = self.columns.len().max(1);
        let cells = self.matrix.cells.chunks(wide).zip(self.texts.chunks(wide));
        for (name, (cells, texts)) in self.rows.iter().zip(cells) {
            out.push_str(&format!("{INDENT}{name:>left$}"));
            let shown = cells[columns.clone()].iter().zip(&texts[columns.clone()]);
            for (cell, text) in shown {
                out.push_str(&self.painted(cell, &format!("{text:>each$}")));
            }
            out.truncate(out.trim_end().len());
            out.push('\n');
        }
        out
    }

    fn painted(&self, cell: &Cell, text: &str) -> String {
        let paint = self.page.paint;
        match cell {
            Cell::Measured(p) if !is_diverging(self.figure) || p.y == 1.0 => text.to_owned(),
            Cell::Measured(p) if is_open(self.figure, p) => paint.dim(text),
            Cell::Measured(p) if p.y >= LARGE => paint.red(text),
            Cell::Measured(p) if p.y > 1.0 => paint.yellow(text),
            Cell::Measured(_) => paint.green(text),
            Cell::Absent(_) | Cell::Unplanned => text.to_owned(),
        }
    }
}
