//! One row for each word, a bar to its value with its interval.

use super::canvas::{Anchor, Canvas, Drawing, rectangle, text_width_px, widest_px};
use super::line::dot;
use super::place::Map;
use crate::figure::ticks::{axis_label, ticks};
use crate::figure::{Colour, Figure, Scale};

const WIDTH_PX: f64 = 760.0;
/// Share of the usual width that words take; wider ones make the drawing wider.
const MOST_FOR_WORDS: f64 = 0.4;
const BOTTOM_PX: f64 = 40.0;
const LINE_PX: f64 = 13.0;

struct Frame {
    left: f64,
    right: f64,
    title: f64,
    top: f64,
    row: f64,
    bottom: f64,
}

fn words(figure: &Figure) -> &[String] {
    match &figure.x.scale {
        Scale::Categories(words) => words,
        _ => &[],
    }
}

fn frame(figure: &Figure, titled: bool) -> Frame {
    let title = if titled { 26.0 } else { 0.0 };
    let top = title + legend_rows(figure) * LINE_PX + 8.0;
    let row = LINE_PX * figure.series.len().max(1) as f64 + 11.0;
    let left = widest_px(words(figure)) + 16.0;
    Frame {
        left,
        right: width_px(left) - 78.0,
        title,
        top,
        row,
        bottom: top + row * words(figure).len().max(2) as f64,
    }
}

fn width_px(left: f64) -> f64 {
    (left + WIDTH_PX * (1.0 - MOST_FOR_WORDS)).max(WIDTH_PX)
}

fn legend_rows(figure: &Figure) -> f64 {
    match figure.series.len() {
        0 | 1 => 0.0,
        _ => legend_places(figure).last().map_or(0.0, |p| p.1 + 1.0),
    }
}

/// Left edge and row of each legend entry, from the left of the paper.
fn legend_places(figure: &Figure) -> Vec<(f64, f64)> {
    let mut at = (0.0, 0.0);
    let places = figure.series.iter().map(|s| {
        let width = text_width_px(&s.name) + 26.0;
        if at.0 > 0.0 && at.0 + width > WIDTH_PX - 16.0 {
            at = (0.0, at.1 + 1.0);
        }
        let place = at;
        at.0 += width;
        place
    });
    places.collect()
}

/// Size of the drawing.
pub fn size_px(figure: &Figure, titled: bool) -> (f64, f64) {
    let f = frame(figure, titled);
    (width_px(f.left).ceil(), f.bottom + BOTTOM_PX)
}

/// Draws a bar with its interval for each row.
pub fn draw(canvas: &Canvas<'_>, figure: &Figure, titled: bool) -> Drawing {
    let f = frame(figure, titled);
    let y = Map::new(&figure.y, f.left + 8.0, f.right - 8.0);
    if titled {
        canvas.title(&figure.title, (8.0, 14.0))?;
    }
    legend(canvas, figure, &f)?;
    grid(canvas, figure, &f, &y)?;
    let lines = figure.series.len() as f64;
    for (s, series) in figure.series.iter().enumerate() {
        for p in &series.points {
            let offset = (s as f64 - (lines - 1.0) / 2.0) * LINE_PX;
            let middle = f.top + f.row * (p.x + 0.5) + offset;
            let (low, high) = (y.px(p.y.low), y.px(p.y.high));
            // A category has no place on a scale: its value is a length.
            let length = (y.px(p.y.center) - f.left).max(0.0);
            let bar = rectangle((f.left, middle - 3.5, length, 7.0));
            canvas.area(&bar, series.colour, 0.28)?;
            canvas.line(&[(low, middle), (high, middle)], series.colour, 2.0)?;
            dot(canvas, p, (y.px(p.y.center), middle), series.colour)?;
            let text = crate::format::quantity(p.y.center, figure.y.unit, 3);
            let right = (high.max(y.px(p.y.center)) + 8.0, middle);
            canvas.text(&text, right, Anchor::Left, series.colour)?;
        }
    }
    Ok(())
}

fn legend(canvas: &Canvas<'_>, figure: &Figure, f: &Frame) -> Drawing {
    if figure.series.len() < 2 {
        return Ok(());
    }
    for (series, (x, row)) in figure.series.iter().zip(legend_places(figure)) {
        let at = (x + 10.0, f.title + row * LINE_PX + 8.0);
        canvas.dot(at, 3.0, series.colour)?;
        let next = (at.0 + 7.0, at.1);
        canvas.text(&series.name, next, Anchor::Left, series.colour)?;
    }
    Ok(())
}

fn grid(canvas: &Canvas<'_>, figure: &Figure, f: &Frame, y: &Map) -> Drawing {
    for tick in ticks(&figure.y, 6) {
        let x = y.px(tick.value);
        let width = if tick.label.is_some() { 1.0 } else { 0.5 };
        canvas.line(&[(x, f.top), (x, f.bottom)], Colour::Grid, width)?;
        if let Some(label) = &tick.label {
            let at = (x, f.bottom + 12.0);
            canvas.text(label, at, Anchor::Middle, Colour::Muted)?;
        }
    }
    for (i, word) in words(figure).iter().enumerate() {
        let middle = f.top + f.row * (i as f64 + 0.5);
        canvas.text(word, (f.left - 2.0, middle), Anchor::Right, Colour::Ink)?;
        let mut points = figure.series.iter().flat_map(|s| &s.points);
        let measured = points.any(|p| p.x == i as f64);
        if !measured {
            let at = (f.left + 10.0, middle);
            canvas.text("not measured", at, Anchor::Left, Colour::Muted)?;
        }
    }
    let middle = ((f.left + f.right) / 2.0, f.bottom + 29.0);
    canvas.text(
        &axis_label(&figure.y),
        middle,
        Anchor::Middle,
        Colour::Muted,
    )
}
