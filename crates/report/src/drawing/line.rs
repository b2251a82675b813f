//! Series over an axis: interval, line, points.

use super::canvas::{Canvas, Drawing};
use super::place::Map;
use crate::figure::{Colour, DataPoint, Series};
use analysis::view::ContaminationLevel;

/// Bands, lines and points of some series.
pub fn lines(canvas: &Canvas<'_>, series: &[Series], x: &Map, y: &Map) -> Drawing {
    for s in series {
        band(canvas, s, x, y)?;
    }
    for s in series {
        let path = path(s, x, y, |p| p.y.center);
        if path.len() > 1 {
            canvas.line(&path, s.colour, 1.5)?;
        }
        for point in &s.points {
            dot(
                canvas,
                point,
                (x.px(point.x), y.px(point.y.center)),
                s.colour,
            )?;
        }
    }
    Ok(())
}

fn path(series: &Series, x: &Map, y: &Map, of: impl Fn(&DataPoint) -> f64) -> Vec<(f64, f64)> {
    let points = series.points.iter();
    points.map(|p| (x.px(p.x), y.px(of(p)))).collect()
}

/// The interval: upper edge forwards, lower edge back.
fn band(canvas: &Canvas<'_>, series: &Series, x: &Map, y: &Map) -> Drawing {
    if series.points.len() < 2 {
        return match series.points.first() {
            Some(p) => {
                let at = x.px(p.x);
                canvas.line(
                    &[(at, y.px(p.y.low)), (at, y.px(p.y.high))],
                    series.colour,
                    1.0,
                )
            }
            None => Ok(()),
        };
    }
    let mut outline = path(series, x, y, |p| p.y.high);
    let mut lower = path(series, x, y, |p| p.y.low);
    lower.reverse();
    outline.extend(lower);
    canvas.area(&outline, series.colour, 0.18)
}

/// Full: clean. Ring: disturbed. Cross: contaminated.
pub fn dot(canvas: &Canvas<'_>, point: &DataPoint, at: (f64, f64), colour: Colour) -> Drawing {
    match point.flag {
        ContaminationLevel::Clean => canvas.dot(at, 2.2, colour),
        ContaminationLevel::Disturbed => canvas.ring(at, 2.6, colour),
        ContaminationLevel::Contaminated => canvas.cross(at, 3.6, colour),
    }
}
