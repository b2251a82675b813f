//! A recorded run as its readers see it.

use crate::copies;
use crate::in_parallel::at_most_at_once;
use crate::summarise::{Gathered, summarise_measured};
use crate::view::RunView;
use record::{ExperimentHead, PointHead, PointState, RecordError, Run, SamplesByPoint, Shared};
use std::collections::BTreeMap;

/// Reads every table of a run and summarises its points. Those that failed have no
/// summaries.
///
/// # Errors
/// A table that is missing, changed or damaged; the others are then not read
/// either, because half a run silently shown is worse than none.
pub fn load(run: &Run) -> Result<RunView, RecordError> {
    let mut head = run.head().clone();
    let mut left: BTreeMap<String, SamplesByPoint> = BTreeMap::new();
    for (point, taken) in copies::left_behind(run)? {
        if head.experiments.iter().any(|e| e.id == point.experiment) {
            if !taken.is_empty() {
                let of_it = left.entry(point.experiment.clone()).or_default();
                of_it.insert(point.index, taken);
            }
            head.points.push(point.into());
        }
    }
    let few = head.points.len() <= MOST_KEPT;
    // A stream has no order of experiments: it is read once, and kept.
    let mut streamed = run.streamed()?;
    let keeps = few || streamed.is_some();
    let with_left = |id: &str, mut samples: SamplesByPoint| {
        samples.extend(left.get(id).cloned().unwrap_or_default());
        samples
    };
    let stored = |id: &str| run.samples(id).map(|samples| with_left(id, samples));
    // What is known of the run is needed before the first point is summarised.
    let mut gathered = Gathered::default();
    let mut kept: Vec<Option<SamplesByPoint>> = Vec::new();
    for experiment in &head.experiments {
        let id = &experiment.id;
        let mut samples = match &mut streamed {
            Some(all) => with_left(id, all.remove(id).unwrap_or_default()),
            None => stored(id)?,
        };
        fail_without_samples(&experiment.id, &mut head.points, &samples);
        forget_failed(&experiment.id, &head.points, &mut samples);
        gathered.take(&samples);
        kept.push(keeps.then_some(samples));
    }
    let of_run = gathered.of_run(&head);
    drop(gathered);
    let parts: Vec<_> = head.experiments.iter().zip(&kept).collect();
    let table = |experiment: &ExperimentHead, samples: &SamplesByPoint| {
        let mut table = summarise_measured(experiment, &head.points, samples, &of_run);
        if copies::are_events_of(&experiment.id) {
            // What disturbed them was not watched.
            table.points.iter_mut().for_each(|p| p.contamination = None);
        }
        if !few {
            // It is drawn of runs of a point or two; 10^5 of them are 24 MB.
            table.points.iter_mut().for_each(|p| p.histogram = None);
        }
        table
    };
    let at_once = if keeps { usize::MAX } else { READ_AT_ONCE };
    let tables = at_most_at_once(at_once, &parts, |(experiment, kept)| match kept {
        Some(samples) => Ok(table(experiment, samples)),
        None => {
            let mut samples = stored(&experiment.id)?;
            forget_failed(&experiment.id, &head.points, &mut samples);
            Ok(table(experiment, &samples))
        }
    });
    let tables = tables.into_iter().collect::<Result<_, RecordError>>()?;
    Ok(RunView {
        tables,
        speeds: of_run.around.usual.speeds().copied().collect(),
        head,
    })
}

/// Records of more points are read twice instead: all their samples at once may be more than the
/// machine has memory for.
const MOST_KEPT: usize = 5_000;

/// Of such a record so many experiments' samples are in memory at once, however many CPUs there
/// are: 5,000 points of 20 samples take 30 MB.
const READ_AT_ONCE: usize = 2;

/// Records of earlier versions call points done of which there is not one sample.
fn fail_without_samples(
    experiment: &str,
    points: &mut [Shared<PointHead>],
    samples: &SamplesByPoint,
) {
    let own = points.iter_mut().filter(|p| p.experiment == experiment);
    for point in own.filter(|p| p.state == PointState::Done) {
        if samples.get(&point.index).is_none_or(Vec::is_empty) {
            point.state = PointState::Failed {
                reason: "the record holds no sample of it".to_owned(),
            };
        }
    }
}

/// What a wrong result took says nothing of the right one, nor of how processes differ.
fn forget_failed(experiment: &str, points: &[Shared<PointHead>], samples: &mut SamplesByPoint) {
    let own = points.iter().filter(|p| p.experiment == experiment);
    for failed in own.filter(|p| matches!(p.state, PointState::Failed { .. })) {
        samples.remove(&failed.index);
    }
}

#[cfg(test)]
mod tests {
    use super::{fail_without_samples, forget_failed};
    use record::{Disturbance, PointHead, PointState, Sample, SamplesByPoint, Shared};

    fn point(index: u32, experiment: &str, state: PointState) -> Shared<PointHead> {
        PointHead {
            index,
            experiment: experiment.into(),
            settings: Vec::new(),
            bytes_per_op: None,
            state,
            notes: Vec::new(),
            traces: Vec::new(),
            interrupts: None,
        }
        .into()
    }

    #[test]
    fn a_point_that_failed_says_nothing_by_its_samples() {
        let reason = "wrong result".to_owned();
        let failed = PointState::Failed { reason };
        let points = [
            point(0, "own", PointState::Done),
            point(1, "own", failed.clone()),
            point(2, "own", PointState::Pending),
            point(2, "other", failed),
        ];
        let mut samples: SamplesByPoint = (0..3).map(|index| (index, Vec::new())).collect();
        forget_failed("own", &points, &mut samples);
        assert!(samples.keys().eq(&[0, 2]));
    }
    #[test]
    fn a_point_without_a_sample_is_not_done_whatever_its_record_says() {
        let mut points = [
            point(0, "own", PointState::Done),
            point(1, "own", PointState::Done),
            point(2, "own", PointState::Pending),
            point(3, "own", PointState::Done),
            point(1, "other", PointState::Done),
        ];
        let sample = Sample {
            metric: 0,
            process: 0,
            index: 0,
            ops: 1,
            elapsed_ns: 1.0,
            floor_ns: 0.0,
            value: 1.0,
            cpu: 0,
            disturbance: Disturbance::default(),
            yardstick: None,
        };
        let samples: SamplesByPoint = [(0, vec![sample]), (3, Vec::new())].into();
        fail_without_samples("own", &mut points, &samples);
        let failed = |p: &Shared<PointHead>| matches!(p.state, PointState::Failed { .. });
        let failed: Vec<bool> = points.iter().map(failed).collect();
        assert_eq!(failed, [false, true, false, true, false]);
        assert_eq!(points[2].state, PointState::Pending);
    }
}
