//! What a figure draws along y: a metric, or what is derived from one.

use super::DataPoint;
use crate::format::modes;
use analysis::view::ContaminationLevel;
use analysis::{ExperimentTable, Interval, PointView, Summary};
use record::Unit;

/// What is drawn along y.
pub(super) struct Quantity {
    pub(super) label: String,
    pub(super) unit: Unit,
    source: Source,
}

/// Where the values along y come from.
#[derive(Clone, Copy)]
enum Source {
    /// By its index; one that there is not draws nothing.
    Metric(u16),
    /// Bytes of an operation by its time.
    Bandwidth,
}

impl Quantity {
    pub(super) fn find(table: &ExperimentTable, name: &str) -> Quantity {
        let found = table.head.metrics.iter().position(|m| m.name == name);
        match found {
            Some(i) => {
                let m = &table.head.metrics[i];
                let per = if m.unit == Unit::Nanoseconds {
                    " per operation"
                } else {
                    ""
                };
                Quantity {
                    label: format!("{}{per}", m.name.replace('_', " ")),
                    unit: m.unit,
                    source: Source::Metric(u16::try_from(i).unwrap_or(u16::MAX)),
                }
            }
            None => Quantity {
                label: name.replace('_', " "),
                unit: Unit::GigabytesPerSecond,
                source: match name {
                    "bandwidth" => Source::Bandwidth,
                    _ => Source::Metric(u16::MAX),
                },
            },
        }
    }

    /// The metric's index; None for what is derived.
    pub(super) fn metric(&self) -> Option<u16> {
        match self.source {
            Source::Metric(metric) => Some(metric),
            Source::Bandwidth => None,
        }
    }

    /// The value at a point, with the summary it comes from.
    fn at<'a>(&self, point: &'a PointView) -> Option<(Interval, &'a Summary)> {
        if let Source::Metric(metric) = self.source {
            let s = point.summary(metric)?;
            return Some((s.median, s));
        }
        let s = point.primary()?;
        let bytes = point.head.bytes_per_op? as f64;
        Some((s.median.map(|ns| bytes / ns), s))
    }

    /// A point as it is drawn at `x`; None where it was not measured.
    pub(super) fn drawn(&self, point: &PointView, x: f64) -> Option<DataPoint> {
        let (y, summary) = self.at(point)?;
        let unit = match self.source {
            Source::Metric(_) => self.unit,
            Source::Bandwidth => Unit::Nanoseconds,
        };
        let (flag, reason) = point.contamination.as_ref().map_or_else(
            || (ContaminationLevel::Clean, String::new()),
            |k| (k.level, k.reason.clone()),
        );
        Some(DataPoint {
            x,
            y,
            samples: summary.samples,
            flag,
            reason,
            modes: modes(summary, unit),
        })
    }
}
