//! Points and samples as the files need them: one value on every axis that the
//! files have no place for, and the start of every sample.

use super::FileSet;
use crate::export::ExportError;
use crate::format::counted;
use record::{ExperimentHead, PointHead, PointState, Run, Sample, moment};
use std::collections::{BTreeMap, BTreeSet};

/// An experiment of the run, its measured points, and what was timed at each.
pub(super) struct Measured<'a> {
    pub id: &'static str,
    pub points: Vec<&'a PointHead>,
    /// Points that were not measured, for their reasons.
    pub absent: Vec<&'a PointHead>,
    experiment: &'a ExperimentHead,
    samples: BTreeMap<u32, Vec<Sample>>,
}

/// Numbers to sort by, so that everything here is sorted by the same code.
pub(super) type Key = [u64; 3];

/// One sample of the first metric, in whole nanoseconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timed {
    /// Process, then index: channels with the same one ran at the same time.
    pub repetition: u64,
    pub cpu: u16,
    pub ops: u64,
    pub dt_ns: u64,
    /// None where the run does not say when it began.
    pub t0_ns: Option<u64>,
    /// References to the second-level cache, and misses; None where the run did
    /// not count them.
    pub counted: [Option<u64>; 2],
}

/// Metrics of counters that the files have a field for.
pub(super) const COUNTED: [&str; 2] = ["L2D_CACHE", "L2D_CACHE_REFILL"];

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
            let reason = format!("the run has no {id}");
            set.skip(what, reason, format!("measure it with: pontage run {id}"));
            return Ok(None);
        };
        let samples = run.samples(id)?;
        // A total follows from its channels, and is computed from them again.
        let is_total = |p: &PointHead| p.value("channel").is_some_and(|c| *c == "total".into());
        let own = head
            .points
            .iter()
            .map(|p| &**p)
            .filter(|p| p.experiment == id && !is_total(p));
        let (points, absent) = own.partition(|p| samples.contains_key(&p.index));
        let measured = Measured {
            id,
            points,
            absent,
            experiment,
            samples,
        };
        measured.remark_rounding(set);
        Ok(Some(measured))
    }

    fn remark_rounding(&self, set: &mut FileSet) {
        let timed = self.points.iter().flat_map(|p| self.samples_of(p));
        let rounded = timed.filter(|s| s.metric == 0 && s.elapsed_ns.fract() != 0.0);
        let rounded = rounded.count();
        if rounded > 0 {
            set.remarks.push(format!(
                "{}: {} rounded to whole nanoseconds",
                self.id,
                counted(rounded, "time", "times")
            ));
        }
    }

    fn samples_of(&self, point: &PointHead) -> &[Sample] {
        self.samples.get(&point.index).map_or(&[], Vec::as_slice)
    }

    /// In the order of measuring.
    pub fn timed(&self, point: &PointHead) -> Vec<Timed> {
        let part = |name: &str| self.experiment.metrics.iter().position(|m| m.name == name);
        let start = [moment::START_SECONDS, moment::START_NANOSECONDS].map(part);
        timed(self.samples_of(point), start, COUNTED.map(part))
    }

    /// What was counted of batches that have no time: where passes without and with counters
    /// alternate.
    pub fn counted_apart(&self, point: &PointHead) -> Vec<(u64, u64)> {
        let part = |name: &str| self.experiment.metrics.iter().position(|m| m.name == name);
        let [references, misses] = COUNTED.map(part);
        let mut found: BTreeMap<u64, [Option<u64>; 2]> = BTreeMap::new();
        let mut timed: BTreeSet<u64> = BTreeSet::new();
        for sample in self.samples_of(point) {
            let at = repetition(sample);
            let metric = Some(usize::from(sample.metric));
            if sample.metric == 0 {
                timed.insert(at);
            }
            for (which, counter) in [references, misses].into_iter().enumerate() {
                if metric == counter {
                    found.entry(at).or_default()[which] = whole(sample.value);
                }
            }
        }
        let apart = found.into_iter().filter(|(at, _)| !timed.contains(at));
        apart
            .filter_map(|(_, [references, misses])| references.zip(misses))
            .collect()
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
    pub fn distinguished_by(&self, known: &[&str], what: &str, set: &mut FileSet) -> bool {
        let mut axes: Vec<&str> = Vec::new();
        for setting in self.points.iter().flat_map(|p| &p.settings) {
            let axis = setting.axis.as_str();
            if !known.contains(&axis) && !axes.contains(&axis) {
                axes.push(axis);
            }
        }
        let mut apart = true;
        for axis in axes {
            let values = self.values(axis);
            match values.as_slice() {
                [] => {}
                [one] => set
                    .remarks
                    .push(format!("{}: measured with {axis}={one}", self.id)),
                many => {
                    apart = false;
                    let (all, first, id) = (many.join(","), &many[0], self.id);
                    set.skip(
                        what,
                        format!("the files cannot tell {axis}={all} of {id} apart"),
                        format!("measure one with: pontage run {id} --axis {axis}={first}"),
                    );
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
    pub fn absence(&self, what: String, settings: &[(&str, &str)], set: &mut FileSet) {
        let id = self.id;
        let point = self.absent.iter().find(|p| is_at(p, settings));
        match point.map(|p| &p.state) {
            Some(PointState::Skipped { reason, remedy }) => set.skip(what, reason, remedy),
            Some(PointState::Failed { reason }) => {
                let again = format!("measure it again with: pontage run {id}");
                set.skip(what, format!("it failed: {reason}"), again);
            }
            _ => {
                let words: Vec<String> = settings.iter().map(|(a, v)| format!("{a}={v}")).collect();
                let reason = format!("{id} was not measured at {}", words.join(" "));
                set.skip(what, reason, format!("measure it with: pontage run {id}"));
            }
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

/// What one kind of the study's files is written from.
pub(super) struct Wanted<'a> {
    pub id: &'static str,
    pub folder: &'a str,
    pub axes: &'a [&'a str],
}

/// Hands over the points once for each context, with its folder's suffix: those with
/// pinned pages, for the study pins pages before the clock starts.
pub(super) fn each_context(
    run: &Run,
    wanted: &Wanted<'_>,
    set: &mut FileSet,
    mut of: impl FnMut(&Measured<'_>, &str, &str, &mut FileSet),
) -> Result<(), ExportError> {
    let what = format!("{}/*.dat", wanted.folder);
    let Some(mut measured) = Measured::of(run, wanted.id, &what, set)? else {
        return Ok(());
    };
    measured.only("pages", "pinned", set);
    if measured.distinguished_by(wanted.axes, &what, set) {
        for (context, suffix) in contexts(&measured, &what, set) {
            of(&measured, &context, &suffix, set);
        }
    }
    Ok(())
}

/// Contexts of the points, each with its folder's suffix: none where there is
/// only one, for the study's files do not carry it.
fn contexts(measured: &Measured<'_>, what: &str, set: &mut FileSet) -> Vec<(String, String)> {
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
            for context in odd {
                let reason = format!("context {context:?} is not a valid folder name");
                set.skip(what, reason, "none: the record is inconsistent");
            }
            good.into_iter()
                .map(|context| (context.clone(), format!("/{context}")))
                .collect()
        }
    }
}

/// Process, then index.
fn repetition(s: &Sample) -> u64 {
    u64::from(s.process) << 32 | u64::from(s.index)
}

/// The samples of the first metric, each with the moment that the metrics at
/// `start` tell for it, and with what those at `counters` counted.
fn timed(
    samples: &[Sample],
    start: [Option<usize>; 2],
    counters: [Option<usize>; 2],
) -> Vec<Timed> {
    let mut order: Vec<Key> = (0..)
        .zip(samples)
        .map(|(at, s)| [repetition(s), u64::from(s.metric), at])
        .collect();
    order.sort_unstable();
    let mut all: Vec<Timed> = Vec::new();
    let mut seconds = None;
    for [repetition, metric, at] in order {
        let sample = &samples[place(at)];
        let metric = Some(place(metric));
        if sample.metric == 0 {
            seconds = None;
            all.push(Timed {
                repetition,
                cpu: sample.cpu,
                ops: sample.ops,
                dt_ns: analysis::whole(sample.elapsed_ns.round()),
                t0_ns: None,
                counted: [None; 2],
            });
        }
        // Metrics are in order: the seconds come before what lies beyond them.
        let Some(timed) = all.last_mut().filter(|t| t.repetition == repetition) else {
            continue;
        };
        if metric == start[0] {
            seconds = Some(sample.value);
        } else if metric == start[1] {
            timed.t0_ns = seconds.and_then(|s| moment::joined(s, sample.value));
        }
        if let Some(at) = counters.iter().position(|c| metric == *c) {
            timed.counted[at] = whole(sample.value);
        }
    }
    all
}

/// A place in a slice again, of which a key was made.
#[expect(clippy::cast_possible_truncation, reason = "it was a usize")]
pub(super) fn place(of_key: u64) -> usize {
    of_key as usize
}

/// A count, which is a fraction where the kernel scaled it up.
fn whole(count: f64) -> Option<u64> {
    (0.0..9e15)
        .contains(&count)
        .then(|| analysis::whole(count.round()))
}
