//! Data flows one way, so crates depend one way; the code map of ARCHITECTURE.md has the
//! same list.

use super::Source;
use serde_json::Value;
use std::collections::BTreeSet;

/// Each crate and the crates of ours that it depends on, in words.
const ALLOWED: &[(&str, &str)] = &[
    ("escape", ""),
    ("files", ""),
    ("stats", ""),
    ("record", "escape files"),
    ("machine", "files"),
    ("mapped", ""),
    ("uapi", "mapped"),
    ("lab", ""),
    ("workload", ""),
    ("trace", "escape files"),
    ("probe", "files machine mapped trace"),
    ("analysis", "record stats"),
    (
        "harness",
        "escape files mapped stats record machine probe trace",
    ),
    ("catalogue", "analysis harness record"),
    ("testbed", "analysis catalogue harness record"),
    (
        "engines",
        "analysis catalogue files harness machine mapped probe record stats trace uapi workload",
    ),
    (
        "experiments",
        "analysis catalogue engines harness machine mapped record stats trace uapi workload",
    ),
    ("summary", "analysis record"),
    ("gallery", "analysis record summary"),
    (
        "report",
        "analysis escape files gallery record summary trace",
    ),
    (
        "pontage",
        "analysis catalogue engines escape experiments files gallery harness lab machine probe \
         record report summary trace uapi",
    ),
    ("faults", ""),
    (
        "fuzzing",
        "analysis catalogue escape experiments harness lab machine record report stats \
         trace",
    ),
    ("xtask", "faults"),
    (
        "zoo",
        "analysis catalogue experiments files harness record stats",
    ),
];

/// What the code map leaves out: they stand below everything.
const LEFT_OUT: [&str; 3] = ["files", "escape", "mapped"];

/// Crates that depend on others than listed, and rows of the code map that do not say so.
pub fn check(metadata: &Value, sources: &[Source]) -> Vec<String> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let mut wrong: Vec<String> = packages.flat_map(check_package).collect();
    let map = sources.iter().find(|s| s.path == "ARCHITECTURE.md");
    wrong.extend(map.into_iter().flat_map(|map| check_map(&map.text)));
    wrong
}

/// A crate as the code calls it: those that are published are called after the program.
fn short(name: &str) -> &str {
    name.strip_prefix("pontage-").unwrap_or(name)
}

fn check_package(package: &Value) -> Vec<String> {
    let name = short(package["name"].as_str().unwrap_or_default());
    let Some((_, listed)) = ALLOWED.iter().find(|(known, _)| *known == name) else {
        return vec![format!(
            "crate {name}: not in the list of directions (tidy/direction.rs)"
        )];
    };
    let listed: BTreeSet<&str> = listed.split_whitespace().collect();
    let dependencies = package["dependencies"].as_array().into_iter().flatten();
    let needed: BTreeSet<&str> = dependencies
        .filter(|d| d["kind"] != "dev")
        .filter_map(|d| d["name"].as_str())
        .map(short)
        .filter(|d| ALLOWED.iter().any(|(known, _)| known == d))
        .collect();
    let more = needed.difference(&listed);
    let fewer = listed.difference(&needed);
    more.map(|d| format!("crate {name}: must not depend on {d} (data flows one way)"))
        .chain(fewer.map(|d| {
            format!("crate {name}: does not depend on {d}: remove it from tidy/direction.rs")
        }))
        .collect()
}

fn check_map(text: &str) -> Vec<String> {
    let row = |name: &str| {
        let start = format!("| `{name}` |");
        text.lines().find(|line| line.starts_with(&start))
    };
    let mut wrong = Vec::new();
    for (name, listed) in ALLOWED {
        let shown = |d: &&str| !LEFT_OUT.contains(d);
        let listed: BTreeSet<&str> = listed.split_whitespace().filter(shown).collect();
        let cell = row(name).and_then(|row| row.trim_end_matches(" |").rsplit_once("| "));
        let mapped: BTreeSet<&str> = cell.map_or_else(BTreeSet::new, |(_, cell)| {
            cell.split(", ").filter(|word| *word != "-").collect()
        });
        if cell.is_none() || mapped != listed {
            let listed: Vec<&str> = listed.into_iter().collect();
            let cell = match listed.is_empty() {
                true => "-".to_owned(),
                false => listed.join(", "),
            };
            wrong.push(format!(
                "ARCHITECTURE.md: the code map of {name} should end with: {cell}"
            ));
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_wrong_way_dependency_is_named_and_so_is_a_listed_one_that_is_not_there() {
        let metadata = json!({"packages": [
            {"name": "analysis", "dependencies": [
                {"name": "harness", "kind": null}, {"name": "record", "kind": null},
                {"name": "machine", "kind": "dev"}]},
            {"name": "helpers", "dependencies": []},
        ]});
        let wrong = check(&metadata, &[]);
        assert_eq!(wrong.len(), 3, "{wrong:?}");
        assert!(wrong[0].contains("analysis: must not depend on harness"));
        assert!(wrong[1].contains("analysis: does not depend on stats"));
        assert!(wrong[2].contains("helpers: not in the list"));
    }

    #[test]
    fn a_row_of_the_code_map_has_the_same_list() {
        let wrong = check_map("| `analysis` | record -> summaries | stats, record |\n");
        assert!(
            !wrong.iter().any(|w| w.contains("map of analysis")),
            "{wrong:?}"
        );
        assert!(
            wrong
                .iter()
                .any(|w| w.ends_with("map of xtask should end with: faults"))
        );
        let wrong = check_map("| `analysis` | record -> summaries | record |\n");
        assert!(
            wrong.iter().any(|w| w.contains("map of analysis")),
            "{wrong:?}"
        );
    }
}
