//! Data flows one way, so crates depend one way.

use serde_json::Value;

/// Each crate and the crates of ours that it may depend on, in words.
const ALLOWED: &[(&str, &str)] = &[
    ("escape", ""),
    ("files", ""),
    ("stats", ""),
    ("record", "escape files"),
    ("machine", "files"),
    ("mapped", ""),
    ("uapi", "mapped"),
    ("lab", "escape files"),
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
        "analysis catalogue files harness machine mapped record stats trace uapi workload",
    ),
    (
        "experiments",
        "analysis catalogue engines files harness machine mapped record stats trace uapi \
         workload",
    ),
    ("report", "analysis escape files record stats trace"),
    (
        "pontage",
        "analysis catalogue engines escape experiments files harness lab machine probe \
         record report stats trace uapi",
    ),
    ("faults", ""),
    (
        "fuzzing",
        "analysis catalogue escape experiments harness lab machine record report stats \
         trace",
    ),
    ("xtask", "faults"),
];

/// Crates that depend on one above them.
pub fn check(metadata: &Value) -> Vec<String> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages.flat_map(check_package).collect()
}

fn check_package(package: &Value) -> Vec<String> {
    let name = package["name"].as_str().unwrap_or_default();
    let Some((_, allowed)) = ALLOWED.iter().find(|(known, _)| *known == name) else {
        return vec![format!(
            "crate {name}: not in the list of directions (tidy/direction.rs)"
        )];
    };
    let ours = |d: &&str| ALLOWED.iter().any(|(known, _)| known == d);
    let dependencies = package["dependencies"].as_array().into_iter().flatten();
    dependencies
        .filter(|d| d["kind"] != "dev")
        .filter_map(|d| d["name"].as_str())
        .filter(ours)
        .filter(|d| !allowed.split(' ').any(|name| name == *d))
        .map(|d| format!("crate {name}: must not depend on {d} (data flows one way)"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::check;
    use serde_json::json;

    #[test]
    fn a_wrong_way_dependency_is_named() {
        let metadata = json!({"packages": [
            {"name": "report", "dependencies": [
                {"name": "harness", "kind": null}, {"name": "record", "kind": null},
                {"name": "machine", "kind": "dev"}]},
            {"name": "helpers", "dependencies": []},
        ]});
        let wrong = check(&metadata);
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(wrong[0].contains("report: must not depend on harness"));
        assert!(wrong[1].contains("helpers: not in the list"));
    }
}
