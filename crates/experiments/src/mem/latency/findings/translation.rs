//! Translation buffers and page walks: what one line a page costs beyond the
//! same number of lines packed densely.

use super::ENOUGH_POINTS;
use crate::quantities::translation::{REACHES, SECOND, WALK};
use analysis::inference::Answer;
use analysis::staircase::{interpolate, staircase};
use stats::{CurvePoint, FlatPart, Interval, Rise, Treads};

/// Second-level hits cost few cycles more than first-level ones.
pub const SMALLEST_STEP: f64 = 1.5;

/// Share of redrawn curves with as many treads, or with a riser at the same place, below
/// which a staircase says nothing of it.
const FIRM: f64 = 0.9;

/// Up to so many times the reach of a buffer page tables are in the caches that they were in.
const SOON: f64 = 2.1;

/// What the curve that [`alone`] returns says of the reach of each buffer and of the cost of
/// a miss.
pub fn answers(alone: &[CurvePoint], method: &'static str) -> Vec<Answer> {
    if alone.len() < ENOUGH_POINTS {
        return Vec::new();
    }
    match staircase(alone, SMALLEST_STEP) {
        Some(stairs) if stairs.all.len() > 1 => from_stairs(&stairs, method),
        _ => all_of(
            method,
            "one line a page costs no more than densely packed lines",
        ),
    }
}

fn all_of(method: &'static str, why: &str) -> Vec<Answer> {
    let quantities = REACHES.iter().chain([&SECOND]);
    let nothing = |q: &analysis::inference::Quantity| Answer::nothing(q.key, method, why);
    quantities.map(nothing).collect()
}

/// The curve over pages without what its lines cost the caches. It stands on
/// the latency of the first cache, so that it stays above zero. The packed lines lie
/// `denser` times as dense.
pub fn alone(pages: &[CurvePoint], lines: &[CurvePoint], denser: f64) -> Vec<CurvePoint> {
    let Some(first) = lines.first() else {
        return Vec::new();
    };
    let alone = pages.iter().filter_map(|p| {
        let dense = interpolate(lines, p.x / denser)?;
        Some(p.map(|ns| ns - (dense - first.y.center)))
    });
    alone.filter(|p| p.y.low > 0.0).collect()
}

fn from_stairs(stairs: &Treads, method: &'static str) -> Vec<Answer> {
    let first = &stairs.all[0];
    let mut firm = true;
    let mut all = Vec::new();
    for (quantity, tread) in REACHES.iter().zip(&stairs.all) {
        let Some(rise) = tread.rise else { break };
        // What lies behind a rise that is not firm may be another buffer.
        firm &= rise.share >= FIRM;
        // Where it begins: further on it also rises because page tables leave the near caches.
        let (low, high) = rise.begins;
        all.push(match firm {
            true => Answer::between(quantity.key, method, (low * high).sqrt(), low, high),
            false => {
                let why = "where it ends moves within the noise";
                Answer::nothing(quantity.key, method, why)
            }
        });
    }
    if let [_, second, .., _] = stairs.all.as_slice() {
        let rise = first.rise.is_some_and(|r| r.share >= FIRM);
        all.push(match rise {
            true => added(SECOND.key, first, second, method),
            false => Answer::nothing(SECOND.key, method, "its treads move within the noise"),
        });
    }
    all
}

/// What a page walk costs soon behind the reach of the last buffer that `stairs` show, on a
/// curve whose first level is that of hits: further on page tables leave the near caches.
pub fn walk(alone: &[CurvePoint], beyond: &[CurvePoint], method: &'static str) -> Option<Answer> {
    let stairs = staircase(alone, SMALLEST_STEP)?;
    let nothing = |why: &str| Some(Answer::nothing(WALK.key, method, why));
    let rises: Vec<&Rise> = stairs.all.iter().filter_map(|t| t.rise.as_ref()).collect();
    // Of two buffers the second; a processor may have one.
    let Some(last) = rises.get(1).or(rises.first()).filter(|r| r.share >= FIRM) else {
        return nothing("it is not known where the last buffer ends");
    };
    let first = stairs.all[0].level;
    let near = (last.begins.1, SOON * last.begins.1);
    let costs: Vec<Interval> = beyond
        .iter()
        .filter(|p| (near.0..=near.1).contains(&p.x))
        .map(|p| p.y)
        .collect();
    let end =
        |of: fn(&Interval) -> f64, pick: fn(f64, f64) -> f64| costs.iter().map(of).reduce(pick);
    let (Some(low), Some(high)) = (end(|y| y.low, f64::min), end(|y| y.high, f64::max)) else {
        return nothing("no set was measured soon behind the reach of the last buffer");
    };
    let (low, high) = (low - first.high, high - first.low);
    match low > 0.0 {
        true => Some(Answer::between(
            WALK.key,
            method,
            (low * high).sqrt(),
            low,
            high,
        )),
        false => nothing("it costs less than the noise"),
    }
}

/// How far one tread is above the first.
fn added(key: &'static str, first: &FlatPart, tread: &FlatPart, method: &'static str) -> Answer {
    let more = tread.level.center - first.level.center;
    let low = tread.level.low - first.level.high;
    let high = tread.level.high - first.level.low;
    match low > 0.0 {
        true => Answer::between(key, method, more, low, high),
        false => Answer::nothing(key, method, "it costs less than the noise"),
    }
}
