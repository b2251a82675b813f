//! What the runs of a table learned, as the file of what is usual.

use crate::files;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// In a state folder.
const LEARNED: &str = "pace.json";
/// The condition that is kept.
const PLAIN: &str = "light";
/// Share of the points that were measured.
const LEAST_DONE: f64 = 0.5;

/// Machines whose memory differs by less are one.
const SAME_MEMORY: f64 = 1.5;

/// Joins what the runs in these state folders learned to what the file has of this machine, or
/// of one whose memory is as fast.
pub fn keep(states: &[PathBuf], into: &Path) -> Result<(), String> {
    let mut machines: Vec<Value> = match into.is_file() {
        true => parsed(into)?.as_array().cloned().unwrap_or_default(),
        false => Vec::new(),
    };
    let mut learned = Vec::new();
    for state in states.iter().map(|state| state.join(LEARNED)) {
        if state.is_file() {
            learned.push(parsed(&state)?);
        }
    }
    take(&mut machines, learned);
    let text = serde_json::to_string_pretty(&machines);
    let text = text.map_err(|e| format!("cannot write JSON: {e}"))?;
    files::write(into, &format!("{text}\n"))
}

fn parsed(path: &Path) -> Result<Value, String> {
    serde_json::from_str(&files::read(path)?)
        .map_err(|e| format!("cannot read {}: {e}", path.display()))
}

/// What fresh memory costs there.
const TOUCH: &str = "touch_ns_per_mib";
/// Of a run as a whole: each plan of a table had one. Where the machine is known they stay, for
/// the table may be of a few short plans.
const WHOLE: [&str; 3] = ["start_ns", "again", TOUCH];

fn of_run(machine: &Value, name: &str) -> f64 {
    machine[PLAIN]["run"][name].as_f64().unwrap_or(0.0)
}

fn median(learned: &[Value], name: &str) -> Option<f64> {
    let mut all: Vec<f64> = learned.iter().map(|new| of_run(new, name)).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied()
}

fn take(machines: &mut Vec<Value>, learned: Vec<Value>) {
    let Some(touch) = median(&learned, TOUCH) else {
        return;
    };
    let same = |machine: &Value| (of_run(machine, TOUCH) / touch).ln().abs() < SAME_MEMORY.ln();
    let at = match machines.iter().position(same) {
        Some(at) => at,
        None => {
            machines.push(Value::Object(Map::new()));
            let at = machines.len() - 1;
            for name in WHOLE {
                let typical = median(&learned, name).map(rounded_number);
                machines[at][PLAIN]["run"][name] = typical.unwrap_or_default();
            }
            at
        }
    };
    for new in learned {
        join(&mut machines[at], new);
    }
    machines.sort_by(|a, b| of_run(a, TOUCH).total_cmp(&of_run(b, TOUCH)));
}

/// What is newer takes the place of what is older, by experiment and budget. What is mostly
/// skipped here takes longer elsewhere.
fn join(all: &mut Value, mut new: Value) {
    let new = new[PLAIN].take();
    let experiments = new["experiments"].as_object().into_iter().flatten();
    for (id, by_budget) in experiments {
        for (class, known) in by_budget.as_object().into_iter().flatten() {
            let done = known["recorded"].as_f64().unwrap_or(0.0);
            if done >= LEAST_DONE {
                all[PLAIN]["experiments"][id][class] = rounded(known);
            }
        }
    }
}

fn rounded(known: &Value) -> Value {
    let numbers = known.as_object().into_iter().flatten();
    let numbers = numbers.map(|(name, number)| {
        let number = number.as_f64().unwrap_or(0.0);
        (name.clone(), rounded_number(number))
    });
    Value::Object(numbers.collect())
}

/// Three digits are enough.
fn rounded_number(number: f64) -> Value {
    let text = format!("{number:.2e}");
    Value::from(text.parse::<f64>().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::{WHOLE, join, of_run, take};
    use serde_json::json;

    #[test]
    fn the_newer_takes_the_place_of_the_older_by_experiment_and_budget() {
        let mut all = json!({"light": {"experiments": {
            "a/b": {"23": {"used": 1.0}, "27": {"used": 0.5}}, "c/d": {"20": {"used": 1.0}}}}});
        let new = json!({"light": {"run": {"again": 0.1}, "experiments": {
            "a/b": {"23": {"used": 0.123456, "recorded": 1.0}},
            "c/d": {"20": {"used": 0.0, "recorded": 0.0}}}}, "heavy": {}});
        join(&mut all, new);
        let expected = json!({"light": {"experiments": {
            "a/b": {"23": {"used": 0.123, "recorded": 1.0}, "27": {"used": 0.5}},
            "c/d": {"20": {"used": 1.0}}}}});
        assert_eq!(all, expected);
    }

    #[test]
    fn a_machine_with_other_memory_is_another() {
        let ran = |touch: f64, ms: f64| {
            json!({"light": {"run": {"touch_ns_per_mib": touch, "again": ms, "start_ns": 9.0},
                "experiments": {"a/b": {"23": {"besides_ns": ms, "recorded": 1.0}}}}})
        };
        let mut all = Vec::new();
        take(&mut all, vec![ran(6e6, 9.0)]);
        take(
            &mut all,
            vec![ran(1.2e6, 1.0), ran(1e6, 2.0), ran(9e5, 3.0)],
        );
        let whole = |machine: &_| WHOLE.map(|name| of_run(machine, name));
        let known: Vec<[f64; 3]> = all.iter().map(whole).collect();
        assert_eq!(known, [[9.0, 2.0, 1e6], [9.0, 9.0, 6e6]], "the medians");
        // The same machine on another day.
        take(&mut all, vec![ran(1.3e6, 5.0)]);
        take(&mut all, Vec::new());
        let took = |at: usize| &all[at]["light"]["experiments"]["a/b"]["23"]["besides_ns"];
        assert_eq!((all.len(), took(0), took(1)), (2, &json!(5.0), &json!(9.0)));
        assert_eq!(whole(&all[0]), [9.0, 2.0, 1e6], "of the first table");
    }
}
