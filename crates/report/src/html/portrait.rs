//! The drawn hierarchy: cores over their caches over memory, what is stated as boxes, what was
//! measured as their fill, with latency and bandwidth at their right.

use crate::format::{significant, time_ns};
use maud::{Markup, html};
use record::MachineCard;
use summary::{CapacityStand, Level, Portrait};

/// Cores that are drawn; of more the number stands in the last.
const CORES: u32 = 4;
/// Of a box, and from one to the next.
const BOX: f64 = 36.0;
const PITCH: f64 = 46.0;
/// Where the first level stands.
const TOP: f64 = 54.0;

/// Where the columns of a drawing stand, px.
struct Layout {
    class: &'static str,
    width: f64,
    /// Of all boxes together.
    boxes: f64,
    sizes: f64,
    /// Both ends of the axis of latencies; none where there is no room for one.
    track: Option<(f64, f64)>,
    latency: f64,
    cycles: f64,
    rate: Option<f64>,
}

const WIDE: Layout = Layout {
    class: "wide",
    width: 600.0,
    boxes: 216.0,
    sizes: 234.0,
    track: Some((398.0, 484.0)),
    latency: 0.0,
    cycles: 538.0,
    rate: Some(600.0),
};

const NARROW: Layout = Layout {
    class: "narrow",
    width: 380.0,
    boxes: 150.0,
    sizes: 162.0,
    track: None,
    latency: 334.0,
    cycles: 380.0,
    rate: None,
};

/// The portrait, twice: for a window and for a phone. Nothing where nothing was looked for.
pub fn render(portrait: &Portrait, machine: &MachineCard) -> Markup {
    if portrait.levels.is_empty() {
        return html! {};
    }
    let facts: Vec<String> = portrait
        .facts
        .iter()
        .map(|f| format!("{} {}", f.name, f.text))
        .collect();
    html! {
        section.portrait #machine {
            h2 { "The machine" small { "as measured, against what it states" } }
            @for layout in [&WIDE, &NARROW] { (drawing(portrait, machine, layout)) }
            @if !facts.is_empty() { p.foot { (facts.join("; ")) } }
        }
    }
}

fn drawing(portrait: &Portrait, machine: &MachineCard, l: &Layout) -> Markup {
    let levels = &portrait.levels;
    let height = TOP + PITCH * levels.len() as f64 + if l.track.is_some() { 8.0 } else { 0.0 };
    let axis = Axis::of(levels);
    let label = levels
        .iter()
        .map(|level| format!("{}: {}", level.name, level.measured()));
    let label = label.collect::<Vec<_>>().join(", ");
    html! {
        svg class=(l.class) viewBox={ "0 0 " (l.width) " " (height) } role="img"
            aria-label={ "Caches and memory. " (label) } {
            defs {
                pattern id={ "hatch-" (l.class) } width="5" height="5" patternUnits="userSpaceOnUse"
                    patternTransform="rotate(45)" { line.hatch x1="0" y1="0" x2="0" y2="5" {} }
            }
            (heads(l))
            (cores(machine.cores.max(1), l))
            @for (at, level) in levels.iter().enumerate() {
                (row(level, machine.cores.max(1), TOP + PITCH * at as f64, l, &axis))
            }
            @if let Some((from, to)) = l.track { (ticks(&axis, from, to, height - 3.0)) }
        }
    }
}

fn heads(l: &Layout) -> Markup {
    html! {
        text.hd x=(l.sizes) y="14" { "measured of stated" }
        @match l.track {
            Some((from, to)) => text.hd.middle x=((from + to) / 2.0) y="14" { "latency of a load, ns" },
            None => text.hd.end x=(l.latency) y="14" { "ns" },
        }
        text.hd.end x=(l.cycles) y="14" { "cycles" }
        @if let Some(x) = l.rate { text.hd.end x=(x) y="14" { "GB/s read" } }
    }
}

/// Left end and width of each of `n` boxes.
fn places(n: u32, whole: f64) -> Vec<(f64, f64)> {
    let gap = match n {
        1 => 0.0,
        2 => whole * 0.24,
        _ => 8.0,
    };
    let width = (whole - gap * f64::from(n - 1)) / f64::from(n);
    (0..n)
        .map(|at| (f64::from(at) * (width + gap), width))
        .collect()
}

fn cores(cores: u32, l: &Layout) -> Markup {
    let shown = cores.min(CORES);
    html! {
        @for (at, (x, width)) in places(shown, l.boxes).into_iter().enumerate() {
            rect.core x=(x + 0.5) y="22.5" width=(width - 1.0) height="24" rx="3" {}
            text.coret.middle x=(x + width / 2.0) y="39" {
                @if cores > CORES && at + 1 == shown as usize { "of " (cores) }
                @else { "core " (at) }
            }
        }
    }
}

