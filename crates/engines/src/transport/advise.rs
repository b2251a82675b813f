//! The cheapest way to hand over a number of bytes, from what was measured.

use super::semantics::{self, Semantics};
use crate::placement;
use analysis::compared::curve;
use analysis::{ExperimentTable, PointView};
use serde::Serialize;
use stats::{Crossover, CurvePoint, Interval};

/// Who the two sides are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Between {
    Threads,
    Processes,
}

impl Between {
    fn mode(self) -> &'static str {
        match self {
            Between::Threads => "2threads",
            Between::Processes => "2processes",
        }
    }
}

/// One way, with its price for a message of the size that was asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Way {
    /// `ipc/pipe`.
    pub experiment: String,
    /// `on another CPU under the same cache, capacity 1 MiB`.
    pub conditions: String,
    /// Time of one message with its interval, ns.
    #[serde(flatten, with = "Time")]
    pub time_ns: Interval,
    /// Measured at this very size; else read between the sizes around it.
    pub measured: bool,
    pub semantics: Option<&'static Semantics>,
    #[serde(skip)]
    pub(super) curve: Vec<CurvePoint>,
}

/// From where on the second of two ways is the cheaper one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BreakEven {
    pub below: String,
    pub above: String,
    /// Bytes, with the interval.
    #[serde(flatten, with = "Size")]
    pub bytes: Interval,
}

/// Names of a time in JSON.
#[derive(Serialize)]
#[serde(remote = "Interval")]
pub(super) struct Time {
    #[serde(rename = "median_ns")]
    center: f64,
    #[serde(rename = "low_ns")]
    low: f64,
    #[serde(rename = "high_ns")]
    high: f64,
}

/// Names of a size in JSON.
#[derive(Serialize)]
#[serde(remote = "Interval")]
struct Size {
    #[serde(rename = "bytes")]
    center: f64,
    #[serde(rename = "low_bytes")]
    low: f64,
    #[serde(rename = "high_bytes")]
    high: f64,
    #[serde(rename = "confidence")]
    level: f64,
}

/// The ways, cheapest first, and where the order of the cheap ones changes.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Advice {
    pub ways: Vec<Way>,
    pub break_evens: Vec<BreakEven>,
}

/// How many of the cheapest ways are held against each other.
const COMPARED: usize = 5;

/// What `tables` say of messages of `bytes`. Transports without a measured
/// stream around that size are left out.
pub fn advise(tables: &[ExperimentTable], bytes: u64, between: Between) -> Advice {
    let mut ways: Vec<Way> = tables
        .iter()
        .filter(|t| t.head.id.starts_with("ipc/"))
        .flat_map(|t| ways_of(t, bytes as f64, between))
        .collect();
    ways.sort_by(|a, b| a.time_ns.center.total_cmp(&b.time_ns.center));
    let break_evens = break_evens(&ways);
    Advice { ways, break_evens }
}

/// Placement, capacity, and the bytes of a portion.
pub type Conditions = (String, i64, i64);

/// The conditions of a stream: where, which capacity, and how much of it.
fn conditions(point: &PointView) -> Conditions {
    let number = |axis| point.int(axis).unwrap_or(0);
    (
        point.word("placement").to_owned(),
        number("buffer"),
        number("total"),
    )
}

fn ways_of(table: &ExperimentTable, bytes: f64, between: Between) -> Vec<Way> {
    let streams: Vec<&PointView> = table
        .points
        .iter()
        .filter(|p| p.word("pattern") == "stream" && p.word("mode") == between.mode())
        .collect();
    let mut seen: Vec<Conditions> = streams.iter().map(|p| conditions(p)).collect();
    seen.sort();
    seen.dedup();
    seen.into_iter()
        .filter_map(|wanted| {
            let here = streams.iter().copied().filter(|p| conditions(p) == wanted);
            let curve = curve(here, "size", 0);
            let (point, measured) = at(&curve, bytes)?;
            Some(Way {
                experiment: table.head.id.clone(),
                conditions: said(&wanted),
                time_ns: point.y,
                measured,
                semantics: semantics::of(&table.head.id),
                curve,
            })
        })
        .collect()
}

