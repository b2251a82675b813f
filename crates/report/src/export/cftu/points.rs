//! Points and samples as the files need them: one value on every axis that the
//! files have no place for, and the start of every sample.

use super::{FileSet, Skipped};
use crate::export::ExportError;
use crate::format::counted;
use record::{ExperimentHead, PointHead, PointState, Run, Sample, moment};
use std::collections::{BTreeMap, BTreeSet};

/// An experiment of the run, its measured points, and what was timed at each.
pub(super) struct Measured<'a> {
    pub id: &'a str,
    pub points: Vec<&'a PointHead>,
    /// Points that were not measured, for their reasons.
    pub absent: Vec<&'a PointHead>,
    timed: BTreeMap<u32, Vec<Timed>>,
}

/// One sample of the first metric, in whole nanoseconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timed {
    /// Process and index: channels with the same one ran at the same time.
    pub repetition: (u16, u32),
    pub cpu: u16,
    pub ops: u64,
    pub dt_ns: u64,
    /// None where the run does not say when it began.
    pub t0_ns: Option<u64>,
}

impl<'a> Measured<'a> {
    /// None, and a line about it, where the run does not have the experiment.
    pub fn of(
        run: &'a Run,
        id: &'static str,
        what: &str,
        set: &mut FileSet,
    ) -> Result<Option<Self>, ExportError> {
        let head = run.head();
        let Some(experiment) = head.experiments.iter().find(|e| e.id == id) else {
            set.skipped.push(Skipped::new(
                what,
                format!("the run has no {id}"),
                format!("measure it with: pontage run {id}"),
            ));
            return Ok(None);
        };
        let samples = run.samples(id)?;
        // A total follows from its channels, and is computed from them again.
        let is_total = |p: &&PointHead| p.value("channel").is_some_and(|c| *c == "total".into());
        let own = head
            .points
            .iter()
            .filter(|p| p.experiment == id && !is_total(p));
        let (points, absent): (Vec<_>, _) = own.partition(|p| samples.contains_key(&p.index));
        let mut rounded = 0;
        let timed = points
            .iter()
            .filter_map(|point| samples.get_key_value(&point.index))
            .map(|(point, samples)| (*point, timed(experiment, samples, &mut rounded)))
            .collect();
        if rounded > 0 {
            set.remarks.push(format!(
                "{id}: {} rounded to whole nanoseconds",
                counted(rounded, "time", "times")
            ));
        }
        Ok(Some(Measured {
            id,
            points,
            absent,
            timed,
        }))
    }

    /// In the order of measuring.
    pub fn timed(&self, point: &PointHead) -> &[Timed] {
        self.timed.get(&point.index).map_or(&[], Vec::as_slice)
    }

    /// Points with `axis` at `value`; all of them where it is not an axis.
    pub fn only(&mut self, axis: &str, value: &str, set: &mut FileSet) {
        let is = |p: &&PointHead| p.value(axis).is_none_or(|v| v.to_string() == value);
        let others = self.values(axis).into_iter().filter(|v| v != value);
        let others: Vec<String> = others.collect();
        self.points.retain(is);
        self.absent.retain(is);
        if !others.is_empty() {
            set.remarks.push(format!(
                "{}: {axis}={value} is written, as the study measured; {axis}={} is left out",
                self.id,
                others.join(",")
            ));
        }
    }

    /// Whether the points differ in nothing but the axes that the files know;
    /// a line about it where they do not.
    pub fn told_apart_by(&self, known: &[&str], what: &str, set: &mut FileSet) -> bool {
        let axes: BTreeSet<&str> = self
            .points
            .iter()
            .flat_map(|p| &p.settings)
            .map(|s| s.axis.as_str())
            .filter(|axis| !known.contains(axis))
            .collect();
        let mut apart = true;
        for axis in axes {
            let values = self.values(axis);
            match values.as_slice() {
                [one] => set
                    .remarks
                    .push(format!("{}: measured with {axis}={one}", self.id)),
                many => {
                    apart = false;
                    set.skipped.push(Skipped::new(
                        what,
                        format!(
                            "the files cannot tell {axis}={} of {} apart",
                            many.join(","),
                            self.id
                        ),
                        format!(
                            "measure one with: pontage run {} --axis {axis}={}",
                            self.id, many[0]
                        ),
                    ));
                }
            }
        }
        apart
    }

