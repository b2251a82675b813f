//! Figures on any backend of plotters.

mod canvas;
pub mod card;
mod curves;
mod dots;
mod foot;
mod line;
pub mod matrix;
mod panels;
mod place;
pub mod under_load;

use crate::figure::Figure;
pub use canvas::SLANT_DEGREES;
use canvas::{Canvas, Drawing};
pub use foot::Foot;
use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, DrawingBackend};

/// Width and height of a figure, CSS pixels.
pub fn size_px(figure: &Figure, titled: bool) -> (f64, f64) {
    if let Some(matrix) = &figure.matrix {
        matrix::size_px(figure, matrix, titled)
    } else if figure.is_dots() {
        dots::size_px(figure, titled)
    } else {
        curves::size_px(figure, titled)
    }
}

/// Draws the rows of two runs side by side.
///
/// # Errors
/// What plotters says when it refuses.
pub fn draw_rows<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    units_per_px: f64,
    rows: &under_load::Rows<'_>,
) -> Drawing {
    rows.draw(&Canvas::new(root, units_per_px))?;
    root.present().map_err(|e| e.to_string())
}

/// Width and height of a figure that is a file of its own.
pub fn sheet_px(figure: &Figure, foot: &Foot) -> (f64, f64) {
    let (width, height) = size_px(figure, true);
    (width, height + foot.height_px(width))
}

/// Draws a figure with its title, and under it where it comes from.
///
/// # Errors
/// What plotters says when it refuses.
pub fn draw_sheet<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    units_per_px: f64,
    figure: &Figure,
    foot: &Foot,
) -> Drawing {
    let canvas = Canvas::new(root, units_per_px);
    foot.draw(&canvas, size_px(figure, true))?;
    draw(root, units_per_px, figure, true)
}

/// Draws the card of a run.
///
/// # Errors
/// What plotters says when it refuses.
pub fn draw_card<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    units_per_px: f64,
    card: &crate::card::Card,
) -> Drawing {
    card.draw(&Canvas::new(root, units_per_px))?;
    root.present().map_err(|e| e.to_string())
}

/// Draws a figure into an area of `units_per_px` times its size.
///
/// # Errors
/// What plotters says when it refuses.
pub fn draw<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    units_per_px: f64,
    figure: &Figure,
    titled: bool,
) -> Drawing {
    let canvas = Canvas::new(root, units_per_px);
    if let Some(matrix) = &figure.matrix {
        matrix::draw(&canvas, figure, matrix, titled)?;
    } else if figure.is_dots() {
        dots::draw(&canvas, figure, titled)?;
    } else {
        curves::draw(&canvas, figure, titled)?;
    }
    root.present().map_err(|e| e.to_string())
}
