//! Translation buffers and page walks: what one line a page costs beyond the
//! same number of lines packed densely.

use super::ENOUGH_POINTS;
use crate::quantities::translation::{REACHES, SECOND, WALK};
use analysis::inference::Answer;
use analysis::staircase::{interpolate, staircase};
use stats::{CurvePoint, FlatPart, Treads};

/// Second-level hits cost few cycles more than first-level ones.
pub const SMALLEST_STEP: f64 = 1.5;

/// Share of redrawn curves with a tread that ends at the same place, below which a staircase
/// says nothing of what lies behind it.
const FIRM: f64 = 0.9;

/// Lines of pages whose frames lie anywhere begin to leave a first cache of few ways when it holds
/// this share of as many packed lines.
const COLLIDE: f64 = 0.5;

/// A hit in a second buffer adds so many times a hit in the first cache at most: 0.7 to 2.5 times
/// on cores whose manuals or measurements say it.
const LONGEST_HIT: f64 = 5.0;

/// Up to so many times the reach of a buffer page tables are in the caches that they were in.
const SOON: f64 = 2.1;

/// What the curve that [`alone`] returns says of the reach of each buffer and of the cost of
/// a miss. `first_cache`: bytes of as many pages as the first cache holds packed lines, where the
/// frame of a page has a part in choosing its sets.
pub fn answers(
    alone: &[CurvePoint],
    first_cache: Option<f64>,
    method: &'static str,
) -> Vec<Answer> {
    if alone.len() < ENOUGH_POINTS {
        return Vec::new();
    }
    let stairs = staircase(alone, SMALLEST_STEP);
    let ends = stairs
        .as_ref()
        .map_or_else(Vec::new, |s| ends(s, alone, first_cache));
    match stairs {
        Some(stairs) if !ends.is_empty() => from_stairs(&stairs, &ends, method),
        _ => all_of(
            method,
            "one line a page costs no more than densely packed lines",
        ),
    }
}

/// Where a buffer no longer holds all pages: the last set that it holds, and the next.
struct End {
    between: (f64, f64),
    firm: bool,
    /// Lines may fall on the same sets of the first cache there.
    collides: bool,
}

impl End {
    fn new(between: (f64, f64), share: f64, first_cache: Option<f64>) -> Self {
        let (low, high) = between;
        End {
            between,
            firm: share >= FIRM,
            collides: first_cache.is_some_and(|holds| COLLIDE * holds <= low && high <= holds),
        }
    }

    /// Why it is not known to be the end of a buffer.
    fn unknown(&self) -> Option<&'static str> {
        match (self.firm, self.collides) {
            (false, _) => Some("where it ends moves within the noise"),
            (true, true) => Some(COLLISION),
            (true, false) => None,
        }
    }
}

const COLLISION: &str = "the rise may be that of L1d, in whose sets scattered pages collide";

/// Each rise of the staircase, and the one that it ends in: behind the last buffer the curve may
/// never come to rest, because page tables leave one cache after another.
fn ends(stairs: &Treads, alone: &[CurvePoint], first_cache: Option<f64>) -> Vec<End> {
    let rises = stairs.all.iter().filter_map(|t| t.rise.as_ref());
    let mut ends: Vec<End> = rises
        .map(|rise| End::new(rise.begins, rise.begin_share, first_cache))
        .collect();
    let last = stairs.all.last().map_or(f64::INFINITY, |tread| tread.to_x);
    let next = alone.iter().map(|p| p.x).filter(|x| *x > last);
    let next = next.reduce(f64::min).filter(|_| stairs.rises_to.is_some());
    ends.extend(next.map(|next| End::new((last, next), stairs.rises, first_cache)));
    ends
}

const WALKS_AT_ONCE: &str = "a miss of the first buffer takes as long as a page walk: there may be \
                             no second, and page tables that leave a cache look like one";

/// Whether what is added behind the first end is too much for a hit in a second buffer.
fn walks_at_once(stairs: &Treads) -> bool {
    let first = stairs.all[0].level.center;
    let second = stairs.all.get(1).map(|tread| tread.level.center);
    let second = second.or_else(|| Some(stairs.rises_to?.center));
    second.is_some_and(|second| second - first > LONGEST_HIT * first)
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

fn from_stairs(stairs: &Treads, ends: &[End], method: &'static str) -> Vec<Answer> {
    let first = &stairs.all[0];
    let no_second = walks_at_once(stairs).then_some(WALKS_AT_ONCE);
    let mut unknown = None;
    let mut all = Vec::new();
    for (number, (quantity, end)) in REACHES.iter().zip(ends).enumerate() {
        // What lies behind one that is not known may be another buffer.
        unknown = unknown.or_else(|| end.unknown());
        let why = unknown.or(no_second.filter(|_| number > 0));
        // Where it begins: further on it also rises because page tables leave the near caches.
        let (low, high) = end.between;
        all.push(match why {
            None => Answer::between(quantity.key, method, (low * high).sqrt(), low, high),
            Some(why) => Answer::nothing(quantity.key, method, why),
        });
    }
    if let ([_, second, ..], [end, _, ..]) = (stairs.all.as_slice(), ends) {
        all.push(match end.unknown().or(no_second) {
            None => added(SECOND.key, first, second, method),
            Some(why) => Answer::nothing(SECOND.key, method, why),
        });
    }
    all
}

/// Which loads find their page in a buffer that holds only a part of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Round and round in one order: none.
    Round,
    /// At random: as many as it holds pages of all, half of them at most where a walk is sought.
    Random,
}

