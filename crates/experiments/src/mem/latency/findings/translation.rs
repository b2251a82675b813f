//! Translation buffers and page walks: what one line a page costs beyond the
//! same number of lines packed densely.

use super::ENOUGH_POINTS;
use analysis::conclusion::Conclusion;
use analysis::staircase::{Staircase, Tread, interpolate, staircase};
use record::axis::human_bytes;
use record::{Finding, Unit};
use stats::{CurvePoint, Interval};

/// How much denser the packed lines lie. A page of 4 KiB holds 64 lines of
/// 64 B; for other sizes the dense curve is flat where it matters.
const DENSER: f64 = 64.0;

/// Second-level hits cost few cycles more than first-level ones.
const SMALLEST_STEP: f64 = 1.5;

/// Reach of each TLB level, pages, and the cost of a miss, from the curve that
/// [`alone`] returns.
pub fn findings(alone: &[CurvePoint]) -> Vec<Finding> {
    if alone.len() < ENOUGH_POINTS {
        return Vec::new();
    }
    match staircase(alone, SMALLEST_STEP) {
        Some(stairs) if stairs.treads.len() > 1 => from_stairs(&stairs),
        _ => vec![no_reach(alone)],
    }
}

/// The curve over pages without what its lines cost the caches. It stands on
/// the latency of the first cache, so that it stays above zero.
pub fn alone(pages: &[CurvePoint], lines: &[CurvePoint]) -> Vec<CurvePoint> {
    let Some(first) = lines.first() else {
        return Vec::new();
    };
    let alone = pages.iter().filter_map(|p| {
        let dense = interpolate(lines, p.x / DENSER)?;
        Some(p.map(|ns| ns - (dense - first.y.center)))
    });
    alone.filter(|p| p.y.low > 0.0).collect()
}

/// What translation adds to a load in a set of `x` bytes, ns: nothing below
/// the curve, the last figure beyond it.
pub fn extra_at(alone: &[CurvePoint], x: f64) -> f64 {
    let (Some(first), Some(last)) = (alone.first(), alone.last()) else {
        return 0.0;
    };
    let end = if x > last.x { last } else { first };
    let height = interpolate(alone, x).unwrap_or(end.y.center);
    (height - first.y.center).max(0.0)
}

fn from_stairs(stairs: &Staircase) -> Vec<Finding> {
    let first = &stairs.treads[0];
    let reaches = (1..).zip(&stairs.treads);
    let mut found: Vec<Finding> = reaches.filter_map(|(n, tread)| reach(n, tread)).collect();
    if let [_, second, .., _] = stairs.treads.as_slice() {
        found.push(added("tlb_l2_latency", first, second, |extra| {
            format!("a miss in the first TLB that hits the second adds {extra:.1} ns")
        }));
    }
    let walk = |last| {
        added("page_walk", first, last, |cost| {
            format!(
                "a page walk adds {cost:.0} ns to a load while the page tables are in near caches"
            )
        })
    };
    found.extend(stairs.treads.last().map(walk));
    found
}

/// How far one tread is above the first.
fn added(key: &str, first: &Tread, tread: &Tread, text: impl Fn(f64) -> String) -> Finding {
    let more = tread.level.center - first.level.center;
    let (low, high) = (
        tread.level.low - first.level.high,
        tread.level.high - first.level.low,
    );
    let value = Interval::resampled(more, low, high);
    let more_than_first = Conclusion::on(key);
    more_than_first
        .redrawn_value(Unit::Nanoseconds, tread.share, value)
        .say(text(more))
}

fn reach(level: usize, tread: &Tread) -> Option<Finding> {
    let riser = tread.riser?;
    let (low, high) = (riser.last_on.center, riser.first_off);
    let page = engines::memory::buffer::page_bytes() as f64;
    let which = ["first", "second", "third"];
    let text = format!(
        "the reach of the {} TLB is between {} and {} ({:.0} to {:.0} pages)",
        which.get(level - 1).unwrap_or(&"next"),
        human_bytes(stats::whole(low)),
        human_bytes(stats::whole(high)),
        low / page,
        high / page
    );
    let reach = Conclusion::on(format!("tlb_l{level}_reach"));
    let value = riser.halfway();
    Some(
        reach
            .redrawn_value(Unit::Bytes, riser.share, value)
            .say(text),
    )
}

fn no_reach(alone: &[CurvePoint]) -> Finding {
    let top = alone.last().map_or(0.0, |p| p.x);
    let why = format!(
        "one line per page costs no more than densely packed lines, up to {}",
        human_bytes(stats::whole(top))
    );
    Conclusion::undecided("tlb_l1_reach", Unit::Bytes, why)
}
