//! The counters that a run asks for: settled before it, kept in its record.

use crate::failure::Failure;
use harness::counters::{Asked, Planned, SIMULATED, plan, simulated};
use machine::Machine;
use probe::counters::GroupName;
use record::{COUNTED_TIME, FigureKind, RunHead};
use std::path::Path;

/// The counters of a new run, by the name of their group, tested on the CPU that measures.
///
/// # Errors
/// When there is no such group.
pub fn asked(group: Option<&str>, machine: &Machine, cpu: u32) -> Result<Option<Planned>, Failure> {
    let Some(name) = group else {
        return Ok(None);
    };
    let planned = planned(name, machine, cpu).ok_or_else(|| {
        let groups = GroupName::ALL.iter().map(|g| g.name());
        let known: Vec<&str> = groups.chain([SIMULATED]).collect();
        Failure::new(format!(
            "cannot count {name:?}: there is no such group of counters"
        ))
        .hint(format!("groups: {}", known.join(", ")))
    })?;
    Ok(Some(planned))
}

fn planned(group: &str, machine: &Machine, cpu: u32) -> Option<Planned> {
    let of = |group| Asked {
        group,
        machine,
        root: Path::new("/"),
        cpu: Some(cpu),
        apart: true,
    };
    match group {
        SIMULATED => Some(simulated()),
        group => GroupName::parse(group).map(|group| plan(&of(group))),
    }
}

/// The counters that a recorded run was begun with.
///
/// # Errors
/// When the machine does not offer the same ones now.
pub fn recorded(head: &RunHead, machine: &Machine, cpu: u32) -> Result<Option<Planned>, Failure> {
    let Some(counters) = &head.conditions.counters else {
        return Ok(None);
    };
    let simulated = counters.group == SIMULATED;
    match planned(&counters.group, machine, cpu) {
        Some(mut planned) if simulated || planned.head.metrics == counters.metrics => {
            planned.plan.as_recorded(counters);
            Ok(Some(planned))
        }
        _ => Err(Failure::new(format!(
            "cannot resume {}: it was started with counters {}, which are not available now",
            head.id, counters.group
        ))
        .hint(
            "start a new run: pontage run --counters GROUP; pontage doctor --all shows what is allowed",
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
            let names = metrics().map(|m| m.name.as_str());
            figure
                .below
                .extend(names.filter(|n| has_panel(n)).map(str::to_owned));
        }
    }
    head.conditions.counters = Some(planned.head.clone());
    head.conditions.notes.extend(planned.notes.iter().cloned());
}

/// Times with counters are no result; what is counted for the user and the kernel apart is
/// drawn as rates.
fn has_panel(name: &str) -> bool {
    let apart = name.ends_with("_user") || name.ends_with("_kernel");
    name != COUNTED_TIME && (!apart || name.contains("_rate") || name.contains("_per_"))
}
