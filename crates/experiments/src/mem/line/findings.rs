//! What each method says of the line size, and of what is fetched together.

mod sharing;

use crate::quantities::caches::{FLUSHED, LATENCIES};
use crate::quantities::line::{
    BRING, COHERENCE, COUNTED, FLUSH, LINE, PAIR, PAIR_OF_LINES, TOGETHER, WALK,
};
use crate::quantities::sharing::HANDED;
use analysis::ExperimentTable;
use analysis::claims::{Outcome, Quoted, one};
use analysis::inference::{Answer, Says};
use analysis::staircase::{Reading, agreement, curve, curve_of};
use analysis::two_levels::{TwoLevels, Way};
use catalogue::Claim;
use record::MachineCard;
use stats::CurvePoint;

/// No line is shorter than the first or longer than the second.
const SHORTEST: f64 = 16.0;
const LONGEST: f64 = 256.0;

/// Fewer steps are measured for what they cost, and not for where the line ends.
const ENOUGH: usize = 4;

/// A doubled step within the line doubles the misses of an access; beyond it
/// the time stays. The border between the two.
const STILL_GROWING: f64 = 1.4;

/// Beyond the line the time of an access stays: one that is shorter by more than this is not of
/// the line.
const LESS_AGAIN: f64 = 0.75;

/// Share of redrawn curves with the same knee, below which the walk says nothing.
const FIRM: f64 = 0.9;

/// Claims of `mem/line`: pairs of loads show two levels.
pub const CLAIMS: &[Claim] = &[Claim {
    text: "within a line the second of two loads hits, beyond it misses",
    check: pairs_have_two_levels,
}];

/// A word that was dropped with the other costs a miss; what is left is the instruction.
const DROPPED: TwoLevels = levels(Way::Falls, 1.3);
/// A line that two CPUs share costs more than an addition in the own cache: ten times and
/// more between cores, twice between threads of a core.
const TAKEN: TwoLevels = levels(Way::Falls, 1.5);
/// One of two loads misses.
const MISSED: TwoLevels = levels(Way::Rises, 1.15);
/// The second load misses all caches, and not the first one only.
const MISSED_ALL: TwoLevels = levels(Way::Rises, 1.5);
/// A pair in two lines brings twice as many lines as one in one line.
const REFILLED: TwoLevels = TwoLevels {
    unit: "refills a load",
    ..levels(Way::Rises, 1.5)
};
/// The metric that counts lines which come into the first cache.
pub const REFILLS: &str = "L1D_CACHE_REFILL";
/// What additions to neighbouring lines cost over those to distant ones where the lines
/// are fetched together.
const DISTURBED: f64 = 1.1;

const fn levels(way: Way, contrast: f64) -> TwoLevels {
    TwoLevels {
        way,
        first_to: SHORTEST,
        second_from: LONGEST,
        contrast,
        unit: "ns",
    }
}

/// What the methods of `mem/line` say.
pub fn answers(table: &ExperimentTable, _: &MachineCard) -> Vec<Answer> {
    let of = |method| steps(table, method, Reading::Middle);
    let fastest = |method| steps(table, method, Reading::Quarter);
    // A partner that lost its CPU makes additions fast.
    let slowest = |method| steps(table, method, Reading::SlowQuarter);
    let all = [
        border(LINE.key, FLUSH, &of(FLUSH), &DROPPED),
        border(LINE.key, COHERENCE, &slowest(COHERENCE), &TAKEN),
        pairs(&fastest(PAIR), &steps(table, PAIR, Reading::Least)),
        counted(table),
        walk(table),
        border(TOGETHER.key, BRING, &of(BRING), &MISSED_ALL),
        pair_of_lines(&slowest(COHERENCE), &of(COHERENCE)),
        memory(&of(BRING), &steps(table, BRING, Reading::Median)),
    ];
    let all = all.into_iter().flatten();
    let sharing = sharing::answers(&sharing::Curves {
        contended: &slowest(COHERENCE),
        handed: &of(HANDED),
        brought: &of(BRING),
    });
    all.chain(sharing).collect()
}

fn steps(table: &ExperimentTable, method: &str, reading: Reading) -> Vec<CurvePoint> {
    curve(table, "step", &[("method", method)], reading)
}

/// How far two CPUs that write to different lines disturb each other: `levels` show the line,
/// `points` what an addition takes.
fn pair_of_lines(levels: &[CurvePoint], points: &[CurvePoint]) -> Option<Answer> {
    if points.len() < ENOUGH {
        return None;
    }
    let line = match TAKEN.border(levels) {
        Ok(line) => line,
        Err(why) => return Some(Answer::nothing(TOGETHER.key, PAIR_OF_LINES, why)),
    };
    let nothing = |why: &str| Some(Answer::nothing(TOGETHER.key, PAIR_OF_LINES, why));
    let at = |x: f64| points.iter().find(|p| p.x == x).map(|p| p.y);
    let (Some(near), Some(far)) = (at(line), at(4.0 * line)) else {
        return nothing("its points were not measured");
    };
    // A line that none takes from the other brings no neighbour with it.
    if levels[0].y.center < sharing::THREADS * far.center {
        return nothing("the two CPUs may be threads of one core, which pass no lines on");
    }
    let exactly = |bytes: f64| Some(Answer::exactly(TOGETHER.key, PAIR_OF_LINES, bytes));
    match () {
        () if near.low > DISTURBED * far.high => exactly(2.0 * line),
        () if near.high < DISTURBED * far.low => exactly(line),
        () => {
            nothing("additions to neighbouring and to distant lines differ by less than the noise")
        }
    }
}

