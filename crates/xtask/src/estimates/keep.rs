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

/// Joins what the runs in these state folders learned to what the file has.
pub fn keep(states: &[PathBuf], into: &Path) -> Result<(), String> {
    let mut all = match into.is_file() {
        true => parsed(into)?,
        false => Value::Object(Map::new()),
    };
    for state in states {
        let learned = state.join(LEARNED);
        if learned.is_file() {
            join(&mut all, parsed(&learned)?);
        }
    }
    let text = serde_json::to_string_pretty(&all).map_err(|e| format!("cannot write JSON: {e}"))?;
    files::write(into, &format!("{text}\n"))
}

fn parsed(path: &Path) -> Result<Value, String> {
    serde_json::from_str(&files::read(path)?)
        .map_err(|e| format!("cannot read {}: {e}", path.display()))
}

/// What is newer takes the place of what is older, by experiment and budget. What is mostly
/// skipped here takes longer elsewhere.
fn join(all: &mut Value, mut new: Value) {
    let new = new[PLAIN].take();
    all[PLAIN]["run"] = rounded(&new["run"]);
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

/// Three digits are enough.
fn rounded(known: &Value) -> Value {
    let numbers = known.as_object().into_iter().flatten();
    let numbers = numbers.map(|(name, number)| {
        let number = number.as_f64().unwrap_or(0.0);
        let text = format!("{number:.2e}");
        (
            name.clone(),
            Value::from(text.parse::<f64>().unwrap_or(0.0)),
        )
    });
    Value::Object(numbers.collect())
}

#[cfg(test)]
mod tests {
    use super::join;
    use serde_json::{Value, json};

    #[test]
    fn the_newer_takes_the_place_of_the_older_by_experiment_and_budget() {
        let mut all = json!({"light": {"run": null, "experiments": {
            "a/b": {"23": {"used": 1.0}, "27": {"used": 0.5}}, "c/d": {"20": {"used": 1.0}}}}});
        let new = json!({"light": {"run": {"again": 0.1}, "experiments": {
            "a/b": {"23": {"used": 0.123456, "recorded": 1.0}},
            "c/d": {"20": {"used": 0.0, "recorded": 0.0}}}}, "heavy": {}});
        join(&mut all, new);
        let expected = json!({"light": {"run": {"again": 0.1}, "experiments": {
            "a/b": {"23": {"used": 0.123, "recorded": 1.0}, "27": {"used": 0.5}},
            "c/d": {"20": {"used": 1.0}}}}});
        assert_eq!(all, expected);
        let mut none = Value::Object(serde_json::Map::new());
        join(
            &mut none,
            json!({"light": {"run": {"again": 1.0}, "experiments": {}}}),
        );
        assert_eq!(none["light"]["run"]["again"], 1.0);
    }
}
