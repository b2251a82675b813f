//! From wishes to the events that are to be switched on, and no other.

use super::absence::{Result, TracefsError};
use super::mount::Tracefs;
use super::names::nearest;
use super::sets;
use super::specification::{Specification, is_glob, matches};
use crate::absence::needs_kernel;
use std::collections::BTreeMap;

type Systems = BTreeMap<String, Vec<String>>;

/// Something with an `enable` file: an event, or a whole system.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Switched {
    pub system: String,
    /// None: all events of the system.
    pub event: Option<String>,
    pub filter: Option<String>,
    pub triggers: Vec<String>,
}

/// What a recording switches on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    pub switched: Vec<Switched>,
    /// Members of sets that this kernel does not have.
    pub left_out: Vec<String>,
}

impl Selection {
    /// # Errors
    /// `Absent` for a name that this kernel does not have, with the nearest.
    pub fn resolve(
        tracefs: &Tracefs,
        wishes: &[Specification],
        filter: Option<&str>,
    ) -> Result<Selection> {
        let systems = tracefs.events()?;
        let mut selection = Selection::default();
        for wish in wishes {
            let mut wish = wish.clone();
            if wish.filter.is_none() && wish.trigger.is_none() {
                wish.filter = filter.map(str::to_owned);
            }
            selection.add(&systems, &wish)?;
        }
        if selection.switched.is_empty() && !wishes.is_empty() {
            return Err(TracefsError::absent(
                "this kernel has none of the events of that set",
                needs_kernel("CONFIG_EVENT_TRACING"),
            ));
        }
        Ok(selection)
    }

    fn add(&mut self, systems: &Systems, wish: &Specification) -> Result<()> {
        if let Some(members) = sets::members(&wish.name) {
            for member in members {
                match known(systems, member) {
                    Some((system, event)) => self.switch(wish, system, Some(event)),
                    None => self.left_out.push(member.to_owned()),
                }
            }
            return Ok(());
        }
        // As trace-cmd calls it.
        if wish.name == sets::ALL && !systems.contains_key(sets::ALL) {
            for system in systems.keys() {
                self.switch(wish, system, None);
            }
            return Ok(());
        }
        if systems.contains_key(&wish.name) {
            self.switch(wish, &wish.name, None);
            return Ok(());
        }
        let (of_system, of_event) = wish.name.split_once(':').unwrap_or(("*", &wish.name));
        let mut found = false;
        for (system, events) in systems.iter().filter(|(s, _)| matches(of_system, s)) {
            if matches!(of_event, "*" | "") && of_system != "*" {
                self.switch(wish, system, None);
                found = true;
                continue;
            }
            for event in events.iter().filter(|e| matches(of_event, e)) {
                self.switch(wish, system, Some(event));
                found = true;
            }
        }
        found.then_some(()).ok_or_else(|| unknown(systems, wish))
    }

    /// The same event asked twice is one, with all that was asked of it.
    fn switch(&mut self, wish: &Specification, system: &str, event: Option<&str>) {
        let same = |s: &Switched| s.system == system && s.event.as_deref() == event;
        let index = match self.switched.iter().position(same) {
            Some(index) => index,
            None => {
                self.switched.push(Switched {
                    system: system.to_owned(),
                    event: event.map(str::to_owned),
                    ..Switched::default()
                });
                self.switched.len() - 1
            }
        };
        let switched = &mut self.switched[index];
        switched.filter = wish.filter.clone().or(switched.filter.take());
        switched.triggers.extend(wish.trigger.clone());
    }

    /// As `-e` would name them, for notes.
    pub fn names(&self) -> Vec<String> {
        self.switched.iter().map(Switched::specification).collect()
    }
}

impl Switched {
    /// Below the folder of tracefs or of an instance.
    pub fn folder(&self) -> String {
        match &self.event {
            Some(event) => format!("events/{}/{event}", self.system),
            None => format!("events/{}", self.system),
        }
    }

    fn specification(&self) -> String {
        let event = self.event.as_deref().unwrap_or("*");
        let mut text = format!("{}:{event}", self.system);
        for trigger in &self.triggers {
            text += &format!(" trigger {trigger}");
        }
        if let Some(filter) = &self.filter {
            text += &format!(" if {filter}");
        }
        text
    }
}

