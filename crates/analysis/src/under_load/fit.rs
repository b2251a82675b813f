//! Whether two runs belong side by side at all, and what to know of them.

use super::LOAD_THERE;
use crate::compare::{conditions_differ, machines_differ};
use crate::contamination::judge_run;
use crate::view::ContaminationLevel;
use record::{Conditions, RunHead, RunState};

/// Why two runs cannot be laid side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misfit {
    /// Facts other than the load: `cpu model: X in the light run, Y in the heavy`.
    Differ(Vec<String>),
    /// The first is under load and the second is not.
    Swapped,
    /// Both under the same load, or both without: its name.
    SameLoad(String),
    /// The load was not there while it was measured.
    Idle(String),
}

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Misfit::Differ(facts) => write!(f, "different {}", facts.join("; ")),
            Misfit::Swapped => write!(f, "the first run is the one under load"),
            Misfit::SameLoad(load) => write!(f, "both were measured under load {load}"),
            Misfit::Idle(why) => write!(f, "the load was missing: {why}"),
        }
    }
}

/// What a reader has to know of the pair.
///
/// # Errors
/// Where one says nothing about the other.
pub(super) fn cautions(light: &RunHead, heavy: &RunHead) -> Result<Vec<String>, Misfit> {
    loads(&light.conditions, &heavy.conditions)?;
    let mut differ = machines_differ(&light.machine, &heavy.machine);
    differ.extend(conditions_differ(light, heavy));
    differ.retain(|d| d.field != "load");
    let stated = |fact: &str| {
        if fact.is_empty() {
            "nothing stated"
        } else {
            fact
        }
        .to_owned()
    };
    let facts = |matters: bool| {
        let found = differ.iter().filter(move |d| d.matters == matters);
        let line =
            |d: &crate::Difference| format!("{}: {} and {}", d.field, stated(&d.a), stated(&d.b));
        found.map(line).collect::<Vec<String>>()
    };
    let matter = facts(true);
    if !matter.is_empty() {
        return Err(Misfit::Differ(matter));
    }
    let mut cautions: Vec<String> = facts(false)
        .into_iter()
        .map(|fact| format!("different {fact}"))
        .collect();
    if heavy.conditions.load_busy.is_none() {
        cautions.push("the record does not say whether the load ran all the time".to_owned());
    }
    for (name, head) in [("light", light), ("heavy", heavy)] {
        let seen = judge_run(&head.conditions);
        if seen.level > ContaminationLevel::Clean {
            cautions.push(format!("{name} run: {}", seen.reason));
        }
        if head.state != RunState::Complete {
            cautions.push(format!("the {name} run is incomplete"));
        }
        if head.machine.is_emulated() {
            cautions.push(format!(
                "{name} run: emulated processor, times are meaningless"
            ));
        }
    }
    Ok(cautions)
}

fn loads(light: &Conditions, heavy: &Conditions) -> Result<(), Misfit> {
    let loaded = |c: &Conditions| !(c.load.is_empty() || c.load == "light");
    match (loaded(light), loaded(heavy)) {
        (false, true) => {}
        (true, false) => return Err(Misfit::Swapped),
        (true, true) => return Err(Misfit::SameLoad(heavy.load.clone())),
        (false, false) => return Err(Misfit::SameLoad("light".to_owned())),
    }
    if heavy.load_detail.is_empty() {
        return Err(Misfit::Idle("the record names no generator".to_owned()));
    }
    match heavy.load_busy.filter(|busy| *busy < LOAD_THERE) {
        Some(busy) => Err(Misfit::Idle(format!(
            "one of its CPUs was in use for only {:.0} % of the run",
            100.0 * busy
        ))),
        None => Ok(()),
    }
}
