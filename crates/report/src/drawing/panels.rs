//! Smaller plots under a figure of curves, over its x axis.

use super::canvas::{Anchor, Canvas, Drawing, widest_px};
use super::line;
use super::place::Map;
use crate::figure::ticks::{Tick, axis_label, ticks};
use crate::figure::{Colour, Figure, Panel};

const HEIGHT_PX: f64 = 78.0;
/// Between a plot and the next: the name of the next stands in it.
const GAP_PX: f64 = 24.0;
/// Labels that fit on the height.
const TICKS: usize = 3;

/// A plot's corners.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

impl Area {
    /// Corners of the part between two places of the x axis, from top to bottom.
    pub fn between(&self, from: f64, to: f64) -> [(f64, f64); 4] {
        [
            (from, self.top),
            (to, self.top),
            (to, self.bottom),
            (from, self.bottom),
        ]
    }
}

/// A panel with its place.
pub struct PanelFrame<'a> {
    panel: &'a Panel,
    pub area: Area,
    y: Map,
    ticks: Vec<Tick>,
}

/// Widest label of the panels' y axes.
pub fn tick_width_px(figure: &Figure) -> f64 {
    let ticks = figure.below.iter().flat_map(|p| ticks(&p.y, TICKS));
    widest_px(ticks.filter_map(|t| t.label))
}

/// Panels one under the other, from `bottom` of the main plot downwards.
pub fn frames(figure: &Figure, left: f64, right: f64, bottom: f64) -> Vec<PanelFrame<'_>> {
    let place = |(i, panel)| {
        let top = bottom + i as f64 * (HEIGHT_PX + GAP_PX) + GAP_PX;
        let area = Area {
            left,
            right,
            top,
            bottom: top + HEIGHT_PX,
        };
        let panel: &Panel = panel;
        PanelFrame {
            panel,
            area,
            y: Map::new(&panel.y, area.bottom, area.top + 3.0),
            ticks: ticks(&panel.y, TICKS),
        }
    };
    figure.below.iter().enumerate().map(place).collect()
}

/// Draws the panels under a figure.
pub fn draw(canvas: &Canvas<'_>, frame: &PanelFrame<'_>, x: &Map) -> Drawing {
    let label = axis_label(&frame.panel.y);
    let at = (4.0, frame.area.top - 10.0);
    canvas.text(&label, at, Anchor::Left, Colour::Muted)?;
    rows(canvas, frame.area, &frame.y, &frame.ticks)?;
    line::lines(canvas, &frame.panel.series, x, &frame.y)
}

/// Grid lines with the labels of the y axis, and the line under the plot.
pub fn rows(canvas: &Canvas<'_>, area: Area, y: &Map, ticks: &[Tick]) -> Drawing {
    for tick in ticks {
        let at = y.px(tick.value);
        let width = if tick.label.is_some() { 1.0 } else { 0.5 };
        canvas.line(&[(area.left, at), (area.right, at)], Colour::Grid, width)?;
        if let Some(label) = &tick.label {
            let next = (area.left - 6.0, at);
            canvas.text(label, next, Anchor::Right, Colour::Muted)?;
        }
    }
    let line = [(area.left, area.bottom), (area.right, area.bottom)];
    canvas.line(&line, Colour::Muted, 1.0)
}
