//! `--axis`: values of an axis, for every selected experiment that has it.

use crate::failure::Failure;
use catalogue::recipe::{AxisText, Entry};
use catalogue::{Listed, nearest};
use experiments::all;
use std::collections::BTreeMap;

/// More names are counted.
const NAMED: usize = 8;

/// What was typed behind `--axis`, by axis.
///
/// # Errors
/// What is no `AXIS=VALUES`, and an axis given twice.
pub fn read(texts: &[String]) -> Result<BTreeMap<String, AxisText>, Failure> {
    let mut axes = BTreeMap::new();
    for text in texts {
        let Some((axis, values)) = text.split_once('=').filter(|(axis, _)| !axis.is_empty()) else {
            return Err(
                Failure::new(format!("cannot read --axis {text}: no AXIS=VALUES"))
                    .hint("for example: --axis size=64..1MiB"),
            );
        };
        let before = axes.insert(axis.to_owned(), AxisText::Text(values.to_owned()));
        if let Some(AxisText::Text(before)) = before {
            return Err(Failure::new(format!(
                "cannot read --axis {text}: {axis} was given before"
            ))
            .hint(format!(
                "give all values at once: --axis {axis}={before},{values}"
            )));
        }
    }
    Ok(axes)
}

/// Sets the axes on those entries that have them.
///
/// # Errors
/// An axis that none of several has. Of a single entry the plan says so.
pub fn set(entries: &mut [Entry], axes: &BTreeMap<String, AxisText>) -> Result<(), Failure> {
    if let [one] = entries {
        one.axes.extend(axes.clone());
        return Ok(());
    }
    for (axis, values) in axes {
        let mut anywhere = false;
        for entry in &mut *entries {
            // What is unknown is for the plan to say.
            let matched = all().matching(&entry.id).unwrap_or_default();
            if matched.iter().any(|listed| has(listed, axis)) {
                entry.axes.insert(axis.clone(), values.clone());
                anywhere = true;
            }
        }
        if !anywhere
            && entries
                .iter()
                .all(|entry| all().matching(&entry.id).is_ok())
        {
            return Err(nowhere(entries, axis));
        }
    }
    Ok(())
}

fn nowhere(entries: &[Entry], axis: &str) -> Failure {
    let selected = selected(entries);
    let known = selected.iter().flat_map(|listed| listed.experiment.axes);
    let mut known: Vec<&str> = known.map(|axis| axis.name).collect();
    known.sort_unstable();
    known.dedup();
    let near = nearest::hint(&nearest::nearest(axis, known.iter().copied()));
    Failure::new(format!(
        "cannot set axis {axis}: no selected experiment has it{near}"
    ))
    .hint(format!(
        "their axes are {}; pontage explain ID",
        known.join(", ")
    ))
}

/// The selected experiments that an axis does not apply to, in a line for each axis.
pub fn notes(entries: &[Entry], axes: &BTreeMap<String, AxisText>) -> Vec<String> {
    let selected = selected(entries);
    let of = |axis: &String| {
        let without = selected.iter().filter(|listed| !has(listed, axis));
        let without: Vec<&str> = without.map(|listed| listed.id).collect();
        let more = without.len().saturating_sub(NAMED);
        let named = without[..without.len() - more].join(", ");
        let more = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let note = format!("note: --axis {axis} does not apply to {named}{more}: no such axis");
        // Of an axis that none has, the plan says so.
        let some = !without.is_empty() && without.len() < selected.len();
        some.then_some(note)
    };
    axes.keys().filter_map(of).collect()
}

fn has(listed: &Listed, axis: &str) -> bool {
    listed.experiment.axes.iter().any(|spec| spec.name == axis)
}

fn selected(entries: &[Entry]) -> Vec<&'static Listed> {
    let matched = entries.iter().filter_map(|e| all().matching(&e.id).ok());
    let mut found: Vec<&Listed> = Vec::new();
    for listed in matched.flatten() {
        if found.iter().all(|other| other.id != listed.id) {
            found.push(listed);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{notes, read, set};
    use catalogue::recipe::Entry;
    use std::collections::BTreeMap;

    fn entries(ids: &[&str]) -> Vec<Entry> {
        let entry = |id: &&str| Entry {
            id: (*id).to_owned(),
            budget_ms: None,
            axes: BTreeMap::new(),
        };
        ids.iter().map(entry).collect()
    }

    #[test]
    fn an_axis_is_set_where_it_exists_and_the_others_are_named() {
        let axes = read(&["size=4k".to_owned()]).unwrap();
        let mut all = entries(&["mem/latency", "syscall/getppid", "mem"]);
        set(&mut all, &axes).unwrap();
        let with: Vec<bool> = all.iter().map(|e| e.axes.contains_key("size")).collect();
        assert_eq!(with, [true, false, true]);
        let said = notes(&entries(&["mem/latency", "syscall/getppid"]), &axes);
        let wanted = "note: --axis size does not apply to syscall/getppid: no such axis";
        assert_eq!(said, [wanted]);
        assert_eq!(notes(&entries(&["mem/latency"]), &axes), [""; 0]);
        assert_eq!(notes(&entries(&["syscall/getppid"]), &axes), [""; 0]);
        let many = notes(&entries(&["*"]), &axes).remove(0);
        assert!(
            many.contains(" more: no such axis") && many.len() < 300,
            "{many}"
        );
    }

    #[test]
    fn an_axis_that_none_has_is_an_error() {
        let axes = read(&["sizzle=4k".to_owned()]).unwrap();
        let mut all = entries(&["mem/latency", "mem/line"]);
        let failure = set(&mut all, &axes).unwrap_err().to_string();
        assert!(
            failure.contains("no selected experiment has it"),
            "{failure}"
        );
        assert!(failure.contains("did you mean size"), "{failure}");
        assert!(set(&mut entries(&["mem/latency", "x/y"]), &axes).is_ok());
    }
}
