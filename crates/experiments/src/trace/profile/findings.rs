//! What the times say: what the tracer itself takes, and which function takes
//! most of its own on a way.

use super::ways;
use analysis::sentence::estimated;
use analysis::{ExperimentTable, PointView};
use record::{Finding, Unit};

/// Place of `own` among the metrics.
const OWN: u16 = super::EXPERIMENT.metric("own");

/// Floor of the tracer, and the costliest function of each traced call.
pub fn findings(table: &ExperimentTable) -> Vec<Finding> {
    let several = ways::WAYS.iter().filter(|way| way.functions.len() > 1);
    let costliest = several.filter_map(|way| costliest(table, way.call));
    floor(table).into_iter().chain(costliest).collect()
}

fn floor(table: &ExperimentTable) -> Option<Finding> {
    let time = table.point(&[("call", "getppid")])?.primary()?;
    let text = format!(
        "A traced kernel function that does almost nothing takes {:.0} ns: that is the tracer, \
         and shorter times cannot be seen",
        time.median.center
    );
    let unit = Unit::Nanoseconds;
    Some(estimated("floor", unit, time.median, text))
}

/// Own time is given where all functions of the way have one.
fn costliest(table: &ExperimentTable, call: &str) -> Option<Finding> {
    let of = |p: &&PointView| p.word("call") == call && p.summary(OWN).is_some();
    let own = |p: &&PointView| p.summary(OWN).map_or(0.0, |s| s.median.center);
    let mut points: Vec<&PointView> = table.points.iter().filter(of).collect();
    points.sort_by(|a, b| own(b).total_cmp(&own(a)));
    let [first, _, ..] = points.as_slice() else {
        return None;
    };
    let text = format!(
        "On the path of {call}, {} has the largest self time: {:.2} µs per call",
        first.word("function"),
        own(first) / 1e3
    );
    let time = first.summary(OWN)?;
    let (key, unit) = (format!("costliest_{call}"), Unit::Nanoseconds);
    Some(estimated(key, unit, time.median, text))
}