fn row(level: &Level, cores: u32, y: f64, l: &Layout, axis: &Axis) -> Markup {
    let boxes = match level.instances {
        _ if level.name == "memory" => 1,
        0 | 1 => 1,
        n if n >= cores => cores.min(CORES),
        n => n.min(CORES),
    };
    let middle = y + BOX * 2.0 / 3.0;
    let contradicts = stand(level) == Some(CapacityStand::Contradicts);
    html! {
        @for (x, width) in places(boxes, l.boxes) { (filled(level, x, y, width, l)) }
        text.lvn x="8" y=(middle) { (level.name) }
        @if stand(level) == Some(CapacityStand::Open) {
            text.hint.end x=(l.boxes - 8.0) y=(middle) { "open" }
        }
        (sizes(level, y, l, contradicts))
        @if let Some(latency) = level.latency {
            @match l.track {
                Some((from, to)) => (track(latency.center, latency.low, latency.high, axis, from, to, y)),
                None => text.val.end x=(l.latency) y=(middle) { (significant(latency.center, 3)) },
            }
        }
        @if let Some(cycles) = level.latency_cycles {
            text.val.end x=(l.cycles) y=(middle) { (format!("{cycles:.0}")) }
        }
        @if let Some(x) = l.rate {
            @match level.read_gb_per_s {
                Some(rate) => text.val.end x=(x) y=(middle) { (significant(rate, 3)) },
                None => text.sub.end x=(x) y=(middle) { "–" },
            }
        }
    }
}

fn stand(level: &Level) -> Option<CapacityStand> {
    level.capacity.as_ref().map(|c| c.stand)
}

/// A box as large as stated; dark as far as it surely serves, light as far as it may, hatched
/// where nothing was seen.
fn filled(level: &Level, x: f64, y: f64, width: f64, l: &Layout) -> Markup {
    let shares = level
        .capacity
        .as_ref()
        .zip(level.stated_bytes)
        .map(|(capacity, stated)| {
            let share = |bytes: f64| (bytes / stated as f64).clamp(0.0, 1.0);
            (share(capacity.bytes.low), share(capacity.bytes.high))
        });
    let memory = level.name == "memory";
    html! {
        @match shares {
            Some((sure, most)) => {
                rect x=(x) y=(y) width=(width) height=(BOX) fill={ "url(#hatch-" (l.class) ")" } {}
                rect.lv.soft x=(x) y=(y) width=(rounded(width * most)) height=(BOX) {}
                rect.lv x=(x) y=(y) width=(rounded(width * sure)) height=(BOX) {}
            }
            None => {}
        }
        rect class=(if memory { "box mem" } else { "box" }) x=(x + 0.5) y=(y + 0.5)
            width=(width - 1.0) height=(BOX - 1.0) rx="2" {}
    }
}

fn rounded(px: f64) -> f64 {
    (px * 10.0).round() / 10.0
}

fn sizes(level: &Level, y: f64, l: &Layout, contradicts: bool) -> Markup {
    let class = if contradicts { "val bad" } else { "val" };
    html! {
        @match &level.capacity {
            Some(capacity) => {
                text class=(class) x=(l.sizes) y=(y + 16.0) { (capacity.bytes.sizes()) }
                text.sub x=(l.sizes) y=(y + 31.0) { "of " (level.stated()) }
            }
            None => {
                text.val x=(l.sizes) y=(y + 16.0) { (level.stated()) }
                text.sub x=(l.sizes) y=(y + 31.0) { "stated" }
            }
        }
    }
}

/// A logarithmic axis over all latencies.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn of(levels: &[Level]) -> Axis {
        let latencies = levels.iter().filter_map(|level| level.latency);
        let centers = latencies.map(|l| l.center).filter(|ns| *ns > 0.0);
        let (low, high) = centers.fold((1.0f64, 100.0f64), |(low, high), ns| {
            (low.min(ns), high.max(ns))
        });
        Axis { low, high }
    }

    fn share(&self, ns: f64) -> f64 {
        let span = (self.high / self.low).ln();
        ((ns.max(f64::MIN_POSITIVE) / self.low).ln() / span).clamp(-0.04, 1.04)
    }
}

fn track(center: f64, low: f64, high: f64, axis: &Axis, from: f64, to: f64, y: f64) -> Markup {
    let at = |ns: f64| rounded(from + axis.share(ns) * (to - from));
    let line = y + 25.0;
    html! {
        line.track x1=(from - 8.0) x2=(to + 8.0) y1=(line) y2=(line) {}
        line.whisk x1=(at(low)) x2=(at(high)) y1=(line) y2=(line) {}
        circle.dot cx=(at(center)) cy=(line) r="3.6" {}
        text.val.middle x=(at(center)) y=(y + 15.0) { (number(center)) }
    }
}

/// Without its unit, which stands in the head.
fn number(ns: f64) -> String {
    let text = time_ns(ns, 3);
    match text.strip_suffix(" ns") {
        Some(number) => number.to_owned(),
        None => text,
    }
}

fn ticks(axis: &Axis, from: f64, to: f64, y: f64) -> Markup {
    let decades = [1.0, 10.0, 100.0, 1000.0];
    let shown = decades
        .into_iter()
        .filter(|ns| *ns >= axis.low * 0.99 && *ns <= axis.high * 1.01);
    html! {
        @for ns in shown {
            text.hint.middle x=(rounded(from + axis.share(ns) * (to - from))) y=(y) { (ns) }
        }
    }
}
