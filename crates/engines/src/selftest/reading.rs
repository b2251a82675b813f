//! What the analysis of a run says of samples.

use analysis::speed::Usual;
use analysis::summarise::{OfRun, summarise_measured};
use analysis::{Around, Summary};
use record::{ExperimentHead, Instrument, MetricHead, PointHead, PointState, Sample, Unit};
use std::collections::BTreeMap;

/// The summary that a report has of these samples, taken with a clock of this step.
pub fn summary(samples: &[Sample], resolution_ns: f64) -> Option<Summary> {
    let time = MetricHead {
        name: "time".to_owned(),
        unit: Unit::Nanoseconds,
        doc: String::new(),
        lower_is_better: true,
    };
    let experiment = ExperimentHead {
        id: "selftest".to_owned(),
        metrics: vec![time],
        ..ExperimentHead::default()
    };
    let point = PointHead {
        index: 0,
        experiment: experiment.id.clone(),
        settings: Vec::new(),
        bytes_per_op: None,
        state: PointState::Done,
        notes: Vec::new(),
        traces: Vec::new(),
        interrupts: None,
    };
    let of_run = OfRun {
        instrument: Some(Instrument {
            resolution_ns,
            ..Instrument::default()
        }),
        ..OfRun::default()
    };
    let samples = BTreeMap::from([(0, samples.to_vec())]);
    let mut table = summarise_measured(&experiment, &[point], &samples, &of_run);
    let mut point = table.points.pop()?;
    (!point.summaries.is_empty()).then(|| point.summaries.remove(0))
}

/// What is known around the points of a block.
pub fn around(points: &[Vec<Sample>]) -> Around {
    Around {
        usual: Usual::of(points.iter().map(Vec::as_slice)),
        may_be_stolen: false,
        shared: false,
    }
}
