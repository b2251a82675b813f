//! One picture of what it costs: time over bytes with every way, both axes logarithmic, each curve
//! named at its end.

use crate::toll::{self, TollMap, TollRow};
use maud::{Markup, html};
use record::TollGroup;
use record::axis::human_bytes;

/// Of the drawing, px.
const WIDTH: f64 = 1320.0;
const HEIGHT: f64 = 560.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 1064.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 530.0;
/// Between two names.
const LINE: f64 = 15.0;
/// Lines of equal bandwidth, GB/s.
const RATES: [f64; 4] = [0.1, 1.0, 10.0, 100.0];

/// The picture; nothing where fewer than two ways have a curve.
pub fn render(map: &TollMap) -> Markup {
    let rows: Vec<&TollRow> = map.rows.iter().filter(|row| row.curve.len() > 1).collect();
    if rows.len() < 2 {
        return html! {};
    }
    let scale = Scale::of(&rows);
    let names = placed(&rows, &scale);
    html! {
        section.pic #curves {
            div.maphead {
                h2 { "Cost over bytes" small { "both axes logarithmic; dashed: equal bandwidth" } }
                p.grp {
                    b.gp { "within a process" } " " b.gk { "across the kernel boundary" } " "
                    b.gt { "between two tasks" }
                }
            }
            div.picbox {
                svg.chart viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img"
                    aria-label="Time of one operation over the bytes it moves, a curve for each way" {
                    (grid(&scale))
                    @for (row, y) in rows.iter().zip(&names) { (curve(row, *y, &scale)) }
                }
            }
        }
    }
}

/// Where bytes and times stand.
struct Scale {
    bytes: (f64, f64),
    ns: (f64, f64),
}

impl Scale {
    fn of(rows: &[&TollRow]) -> Scale {
        let points = || rows.iter().flat_map(|row| &row.curve);
        let ends = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
                (low.min(v), high.max(v))
            })
        };
        let bytes = ends(&mut points().map(|p| p.bytes as f64));
        let (low, high) = ends(&mut points().map(|p| p.ns));
        // Whole decades.
        let decade = |ns: f64, up: bool| {
            let exponent = ns.log10();
            10f64.powf(if up {
                exponent.ceil()
            } else {
                exponent.floor()
            })
        };
        Scale {
            bytes: (bytes.0, bytes.1.max(2.0 * bytes.0)),
            ns: (
                decade(low, false),
                decade(high, true).max(10.0 * decade(low, false)),
            ),
        }
    }

    fn x(&self, bytes: f64) -> f64 {
        let (low, high) = self.bytes;
        tenth(LEFT + (bytes / low).ln() / (high / low).ln() * (RIGHT - LEFT))
    }

    fn y(&self, ns: f64) -> f64 {
        let (low, high) = self.ns;
        tenth(BOTTOM - (ns / low).ln() / (high / low).ln() * (BOTTOM - TOP))
    }
}

fn tenth(px: f64) -> f64 {
    (px * 10.0).round() / 10.0
}

fn grid(scale: &Scale) -> Markup {
    let mut decades = Vec::new();
    let mut ns = scale.ns.0;
    while ns <= scale.ns.1 * 1.01 && decades.len() < 20 {
        decades.push(ns);
        ns *= 10.0;
    }
    let mut sizes = Vec::new();
    let mut bytes = scale.bytes.0.max(1.0);
    while bytes <= scale.bytes.1 * 1.01 && sizes.len() < 20 {
        sizes.push(bytes);
        bytes *= 8.0;
    }
    html! {
        @for ns in decades {
            line.grid x1=(LEFT) x2=(RIGHT) y1=(scale.y(ns)) y2=(scale.y(ns)) {}
            text.ax.end x=(LEFT - 6.0) y=(scale.y(ns) + 4.0) { (crate::format::time_ns(ns, 1)) }
        }
        @for bytes in sizes {
            line.tick x1=(scale.x(bytes)) x2=(scale.x(bytes)) y1=(BOTTOM) y2=(BOTTOM + 4.0) {}
            text.ax.middle x=(scale.x(bytes)) y=(BOTTOM + 18.0) { (human_bytes(analysis::whole(bytes))) }
        }
        @for rate in RATES { (of_rate(rate, scale)) }
    }
}

/// Where an operation moves so many bytes a second: a straight line.
fn of_rate(rate: f64, scale: &Scale) -> Markup {
    let (low, high) = scale.ns;
    let from = (scale.bytes.0).max(low * rate);
    let to = (scale.bytes.1).min(high * rate);
    html! {
        @if from < to {
            line.iso x1=(scale.x(from)) y1=(scale.y(from / rate)) x2=(scale.x(to)) y2=(scale.y(to / rate)) {}
            text.isot x=(scale.x(from) + 4.0) y=(scale.y(from / rate) - 5.0) { (rate) " GB/s" }
        }
    }
}

/// Where each name stands: next to the end of its curve, and none on another.
fn placed(rows: &[&TollRow], scale: &Scale) -> Vec<f64> {
    let end = |row: &TollRow| row.curve.last().map_or(f64::INFINITY, |p| p.ns);
    let mut order: Vec<usize> = (0..rows.len()).collect();
    // From above: the costliest first.
    order.sort_by(|a, b| end(rows[*b]).total_cmp(&end(rows[*a])));
    let wanted: Vec<f64> = order.iter().map(|at| scale.y(end(rows[*at]))).collect();
    let mut ys = wanted.clone();
    for at in 1..ys.len() {
        ys[at] = ys[at].max(ys[at - 1] + LINE);
    }
    // What went out at the bottom moves up again.
    let mut floor = BOTTOM + 6.0;
    for y in ys.iter_mut().rev() {
        *y = y.min(floor);
        floor = *y - LINE;
    }
    let mut placed = vec![0.0; rows.len()];
    for (at, y) in order.into_iter().zip(ys) {
        placed[at] = tenth(y);
    }
    placed
}

fn curve(row: &TollRow, name_y: f64, scale: &Scale) -> Markup {
    let points: Vec<(f64, f64)> = row
        .curve
        .iter()
        .map(|p| (scale.x(p.bytes as f64), scale.y(p.ns)))
        .collect();
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x} {y}")).collect();
    let path = format!("M{}", path.join("L"));
    let group = match row.group {
        Some(TollGroup::Read | TollGroup::Write) => "k",
        Some(TollGroup::Tasks) => "t",
        _ => "p",
    };
    let bold = row.usual || row.is_cheapest_somewhere();
    let class = format!("s {group}{}", if bold { "" } else { " q" });
    let (x, y) = points.last().copied().unwrap_or((RIGHT, name_y));
    let name = toll::full_way(row);
    html! {
        g class=(class) tabindex="0" aria-label=(name) {
            path.ln d=(path) {}
            path.hit d=(path) {}
            @for (x, y) in &points { circle cx=(x) cy=(y) r="2" {} }
            path.lead d={ "M" (x) " " (y) "L" (RIGHT + 14.0) " " (name_y) "H" (RIGHT + 20.0) } {}
            text.nm x=(RIGHT + 24.0) y=(name_y + 4.0) { (name) }
        }
    }
}