fn known<'a>(systems: &'a Systems, name: &str) -> Option<(&'a str, &'a str)> {
    let (system, event) = name.split_once(':')?;
    let (system, events) = systems.get_key_value(system)?;
    let event = events.iter().find(|e| *e == event)?;
    Some((system, event))
}

fn unknown(systems: &Systems, wish: &Specification) -> TracefsError {
    let name = &wish.name;
    let absent = |near: &[String]| {
        let remedy = match near.is_empty() {
            true => "find another: sudo cat /sys/kernel/tracing/available_events".to_owned(),
            false => format!("did you mean -e {}", near.join(" or -e ")),
        };
        TracefsError::absent(format!("this kernel has no event {name}"), remedy)
    };
    if is_glob(name) {
        return absent(&[]);
    }
    let full = name.contains(':');
    let mut candidates: Vec<String> = sets::NAMES.map(str::to_owned).to_vec();
    for (system, events) in systems {
        candidates.push(system.clone());
        for event in events {
            candidates.push(match full {
                true => format!("{system}:{event}"),
                false => event.clone(),
            });
        }
    }
    absent(&nearest(name, &candidates))
}

#[cfg(test)]
mod tests {
    use super::super::testing::Tree;
    use super::*;

    fn resolved(wishes: &[&str], filter: Option<&str>) -> Result<Selection> {
        let tree = Tree::new();
        let wishes: Vec<Specification> = wishes.iter().map(|w| w.parse().unwrap()).collect();
        Selection::resolve(&tree.tracefs(), &wishes, filter)
    }

    fn names(wishes: &[&str]) -> Vec<String> {
        resolved(wishes, None).unwrap().names()
    }

    #[test]
    fn a_set_is_what_the_kernel_has_of_it() {
        let chosen = resolved(&["sched"], None).unwrap();
        assert_eq!(
            chosen.names(),
            [
                "sched:sched_switch",
                "sched:sched_waking",
                "sched:sched_process_exit"
            ]
        );
        assert!(
            chosen
                .left_out
                .contains(&"sched:sched_wakeup_new".to_owned())
        );
    }

    #[test]
    fn systems_events_and_globs() {
        assert_eq!(names(&["syscalls"]), ["syscalls:*"]);
        assert_eq!(names(&["sched:*"]), ["sched:*"]);
        let all = names(&["all"]);
        assert!(all.contains(&"irq:*".to_owned()) && all.contains(&"sched:*".to_owned()));
        assert!(all.iter().all(|name| name.ends_with(":*")), "{all:?}");
        assert_eq!(names(&["sched_switch"]), ["sched:sched_switch"]);
        assert_eq!(
            names(&["irq:soft*"]),
            ["irq:softirq_raise", "irq:softirq_entry", "irq:softirq_exit"]
        );
        assert_eq!(names(&["*:irq_handler_exit"]), ["irq:irq_handler_exit"]);
    }

    #[test]
    fn one_event_gathers_its_filter_and_its_triggers() {
        let chosen = resolved(
            &[
                "sched:sched_switch if prev_pid == 1",
                "sched_switch trigger stacktrace",
                "irq:softirq_raise",
            ],
            Some("vec == 1"),
        )
        .unwrap();
        assert_eq!(
            chosen.names(),
            [
                "sched:sched_switch trigger stacktrace if prev_pid == 1",
                "irq:softirq_raise if vec == 1"
            ]
        );
    }

    #[test]
    fn a_filter_more_has_to_hold_too() {
        let Ok(own) = "sched_switch if prev_pid == 1".parse::<Specification>();
        let both = own.and("next_pid == 2").filter;
        assert_eq!(both.as_deref(), Some("(prev_pid == 1) && (next_pid == 2)"));
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let Err(TracefsError::Absent { reason, remedy }) = resolved(&["sched:sched_swich"], None)
        else {
            panic!()
        };
        assert_eq!(reason, "this kernel has no event sched:sched_swich");
        assert!(
            remedy.starts_with("did you mean -e sched:sched_switch"),
            "{remedy}"
        );
        assert!(resolved(&["nothing:*"], None).is_err());
    }
}
