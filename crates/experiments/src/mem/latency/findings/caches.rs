//! What the staircases over lines say of cache levels, their capacities and latencies, and
//! of memory behind them.

use super::LinesCurve;
use crate::quantities::caches::{
    CAPACITIES, CHASE, LAST_TREAD, LATENCIES, LEVELS, PLACEMENT, RISES, TREADS,
};
use analysis::inference::Answer;
use analysis::staircase::{releveled, staircase};
use engines::memory::card::level_name;
use stats::{CurvePoint, Overflow, Treads, fit_overflow};

/// Levels that differ by less are one.
const SMALLEST_STEP: f64 = 1.3;

/// Share of redrawn curves with as many treads, or with a rise at the same place, below
/// which a staircase says nothing of it.
const FIRM: f64 = 0.9;

/// The overflow of sets is fitted to a rise by so much at least.
const LARGE_RISE: f64 = 1.5;
/// A fit that is off by more is none.
const WORST_FIT: f64 = 0.1;
/// A rise is over at so many times the size at which half of the loads miss.
const OVER: f64 = 3.0;

/// The staircase over huge pages, or over base pages less translation where there are none.
pub fn by_chase(curve: &LinesCurve) -> Vec<Answer> {
    let Some(stairs) = stairs(curve) else {
        return Vec::new();
    };
    let mut all = count(&stairs, CHASE);
    for level in 0..stairs.all.len().min(LEVELS_KNOWN) {
        all.push(latency(level, &stairs, CHASE));
        all.extend(capacity(level, &stairs));
    }
    all
}

/// Levels that have quantities of their own.
const LEVELS_KNOWN: usize = CAPACITIES.len();

fn stairs(curve: &LinesCurve) -> Option<Treads> {
    let stairs = staircase(&curve.fastest, SMALLEST_STEP)?;
    Some(releveled(stairs, &curve.medians))
}

/// The largest set of packed lines that the first cache holds, bytes.
pub fn first_end(curve: &LinesCurve) -> Option<f64> {
    let stairs = stairs(curve)?;
    stairs.all[0].rise.map(|rise| rise.begins.0)
}

/// How many treads there are, and what the last one takes. Of two numbers it is the smaller: noise, and
/// what neighbours leave of the last cache, make a tread of a part of a rise.
fn count(stairs: &Treads, method: &'static str) -> Vec<Answer> {
    let Some(last) = stairs.all.last() else {
        return Vec::new();
    };
    let [fewest, most] = stairs.counts;
    if most > fewest + 1 {
        let why = "the number of treads moves within the noise";
        return vec![Answer::nothing(LEVELS.key, method, why)];
    }
    // What the curve rises to is one more, of which only the begin was measured.
    let level = stairs.rises_to.unwrap_or(last.level);
    let mut all = vec![
        Answer::exactly(TREADS, method, fewest as f64),
        Answer::between(LAST_TREAD, method, level.center, level.low, level.high),
    ];
    if stairs.rises_to.is_some() {
        all.push(Answer::exactly(RISES, method, 1.0));
    }
    all
}

/// Whether a tread ends for certain, and all before it: else it may be another level.
fn firm(stairs: &Treads, level: usize) -> bool {
    let rises = stairs.all[..=level].iter().map(|t| t.rise);
    rises
        .into_iter()
        .all(|rise| rise.is_some_and(|r| r.share >= FIRM))
}

fn latency(level: usize, stairs: &Treads, method: &'static str) -> Answer {
    let (key, v) = (LATENCIES[level].key, stairs.all[level].level);
    // Memory is the last: what is followed by a rise is none, though where it ends is not known.
    let is_last = level + 1 == stairs.all.len();
    let rises_on = is_last && stairs.rises_to.is_some() && stairs.share >= FIRM;
    let before = level
        .checked_sub(1)
        .is_none_or(|before| firm(stairs, before));
    match firm(stairs, level) || (rises_on && before) {
        true => Answer::between(key, method, v.center, v.low, v.high),
        false if is_last => Answer::nothing(key, method, "the last tread may be memory"),
        false => Answer::nothing(key, method, ends_somewhere(level)),
    }
}

