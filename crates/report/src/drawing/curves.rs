//! Curves over a numeric axis: bands, lines, points, vertical marks, labels at
//! the ends of the lines.

use super::canvas::{Anchor, Canvas, Drawing, rectangle, text_width_px, widest_px};
use super::line;
use super::panels::{self, Area, PanelFrame};
use super::place::{self, Map, PlacedMark, PlacedName, ROW_PX};
use crate::figure::ticks::{Tick, axis_label, ticks};
use crate::figure::{Colour, Figure, MarkRole, Series};

const WIDTH_PX: f64 = 760.0;
const PLOT_HEIGHT_PX: f64 = 300.0;
const BOTTOM_PX: f64 = 40.0;
const TITLE_PX: f64 = 26.0;
/// Share of the usual width that labels take; wider ones make the drawing wider.
const MOST_FOR_LABELS: f64 = 0.35;
/// More lines than this are not labelled at their ends.
const MOST_LABELS: usize = 22;
/// Opacity of a region's shading: seen, and nothing hidden behind it.
const SHADE: f64 = 0.09;

struct Frame<'a> {
    main: Area,
    title: f64,
    x: Map,
    y: Map,
    y_ticks: Vec<Tick>,
    marks: Vec<PlacedMark<'a>>,
    names: Vec<PlacedName<'a>>,
    panels: Vec<PanelFrame<'a>>,
}

impl Frame<'_> {
    /// Where the x axis is labelled: under the last panel.
    fn foot(&self) -> f64 {
        self.panels
            .last()
            .map_or(self.main.bottom, |p| p.area.bottom)
    }

    /// The plot and the panels under it.
    fn boxes(&self) -> impl Iterator<Item = Area> {
        std::iter::once(self.main).chain(self.panels.iter().map(|p| p.area))
    }
}

/// Size of the drawing.
pub fn size_px(figure: &Figure, titled: bool) -> (f64, f64) {
    let f = frame(figure, titled);
    // A name that is cut off names nothing.
    let width = f.main.right + label_column_px(figure);
    (width.max(WIDTH_PX).ceil(), f.foot() + BOTTOM_PX)
}

fn frame(figure: &Figure, titled: bool) -> Frame<'_> {
    let y_ticks = ticks(&figure.y, 6);
    let labels = y_ticks.iter().filter_map(|t| t.label.as_deref());
    let widest = widest_px(labels).max(panels::tick_width_px(figure));
    let left = widest + 14.0;
    let right = WIDTH_PX - label_column_px(figure).min(WIDTH_PX * MOST_FOR_LABELS);
    let x = Map::new(&figure.x, left + 8.0, right - 8.0);
    let marks = place::marks(&figure.marks, &x, right);
    let names = place::names(&figure.regions, &x, left, right);
    let mark_rows = marks.iter().map(|m| m.row + 1).max().unwrap_or(0);
    let rows = mark_rows + names.iter().map(|n| n.row + 1).max().unwrap_or(0);
    let title = if titled { TITLE_PX } else { 0.0 };
    let top = title + 22.0 + rows as f64 * ROW_PX;
    let bottom = top + PLOT_HEIGHT_PX;
    Frame {
        main: Area {
            left,
            right,
            top,
            bottom,
        },
        title,
        x,
        y: Map::new(&figure.y, bottom, top + 4.0),
        y_ticks,
        marks,
        names,
        panels: panels::frames(figure, left, right, bottom),
    }
}

fn labels_series(figure: &Figure) -> bool {
    (2..=MOST_LABELS).contains(&figure.series.len())
}

fn label_column_px(figure: &Figure) -> f64 {
    if !labels_series(figure) {
        return 16.0;
    }
    let names = figure.series.iter().map(|s| &s.name);
    widest_px(names) + 22.0
}

/// Draws curves over an axis.
pub fn draw(canvas: &Canvas<'_>, figure: &Figure, titled: bool) -> Drawing {
    let f = frame(figure, titled);
    if titled {
        canvas.title(&figure.title, (f.main.left, 14.0))?;
    }
    canvas.text(
        &axis_label(&figure.y),
        (4.0, f.title + 9.0),
        Anchor::Left,
        Colour::Muted,
    )?;
    shading(canvas, figure, &f)?;
    grid(canvas, figure, &f)?;
    if figure.is_empty() {
        let middle = (
            (f.main.left + f.main.right) / 2.0,
            (f.main.top + f.main.bottom) / 2.0,
        );
        let ink = (13.0, Colour::Muted);
        return canvas.sized("no points measured", middle, Anchor::Middle, ink);
    }
    for placed in &f.marks {
        mark_line(canvas, placed, &f)?;
    }
    for placed in &f.marks {
        mark_label(canvas, placed, &f)?;
    }
    region_names(canvas, &f)?;
    line::lines(canvas, &figure.series, &f.x, &f.y)?;
    for panel in &f.panels {
        panels::draw(canvas, panel, &f.x)?;
    }
    if labels_series(figure) {
        end_labels(canvas, figure, &f)?;
    }
    Ok(())
}

