//! What of a run is exported: all of it, or named experiments and metrics.

use analysis::{ExperimentTable, RunView};
use record::MetricHead;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Experiments by id and metrics by name; None where all are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    pub experiments: Option<BTreeSet<String>>,
    pub metrics: Option<BTreeSet<String>>,
}

impl Selection {
    /// Whether nothing is left out.
    pub fn is_all(&self) -> bool {
        self.experiments.is_none() && self.metrics.is_none()
    }

    fn has_experiment(&self, id: &str) -> bool {
        let wanted = self.experiments.as_ref();
        wanted.is_none_or(|wanted| wanted.contains(id))
    }

    pub(super) fn has_metric(&self, name: &str) -> bool {
        let wanted = self.metrics.as_ref();
        wanted.is_none_or(|wanted| wanted.contains(name))
    }

    /// Whether a metric is shown among results: those that are named, else those that are one.
    pub(super) fn shows(&self, metric: &MetricHead) -> bool {
        match &self.metrics {
            Some(named) => named.contains(&metric.name),
            None => metric.is_result(),
        }
    }

    /// The selected part of a run; what is said of the whole run stays.
    pub(super) fn of<'a>(&self, view: &'a RunView) -> Cow<'a, RunView> {
        if self.is_all() {
            return Cow::Borrowed(view);
        }
        let mut view = view.clone();
        view.tables.retain(|t| self.has_experiment(&t.head.id));
        view.tables.iter_mut().for_each(|t| self.reduce(t));
        let head = &mut view.head;
        head.experiments.retain(|e| self.has_experiment(&e.id));
        head.findings.retain(|f| self.has_experiment(&f.experiment));
        head.claims.retain(|c| self.has_experiment(&c.experiment));
        Cow::Owned(view)
    }

    fn reduce(&self, table: &mut ExperimentTable) {
        for point in &mut table.points {
            let metrics = &table.head.metrics;
            point.summaries.retain(|s| {
                let metric = metrics.get(usize::from(s.metric));
                metric.is_some_and(|m| self.has_metric(&m.name))
            });
        }
    }
}
