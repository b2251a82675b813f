//! Figures of pairs as a block of numbers, where they fit.

use super::{Page, clean};
use crate::figure::matrix::{Cell, Matrix, cell_text, cell_unit};
use crate::figure::{self, Figure};
use analysis::ExperimentTable;
use record::{FigureKind, RunHead};

const INDENT: &str = "    ";
/// More rows than this are a picture, not a table.
const MOST_ROWS: usize = 24;

/// Every matrix of an experiment that has numbers and fits the page.
pub(super) fn render(table: &ExperimentTable, run: &RunHead, page: &Page) -> String {
    let heads = table.head.figures.iter().enumerate();
    heads
        .filter(|(_, head)| head.kind == FigureKind::Matrix)
        .map(|(i, _)| figure::build(run, table, i))
        .filter(|figure| !figure.is_empty())
        .filter_map(|figure| block(&figure, figure.matrix.as_ref()?, page))
        .collect()
}

fn block(figure: &Figure, matrix: &Matrix, page: &Page) -> Option<String> {
    let (divisor, unit) = cell_unit(figure);
    let texts: Vec<String> = matrix.cells.iter().map(|c| text(c, divisor)).collect();
    let names: Vec<String> = matrix.columns.names.iter().map(|n| clean(n)).collect();
    let rows: Vec<String> = matrix.rows.names.iter().map(|n| clean(n)).collect();
    let corner = format!(
        "{}\\{}",
        clean(&matrix.rows.label),
        clean(&matrix.columns.label)
    );
    let longest = |all: &[String]| all.iter().map(|t| t.chars().count()).max().unwrap_or(0);
    let left = longest(&rows).max(corner.chars().count());
    let each = longest(&texts).max(longest(&names)) + 2;
    let wide = INDENT.len() + left + each * names.len();
    if rows.len() > MOST_ROWS || wide > page.width {
        return None;
    }
    let mut out = super::paint::wrapped(
        &format!("{}, {unit}", figure.title),
        page.width,
        INDENT,
        INDENT,
    );
    let line = |head: &str, cells: &[String]| {
        let cells: String = cells.iter().map(|c| format!("{c:>each$}")).collect();
        format!("{INDENT}{head:>left$}{cells}\n")
    };
    out.push_str(&page.paint.dim(line(&corner, &names).trim_end_matches('\n')));
    out.push('\n');
    for (row, cells) in rows.iter().zip(texts.chunks(names.len().max(1))) {
        out.push_str(&line(row, cells));
    }
    Some(out)
}

fn text(cell: &Cell, divisor: f64) -> String {
    match cell {
        Cell::Measured(point) => cell_text(point.y, divisor),
        Cell::Absent(_) => "-".to_owned(),
        Cell::Unplanned => ".".to_owned(),
    }
}
