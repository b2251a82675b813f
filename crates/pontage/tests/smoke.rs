//! Every experiment at every quick point with next to no time: what is
//! measured, what is skipped. An unexpected skip fails.

mod program;

use program::{Program, head, run_folder};
use serde::Deserialize;

#[derive(Deserialize)]
struct Ledger {
    skip: Vec<Expected>,
}

/// A skip that an environment may show.
#[derive(Deserialize)]
struct Expected {
    experiment: String,
    /// Part of the point's label; empty for every point.
    #[serde(default)]
    settings: String,
    /// Part of the reason.
    reason: String,
}

#[test]
fn every_quick_point_is_measured_or_skipped_as_the_ledger_says() {
    let ledger: Ledger =
        toml::from_str(include_str!("../../../fixtures/skips/expected.toml")).unwrap();
    let program = Program::new();
    let ended = program.run(&[
        "run",
        "quick",
        "--budget-ms",
        "1",
        "--processes",
        "1",
        "--within",
        "3000",
    ]);
    let head = head(&run_folder(&program));
    let mut wrong = Vec::new();
    let mut skipped = 0;
    for point in head["points"].as_array().unwrap() {
        let experiment = point["experiment"].as_str().unwrap();
        let label = label(point);
        match point["state"]["state"].as_str().unwrap() {
            "done" => {}
            "skipped" => {
                skipped += 1;
                let reason = point["state"]["reason"].as_str().unwrap();
                let known = ledger.skip.iter().any(|e| {
                    e.experiment == experiment
                        && label.contains(&e.settings)
                        && reason.contains(&e.reason)
                });
                if !known {
                    wrong.push(format!("unexpected skip: {experiment} {label}: {reason}"));
                }
            }
            _ => wrong.push(format!("{experiment} {label}: {}", point["state"])),
        }
    }
    println!(
        "{} points, {skipped} skipped as expected",
        head["points"].as_array().unwrap().len()
    );
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), ended.stderr);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
}

fn label(point: &serde_json::Value) -> String {
    point["settings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| format!("{}={}", s["axis"].as_str().unwrap(), text(&s["value"])))
        .collect::<Vec<_>>()
        .join(" ")
}

fn text(value: &serde_json::Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