/// The conditions in words: `on one CPU, capacity 1 MiB`.
pub fn said((placement, buffer, total): &Conditions) -> String {
    let mut said = placement::phrase(placement);
    for (what, bytes) in [("capacity", buffer), ("by portions of", total)] {
        if *bytes > 0 {
            let bytes = record::axis::human_bytes(bytes.unsigned_abs());
            said.push_str(&format!(", {what} {bytes}"));
        }
    }
    said
}

/// The curve at x: its own point, or between the two around it on log axes.
fn at(curve: &[CurvePoint], x: f64) -> Option<(CurvePoint, bool)> {
    let mut points = curve.to_vec();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    if let Some(point) = points.iter().find(|p| p.x == x) {
        return Some((*point, true));
    }
    let pair = points.windows(2).find(|w| w[0].x < x && x < w[1].x)?;
    let share = (x / pair[0].x).ln() / (pair[1].x / pair[0].x).ln();
    let between = |a: f64, b: f64| (a.ln() + share * (b / a).ln()).exp();
    let (a, b) = (pair[0], pair[1]);
    let point = CurvePoint::new(
        x,
        between(a.y.center, b.y.center),
        between(a.y.low, b.y.low),
        between(a.y.high, b.y.high),
    );
    Some((point, false))
}

fn break_evens(ways: &[Way]) -> Vec<BreakEven> {
    let name = |way: &Way| format!("{} {}", way.experiment, way.conditions);
    let cheap = &ways[..ways.len().min(COMPARED)];
    let mut found = Vec::new();
    for (i, a) in cheap.iter().enumerate() {
        for b in &cheap[i + 1..] {
            for (below, above) in [(a, b), (b, a)] {
                let crossing = stats::crossover(&below.curve, &above.curve);
                if let Ok(Crossover::BFrom { at, .. }) = crossing {
                    found.push(BreakEven {
                        below: name(below),
                        above: name(above),
                        bytes: at,
                    });
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Between, advise};
    use analysis::{ExperimentTable, PointView};
    use testbed::{int, measured, table, word};

    fn stream(id: &str, size: i64, mode: &str, ns: f64) -> PointView {
        let settings = [
            int("size", size),
            word("pattern", "stream"),
            word("mode", mode),
            word("placement", "same_cache"),
            word("partner", "idle"),
            int("buffer", 0),
        ];
        measured(id, &settings, &[ns])
    }

    /// A pipe: 300 ns and 4 ns a KiB. A socket: 800 ns and 1 ns a KiB.
    fn tables() -> Vec<ExperimentTable> {
        [("ipc/pipe", 300.0, 4.0), ("ipc/unix_stream", 800.0, 1.0)]
            .into_iter()
            .map(|(id, fixed, per_kib)| {
                let point = |power: u32| {
                    let size = 1i64 << power;
                    stream(id, size, "2threads", fixed + per_kib * size as f64 / 1024.0)
                };
                table(id, (6..=24).step_by(2).map(point).collect())
            })
            .collect()
    }

    #[test]
    fn the_cheapest_depends_on_the_size_and_the_break_even_is_found() {
        let small = advise(&tables(), 4096, Between::Threads);
        assert_eq!(small.ways[0].experiment, "ipc/pipe");
        assert!(small.ways[0].measured);
        assert!((small.ways[0].time_ns.center - 316.0).abs() < 1e-9);
        let large = advise(&tables(), 1 << 20, Between::Threads);
        assert_eq!(large.ways[0].experiment, "ipc/unix_stream");
        let crossing = &large.break_evens[0];
        // 300 + 4 k = 800 + k at 167 KiB.
        assert!(
            (100e3..300e3).contains(&crossing.bytes.center),
            "{crossing:?}"
        );
        assert!(crossing.below.contains("pipe") && crossing.above.contains("unix"));
    }

    #[test]
    fn sizes_in_between_are_read_off_and_say_so() {
        let advice = advise(&tables(), 5000, Between::Threads);
        assert!(!advice.ways[0].measured);
        assert!(advice.ways[0].time_ns.center > 316.0 && advice.ways[0].time_ns.center < 364.0);
    }

    #[test]
    fn what_was_not_measured_is_not_advised() {
        assert!(advise(&tables(), 1 << 30, Between::Threads).ways.is_empty());
        assert!(advise(&tables(), 4096, Between::Processes).ways.is_empty());
        assert_eq!(
            advise(&[], 4096, Between::Threads),
            super::Advice::default()
        );
    }
}
