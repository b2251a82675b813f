//! What strides tell: the line size where nothing prefetches, and else what
//! prefetching is worth.

use super::RANDOM_LINE;
use crate::quantities::line::{LINE, STRIDES};
use crate::quantities::prefetch;
use analysis::conclusion::Conclusion;
use analysis::inference::Answer;
use analysis::pick::numbers;
use analysis::staircase::{Reading, agreement, curve, interpolate};
use analysis::{ExperimentTable, PointView};
use record::{Finding, Unit};
use stats::CurvePoint;

/// Below this share of the random latency, a strided walk is foreseen by
/// prefetchers and says nothing of misses.
const FORESEEN: f64 = 0.7;

/// A doubled stride within the line nearly doubles the misses; beyond, not.
const STILL_GROWING: f64 = 1.4;

/// Share of redrawn curves with the same knee, below which strides say nothing.
const FIRM: f64 = 0.9;

/// Gain of the prefetchers at the largest strided set.
pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let compared = strided_and_random(table);
    let gain = compared.and_then(|(strided, random)| Some(gain(random, by_line(&strided)?)));
    gain.into_iter().collect()
}

/// The line size, where the strides show it.
pub fn answer(table: &ExperimentTable) -> Option<Answer> {
    let (strided, random) = strided_and_random(table)?;
    let foreseen = by_line(&strided)?.y.center < FORESEEN * random;
    let knee = agreement(&strided, knee);
    Some(match knee {
        _ if foreseen => Answer::nothing(
            LINE.key,
            STRIDES,
            "prefetchers foresee constant strides here",
        ),
        (Some(line), share) if share >= FIRM => Answer::exactly(LINE.key, STRIDES, line),
        (Some(_), _) => Answer::nothing(LINE.key, STRIDES, "its knee moves within the noise"),
        (None, _) => {
            let why = "the time of a step grows up to the largest stride";
            Answer::nothing(LINE.key, STRIDES, why)
        }
    })
}

/// What order gains, at each distance that lines may have.
pub fn in_order(table: &ExperimentTable) -> Vec<Answer> {
    let Some((strided, random)) = strided_and_random(table) else {
        return Vec::new();
    };
    let of = |p: &CurvePoint| {
        let gain = p.y.map(|ns| random / ns);
        prefetch::gain(p.x, [gain.center, gain.low, gain.high])
    };
    strided.iter().filter_map(of).collect()
}

/// The strided curve at its largest set, and what a load of a random line takes there.
fn strided_and_random(table: &ExperimentTable) -> Option<(Vec<CurvePoint>, f64)> {
    let (size, strided) = strided_at_largest(table)?;
    let only = [("pattern", RANDOM_LINE), ("pages", "base")];
    let random = curve(table, "size", &only, Reading::Median);
    Some((strided, interpolate(&random, size)?))
}

fn by_line(strided: &[CurvePoint]) -> Option<&CurvePoint> {
    strided.iter().find(|p| p.x == 64.0)
}

fn gain(random: f64, by_line: &CurvePoint) -> Finding {
    let value = by_line.y.map(|ns| random / ns);
    let ratio = value.center;
    Conclusion::on("prefetch_gain")
        .redrawn_value(Unit::Ratio, 0.95, value)
        .say(format!(
            "walking line by line in order is {ratio:.1} times as fast as at random \
             ({:.1} against {random:.1} ns)",
            by_line.y.center
        ))
}

/// Time by stride, at the largest set that has three strides or more.
fn strided_at_largest(table: &ExperimentTable) -> Option<(f64, Vec<CurvePoint>)> {
    let strided = table.points.iter().filter(|p| stride(p).is_some());
    let sizes = numbers(strided, "size").into_iter();
    sizes.rev().find_map(|size| {
        let points = by_stride(table, size);
        (points.len() >= 3).then_some((size as f64, points))
    })
}

fn by_stride(table: &ExperimentTable, size: i64) -> Vec<CurvePoint> {
    let here = table.measured([("pages", "base")]);
    let here = here.filter(|p| p.int("size") == Some(size));
    let at_stride = |p| Some(Reading::Median.of(stride(p)?, p.primary()?));
    let mut points: Vec<CurvePoint> = here.filter_map(at_stride).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

fn stride(point: &PointView) -> Option<f64> {
    let word = point.head.value("pattern")?.as_word()?;
    word.strip_prefix("stride_")?.parse().ok()
}

/// The stride from which on doubling it no longer costs.
fn knee(strided: &[CurvePoint]) -> Option<f64> {
    let stops = |w: &&[CurvePoint]| w[1].y.center < STILL_GROWING * w[0].y.center;
    strided.windows(2).find(stops).map(|w| w[0].x)
}
