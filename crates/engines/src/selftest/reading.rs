//! What the analysis of a run says of samples.

use analysis::speed::Usual;
use analysis::summarise::{OfRun, summarise_measured};
use analysis::{Around, ExperimentTable, Summary, singles};
use record::{ExperimentHead, Instrument, MetricHead, PointHead, PointState, Sample, Unit};
use std::collections::BTreeMap;

/// Metric of single operations.
pub const SINGLES: u16 = 1;

/// The summary that a report has of these samples, taken with a clock of this step.
pub fn summary(samples: &[Sample], resolution_ns: f64) -> Option<Summary> {
    let mut point = table(samples, resolution_ns).points.pop()?;
    (!point.summaries.is_empty()).then(|| point.summaries.remove(0))
}

/// Share of the operations that are not of the fastest kind, where a report says that a batch
/// averages several.
pub fn slow_kinds(samples: &[Sample], resolution_ns: f64) -> Option<f64> {
    let table = table(samples, resolution_ns);
    let kinds = singles::kinds(&table, table.points.first()?)?;
    let slow = kinds.singles.modes.iter().skip(1);
    kinds.agree().then(|| slow.map(|mode| mode.share).sum())
}

/// Standard deviation of a sample, as a share.
pub fn spread<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> f64 {
    let values: Vec<f64> = samples.into_iter().map(|s| s.value).collect();
    let deviation = stats::median_absolute_deviation(&values).unwrap_or(f64::NAN);
    stats::quantile::MAD_TO_SIGMA * deviation / stats::median(&values).unwrap_or(f64::NAN)
}

/// What a report has of a point with these samples.
fn table(samples: &[Sample], resolution_ns: f64) -> ExperimentTable {
    let time = |name: &str| MetricHead {
        name: name.to_owned(),
        unit: Unit::Nanoseconds,
        doc: String::new(),
        lower_is_better: true,
        explains: false,
    };
    let experiment = ExperimentHead {
        id: "selftest".to_owned(),
        metrics: vec![time("time"), time(record::SINGLE)],
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
    summarise_measured(&experiment, &[point.into()], &samples, &of_run)
}

/// What is known around the points of a block.
pub fn around(points: &[Vec<Sample>]) -> Around {
    Around {
        usual: Usual::of(points.iter().map(Vec::as_slice)),
        may_be_stolen: false,
        shared: false,
    }
}
