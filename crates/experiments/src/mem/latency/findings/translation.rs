//! Translation buffers and page walks: what one line a page costs beyond the
//! same number of lines packed densely.

use super::ENOUGH_POINTS;
use analysis::conclusion::Conclusion;
use analysis::staircase::{Staircase, Tread, interpolate, staircase};
use record::axis::human_bytes;
use record::{Finding, Unit};
use stats::CurvePoint;

/// How much denser the packed lines lie. A page of 4 KiB holds 64 lines of
/// 64 B; for other sizes the dense curve is flat where it matters.
const DENSER: f64 = 64.0;

/// Second-level hits cost few cycles more than first-level ones.
const SMALLEST_STEP: f64 = 1.5;

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
    pages
        .iter()
        .filter_map(|p| {
            let dense = interpolate(lines, p.x / DENSER)?;
            let shift = dense - first.median;
            (p.low > shift).then_some(CurvePoint {
                x: p.x,
                median: p.median - shift,
                low: p.low - shift,
                high: p.high - shift,
            })
        })
        .collect()
}

/// What translation adds to a load in a set of `x` bytes, ns: nothing below
/// the curve, the last figure beyond it.
pub fn extra_at(alone: &[CurvePoint], x: f64) -> f64 {
    let (Some(first), Some(last)) = (alone.first(), alone.last()) else {
        return 0.0;
    };
    let height = match interpolate(alone, x) {
        Some(height) => height,
        None if x > last.x => last.median,
        None => first.median,
    };
    (height - first.median).max(0.0)
}

fn from_stairs(stairs: &Staircase) -> Vec<Finding> {
    let first = &stairs.treads[0];
    let mut found = Vec::new();
    for (level, tread) in (1..).zip(&stairs.treads) {
        found.extend(reach(level, tread));
    }
    if let [_, second, .., _] = stairs.treads.as_slice() {
        let extra = second.level - first.level;
        found.push(
            Conclusion::on("tlb_l2_latency").unit(Unit::Nanoseconds).redrawn(second.share)
                .value(extra, second.low - first.high, second.high - first.low)
                .say(format!(
                    "a translation that the first buffer lacks and the second has adds {extra:.1} ns"
                )),
        );
    }
    found.extend(stairs.treads.last().map(|last| walk(first, last)));
    found
}

fn reach(level: usize, tread: &Tread) -> Option<Finding> {
    let riser = tread.riser?;
    let (low, high) = (riser.last_on, riser.first_off);
    let page = engines::memory::buffer::page_bytes() as f64;
    let key = format!("tlb_l{level}_reach");
    let which = ["first", "second", "third"]
        .get(level - 1)
        .unwrap_or(&"next");
    Some(
        Conclusion::on(&key)
            .unit(Unit::Bytes)
            .redrawn(riser.share)
            .value(riser.half, riser.low, riser.high)
            .say(format!(
                "the {which} translation buffer reaches between {} and {} ({:.0} to {:.0} pages)",
                human_bytes(low as u64),
                human_bytes(high as u64),
                low / page,
                high / page
            )),
    )
}

fn walk(first: &Tread, last: &Tread) -> Finding {
    let cost = last.level - first.level;
    Conclusion::on("page_walk")
        .unit(Unit::Nanoseconds)
        .redrawn(last.share)
        .value(cost, last.low - first.high, last.high - first.low)
        .say(format!(
            "a page walk adds {cost:.0} ns to a load while the page tables lie in near caches"
        ))
}

fn no_reach(alone: &[CurvePoint]) -> Finding {
    let top = alone.last().map_or(0.0, |p| p.x);
    let why = format!(
        "one line a page costs no more than lines packed densely, up to {}",
        human_bytes(top as u64)
    );
    Conclusion::undecided("tlb_l1_reach", Unit::Bytes, why)
}
