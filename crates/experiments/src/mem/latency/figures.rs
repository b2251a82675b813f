//! Pictures and claims of mem/latency.

use super::{RANDOM_LINE, RANDOM_PAGE};
use analysis::ExperimentTable;
use analysis::staircase::{Reading, curve, interpolate};
use catalogue::{Claim, Figure};
use record::axis::human_bytes;
use record::{FigureHead, MarkKind};
use stats::CurvePoint;

/// Figures of `mem/latency`: latency over the size of the set by pages and by pattern,
/// and over the stride.
pub fn figures() -> Vec<FigureHead> {
    let figure = |title: &str, series, only, reading| {
        let figure = Figure::of(title, "size", "latency").log_x().log_y();
        let figure = figure.series(&[series]).only(&[only]);
        let marks = [MarkKind::CacheSizes, MarkKind::Knees];
        figure.marks(&marks).reading(reading)
    };
    vec![
        figure(
            "Latency of a dependent load by the size of the set",
            "pages",
            ("pattern", RANDOM_LINE),
            "Each flat part is the latency of one level of memory, each rise its effective \
             capacity; the vertical lines are the capacities on the machine card. Where the \
             base-page curve is above the one with huge pages, the difference is address \
             translation.",
        ),
        figure(
            "One line per page: the cost of address translation",
            "pages",
            ("pattern", RANDOM_PAGE),
            "The lines touched fit in near caches at every size. The first rise is the reach of \
             the first TLB, the second that of the second; beyond it every load walks the page \
             tables.",
        ),
        figure(
            "Access order: constant strides against random lines",
            "pattern",
            ("pages", "base"),
            "Strides within a line share a miss and are proportionally cheaper. How far constant \
             strides stay below random order is the work of the prefetchers.",
        ),
    ]
}

/// Claims of `mem/latency`, about the shape of the curves.
pub const CLAIMS: &[Claim] = &[
    Claim {
        text: "latency never falls as the set grows",
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

fn medians(table: &ExperimentTable, pattern: &str, pages: &str) -> Vec<CurvePoint> {
    let only = [("pattern", pattern), ("pages", pages)];
    curve(table, "size", &only, Reading::Median)
}

fn climbs(table: &ExperimentTable) -> Option<(bool, String)> {
    let points = medians(table, RANDOM_LINE, "thp");
    let worst = points.windows(2).min_by(|a, b| {
        let change = |w: &[CurvePoint]| w[1].y.center / w[0].y.center;
        change(a).total_cmp(&change(b))
    })?;
    let text = format!(
        "largest drop: {:.1} ns at {} to {:.1} ns at {}",
        worst[0].y.center,
        human_bytes(stats::whole(worst[0].x)),
        worst[1].y.center,
        human_bytes(stats::whole(worst[1].x))
    );
    // Intervals that overlap are no drop.
    let holds = worst[1].y.center > NOISE * worst[0].y.center || worst[1].y.high > worst[0].y.low;
    Some((holds, text))
}

fn order_helps(table: &ExperimentTable) -> Option<(bool, String)> {
    let random = medians(table, RANDOM_LINE, "base");
    let strided = medians(table, "stride_64", "base");
    let s = strided.last()?;
    let r = interpolate(&random, s.x)?;
    let size = human_bytes(stats::whole(s.x));
    let text = format!("{:.1} against {r:.1} ns at {size}", s.y.center);
    Some((s.y.low <= r, text))
}

fn huge_pages_help(table: &ExperimentTable) -> Option<(bool, String)> {
    let huge = medians(table, RANDOM_LINE, "thp");
    let base = medians(table, RANDOM_LINE, "base");
    let large = base.iter().filter(|b| b.x >= (16 << 20) as f64);
    let pairs = large.filter_map(|b| Some((huge.iter().find(|h| h.x == b.x)?, b)));
    let ratio = |(h, b): &(&CurvePoint, &CurvePoint)| h.y.center / b.y.center;
    let (h, b) = pairs.max_by(|a, b| ratio(a).total_cmp(&ratio(b)))?;
    let size = human_bytes(stats::whole(h.x));
    let text = format!(
        "at worst {:.0} ns against {:.0} ns with base pages, at {size}",
        h.y.center, b.y.center
    );
    Some((h.y.low <= b.y.high, text))
}
