//! Which events are wanted: by name, by task.

use crate::bytes::Order;
use crate::capture::Capture;
use crate::error::{Result, TraceError, ensure};
use crate::page::{Event, Item};
use std::collections::HashSet;

/// Gaps are always wanted: what is missing matters to whatever is chosen.
#[derive(Debug, Clone)]
pub struct Choice {
    order: Order,
    /// By ID; None: all.
    events: Option<Vec<bool>>,
    /// None: all.
    pids: Option<HashSet<i32>>,
}

impl Choice {
    /// `events` are globs of `name` or `system:name`; `tasks` PIDs or names. None
    /// of a kind: all.
    ///
    /// # Errors
    /// A glob that no event of the trace has, a task that the trace does not know.
    pub fn of(capture: &Capture, events: &[String], tasks: &[String]) -> Result<Choice> {
        let mut choice = Choice {
            order: capture.head.order,
            events: None,
            pids: None,
        };
        for glob in events {
            let ids = ids(capture, glob)?;
            let chosen = choice.events.get_or_insert_default();
            for id in ids.into_iter().map(usize::from) {
                chosen.resize(chosen.len().max(id + 1), false);
                chosen[id] = true;
            }
        }
        for task in tasks {
            let chosen = choice.pids.get_or_insert_default();
            match task.parse::<i32>() {
                Ok(pid) => chosen.extend([pid]),
                Err(_) => chosen.extend(pids(capture, task)?),
            }
        }
        Ok(choice)
    }

    /// Whether the item is chosen; a gap always is, since chosen events may be lost in it.
    #[inline]
    pub fn has(&self, item: &Item<'_>) -> bool {
        match item {
            Item::Event(event) => self.has_event(event),
            Item::Lost(_) => true,
        }
    }

    fn has_event(&self, event: &Event<'_>) -> bool {
        let id = usize::from(event.id(self.order));
        let named = |ids: &Vec<bool>| ids.get(id).copied().unwrap_or(false);
        let of_task = |pids: &HashSet<i32>| pids.contains(&event.pid(self.order));
        self.events.as_ref().is_none_or(named) && self.pids.as_ref().is_none_or(of_task)
    }
}

fn ids(capture: &Capture, glob: &str) -> Result<Vec<u16>> {
    let formats = capture.formats.iter();
    let matching = formats.filter(|format| match glob.split_once(':') {
        Some((system, name)) => matches(system, &format.system) && matches(name, &format.name),
        None => matches(glob, &format.name),
    });
    let ids: Vec<u16> = matching.map(|format| format.id).collect();
    match ids.is_empty() {
        false => Ok(ids),
        true => Err(TraceError::NoFormat {
            what: glob.to_owned(),
            cause: "the trace describes no such event".to_owned(),
        }),
    }
}

fn pids(capture: &Capture, name: &str) -> Result<Vec<i32>> {
    let pids = capture.pids_of(name);
    ensure(!pids.is_empty(), format!("the task {name:?}"), || {
        "the trace has no task of this name; a PID works as well".to_owned()
    })?;
    Ok(pids)
}

/// `*` stands for any text, `?` for any character.
fn matches(glob: &str, text: &str) -> bool {
    let (glob, text): (Vec<char>, Vec<char>) = (glob.chars().collect(), text.chars().collect());
    let (mut g, mut t) = (0, 0);
    // Where the last star was, and the text that it stands for ends.
    let mut star = None;
    while t < text.len() {
        match glob.get(g) {
            Some('*') => {
                star = Some((g, t));
                g += 1;
            }
            Some(c) if *c == '?' || *c == text[t] => (g, t) = (g + 1, t + 1),
            _ => {
                let Some((at, end)) = star else {
                    return false;
                };
                star = Some((at, end + 1));
                (g, t) = (at + 1, end + 1);
            }
        }
    }
    glob[g..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn globs() {
        for (glob, text, wanted) in [
            ("sched_*", "sched_switch", true),
            ("*_switch", "sched_switch", true),
            ("s*d*w*h", "sched_switch", true),
            ("sched_s?itch", "sched_switch", true),
            ("*", "", true),
            ("", "a", false),
            ("sched", "sched_switch", false),
            ("*x", "sched_switch", false),
        ] {
            assert_eq!(matches(glob, text), wanted, "{glob}");
        }
    }
}
