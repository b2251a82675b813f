//! Ways of the caches, compared with the card.

use analysis::conclusion::Conclusion;
use analysis::staircase::{Reading, agreement};
use analysis::{ExperimentTable, PointView};
use catalogue::Claim;
use engines::memory::card::{card_cache, level_key, level_name, source_of};
use record::{Finding, MachineCard, Unit};
use stats::{CurvePoint, median};

const SPREAD: u16 = super::EXPERIMENT.metric("spread");

/// A rise by less than this over what came before is none.
const SMALLEST_RISE: f64 = 1.25;

/// The first line too many must cost this share of the whole rise. Less is a
/// line lost now and then to other users of the set.
const FIRST_SHARE: f64 = 0.5;

/// Points after a riser that must have risen, so that one disturbed point is
/// no riser.
const LASTING: usize = 3;

/// Claims of `mem/associativity`: two lines of one set fit.
pub const CLAIMS: &[Claim] = &[Claim {
    text: "two lines of one set cost no more than two lines of different sets",
    check: two_lines_never_compete,
}];

/// Ways of the first-level cache, and of the second, compared with the machine card.
pub fn findings(table: &ExperimentTable, card: &MachineCard) -> Vec<Finding> {
    let curves = curves(table);
    let first = curves.iter().find_map(|curve| {
        let (ways, share) = agreement(&curve.points, |p| risers(p).first().copied());
        ways.map(|w| (w, share, curve))
    });
    match first {
        Some((ways, share, curve)) => vec![
            ways_of(1, ways, share, curve, card),
            second_level(&curves, ways, card),
        ],
        None if curves.is_empty() => Vec::new(),
        None => vec![none_found(&curves)],
    }
}

/// Relative cost of competing, over the number of lines.
struct Curve {
    points: Vec<CurvePoint>,
    stride: i64,
    huge_pages: bool,
}

impl Curve {
    fn describe(&self) -> String {
        let pages = if self.huge_pages { "huge" } else { "base" };
        let stride = u64::try_from(self.stride).unwrap_or(0);
        format!("{} apart, {pages} pages", record::axis::human_bytes(stride))
    }
}

/// One curve for each stride and page size; huge pages and large strides, that
/// see most, first.
fn curves(table: &ExperimentTable) -> Vec<Curve> {
    let key = |p: &PointView| {
        let pages = p.head.value("pages")?.as_word()?;
        Some((pages == "thp", p.int("stride")?))
    };
    let mut keys: Vec<(bool, i64)> = table.points.iter().filter_map(key).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.reverse();
    let curve = |(huge_pages, stride)| {
        let mine = table.points.iter();
        let mine = mine.filter(|p| key(p) == Some((huge_pages, stride)));
        let mut points: Vec<CurvePoint> = mine.filter_map(relative).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        Curve {
            points,
            stride,
            huge_pages,
        }
    };
    let curves = keys.into_iter().map(curve);
    curves.filter(|c| c.points.len() > LASTING).collect()
}

/// Competing against spread, by their fastest quarters: whoever shares the
/// caches only adds to either.
fn relative(point: &PointView) -> Option<CurvePoint> {
    let x = point.int("lines")? as f64;
    let conflict = Reading::Quarter.of(x, point.primary()?);
    let spread = Reading::Quarter.of(x, point.summary(SPREAD)?);
    let usable = conflict.y.low > 0.0 && spread.y.low > 0.0;
    usable.then_some(CurvePoint::new(
        x,
        conflict.y.center / spread.y.center,
        conflict.y.low / spread.y.high,
        conflict.y.high / spread.y.low,
    ))
}

/// The last numbers of lines before each lasting rise.
fn risers(points: &[CurvePoint]) -> Vec<u32> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut last = 0;
    while last + LASTING < points.len() {
        if rises(&points[start..=last], &points[last + 1..=last + LASTING]) {
            found.push(u32::try_from(stats::whole(points[last].x)).unwrap_or(u32::MAX));
            // What rises at once after a riser is still the same one.
            start = last + 1;
            last += LASTING;
        }
        last += 1;
    }
    found
}

fn rises(before: &[CurvePoint], after: &[CurvePoint]) -> bool {
    let middle = |part: &[CurvePoint]| {
        let values: Vec<f64> = part.iter().map(|p| p.y.center).collect();
        median(&values).unwrap_or(f64::NAN)
    };
    let (low, high) = (middle(before), middle(after));
    let first = after.first().map_or(0.0, |p| p.y.center);
    high > SMALLEST_RISE * low && first > low + FIRST_SHARE * (high - low)
}

fn ways_of(level: usize, ways: u32, share: f64, curve: &Curve, card: &MachineCard) -> Finding {
    let cache = card_cache(card, level);
    let on_card = cache.and_then(|c| c.ways);
    let c = Conclusion::on(format!("{}_ways", level_key(level)))
        .redrawn_step(Unit::Count, share, f64::from(ways))
        .against(on_card.map(f64::from), &source_of(cache, "ways"), 0.0);
    let on_card_text = match on_card {
        Some(w) if c.disagrees() => format!("; the card says {w}"),
        _ => String::new(),
    };
    c.say(format!(
        "a set of {} holds {ways} lines ({}){on_card_text}",
        level_name(level),
        curve.describe()
    ))
}

/// The second riser of the curves with huge pages.
fn second_level(curves: &[Curve], first_ways: u32, card: &MachineCard) -> Finding {
    let key = format!("{}_ways", level_key(2));
    let huge: Vec<&Curve> = curves.iter().filter(|c| c.huge_pages).collect();
    let second = huge.iter().find_map(|curve| {
        let (ways, share) = agreement(&curve.points, |p| {
            risers(p).into_iter().find(|w| *w > first_ways)
        });
        ways.map(|w| (w, share, *curve))
    });
    if let Some((ways, share, curve)) = second {
        return ways_of(2, ways, share, curve, card);
    }
    let why = match huge.first().and_then(|c| c.points.last()) {
        None => "the ways of L2 need huge pages, which were not available".to_owned(),
        Some(last) => format!(
            "no second rise up to {:.0} lines: L2 has no more ways than L1d, or the host does \
             not back the guest's huge pages in one piece",
            last.x
        ),
    };
    Conclusion::undecided(&key, Unit::Count, why)
}

fn none_found(curves: &[Curve]) -> Finding {
    let most = curves.iter().filter_map(|c| c.points.last()).map(|p| p.x);
    let most = most.fold(0.0, f64::max);
    let key = format!("{}_ways", level_key(1));
    let why = format!("up to {most:.0} lines of one set cost no more than spread ones");
    Conclusion::undecided(&key, Unit::Count, why)
}

fn two_lines_never_compete(table: &ExperimentTable) -> Option<(bool, String)> {
    let two = curves(table).into_iter();
    let two = two.filter_map(|c| c.points.into_iter().find(|p| p.x == 2.0));
    let worst = two.max_by(|a, b| a.y.center.total_cmp(&b.y.center))?;
    let text = format!("{:.2} times as long at worst", worst.y.center);
    Some((worst.y.low < SMALLEST_RISE, text))
}

#[cfg(test)]
mod tests;
