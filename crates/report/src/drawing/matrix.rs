//! A cell for each pair. Hues laid over the paper, thin or thick: that works on
//! white and on black, in grey, and for people who see few colours. Ink stays
//! readable on the thickest. A ratio that does not differ from 1 has its hue in
//! a strip only.

mod legend;

use super::canvas::{
    Anchor, Canvas, Drawing, FONT_PX, SLANT_DEGREES, rectangle, text_width_px, widest_px,
};
use crate::figure::matrix::tone::{is_open, tone};
use crate::figure::matrix::{Cell, Matrix, cell_text};
use crate::figure::{Colour, Figure};
use analysis::view::ContaminationLevel;
use analysis::whole_index;

const WIDTH_PX: f64 = 760.0;
const TITLE_PX: f64 = 26.0;
const LEGEND_PX: f64 = 46.0;
/// Height of names that stand upright.
const NAMES_PX: f64 = 34.0;
/// Strip of a cell that does not differ from no effect.
const STRIP_PX: f64 = 5.0;
const THINNEST: f64 = 0.08;
const THICKEST: f64 = 0.55;
/// A cell is no larger than this, and never smaller than the other.
const LARGEST_PX: (f64, f64) = (84.0, 34.0);
const SMALLEST_PX: f64 = 5.0;

/// Where everything is, in pixels.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    left: f64,
    top: f64,
    /// Height of the columns' names.
    names: f64,
    title: f64,
    cell: (f64, f64),
    rows: usize,
    slanted: bool,
    width: f64,
}

impl Layout {
    /// Where the parts of a matrix are.
    pub fn of(matrix: &Matrix, titled: bool) -> Layout {
        let (rows, columns) = (matrix.rows.names.len(), matrix.columns.names.len());
        let left = (widest_px(matrix.rows.shown()) + 14.0).clamp(40.0, WIDTH_PX * 0.3);
        let across = |right: f64| {
            let room = WIDTH_PX - left - 8.0 - right;
            (room / columns.max(1) as f64).clamp(SMALLEST_PX, LARGEST_PX.0)
        };
        let name = widest_px(matrix.columns.shown());
        // Numbers that do not fit may be left out, words may not.
        let slanted = name + 5.0 > across(0.0) && across(0.0) >= FONT_PX + 2.0;
        let (sine, cosine) = SLANT_DEGREES.to_radians().sin_cos();
        let (names, right) = match slanted {
            true => ((name * sine + 16.0).max(NAMES_PX), name * cosine),
            false => (NAMES_PX, 0.0),
        };
        let across = across(right);
        let down = across.min(LARGEST_PX.1);
        let title = if titled { TITLE_PX } else { 0.0 };
        let wide = left + across * columns as f64 + right + 8.0;
        Layout {
            left,
            top: title + LEGEND_PX + names,
            names,
            title,
            cell: (across, down),
            rows,
            slanted,
            width: wide.max(WIDTH_PX),
        }
    }

    /// Left, top, width and height of a cell.
    pub fn cell_px(&self, row: usize, column: usize) -> (f64, f64, f64, f64) {
        let (w, h) = self.cell;
        let (x, y) = (column as f64 * w, row as f64 * h);
        (self.left + x, self.top + y, w, h)
    }

    fn bottom(&self) -> f64 {
        self.top + self.cell.1 * self.rows.max(1) as f64
    }
}

/// Size of the drawing.
pub fn size_px(figure: &Figure, matrix: &Matrix, titled: bool) -> (f64, f64) {
    let layout = Layout::of(matrix, titled);
    let rows = if figure.is_empty() { 60.0 } else { 12.0 };
    (layout.width.ceil(), (layout.bottom() + rows).ceil())
}

/// Draws a cell for each pair, its value as colour.
pub fn draw(canvas: &Canvas<'_>, figure: &Figure, matrix: &Matrix, titled: bool) -> Drawing {
    let l = Layout::of(matrix, titled);
    if titled {
        canvas.title(&figure.title, (8.0, 14.0))?;
    }
    if figure.is_empty() {
        let at = (8.0, l.title + 30.0);
        return canvas.sized(
            "no points measured",
            at,
            Anchor::Left,
            (13.0, Colour::Muted),
        );
    }
    legend::draw(canvas, figure, matrix, l.title + 6.0)?;
    names(canvas, matrix, &l)?;
    for (row, column, cell) in matrix.placed() {
        draw_cell(canvas, figure, l.cell_px(row, column), cell)?;
    }
    Ok(())
}

/// Hue and opacity of a value.
fn ink(figure: &Figure, value: f64) -> (Colour, f64) {
    let tone = tone(figure, value);
    let opacity = THINNEST + tone.strength * (THICKEST - THINNEST);
    (Colour::Hue(tone.hue), opacity)
}

