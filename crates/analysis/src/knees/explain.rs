//! From knees, thresholds and evidence to sentences.

use super::phrase::{change, jumps, number, place, region};
use super::{Evidence, Sweep, Threshold};
use crate::conclusion::Conclusion;
use record::{Finding, Region, Unit};
use stats::{CurvePoint, Knee};

/// Evidence must change by this factor, beyond what it does at every step.
const SMALLEST_FACTOR: f64 = 2.0;
/// Counts below this share of the largest are as good as none.
const NONE_SHARE: f64 = 0.01;
/// Fewer events for each operation are none, whatever they grow from.
const NONE_PER_OPERATION: f64 = 0.02;
/// From so many events for each operation on it is every operation that has one.
const EVERY_OPERATION: f64 = 0.5;
/// Gains within this share are no gains.
const PRACTICAL_SHARE: f64 = 0.05;

/// Findings of a sweep: one with the regions between the knees, then one for
/// each knee, lowest x first. `value`, `low` and `high` are the knee's place.
pub fn explain(sweep: &Sweep<'_>, thresholds: &[Threshold], evidence: &[Evidence]) -> Vec<Finding> {
    let mut found = vec![regions(sweep)];
    let knees = sweep.knees.breaks.iter().enumerate();
    found.extend(knees.map(|(i, knee)| one(sweep, i, knee, thresholds, evidence)));
    found
}

fn about(sweep: &Sweep<'_>, key: &str, share: f64) -> Conclusion {
    Conclusion::on(format!("{}_{key}", sweep.key)).redrawn(share)
}

/// The sentence with the settings of the curve.
fn under(sweep: &Sweep<'_>, sentence: String) -> String {
    match sweep.conditions {
        "" => sentence,
        conditions => format!("{conditions}: {sentence}"),
    }
}

/// The stretches between the knees, named.
fn regions(sweep: &Sweep<'_>) -> Finding {
    let knees = sweep.knees;
    let count = knees.segments.len();
    let named: Vec<Region> = knees
        .segments
        .iter()
        .enumerate()
        .map(|(i, segment)| Region {
            axis: sweep.axis.to_owned(),
            from_x: i
                .checked_sub(1)
                .map_or(segment.from_x, |k| knees.breaks[k].at.center),
            to_x: knees.breaks.get(i).map_or(segment.to_x, |k| k.at.center),
            name: region(sweep, segment),
            only: sweep.only.to_vec(),
        })
        .collect();
    let list: Vec<String> = named
        .iter()
        .map(|r| {
            let (from, to) = (
                place(r.from_x, sweep.axis_unit),
                place(r.to_x, sweep.axis_unit),
            );
            format!("{} ({from} to {to})", r.name)
        })
        .collect();
    let sentence = if count == 1 {
        format!("{} has no knee: {}", sweep.metric, list.join(""))
    } else {
        format!("{} has {count} regions: {}", sweep.metric, list.join("; "))
    };
    about(sweep, "regions", knees.confidence)
        .regions(named)
        .say(under(sweep, sentence))
}

fn one(
    sweep: &Sweep<'_>,
    index: usize,
    knee: &Knee,
    thresholds: &[Threshold],
    evidence: &[Evidence],
) -> Finding {
    let steps: Vec<Step> = evidence.iter().filter_map(|e| step(e, knee)).collect();
    let mut near: Vec<&Threshold> = match sweep.axis_unit {
        Unit::Bytes => thresholds.iter().filter(|t| is_near(t, knee)).collect(),
        _ => Vec::new(),
    };
    let away = |t: &Threshold| (t.bytes as f64 / knee.at.center).ln().abs();
    near.sort_by(|a, b| away(a).total_cmp(&away(b)));
    let shown = |t: &&&Threshold| steps.iter().any(|s| s.shows(t));
    let cause = near.iter().find(shown).copied();

    let unit = sweep.axis_unit;
    let mut sentence = format!(
        "from {} ({} to {}) on {}",
        // Behind a cliff the first measured point is the first known to be so.
        place(
            if jumps(knee) {
                knee.after_x
            } else {
                knee.at.center
            },
            unit
        ),
        place(knee.at.low, unit),
        place(knee.at.high, unit),
        change(sweep, knee)
    );
    for s in &steps {
        sentence.push_str(&format!(", {}", s.clause(unit)));
    }
    sentence.push_str(&matched(&near, cause));
    if let Some(t) = cause.or(near.first().copied()) {
        sentence.push_str(&what_if(sweep, knee, index, t));
    }
    let mut found = about(sweep, &format!("knee_{}", index + 1), knee.confidence)
        .unit(unit)
        .value(knee.at);
    if let Some(t) = cause {
        found = found.reference(t.bytes as f64, t.source.clone(), true);
    }
    found.say(under(sweep, sentence))
}

/// Inside the knee's interval, or within one step of the grid of its place.
fn is_near(threshold: &Threshold, knee: &Knee) -> bool {
    let bytes = threshold.bytes as f64;
    let step = knee.after_x / knee.before_x;
    (knee.at.low..=knee.at.high).contains(&bytes)
        || (knee.at.center / step..=knee.at.center * step).contains(&bytes)
}

