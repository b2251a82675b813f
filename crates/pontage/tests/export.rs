//! `pontage export`: what is written of a record by default, and what a selection leaves.

mod program;

use program::Program;
use std::collections::BTreeSet;

fn small() -> String {
    let fixture = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/records/v1-small"
    );
    fixture.to_owned()
}

fn csv(program: &Program, more: &[&str]) -> Vec<String> {
    let run = small();
    let all = [&["export", run.as_str(), "--format", "csv"], more].concat();
    let ended = program.run(&all);
    assert_eq!(ended.status, 0, "{ended:?}");
    ended.stdout.lines().map(str::to_owned).collect()
}

/// Values of the column of this name.
fn column(lines: &[String], name: &str) -> BTreeSet<String> {
    let names: Vec<&str> = lines[0].split(',').collect();
    let at = names.iter().position(|n| *n == name).unwrap();
    let rows = lines[1..].iter();
    rows.map(|row| row.split(',').nth(at).unwrap().to_owned())
        .collect()
}

#[test]
fn a_summary_is_the_default_and_samples_are_asked_for() {
    let program = Program::new();
    let summary = csv(&program, &[]);
    assert_eq!(column(&summary, "settings").len(), 7, "{summary:?}");
    assert!(summary.len() < 20, "{summary:?}");
    let samples = csv(&program, &["--samples"]);
    assert!(samples.len() > 200, "{}", samples.len());
}

#[test]
fn experiments_are_selected_as_for_a_run() {
    let program = Program::new();
    let of = |words: &[&str]| column(&csv(&program, words), "experiment");
    let memcpy = BTreeSet::from(["copy/memcpy".to_owned()]);
    for words in [
        &["--experiment", "copy/memcpy"][..],
        &["--experiment", "copy"],
        &["--experiment", "copy/*"],
        &["--experiment", "*/memcpy", "--experiment", "copy/memcpy"],
        &["--samples", "--experiment", "copy/"],
    ] {
        assert_eq!(of(words), memcpy, "{words:?}");
    }
    assert_eq!(of(&["--experiment", "copy/memcpy,syscall"]).len(), 2);
    let metrics = csv(&program, &["--metric", "empty_call"]);
    assert_eq!(
        column(&metrics, "metric"),
        BTreeSet::from(["empty_call".to_owned()])
    );
    // A metric of another experiment is none of the selected one.
    let run = small();
    let words = ["export", &run, "--format", "csv", "--experiment", "syscall"];
    let ended = program.run(&[&words[..], &["--metric", "empty_call"]].concat());
    assert_eq!(ended.status, 2, "{ended:?}");
    assert!(ended.stderr.contains("it has there: time"), "{ended:?}");
}