/// What a miss of all caches takes over a hit of the first, by single loads: `points` show
/// the two levels, `medians` what they are.
fn memory(points: &[CurvePoint], medians: &[CurvePoint]) -> Option<Answer> {
    let (Some(hit), Some(miss)) = (
        medians.iter().find(|p| p.x <= SHORTEST),
        medians.iter().rev().find(|p| p.x >= LONGEST),
    ) else {
        return None;
    };
    let key = LATENCIES[3].key;
    Some(match MISSED_ALL.border(points) {
        // The hit is in both times; what it takes by itself is a step of the clock.
        Ok(_) => Answer::between(
            key,
            FLUSHED,
            miss.y.center - hit.y.center,
            miss.y.low - hit.y.high,
            miss.y.high,
        ),
        Err(why) => Answer::nothing(key, FLUSHED, why),
    })
}

fn border(
    quantity: &'static str,
    method: &'static str,
    points: &[CurvePoint],
    levels: &TwoLevels,
) -> Option<Answer> {
    if points.len() < ENOUGH {
        return None;
    }
    Some(match levels.border(points) {
        Ok(bytes) => Answer::exactly(quantity, method, bytes),
        Err(why) => Answer::nothing(quantity, method, why),
    })
}

/// By the fastest quarters, or by the least where a neighbour was away less often than that.
fn pairs(fastest: &[CurvePoint], least: &[CurvePoint]) -> Option<Answer> {
    let quarters = border(LINE.key, PAIR, fastest, &MISSED)?;
    Some(match (&quarters.says, MISSED.apart(least)) {
        (Says::Nothing(_), Ok(bytes)) => Answer::exactly(LINE.key, PAIR, bytes),
        _ => quarters,
    })
}

/// What the processor's own count of lines says, where the run has it.
fn counted(table: &ExperimentTable) -> Option<Answer> {
    let mut metrics = (0..).zip(&table.head.metrics);
    let Some((metric, _)) = metrics.find(|(_, head)| head.name == REFILLS) else {
        let measured = !steps(table, PAIR, Reading::Middle).is_empty();
        let why = "lines were not counted; --counters dcache does it where there is a PMU";
        return measured.then(|| Answer::nothing(LINE.key, COUNTED, why));
    };
    let only = [("method", PAIR)];
    let refills = curve_of(table, metric, "step", &only, Reading::Middle);
    border(LINE.key, COUNTED, &refills, &REFILLED)
}

fn walk(table: &ExperimentTable) -> Option<Answer> {
    let points = steps(table, WALK, Reading::Quarter);
    if points.is_empty() {
        return None;
    }
    Some(match agreement(&points, walk_knee) {
        (Some(bytes), share) if share >= FIRM && falls_beyond(&points, bytes) => Answer::nothing(
            LINE.key,
            WALK,
            "longer steps take less again, so what is foreseen depends on the step",
        ),
        (Some(bytes), share) if share >= FIRM => Answer::exactly(LINE.key, WALK, bytes),
        (Some(_), _) => Answer::nothing(LINE.key, WALK, "its knee moves within the noise"),
        (None, _) => Answer::nothing(
            LINE.key,
            WALK,
            "an access takes the same time at every step",
        ),
    })
}

/// Whether the longest step surely takes less than the one at which the time stopped growing.
fn falls_beyond(points: &[CurvePoint], bytes: f64) -> bool {
    let knee = points.iter().find(|p| p.x == bytes);
    let ends = knee.zip(points.last());
    ends.is_some_and(|(knee, last)| last.y.high < LESS_AGAIN * knee.y.low)
}

/// The smallest step from which on doubling the step never nearly doubles the
/// time.
fn walk_knee(points: &[CurvePoint]) -> Option<f64> {
    let doubled = |p: &CurvePoint| {
        let twice = points.iter().find(|q| q.x == 2.0 * p.x)?;
        Some((p.x, twice.y.center / p.y.center))
    };
    let doublings: Vec<(f64, f64)> = points.iter().filter_map(doubled).collect();
    let last_growing = doublings.iter().rposition(|(_, g)| *g >= STILL_GROWING)?;
    doublings.get(last_growing + 1).map(|(x, _)| *x)
}

/// By the fastest quarters, which other work on the core does not move. Held where the points lie
/// on two levels, broken where the last is surely on the level of the first.
fn pairs_have_two_levels(table: &ExperimentTable) -> Option<Outcome> {
    let points = steps(table, PAIR, Reading::Quarter);
    let (first, last) = (points.first()?, points.last()?);
    let quoted = |p: &CurvePoint| Quoted::estimate(format!("{:.0} B", p.x), p.y, "ns");
    let (first, last) = (quoted(first), quoted(last));
    let text = format!("{first}, {last}");
    let same = one(last.at_most(first).times(MISSED.contrast))?;
    Some(match MISSED.border(&points) {
        Ok(_) => Outcome::exactly(true, text),
        Err(_) if same.held() == Some(true) => Outcome::exactly(false, text),
        Err(why) => Outcome::unclear(format!("{text}; {why}")),
    })
}

#[cfg(test)]
mod tests;