impl Order {
    /// Share of the loads in a set of `x` bytes that miss a buffer which reaches that far.
    fn missing(self, reach: f64, x: f64) -> f64 {
        match self {
            Order::Round => 1.0,
            Order::Random => 1.0 - reach / x,
        }
    }

    /// How many sets are looked at: at random page tables are used all over, and leave the near
    /// caches sooner.
    fn sets(self) -> usize {
        match self {
            Order::Round => usize::MAX,
            Order::Random => 1,
        }
    }

    /// The smallest set of which half of the loads miss.
    fn from(self, reach: f64) -> f64 {
        match self {
            Order::Round => reach,
            Order::Random => 2.0 * reach,
        }
    }
}

const NO_LAST_END: &str = "it is not known where the last buffer ends";

/// What a page walk costs soon behind the reach of the last buffer that `alone` shows, on a
/// curve whose first level is that of hits: further on page tables leave the near caches.
/// `first_cache`: as in [`answers`].
pub fn walk(
    alone: &[CurvePoint],
    beyond: &[CurvePoint],
    first_cache: Option<f64>,
    order: Order,
    method: &'static str,
) -> Option<Answer> {
    let stairs = staircase(alone, SMALLEST_STEP)?;
    let nothing = |why: &str| Some(Answer::nothing(WALK.key, method, why));
    // What lies behind the only end that is seen may be a walk, or a hit in a second buffer.
    let ends = ends(&stairs, alone, first_cache);
    let [before, last, ..] = ends.as_slice() else {
        return nothing(NO_LAST_END);
    };
    match (last.firm, before.collides || last.collides) {
        (false, _) => return nothing(NO_LAST_END),
        (true, true) => return nothing(COLLISION),
        (true, false) if walks_at_once(&stairs) => return nothing(WALKS_AT_ONCE),
        (true, false) => {}
    }
    let first = stairs.all[0].level;
    let (reach, next) = last.between;
    let from = next.max(order.from(reach));
    let near = beyond
        .iter()
        .filter(|p| (from..=SOON * next).contains(&p.x));
    let near = near.take(order.sets());
    // Those that find their page in the last buffer pay for the miss of the first.
    let second = stairs.all[1..].first().map_or(first, |tread| tread.level);
    let hit = (second.center - first.center).max(0.0);
    let cost = |p: &CurvePoint| {
        let whole = |ns: f64| hit + (ns - hit) / order.missing(reach, p.x);
        (whole(p.y.low - first.high), whole(p.y.high - first.low))
    };
    let cost = near.map(cost).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let Some((low, high)) = cost else {
        return nothing("no set was measured soon behind the reach of the last buffer");
    };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantities::translation::PAGES;
    use analysis::inference::Says;

    const PAGE: f64 = 4096.0;
    const SIZES: [f64; 15] = [
        16.0, 23.0, 32.0, 45.0, 64.0, 91.0, 128.0, 181.0, 256.0, 362.0, 512.0, 724.0, 1024.0,
        1448.0, 2048.0,
    ];

    /// One line a page, of which a load takes so long in a set of so many pages.
    fn curve(ns: impl Fn(f64) -> f64) -> Vec<CurvePoint> {
        let at = |pages: f64| {
            let ns = ns(pages);
            CurvePoint::new(pages * PAGE, ns, 0.99 * ns, 1.01 * ns)
        };
        SIZES.map(at).to_vec()
    }

    /// Buffers of 64 and of 512 pages; behind the second the curve never comes to rest.
    fn climbing(pages: f64) -> f64 {
        match pages {
            few if few <= 64.0 => 1.0,
            more if more <= 512.0 => 2.7,
            _ => 2.7 * (pages / 512.0).powf(1.5),
        }
    }

    fn between(all: &[Answer], key: &str) -> Result<(f64, f64), String> {
        let found = all.iter().find(|answer| answer.quantity == key);
        match &found.ok_or("no answer")?.says {
            Says::Value { low, high, .. } => Ok((low / PAGE, high / PAGE)),
            Says::Nothing(why) => Err(why.clone()),
        }
    }

    #[test]
    fn a_buffer_ends_where_the_curve_begins_to_climb_without_rest() {
        let alone = curve(climbing);
        let all = answers(&alone, None, PAGES);
        assert_eq!(between(&all, REACHES[0].key), Ok((64.0, 91.0)));
        assert_eq!(between(&all, REACHES[1].key), Ok((512.0, 724.0)));
        let (low, high) = between(&all, SECOND.key).expect("a second buffer");
        assert!(low * PAGE <= 1.7 && high * PAGE >= 1.7, "{low} {high}");
        let walk = [walk(&alone, &alone, None, Order::Round, PAGES).expect("an answer")];
        let (low, high) = between(&walk, WALK.key).expect("a walk");
        assert!(low * PAGE > 3.0 && high * PAGE < 13.0, "{low} {high}");
    }

    #[test]
    fn what_loads_at_random_find_in_a_buffer_is_counted_out() {
        let alone = curve(|pages| match pages {
            few if few <= 64.0 => 1.0,
            more if more <= 512.0 => 2.7,
            _ => 9.0,
        });
        let over = curve(|pages| 2.7 + 6.3 * (1.0 - 512.0 / pages).max(0.0));
        let of = |order| {
            let walk = walk(&alone, &over, None, order, PAGES).expect("an answer");
            between(&[walk], WALK.key).map(|(low, high)| (low * PAGE, high * PAGE))
        };
        let (low, high) = of(Order::Random).expect("a walk");
        assert!(
            low > 7.6 && low < 8.0 && high > 8.0 && high < 8.4,
            "{low} {high}"
        );
        assert!(of(Order::Round).is_ok_and(|(low, _)| low < 4.0));
    }

    #[test]
    fn behind_the_only_end_may_be_another_buffer() {
        let alone = curve(|pages| if pages <= 64.0 { 1.0 } else { 2.7 });
        assert!(between(&answers(&alone, None, PAGES), REACHES[0].key).is_ok());
        let walk = [walk(&alone, &alone, None, Order::Round, PAGES).expect("an answer")];
        assert!(between(&walk, WALK.key).is_err_and(|why| why.contains("last buffer ends")));
    }

    #[test]
    fn behind_a_miss_as_long_as_a_walk_is_no_second_buffer() {
        // One buffer of 64 pages, and page tables that leave a cache at 512.
        let alone = curve(|pages| match pages {
            few if few <= 64.0 => 1.0,
            more if more <= 512.0 => 26.0,
            _ => 70.0,
        });
        let all = answers(&alone, None, PAGES);
        assert_eq!(between(&all, REACHES[0].key), Ok((64.0, 91.0)));
        let walk = walk(&alone, &alone, None, Order::Round, PAGES).expect("an answer");
        for (all, key) in [
            (&all, REACHES[1].key),
            (&all, SECOND.key),
            (&vec![walk], WALK.key),
        ] {
            assert!(between(all, key).is_err_and(|why| why.contains("no second")));
        }
    }

    #[test]
    fn lines_that_collide_in_the_first_cache_are_no_buffer() {
        let alone = curve(climbing);
        let second = |lines: f64| {
            let all = answers(&alone, Some(lines * PAGE), PAGES);
            between(&all, REACHES[1].key)
        };
        let walk = |lines: f64| {
            let first_cache = Some(lines * PAGE);
            let all = walk(&alone, &alone, first_cache, Order::Round, PAGES);
            between(&[all.expect("an answer")], WALK.key)
        };
        for may_be in [724.0, 1024.0] {
            assert!(second(may_be).is_err_and(|why| why.contains("L1d")));
            assert!(walk(may_be).is_err_and(|why| why.contains("L1d")));
        }
        for other in [512.0, 1100.0] {
            assert!(second(other).is_ok() && walk(other).is_ok(), "{other}");
        }
    }

    #[test]
    fn nothing_is_known_behind_lines_that_may_collide() {
        let alone = curve(climbing);
        let of = |quantity: &str| {
            let all = answers(&alone, Some(100.0 * PAGE), PAGES);
            between(&all, quantity)
        };
        for quantity in [&REACHES[0], &REACHES[1], &SECOND] {
            assert!(of(quantity.key).is_err_and(|why| why.contains("L1d")));
        }
        let walk = walk(&alone, &alone, Some(100.0 * PAGE), Order::Round, PAGES);
        let walk = between(&[walk.expect("an answer")], WALK.key);
        assert!(walk.is_err_and(|why| why.contains("L1d")));
    }
}
