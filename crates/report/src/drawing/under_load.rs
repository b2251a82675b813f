//! Light over heavy, a pair of bars for each path: quartiles thick, the tail
//! thin, a dot at the median, all on one logarithmic axis of time.

use super::canvas::{Anchor, Canvas, Drawing, text_width_px, widest_px};
use super::place::Map;
use crate::figure::ticks::ticks;
use crate::figure::{Axis, Colour, Scale};
use crate::under_load::{self, name};
use analysis::under_load::{Path, Series, Side};
use record::Unit;

const WIDTH_PX: f64 = 760.0;
const RIGHT_PX: f64 = 172.0;
const ROW_PX: f64 = 26.0;
const TOP_PX: f64 = 24.0;
const BOTTOM_PX: f64 = 22.0;

/// Colours of the two loads, everywhere on the page.
pub const LIGHT: Colour = Colour::Hue(0);
/// Colour of the run under load.
pub const HEAVY: Colour = Colour::Hue(1);

/// Paths of one experiment, series after series.
pub struct Rows<'a>(pub Vec<(&'a Series, &'a Path)>);

impl Rows<'_> {
    /// Width and height.
    pub fn size_px(&self) -> (f64, f64) {
        (WIDTH_PX, self.bottom_px() + BOTTOM_PX)
    }

    fn bottom_px(&self) -> f64 {
        TOP_PX + ROW_PX * self.0.len() as f64
    }

    fn left_px(&self) -> f64 {
        let names = self.0.iter().map(|(s, p)| name(s, p));
        (widest_px(names) + 16.0).min(WIDTH_PX * 0.42)
    }

    /// From the shortest quartile to the worst sample, and a little air.
    fn axis(&self) -> Axis {
        let sides = self.0.iter().flat_map(|(_, p)| [&p.light, &p.heavy]);
        let positive = |v: &f64| *v > 0.0 && v.is_finite();
        let low = sides.clone().map(|s| s.p25).filter(positive);
        let high = sides.map(|s| s.max).filter(positive);
        let low = low.fold(f64::INFINITY, f64::min);
        let high = high.fold(0.0, f64::max);
        let (low, high) = if low <= high {
            (low, high)
        } else {
            (1.0, 10.0)
        };
        Axis {
            label: String::new(),
            unit: Unit::Nanoseconds,
            scale: Scale::Log10,
            range: (low / 1.15, high * 1.15),
        }
    }

    /// # Errors
    /// What plotters says when it refuses.
    pub fn draw(&self, canvas: &Canvas<'_>) -> Drawing {
        let (left, right) = (self.left_px(), WIDTH_PX - RIGHT_PX);
        let axis = self.axis();
        let x = Map::new(&axis, left + 8.0, right);
        self.grid(canvas, &axis, &x)?;
        legend(canvas, left + 8.0)?;
        for (i, (series, path)) in self.0.iter().enumerate() {
            let middle = TOP_PX + ROW_PX * (i as f64 + 0.5);
            let at = (left - 2.0, middle);
            canvas.text(&name(series, path), at, Anchor::Right, Colour::Ink)?;
            bar(canvas, &path.light, middle - 5.0, &x, LIGHT)?;
            bar(canvas, &path.heavy, middle + 5.0, &x, HEAVY)?;
            let verdict = under_load::verdict(path);
            let at = (right + 10.0, middle);
            canvas.text(&verdict, at, Anchor::Left, Colour::Muted)?;
        }
        Ok(())
    }

    fn grid(&self, canvas: &Canvas<'_>, axis: &Axis, x: &Map) -> Drawing {
        let bottom = self.bottom_px();
        let mut taken = f64::NEG_INFINITY;
        for tick in ticks(axis, 6) {
            let at = x.px(tick.value);
            let width = if tick.label.is_some() { 1.0 } else { 0.5 };
            canvas.line(&[(at, TOP_PX), (at, bottom)], Colour::Grid, width)?;
            let Some(label) = &tick.label else { continue };
            let half = text_width_px(label) / 2.0 + 3.0;
            // Where factors are narrow, not every line has room for its word.
            if at - half > taken {
                taken = at + half;
                let below = (at, bottom + 12.0);
                canvas.text(label, below, Anchor::Middle, Colour::Muted)?;
            }
        }
        Ok(())
    }
}

fn legend(canvas: &Canvas<'_>, left: f64) -> Drawing {
    for (text, at, colour) in [("light", left, LIGHT), ("heavy", left + 60.0, HEAVY)] {
        canvas.dot((at, 10.0), 3.5, colour)?;
        canvas.text(text, (at + 8.0, 10.0), Anchor::Left, colour)?;
    }
    Ok(())
}

fn bar(canvas: &Canvas<'_>, side: &Side, y: f64, x: &Map, colour: Colour) -> Drawing {
    let tail = x.px(side.tail());
    canvas.line(&[(x.px(side.p25), y), (tail, y)], colour, 1.0)?;
    canvas.line(&[(tail, y - 3.0), (tail, y + 3.0)], colour, 1.5)?;
    canvas.line(&[(x.px(side.p25), y), (x.px(side.p75), y)], colour, 5.0)?;
    canvas.dot((x.px(side.median.center), y), 3.5, colour)?;
    canvas.dot((x.px(side.max), y), 1.2, colour)
}
