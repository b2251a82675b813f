//! The counters that a run asks for: settled before it, kept in its record.

use crate::failure::Failure;
use harness::counters::{Planned, SIMULATED, plan, simulated};
use machine::Machine;
use probe::counters::GroupName;
use record::{FigureKind, RunHead};
use std::path::Path;

/// The counters of a new run, by the name of their group.
///
/// # Errors
/// When there is no such group.
pub fn asked(group: Option<&str>, machine: &Machine) -> Result<Option<Planned>, Failure> {
    let Some(name) = group else {
        return Ok(None);
    };
    let planned = planned(name, machine).ok_or_else(|| {
        let groups = GroupName::ALL.iter().map(|g| g.name());
        let known: Vec<&str> = groups.chain([SIMULATED]).collect();
        Failure::new(format!(
            "cannot count {name:?}: there is no such group of counters"
        ))
        .hint(format!("groups: {}", known.join(", ")))
    })?;
    Ok(Some(planned))
}

fn planned(group: &str, machine: &Machine) -> Option<Planned> {
    match group {
        SIMULATED => Some(simulated()),
        group => GroupName::parse(group).map(|group| plan(group, machine, Path::new("/"))),
    }
}

/// The counters that a recorded run was begun with.
///
/// # Errors
/// When the machine does not offer the same ones now.
pub fn recorded(head: &RunHead, machine: &Machine) -> Result<Option<Planned>, Failure> {
    let Some(counters) = &head.conditions.counters else {
        return Ok(None);
    };
    let simulated = counters.group == SIMULATED;
    match planned(&counters.group, machine) {
        Some(planned) if simulated || planned.head.metrics == counters.metrics => Ok(Some(planned)),
        _ => Err(Failure::new(format!(
            "cannot resume {}: it was started with counters {}, which are not available now",
            head.id, counters.group
        ))
        .hint(
            "start a new run: pontage run --counters GROUP; pontage doctor shows what is allowed",
        )),
    }
}

/// Adds the counters to the head of a new record: their metrics behind those
/// of every experiment, panels of them under its first figure, and what is counted,
/// or why not, to its conditions.
pub fn describe(planned: &Planned, head: &mut RunHead) {
    for experiment in &mut head.experiments {
        let metrics = || planned.plan.metrics.iter().map(|m| &m.head);
        experiment.metrics.extend(metrics().cloned());
        let first = experiment.figures.first_mut();
        if let Some(figure) = first.filter(|f| f.kind == FigureKind::Lines) {
            figure.below.extend(metrics().map(|m| m.name.clone()));
        }
    }
    head.conditions.counters = Some(planned.head.clone());
    head.conditions.notes.extend(planned.notes.iter().cloned());
}
