//! A figure on a page: its drawing, how far it is to be trusted, and its numbers
//! where it has cells.

use crate::figure::Figure;
use crate::figure::matrix::tone::is_open;
use crate::figure::matrix::{Cell, Matrix, cell_text, cell_unit};
use crate::svg;
use analysis::view::ContaminationLevel;
use maud::{Markup, html};

pub fn render(figure: &Figure) -> Markup {
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
    let (rows, columns) = (&matrix.rows, &matrix.columns);
    let wide = columns.names.len().max(1);
    html! {
        details.theory {
            summary { "The cells as a table" @if !unit.is_empty() { ", " (unit) } }
            div.scroll tabindex="0" role="region" aria-label={ (figure.title) ", table" } {
                table.points {
                    thead {
                        tr {
                            th scope="col" { (rows.label) " \\ " (columns.label) }
                            @for name in &columns.names { th scope="col" { (name) } }
                        }
                    }
                    tbody {
                        @for (name, cells) in rows.names.iter().zip(matrix.cells.chunks(wide)) {
                            tr {
                                th scope="row" { (name) }
                                @for cell in cells {
                                    @match cell {
                                        Cell::Measured(p) => td.soft[is_open(figure, p)] {
                                            (cell_text(figure, p.y))
                                        },
                                        Cell::Absent(why) => td title=(why) { "–" },
                                        Cell::Unplanned => td { "" },
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
