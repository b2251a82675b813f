//! `pontage selftest` on this machine: what it prints and keeps, never how fast anything was.

mod program;

use program::Program;
use serde_json::Value;

#[test]
fn one_trial_prints_every_row_and_keeps_nothing() {
    let program = Program::new();
    let ended = program.run(&["selftest", "--trials", "1", "--format", "json"]);
    // A noisy machine may fail a row of one trial.
    assert!(matches!(ended.status, 0 | 1), "{ended:?}");
    let facts: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let rows = facts["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 31, "{rows:?}");
    let known = |row: &Value| {
        let verdict = row["verdict"].as_str().unwrap_or_default();
        let least = u64::from(verdict != "not_run" && verdict != "too_noisy");
        ["passed", "failed", "too_noisy", "not_run"].contains(&verdict)
            && row["trials"].as_u64() >= Some(least)
    };
    assert!(rows.iter().all(known), "{rows:?}");
    assert!(ended.stderr.contains("shown and not kept"), "{ended:?}");
    let doctor = program.run(&["doctor", "--all"]);
    let line = doctor.stdout.lines().find(|l| l.starts_with("selftest: "));
    assert_eq!(line, Some("selftest: not tested here: pontage selftest"));
}

#[test]
fn what_is_kept_stands_in_doctor_and_in_the_record_of_a_run() {
    let program = Program::new();
    let ended = program.run(&["selftest", "--trials", "20"]);
    assert!(matches!(ended.status, 0 | 1), "{ended:?}");
    assert!(ended.stdout.contains("+5 % found in"), "{ended:?}");
    let doctor = program.run(&["doctor", "--all"]);
    let said = |text: &str, before: &str| text.contains(&format!("{before}+5 % found in"));
    assert!(said(&doctor.stdout, "selftest: "), "{doctor:?}");
    // How many count here, or that there are none to test.
    let counters = |text: &str| text.contains("counters count, ") || text.contains("counters not");
    assert!(counters(&doctor.stdout), "{doctor:?}");
    let ran = program.run(&[
        "run",
        "syscall/getppid",
        "--processes",
        "1",
        "--budget-ms",
        "20",
    ]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let folder = program::run_folder(&program);
    let machine = program.run(&["report", folder.to_str().unwrap(), "--section", "machine"]);
    assert!(said(&machine.stdout, "self-test "), "{machine:?}");
    assert!(counters(&machine.stdout), "{machine:?}");
    let head = program::head(&folder);
    let kept = &head["instrument"]["self_test"]["rows"];
    assert_eq!(kept.as_array().map(Vec::len), Some(31), "{head}");
}
