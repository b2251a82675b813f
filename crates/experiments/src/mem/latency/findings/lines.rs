//! What strides tell: the line size where nothing prefetches, and else what
//! prefetching is worth.

use super::RANDOM_LINE;
use analysis::conclusion::Conclusion;
use analysis::pick::numbers;
use analysis::staircase::{Reading, agreement, curve, interpolate};
use analysis::{ExperimentTable, PointView};
use engines::memory::card::card_line;
use record::{Finding, MachineCard, Unit};
use stats::CurvePoint;

/// Below this share of the random latency, a strided walk is foreseen by
/// prefetchers and says nothing of misses.
const FORESEEN: f64 = 0.7;

/// A doubled stride within the line nearly doubles the misses; beyond, not.
const STILL_GROWING: f64 = 1.4;

/// Gain of the prefetchers at the largest strided set, and the line size where the
/// strides show it.
pub fn findings(table: &ExperimentTable, card: &MachineCard) -> Vec<Finding> {
    let Some((size, strided)) = strided_at_largest(table) else {
        return Vec::new();
    };
    let only = [("pattern", RANDOM_LINE), ("pages", "base")];
    let random = curve(table, "size", &only, Reading::Median);
    let (Some(random), Some(by_line)) = (
        interpolate(&random, size),
        strided.iter().find(|p| p.x == 64.0),
    ) else {
        return Vec::new();
    };
    let gain = gain(random, by_line);
    let foreseen = "prefetchers predict constant strides here, so these curves do not show the \
                    line; mem/line does";
    let line = match by_line.y.center < FORESEEN * random {
        true => Conclusion::undecided("line_size", Unit::Bytes, foreseen),
        false => line_size(&strided, card),
    };
    vec![gain, line]
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
fn line_size(strided: &[CurvePoint], card: &MachineCard) -> Finding {
    let (Some(line), share) = agreement(strided, knee) else {
        let why = "the time of a step grows up to the largest stride";
        return Conclusion::undecided("line_size", Unit::Bytes, why);
    };
    let reference = card_line(card).map(|l| l as f64);
    Conclusion::on("line_size")
        .redrawn_step(Unit::Bytes, share, line)
        .against(reference, "machine card, L1d line", 0.0)
        .say(format!(
            "the time of a step grows with the stride up to {line:.0} B and no further: \
             the line is {line:.0} B"
        ))
}

fn knee(strided: &[CurvePoint]) -> Option<f64> {
    let stops = |w: &&[CurvePoint]| w[1].y.center < STILL_GROWING * w[0].y.center;
    strided.windows(2).find(stops).map(|w| w[0].x)
}
