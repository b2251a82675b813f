//! What a figure says in place of a metric that was not counted.

use analysis::ExperimentTable;
use record::RunHead;

/// Why there is no such metric, where it comes from counters.
pub fn uncounted(run: &RunHead, table: &ExperimentTable, name: &str) -> Option<String> {
    if name == "bandwidth" || table.head.metrics.iter().any(|m| m.name == name) {
        return None;
    }
    let counters = run.conditions.counters.as_ref();
    let absent = counters.and_then(|c| c.events.iter().find_map(|e| e.absent.as_ref()));
    Some(match absent {
        Some(absent) => format!("SKIP: no {name}: {} ({})", absent.reason, absent.remedy),
        None => format!("SKIP: no {name}: the run did not count it (--counters GROUP)"),
    })
}
