//! The scale of a figure of pairs, and the signs of its cells.

use super::{empty, fill, hatch, ink};
use crate::drawing::canvas::{Anchor, Canvas, Drawing, rectangle, text_width_px};
use crate::figure::matrix::tone::{is_open, middle, value_at};
use crate::figure::matrix::{Cell, Matrix, cell_unit};
use crate::figure::{Colour, Figure};
use crate::format::quantity;

const STEPS: usize = 24;
const WIDTH_PX: f64 = 220.0;
const HEIGHT_PX: f64 = 12.0;

/// From the smallest value to the largest, with its unit, at this height.
pub fn draw(canvas: &Canvas<'_>, figure: &Figure, matrix: &Matrix, y: f64) -> Drawing {
    let text = |t: &str, x: f64, y: f64, anchor| canvas.text(t, (x, y), anchor, Colour::Muted);
    let label = match cell_unit(figure).1 {
        "" => figure.y.label.clone(),
        unit => format!("{}, {unit}", figure.y.label),
    };
    text(&label, 8.0, y + 6.0, Anchor::Left)?;
    let start = 8.0 + text_width_px(&label) + 22.0;
    let step = WIDTH_PX / STEPS as f64;
    for i in 0..STEPS {
        let value = value_at(figure, (i as f64 + 0.5) / STEPS as f64);
        let at = (start + i as f64 * step, y, step, HEIGHT_PX);
        let (hue, opacity) = ink(figure, value);
        canvas.area(&rectangle(at), hue, opacity)?;
    }
    let (low, high) = figure.y.range;
    let labelled = |value: f64| quantity(value, figure.y.unit, 3);
    text(&labelled(low), start, y + 21.0, Anchor::Left)?;
    text(&labelled(high), start + WIDTH_PX, y + 21.0, Anchor::Right)?;
    // Not on top of the ends.
    if let Some(share) = middle(figure).filter(|share| (0.2..=0.85).contains(share)) {
        text("1", start + share * WIDTH_PX, y + 21.0, Anchor::Middle)?;
    }
    signs(canvas, figure, matrix, (start + WIDTH_PX + 24.0, y))
}

/// What cells look like that have no number, or no sure one.
fn signs(canvas: &Canvas<'_>, figure: &Figure, matrix: &Matrix, (mut x, y): (f64, f64)) -> Drawing {
    let open = matrix.measured().any(|point| is_open(figure, point));
    let absent = matrix.cells.iter().any(|c| matches!(c, Cell::Absent(_)));
    let unplanned = matrix.cells.contains(&Cell::Unplanned);
    let signs = [
        (open, "interval holds 1"),
        (absent, "not measured"),
        (unplanned, "not in the plan"),
    ];
    for (number, (_, said)) in signs.iter().enumerate().filter(|(_, sign)| sign.0) {
        let at = (x, y, 14.0, HEIGHT_PX);
        match number {
            0 => fill(canvas, at, ink(figure, figure.y.range.1), true)?,
            1 => hatch(canvas, at, Colour::Muted)?,
            _ => empty(canvas, at)?,
        }
        let next = (x + 19.0, y + 6.0);
        canvas.text(said, next, Anchor::Left, Colour::Muted)?;
        x += 24.0 + text_width_px(said) + 12.0;
    }
    Ok(())
}
