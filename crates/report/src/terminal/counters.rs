//! Events that a run counted, by operation.

use crate::format::{plus_minus, quantity};
use analysis::{ExperimentTable, PointView};
use record::RunHead;

/// `counted: INST_RETIRED 312 ±0.1 %, cycles_per_instruction 1.37 ±0.4 %`, an
/// operation; None where the run asked for no counters.
pub(super) fn counters_text(
    table: &ExperimentTable,
    point: &PointView,
    run: &RunHead,
) -> Option<String> {
    let names = &run.conditions.counters.as_ref()?.metrics;
    let metrics = (0u16..).zip(&table.head.metrics);
    // They stand last: an experiment may have a tally of the same name.
    let own = table.head.metrics.len().saturating_sub(names.len());
    let counted: Vec<String> = metrics
        .skip(own)
        .filter(|(_, metric)| names.contains(&metric.name))
        .filter_map(|(index, metric)| {
            let s = point.summary(index)?;
            let value = quantity(s.median.center, metric.unit, 4);
            let exact = s.median.low == s.median.high;
            let width = match exact {
                true => String::new(),
                false => format!(" {}", plus_minus(&s.median)),
            };
            Some(format!("{} {value}{width}", metric.name))
        })
        .collect();
    (!counted.is_empty()).then(|| format!("counted: {}", counted.join(", ")))
}