/// What the thresholds have to say, nearest first.
fn matched(near: &[&Threshold], cause: Option<&Threshold>) -> String {
    let size = |t: &&Threshold| format!("{} ({})", t.name, place(t.bytes as f64, Unit::Bytes));
    let others: Vec<String> = near
        .iter()
        .filter(|t| cause.is_none_or(|c| c != **t))
        .map(size)
        .collect();
    match (cause, others.is_empty()) {
        (Some(t), _) => {
            let mut text = format!(": {} is {}", t.name, place(t.bytes as f64, Unit::Bytes));
            if !others.is_empty() {
                text.push_str(&format!(" (also near: {})", others.join(", ")));
            }
            if let Some(remedy) = &t.remedy {
                text.push_str(&format!("; {remedy}"));
            }
            text
        }
        (None, false) => format!("; coincides with {}", others.join(", ")),
        (None, true) => "; no known threshold nearby".to_owned(),
    }
}

/// What the moved threshold gives between this knee and the next.
fn what_if(sweep: &Sweep<'_>, knee: &Knee, index: usize, threshold: &Threshold) -> String {
    let Some(other) = &threshold.what_if else {
        return String::new();
    };
    let last = sweep
        .knees
        .breaks
        .get(index + 1)
        .map_or(f64::INFINITY, |k| k.before_x);
    let value = |curve: &[CurvePoint], x: f64| curve.iter().find(|p| p.x == x).map(|p| p.y.center);
    let logs: Vec<f64> = sweep
        .curve
        .iter()
        .filter(|p| p.x >= knee.after_x && p.x <= last)
        .filter_map(|p| Some((value(&other.curve, p.x)? / p.y.center).ln()))
        .filter(|v| v.is_finite())
        .collect();
    if logs.is_empty() {
        return String::new();
    }
    let mean = logs.iter().sum::<f64>() / logs.len() as f64;
    let gain = if sweep.higher_is_better { mean } else { -mean }.exp();
    if (gain - 1.0).abs() <= PRACTICAL_SHARE {
        format!("; {} has no effect", other.change)
    } else {
        format!("; {} gives {}x", other.change, number(gain))
    }
}

/// The steepest change of some evidence inside a knee's interval.
struct Step<'a> {
    evidence: &'a Evidence,
    from: (f64, f64),
    to: (f64, f64),
}

impl Step<'_> {
    /// Beyond a capacity there is more of what shows it, never less.
    fn shows(&self, threshold: &Threshold) -> bool {
        let name = &self.evidence.name;
        self.rises() && threshold.shows_in.iter().any(|w| name.contains(w))
    }

    fn rises(&self) -> bool {
        self.to.1 > self.from.1
    }

    /// `every write blocks (0.02 -> 2 voluntary switches per message, 32 KiB to
    /// 64 KiB)`.
    fn clause(&self, unit: Unit) -> String {
        let name = &self.evidence.name;
        let rises = self.rises();
        let lead = match &self.evidence.rise_means {
            Some(meaning) if rises && self.to.1 >= EVERY_OPERATION => meaning.clone(),
            _ if rises => format!("more {name}"),
            _ => format!("fewer {name}"),
        };
        format!(
            "{lead} ({} -> {} {name}, {} to {})",
            number(self.from.1),
            number(self.to.1),
            place(self.from.0, unit),
            place(self.to.0, unit)
        )
    }
}

/// None where the evidence changes by less than a factor, or no more than it
/// does from every point to the next: a count that doubles with each doubling
/// of the message explains nothing.
fn step<'a>(evidence: &'a Evidence, knee: &Knee) -> Option<Step<'a>> {
    let mut points: Vec<(f64, f64)> = evidence
        .points
        .iter()
        .copied()
        .filter(|(x, y)| x.is_finite() && y.is_finite() && *y >= 0.0)
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    if points.iter().all(|p| p.1 <= 0.0) {
        return None;
    }
    // What counts as none is a matter of the neighbourhood: counts of a message
    // grow with the message, and the largest would hide all steps before it.
    let factor = |w: &[(f64, f64)]| {
        let none = (NONE_SHARE * w[0].1.max(w[1].1)).max(NONE_PER_OPERATION);
        (w[1].1.max(none) / w[0].1.max(none)).ln()
    };
    let at_knee = |w: &&[(f64, f64)]| w[0].0 >= knee.at.low && w[1].0 <= knee.at.high;
    let steepest = points
        .windows(2)
        .filter(at_knee)
        .max_by(|a, b| factor(a).abs().total_cmp(&factor(b).abs()))?;
    let (x, width) = (steepest[0].0, knee.at.high / knee.at.low);
    // The neighbourhood's trend: what it does on both sides of the interval.
    let around: Vec<f64> = points
        .windows(2)
        .filter(|w| !at_knee(w) && w[1].0 >= x / width.powi(2) && w[0].0 <= x * width.powi(2))
        .map(factor)
        .collect();
    let trend = stats::median(&around).unwrap_or(0.0);
    // Steady where the neighbourhood falls is no event either.
    let change = factor(steepest);
    let beyond = change - trend;
    let enough = |v: f64| v.abs() >= SMALLEST_FACTOR.ln();
    (enough(change) && enough(beyond)).then_some(Step {
        evidence,
        from: steepest[0],
        to: steepest[1],
    })
}

#[cfg(test)]
mod tests;
