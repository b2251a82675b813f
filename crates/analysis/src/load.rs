//! A recorded run as its readers see it.

use crate::copies;
use crate::in_parallel::in_parallel;
use crate::summarise::{OfRun, SamplesByPoint, summarise_measured};
use crate::view::RunView;
use record::{PointHead, PointState, RecordError, Run};

/// Reads every table of a run and summarises its points. Those that failed have no
/// summaries.
///
/// # Errors
/// A table that is missing, changed or damaged; the others are then not read
/// either, because half a run silently shown is worse than none.
pub fn load(run: &Run) -> Result<RunView, RecordError> {
    let mut head = run.head().clone();
    let mut samples = head
        .experiments
        .iter()
        .map(|experiment| run.samples(&experiment.id))
        .collect::<Result<Vec<_>, RecordError>>()?;
    for (point, taken) in copies::left_behind(run)? {
        let experiment = head
            .experiments
            .iter()
            .position(|e| e.id == point.experiment);
        if let Some(experiment) = experiment {
            if !taken.is_empty() {
                samples[experiment].insert(point.index, taken);
            }
            head.points.push(point);
        }
    }
    for (experiment, samples) in head.experiments.iter().zip(&mut samples) {
        fail_without_samples(&experiment.id, &mut head.points, samples);
        forget_failed(&experiment.id, &head.points, samples);
    }
    let of_run = OfRun::of(&head, samples.iter());
    let parts: Vec<_> = head.experiments.iter().zip(&samples).collect();
    let tables = in_parallel(&parts, |(experiment, samples)| {
        let mut table = summarise_measured(experiment, &head.points, samples, &of_run);
        if copies::are_events_of(&experiment.id) {
            // What disturbed them was not watched.
            table.points.iter_mut().for_each(|p| p.contamination = None);
        }
        table
    });
    Ok(RunView {
        head,
        tables,
        speeds: of_run.around.usual.speeds().copied().collect(),
    })
}

/// Records of earlier versions call points done of which there is not one sample.
fn fail_without_samples(experiment: &str, points: &mut [PointHead], samples: &SamplesByPoint) {
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
fn forget_failed(experiment: &str, points: &[PointHead], samples: &mut SamplesByPoint) {
    let own = points.iter().filter(|p| p.experiment == experiment);
    for failed in own.filter(|p| matches!(p.state, PointState::Failed { .. })) {
        samples.remove(&failed.index);
    }
}

#[cfg(test)]
mod tests {
    use super::{fail_without_samples, forget_failed};
    use crate::summarise::SamplesByPoint;
    use record::{Disturbance, PointHead, PointState, Sample};

    fn point(index: u32, experiment: &str, state: PointState) -> PointHead {
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
        let failed = |p: &PointHead| matches!(p.state, PointState::Failed { .. });
        let failed: Vec<bool> = points.iter().map(failed).collect();
        assert_eq!(failed, [false, true, false, true, false]);
        assert_eq!(points[2].state, PointState::Pending);
    }
}
