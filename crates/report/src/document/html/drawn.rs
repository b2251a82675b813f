//! A figure on a page: its drawing, how far it is to be trusted, and its numbers
//! where it has cells.

use crate::document::{self, Table};
use crate::figure::Figure;
use crate::figure::matrix::tone::is_open;
use crate::figure::matrix::{Cell, Matrix, cell_text, cell_unit};
use crate::svg;
use analysis::view::ContaminationLevel;
use maud::{Markup, html};

pub(super) fn render(figure: &Figure) -> Markup {
    let (class, sign) = match figure.verdict.level() {
        ContaminationLevel::Clean => ("chip clean", "●"),
        ContaminationLevel::Disturbed => ("chip disturbed", "○"),
        ContaminationLevel::Contaminated => ("chip contaminated", "×"),
    };
    html! {
        // Without data a figure is left to the static drawing.
        figure #(figure.id) data-figure=[figure.matrix.is_none().then_some(&figure.id)] {
            figcaption {
                b { (figure.title) }
                @if !figure.is_empty() {
                    span class=(class) { (sign) " " (figure.verdict.sentence()) }
                }
            }
            @if figure.is_empty() {
                p.empty { "Nothing to draw." }
            } @else if figure.matrix.is_none() {
                // Drawn by the page's script when it is opened, from the data at the page's end.
                noscript { p.empty { "Drawn by a script; the table below has its numbers." } }
            } @else {
                div.static tabindex="0" role="region" aria-label={ (figure.title) ", static figure" } {
                    @match svg::inline(figure) {
                        Ok(drawn) => (drawn),
                        Err(cause) => p.empty { (cause.to_string()) },
                    }
                }
            }
            @if let Some(matrix) = figure.matrix.as_ref().filter(|_| !figure.is_empty()) {
                (numbers(figure, matrix))
            }
            @if !figure.reading.is_empty() { p.reading { (figure.reading) } }
            @for note in &figure.notes { p.note { (note) } }
        }
    }
}

/// The cells of a matrix as a table: for those who do not see colours, and for
/// copying.
fn numbers(figure: &Figure, matrix: &Matrix) -> Markup {
    let unit = cell_unit(figure).1;
    html! {
        details.theory {
            summary { "The cells as a table" @if !unit.is_empty() { ", " (unit) } }
            (super::table(&cells(figure, matrix)))
        }
    }
}

fn cells(figure: &Figure, matrix: &Matrix) -> Table {
    let (rows, columns) = (&matrix.rows, &matrix.columns);
    let corner = format!("{} \\ {}", rows.label, columns.label);
    let heads = std::iter::once(corner).chain(columns.names.iter().cloned());
    let name = format!("{}, table", figure.title);
    let mut table = Table::of(1, heads).on_page("points", name);
    let wide = columns.names.len().max(1);
    for (name, cells) in rows.names.iter().zip(matrix.cells.chunks(wide)) {
        let head = document::Cell::from(name.as_str()).names_row();
        let shown = cells.iter().map(|cell| self::cell(figure, cell));
        table.row(std::iter::once(head).chain(shown));
    }
    table
}

fn cell(figure: &Figure, cell: &Cell) -> document::Cell {
    match cell {
        Cell::Measured(p) => {
            let kind = if is_open(figure, p) { "soft" } else { "" };
            document::Cell::from(cell_text(figure, p.y.center)).kind(kind)
        }
        Cell::Absent(why) => document::Cell::from("–").title(why.as_str()),
        Cell::Unplanned => document::Cell::from(""),
    }
}
