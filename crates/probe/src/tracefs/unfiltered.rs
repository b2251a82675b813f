//! Which events of a system take no part in its filter.
//!
//! The kernel takes a filter for a whole system where any of its events have the fields; it says
//! in the files of the others that they do not, and records them whole. Where none of them has
//! the fields it takes the filter as well.
//!
//! Source: `filter_parse_regex` and `apply_subsystem_event_filter` of
//! kernel/trace/trace_events_filter.c.

use super::absence::{Result, TracefsError};
use super::select::Selection;
use std::path::Path;

/// What stands in the filter of an event that lacks a field of it.
const LACKS: &str = "parse_error";

/// A note for each filter of whole systems that some of their events do not have, in the
/// instance that is `folder`.
///
/// # Errors
/// A filter that none of them has: all would be recorded.
pub fn notes(folder: &Path, selection: &Selection) -> Result<Vec<String>> {
    let whole = selection.switched.iter().filter(|s| s.event.is_none());
    let mut sums: Vec<(&str, usize, usize)> = Vec::new();
    for switched in whole {
        let Some(filter) = switched.filter.as_deref() else {
            continue;
        };
        let (lacking, all) = count(&folder.join(switched.folder()));
        match sums.iter_mut().find(|(known, ..)| *known == filter) {
            Some(sum) => *sum = (filter, sum.1 + lacking, sum.2 + all),
            None => sums.push((filter, lacking, all)),
        }
    }
    let mut notes = Vec::new();
    for (filter, lacking, all) in sums {
        if lacking > 0 && lacking == all {
            return Err(TracefsError::refused(
                format!("set the filter {filter:?}"),
                format!("none of {all} events has its fields"),
            ));
        }
        if lacking > 0 {
            notes.push(format!(
                "filter {filter:?}: {lacking} of {all} events lack its fields and are recorded \
                 unfiltered"
            ));
        }
    }
    Ok(notes)
}

/// Events below the folder of a system: those that lack the fields of its filter, and all.
fn count(system: &Path) -> (usize, usize) {
    let events = std::fs::read_dir(system).into_iter().flatten().flatten();
    let filters = events.filter_map(|event| {
        let file = event.path().join("filter");
        std::fs::read_to_string(file).ok()
    });
    filters.fold((0, 0), |(lacking, all), text| {
        (lacking + usize::from(text.contains(LACKS)), all + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::notes;
    use crate::tracefs::select::{Selection, Switched};
    use std::path::Path;

    const GOOD: &str = "x == 1\n";
    const BAD: &str = "x == 1\n^\nparse_error: Couldn't find or set field\n";

    fn folder(filters: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (event, text) in filters {
            let event = folder.path().join("events").join(event);
            std::fs::create_dir_all(&event).unwrap();
            std::fs::write(event.join("filter"), text).unwrap();
        }
        std::fs::write(folder.path().join("events/sched/enable"), "0").unwrap();
        folder
    }

    fn noted(folder: &Path, systems: &[&str], filter: Option<&str>) -> Result<Vec<String>, String> {
        let switched = systems.iter().map(|system| Switched {
            system: (*system).to_owned(),
            filter: filter.map(str::to_owned),
            ..Switched::default()
        });
        let selection = Selection {
            switched: switched.collect(),
            ..Selection::default()
        };
        notes(folder, &selection).map_err(|error| error.to_string())
    }

    #[test]
    fn a_filter_that_all_events_have_needs_no_note() {
        let folder = folder(&[("sched/a", GOOD), ("sched/b", GOOD)]);
        assert_eq!(noted(folder.path(), &["sched"], Some("x == 1")), Ok(vec![]));
        assert_eq!(noted(folder.path(), &["sched"], None), Ok(vec![]));
    }

    #[test]
    fn events_without_the_fields_are_counted_over_all_systems() {
        let folder = folder(&[("sched/a", GOOD), ("sched/b", BAD), ("irq/c", BAD)]);
        let wanted = "filter \"x == 1\": 2 of 3 events lack its fields and are recorded unfiltered";
        let said = noted(folder.path(), &["sched", "irq"], Some("x == 1"));
        assert_eq!(said, Ok(vec![wanted.to_owned()]));
    }

    #[test]
    fn a_filter_that_no_event_has_is_refused() {
        let folder = folder(&[("sched/a", BAD), ("sched/b", BAD)]);
        let error = noted(folder.path(), &["sched"], Some("x == 1")).unwrap_err();
        assert!(error.contains("none of 2 events has its fields"), "{error}");
    }
}