/// Every second region behind the curves, and the names above the plot.
fn shading(canvas: &Canvas<'_>, figure: &Figure, f: &Frame<'_>) -> Drawing {
    for region in figure.regions.iter().step_by(2) {
        let (from, to) = (f.x.px(region.from), f.x.px(region.to));
        for area in f.boxes() {
            canvas.area(&area.between(from, to), Colour::Muted, SHADE)?;
        }
    }
    Ok(())
}

/// Names of the regions in the rows next to the plot, under the marks' labels.
fn region_names(canvas: &Canvas<'_>, f: &Frame<'_>) -> Drawing {
    let rows = f.names.iter().map(|n| n.row + 1).max().unwrap_or(0);
    for placed in &f.names {
        let y = f.main.top - (rows - placed.row) as f64 * ROW_PX + 5.0;
        let half = text_width_px(placed.name) / 2.0 + 2.0;
        // Paper under the name, where the line of a mark would cross it.
        let patch = rectangle((placed.middle_px - half, y - 6.0, 2.0 * half, 12.0));
        canvas.area(&patch, Colour::Paper, 1.0)?;
        let at = (placed.middle_px, y);
        canvas.text(placed.name, at, Anchor::Middle, Colour::Ink)?;
    }
    Ok(())
}

fn grid(canvas: &Canvas<'_>, figure: &Figure, f: &Frame<'_>) -> Drawing {
    panels::rows(canvas, f.main, &f.y, &f.y_ticks)?;
    let foot = f.foot();
    for tick in ticks(&figure.x, 9) {
        let x = f.x.px(tick.value);
        let length = if tick.label.is_some() { 5.0 } else { 3.0 };
        canvas.line(&[(x, foot), (x, foot + length)], Colour::Muted, 1.0)?;
        if let Some(label) = &tick.label {
            let at = (x, foot + 13.0);
            canvas.text(label, at, Anchor::Middle, Colour::Muted)?;
        }
    }
    let middle = ((f.main.left + f.main.right) / 2.0, foot + 30.0);
    canvas.text(
        &axis_label(&figure.x),
        middle,
        Anchor::Middle,
        Colour::Muted,
    )
}

fn mark_colour(role: MarkRole) -> Colour {
    match role {
        MarkRole::Reference => Colour::Muted,
        MarkRole::Knee => Colour::Knee,
    }
}

fn mark_row(placed: &PlacedMark<'_>, f: &Frame<'_>) -> f64 {
    f.title + 26.0 + placed.row as f64 * ROW_PX
}

fn mark_line(canvas: &Canvas<'_>, placed: &PlacedMark<'_>, f: &Frame<'_>) -> Drawing {
    let mark = placed.mark;
    let colour = mark_colour(mark.role);
    let x = f.x.px(mark.x.center);
    let (low, high) = (f.x.px(mark.x.low), f.x.px(mark.x.high));
    for area in f.boxes() {
        if high - low > 1.0 {
            canvas.area(&area.between(low, high), colour, 0.10)?;
        }
        // The first line begins at its label.
        let top = if area.top > f.main.top {
            area.top
        } else {
            mark_row(placed, f) - 4.0
        };
        canvas.line(&[(x, top), (x, area.bottom)], colour, 0.8)?;
    }
    Ok(())
}

/// The label on a patch of paper, so that lines of other marks stop before it.
fn mark_label(canvas: &Canvas<'_>, placed: &PlacedMark<'_>, f: &Frame<'_>) -> Drawing {
    let (x, y) = (f.x.px(placed.mark.x.center), mark_row(placed, f));
    let width = text_width_px(&placed.mark.label) + 4.0;
    let (at, from, anchor) = if placed.leftward {
        (x - 4.0, x - 2.0 - width, Anchor::Right)
    } else {
        (x + 4.0, x + 2.0, Anchor::Left)
    };
    let patch = rectangle((from, y - ROW_PX / 2.0 + 1.0, width, ROW_PX - 2.0));
    canvas.area(&patch, Colour::Paper, 1.0)?;
    canvas.text(
        &placed.mark.label,
        (at, y),
        anchor,
        mark_colour(placed.mark.role),
    )
}

fn end_labels(canvas: &Canvas<'_>, figure: &Figure, f: &Frame<'_>) -> Drawing {
    let end = |s: &Series| s.points.last().map(|p| (f.x.px(p.x), f.y.px(p.y.center)));
    let ends = figure
        .series
        .iter()
        .map(|s| end(s).unwrap_or((f.main.right, f.main.bottom)));
    let ends: Vec<(f64, f64)> = ends.collect();
    let wanted: Vec<f64> = ends.iter().map(|e| e.1).collect();
    let placed = place::spread(&wanted, 13.0, f.main.top + 4.0, f.main.bottom - 2.0);
    for ((series, end), y) in figure.series.iter().zip(&ends).zip(placed) {
        let start = f.main.right + 6.0;
        if (y - end.1).abs() > 4.0 || start - end.0 > 20.0 {
            let elbow = [(end.0 + 4.0, end.1), (start - 2.0, y)];
            canvas.line(&elbow, Colour::Grid, 1.0)?;
        }
        canvas.text(&series.name, (start, y), Anchor::Left, series.colour)?;
    }
    Ok(())
}
