//! Perf events, as the kernel answered.

use super::{Capability, Question};
use crate::perf::{Outcome, PerfClass, PerfReport};
use crate::perf_attr::Class;

/// One capability for each class of perf events.
pub fn list(report: &PerfReport) -> Vec<Capability> {
    report.classes.iter().map(judge).collect()
}

fn judge(found: &PerfClass) -> Capability {
    let q = question(found.class);
    let event = &found.event;
    match (&found.user, &found.kernel) {
        (_, Outcome::Available) => q.available(format!("{event}, user and kernel")),
        (Outcome::Available, kernel) => {
            let (reason, remedy) = why(kernel);
            q.limited(format!("{event}, user only: {reason}"), remedy)
        }
        (user, _) => {
            let (reason, remedy) = why(user);
            q.absent(format!("{event}: {reason}"), remedy)
        }
    }
}

fn why(outcome: &Outcome) -> (&str, &str) {
    match outcome {
        Outcome::Available => ("", ""),
        Outcome::Refused { reason, remedy, .. } | Outcome::Untried { reason, remedy } => {
            (reason, remedy)
        }
    }
}

fn question(class: Class) -> Question {
    let (name, purpose) = match class {
        Class::Hardware => ("perf hardware", "cycles and instructions of each batch"),
        Class::Cache => ("perf cache", "misses that explain a knee"),
        Class::Raw => ("perf raw", "counters of this very processor"),
        Class::Software => (
            "perf software",
            "faults, switches and migrations of a sample",
        ),
        Class::Tracepoint => (
            "perf tracepoint",
            "count kernel events without tracing them",
        ),
        Class::Uprobe => ("perf uprobe", "count calls in programs"),
        Class::Breakpoint => ("perf breakpoint", "see who writes a word"),
    };
    Question::new(name, purpose)
}