fn ends_somewhere(level: usize) -> String {
    format!(
        "where {} ends moves within the noise",
        level_name(level + 1)
    )
}

/// Where half of the loads miss, from the last size without misses to the next size that was
/// measured: replacement that is not least recently used, and pages that fall on the same sets, draw the rise out to
/// both sides of the capacity.
fn capacity(level: usize, stairs: &Treads) -> Option<Answer> {
    let tread = stairs.all[level];
    let rise = tread.rise?;
    let (low, high) = (tread.to_x, rise.around_half.1);
    let key = CAPACITIES[level].key;
    Some(match firm(stairs, level) {
        true => Answer::between(key, CHASE, rise.half.clamp(low, high), low, high),
        false => Answer::nothing(key, CHASE, ends_somewhere(level)),
    })
}

/// The overflow of sets that base pages fill at random, from the second level on: of the curve
/// less translation and of the curve as it was measured the one that fits better. What a miss
/// of a translation buffer costs a load that waits for a cache anyway is not what it costs one
/// that hits the first.
/// Which points are of a level and its end is seen on the finer curve of the chase where that
/// is firm: few points of each level are on this one.
pub fn by_placement(
    less: &LinesCurve,
    measured: &LinesCurve,
    page_bytes: f64,
    chased: Option<&LinesCurve>,
) -> Vec<Answer> {
    let Some(stairs) = stairs(less) else {
        return Vec::new();
    };
    let finer = chased.and_then(self::stairs);
    let mut all = count(&stairs, PLACEMENT);
    if stairs.all.len() > 2 {
        all.push(latency(2, &stairs, PLACEMENT));
    }
    let before_last = |stairs: &Treads| stairs.all.len().saturating_sub(1);
    let most = before_last(&stairs).max(finer.as_ref().map_or(0, before_last));
    for (level, quantity) in CAPACITIES.iter().enumerate().take(most).skip(1) {
        let ends = |stairs: &Treads| stairs.all.len() > level + 1 && firm(stairs, level);
        let known = finer.as_ref().filter(|stairs| ends(stairs));
        let fits = [less, measured].map(|curve| match known {
            Some(finer) => overflow(level, curve, page_bytes, Some(finer)),
            None => {
                let own = self::stairs(curve).filter(|stairs| ends(stairs));
                overflow(level, curve, page_bytes, own.as_ref())
            }
        });
        let best = fits.iter().flatten();
        let best = best.min_by(|a, b| a.misfit.total_cmp(&b.misfit));
        all.push(match (best, &fits[0]) {
            (Some(fit), _) => Answer::between(
                quantity.key,
                PLACEMENT,
                fit.capacity_bytes,
                fit.low_bytes,
                fit.high_bytes,
            ),
            (None, Err(why)) => Answer::nothing(quantity.key, PLACEMENT, why.as_str()),
            (None, Ok(_)) => continue,
        });
    }
    all
}

/// # Errors
/// Why no capacity can be fitted to the rise at the end of a level.
fn overflow(
    level: usize,
    curve: &LinesCurve,
    page_bytes: f64,
    stairs: Option<&Treads>,
) -> Result<Overflow, String> {
    let stairs = stairs.ok_or_else(|| ends_somewhere(level))?;
    let (tread, next) = (stairs.all[level], stairs.all[level + 1]);
    let half = tread.rise.map_or(f64::INFINITY, |r| r.half);
    let end = next.to_x.min(OVER * half).max(next.from_x);
    let rise = curve.fastest.iter();
    let rise = rise.filter(|p| p.x >= tread.from_x && p.x <= end);
    let rise: Vec<CurvePoint> = rise.copied().collect();
    let Some(fit) = fit_overflow(&rise, page_bytes) else {
        return Err("too few sizes were measured around its end".to_owned());
    };
    let worst = WORST_FIT.hypot(fit.drawn);
    match fit.behind < LARGE_RISE * fit.before || fit.misfit > worst {
        true => Err("the rise at its end is not that of sets which overflow".to_owned()),
        false => Ok(fit),
    }
}