    /// Values of an axis, each once, sorted as text.
    pub fn values(&self, axis: &str) -> Vec<String> {
        let values = self.points.iter().filter_map(|p| p.value(axis));
        let values: BTreeSet<String> = values.map(ToString::to_string).collect();
        values.into_iter().collect()
    }

    /// Why there is nothing at these settings: what the run says, if it does.
    pub fn absence(&self, what: String, settings: &[(&str, &str)]) -> Skipped {
        let point = self.absent.iter().find(|p| is_at(p, settings));
        let words: Vec<String> = settings.iter().map(|(a, v)| format!("{a}={v}")).collect();
        let words = words.join(" ");
        match point.map(|p| &p.state) {
            Some(PointState::Skipped { reason, remedy }) => Skipped::new(what, reason, remedy),
            Some(PointState::Failed { reason }) => Skipped::new(
                what,
                format!("it failed: {reason}"),
                format!("measure it again with: pontage run {}", self.id),
            ),
            _ => Skipped::new(
                what,
                format!("{} was not measured at {words}", self.id),
                format!("measure it with: pontage run {}", self.id),
            ),
        }
    }
}

/// Whether the point is at all these settings. Where caches are no axis they
/// are as the copies leave them: warm.
pub(super) fn is_at(point: &PointHead, settings: &[(&str, &str)]) -> bool {
    settings.iter().all(|(axis, want)| match point.value(axis) {
        Some(value) => value.to_string() == *want,
        None => (*axis, *want) == ("cache", "warm"),
    })
}

/// Size of a point's copies, bytes.
pub(super) fn size_of(point: &PointHead) -> Option<u64> {
    let size = point.value("size")?.as_int()?;
    u64::try_from(size).ok()
}

/// Contexts of the points, each with its folder's suffix: none where there is
/// only one, for the study's files do not carry it.
pub(super) fn contexts(
    measured: &Measured<'_>,
    what: &str,
    set: &mut FileSet,
) -> Vec<(String, String)> {
    let all = measured.values("context");
    match all.as_slice() {
        [] => vec![(String::new(), String::new())],
        [one] => {
            set.remarks
                .push(format!("{}: measured with context={one}", measured.id));
            vec![(one.clone(), String::new())]
        }
        many => {
            set.remarks.push(format!(
                "{}: a folder for each context: {}",
                measured.id,
                many.join(", ")
            ));
            let plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
            let (good, odd): (Vec<&String>, _) =
                many.iter().partition(|context| context.chars().all(plain));
            set.skipped.extend(odd.into_iter().map(|context| {
                let reason = format!("context {context:?} is no name of a folder");
                Skipped::new(what, reason, "none: the record is odd")
            }));
            good.into_iter()
                .map(|context| (context.clone(), format!("/{context}")))
                .collect()
        }
    }
}

fn timed(experiment: &ExperimentHead, samples: &[Sample], rounded: &mut usize) -> Vec<Timed> {
    let starts = starts(experiment, samples);
    let mut timed: Vec<Timed> = samples
        .iter()
        .filter(|s| s.metric == 0)
        .map(|s| {
            *rounded += usize::from(s.elapsed_ns.fract() != 0.0);
            let repetition = (s.process, s.index);
            Timed {
                repetition,
                cpu: s.cpu,
                ops: s.ops,
                dt_ns: s.elapsed_ns.round() as u64,
                t0_ns: starts.get(&repetition).copied(),
            }
        })
        .collect();
    timed.sort_by_key(|t| t.repetition);
    timed
}

/// Both parts of each moment, joined.
fn starts(experiment: &ExperimentHead, samples: &[Sample]) -> BTreeMap<(u16, u32), u64> {
    let part = |name: &str| -> BTreeMap<(u16, u32), f64> {
        let metric = experiment.metrics.iter().position(|m| m.name == name);
        let of = |s: &&Sample| Some(usize::from(s.metric)) == metric;
        samples
            .iter()
            .filter(of)
            .map(|s| ((s.process, s.index), s.value))
            .collect()
    };
    let nanoseconds = part(moment::START_NANOSECONDS);
    part(moment::START_SECONDS)
        .into_iter()
        .filter_map(|(at, seconds)| {
            let start = moment::joined(seconds, *nanoseconds.get(&at)?)?;
            Some((at, start))
        })
        .collect()
}
