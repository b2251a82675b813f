//! Pictures and claims of mem/latency.

use super::{PATTERNS, RANDOM_LINE, RANDOM_PAGE};
use analysis::ExperimentTable;
use analysis::staircase::{Reading, curve, interpolate};
use catalogue::Claim;
use record::axis::human_bytes;
use record::{AxisValue, FigureHead, MarkKind, Setting};
use stats::CurvePoint;

pub fn figures() -> Vec<FigureHead> {
    vec![staircase_figure(), translation_figure(), stride_figure()]
}

fn figure(title: &str, series: &[&str], only: &[(&str, &str)], reading: &str) -> FigureHead {
    FigureHead {
        title: title.to_owned(),
        x: "size".to_owned(),
        x_log2: true,
        y: "latency".to_owned(),
        y_log: true,
        series: series.iter().map(|s| (*s).to_owned()).collect(),
        only: only
            .iter()
            .map(|(axis, word)| Setting {
                axis: (*axis).to_owned(),
                value: AxisValue::from(*word),
            })
            .collect(),
        marks: vec![MarkKind::CacheSizes, MarkKind::Knees],
        reading: reading.to_owned(),
        ..FigureHead::default()
    }
}

fn staircase_figure() -> FigureHead {
    figure(
        "Latency of a dependent load by the size of the set",
        &["pages"],
        &[("pattern", RANDOM_LINE)],
        "Each tread is the latency of one level of memory, each riser its effective capacity; \
         the vertical lines are the capacities on the machine card. Where the base-page curve \
         lies above the one with huge pages, the difference is translation.",
    )
}

fn translation_figure() -> FigureHead {
    figure(
        "One line in each page: what translation costs",
        &["pages"],
        &[("pattern", RANDOM_PAGE)],
        "The lines touched fit into near caches all along. The first riser is the reach of the \
         first translation buffer, the second that of the second; beyond it every load walks \
         the page tables.",
    )
}

fn stride_figure() -> FigureHead {
    figure(
        "Order of visit: constant strides against random lines",
        &["pattern"],
        &[("pages", "base")],
        "Strides within a line share a miss and lie below the rest in proportion. How far \
         constant strides stay below random order is the work of the prefetchers.",
    )
}

pub const CLAIMS: &[Claim] = &[
    Claim {
        text: "latency only climbs as the set grows",
        check: climbs,
    },
    Claim {
        text: "line by line in order is never slower than in random order",
        check: order_helps,
    },
    Claim {
        text: "huge pages do not slow down random loads from 16 MiB on",
        check: huge_pages_help,
    },
];

/// A drop of this much from one size to a larger one breaks the claim.
const NOISE: f64 = 0.9;

fn lines(table: &ExperimentTable, pages: &str) -> Vec<CurvePoint> {
    curve(
        table,
        "size",
        &[("pattern", RANDOM_LINE), ("pages", pages)],
        Reading::Median,
    )
}

fn climbs(table: &ExperimentTable) -> Option<(bool, String)> {
    let points = lines(table, "thp");
    let worst = points.windows(2).min_by(|a, b| {
        let change = |w: &[CurvePoint]| w[1].y.center / w[0].y.center;
        change(a).total_cmp(&change(b))
    })?;
    let text = format!(
        "largest drop: {:.1} ns at {} to {:.1} ns at {}",
        worst[0].y.center,
        human_bytes(worst[0].x as u64),
        worst[1].y.center,
        human_bytes(worst[1].x as u64)
    );
    // Intervals that overlap are no drop.
    let holds = worst[1].y.center > NOISE * worst[0].y.center || worst[1].y.high > worst[0].y.low;
    Some((holds, text))
}

fn order_helps(table: &ExperimentTable) -> Option<(bool, String)> {
    let random = lines(table, "base");
    let in_order = PATTERNS.iter().find(|p| **p == "stride_64")?;
    let strided = curve(
        table,
        "size",
        &[("pattern", in_order), ("pages", "base")],
        Reading::Median,
    );
    let s = strided.last()?;
    let r = interpolate(&random, s.x)?;
    let size = human_bytes(s.x as u64);
    let text = format!("{:.1} against {r:.1} ns at {size}", s.y.center);
    Some((s.y.low <= r, text))
}

fn huge_pages_help(table: &ExperimentTable) -> Option<(bool, String)> {
    let huge = lines(table, "thp");
    let base = lines(table, "base");
    let pairs: Vec<(CurvePoint, CurvePoint)> = base
        .iter()
        .filter(|b| b.x >= (16 << 20) as f64)
        .filter_map(|b| Some((*huge.iter().find(|h| h.x == b.x)?, *b)))
        .collect();
    let ratio = |(h, b): &(CurvePoint, CurvePoint)| h.y.center / b.y.center;
    let (h, b) = *pairs.iter().max_by(|a, b| ratio(a).total_cmp(&ratio(b)))?;
    let size = human_bytes(h.x as u64);
    let text = format!(
        "at worst {:.0} ns against {:.0} ns with base pages, at {size}",
        h.y.center, b.y.center
    );
    Some((h.y.low <= b.y.high, text))
}