/// A cell filled with the ink of its value.
fn fill(
    canvas: &Canvas<'_>,
    (x, y, w, h): (f64, f64, f64, f64),
    (hue, opacity): (Colour, f64),
    open: bool,
) -> Drawing {
    if !open {
        return canvas.area(&rectangle((x, y, w, h)), hue, opacity);
    }
    let strip = STRIP_PX.min(h / 3.0);
    canvas.area(&rectangle((x, y, w, h)), Colour::Grid, 0.35)?;
    canvas.area(&rectangle((x, y + h - strip, w, strip)), hue, opacity)
}

fn draw_cell(
    canvas: &Canvas<'_>,
    figure: &Figure,
    at: (f64, f64, f64, f64),
    cell: &Cell,
) -> Drawing {
    // A gap of paper between cells, where there is room for one.
    let gap = if at.2 >= 16.0 { 1.0 } else { 0.0 };
    let (x, y, w, h) = (at.0, at.1, at.2 - gap, at.3 - gap);
    match cell {
        Cell::Measured(point) => {
            let open = is_open(figure, point);
            fill(canvas, (x, y, w, h), ink(figure, point.y.center), open)?;
            let text = cell_text(figure, point.y.center);
            let middle = (x + w / 2.0, y + h / 2.0);
            if fits(&text, w, h) {
                let colour = if open { Colour::Muted } else { Colour::Ink };
                canvas.text(&text, middle, Anchor::Middle, colour)?;
            }
            flag(canvas, point.flag, (x + w - 5.0, y + 5.0), w)
        }
        Cell::Absent(_) => hatch(canvas, (x, y, w, h), Colour::Muted),
        Cell::Unplanned => empty(canvas, (x, y, w, h)),
    }
}

fn fits(text: &str, width: f64, height: f64) -> bool {
    text_width_px(text) + 3.0 <= width && FONT_PX + 3.0 <= height
}

/// Ring and cross as in every figure, in the corner; cells too small for a
/// number have no room for one either, and say it when pointed at.
fn flag(canvas: &Canvas<'_>, level: ContaminationLevel, at: (f64, f64), width: f64) -> Drawing {
    match level {
        _ if width < 30.0 => Ok(()),
        ContaminationLevel::Clean => Ok(()),
        ContaminationLevel::Disturbed => canvas.ring(at, 2.2, Colour::Ink),
        ContaminationLevel::Contaminated => canvas.cross(at, 2.6, Colour::Ink),
    }
}

/// An outline and no ink: nothing was asked.
fn empty(canvas: &Canvas<'_>, (x, y, w, h): (f64, f64, f64, f64)) -> Drawing {
    let corners = rectangle((x + 0.5, y + 0.5, w - 1.0, h - 1.0));
    let outline = [corners.as_slice(), &corners[..1]].concat();
    canvas.line(&outline, Colour::Grid, 0.5)
}

/// Slanted lines: planned, and without a number.
fn hatch(canvas: &Canvas<'_>, (x, y, w, h): (f64, f64, f64, f64), colour: Colour) -> Drawing {
    canvas.area(&rectangle((x, y, w, h)), Colour::Grid, 0.5)?;
    let step = if w < 16.0 { 4.0 } else { 7.0 };
    let mut at = step / 2.0;
    // Lines x + y = at, cut off at the edges of the cell.
    while at < w + h {
        let from = (x + at.min(w), y + (at - w).max(0.0));
        let to = (x + (at - h).max(0.0), y + at.min(h));
        canvas.line(&[from, to], colour, 0.5)?;
        at += step;
    }
    Ok(())
}

/// Names at the sides, as many as do not overlap.
fn names(canvas: &Canvas<'_>, matrix: &Matrix, l: &Layout) -> Drawing {
    let widest = widest_px(matrix.columns.shown());
    let every = |need: f64, have: f64| whole_index((need / have).ceil()).max(1);
    let (w, h) = l.cell;
    let columns = matrix.columns.shown().into_iter().enumerate();
    let need = if l.slanted { w } else { widest + 5.0 };
    for (i, name) in columns.step_by(every(need, w)) {
        let at = (l.left + (i as f64 + 0.5) * w, l.top - 9.0);
        match l.slanted {
            true => canvas.slanted(&name, at, Colour::Ink)?,
            false => canvas.text(&name, at, Anchor::Middle, Colour::Ink)?,
        }
    }
    let rows = matrix.rows.shown().into_iter().enumerate();
    for (i, name) in rows.step_by(every(FONT_PX + 2.0, h)) {
        let at = (l.left - 6.0, l.top + (i as f64 + 0.5) * h);
        canvas.text(&name, at, Anchor::Right, Colour::Ink)?;
    }
    let corner = format!("{} ↓   {} →", matrix.rows.label, matrix.columns.label);
    let at = (8.0, l.top - l.names + 9.0);
    canvas.text(&corner, at, Anchor::Left, Colour::Muted)
}
