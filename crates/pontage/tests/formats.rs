//! `--format`: results as data on standard output, and nothing else there.

mod program;

use program::{Ended, Program, run_folder};
use serde_json::Value;

fn fixture(name: &str) -> String {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/records/");
    format!("{fixtures}{name}")
}

/// Rows of CSV without quotes in it, each as long as the names.
fn rows(ended: &Ended) -> Vec<Vec<String>> {
    let split = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = ended.stdout.lines().map(split).collect();
    assert!(rows.len() > 1, "{ended:?}");
    assert!(rows.iter().all(|r| r.len() == rows[0].len()), "{ended:?}");
    rows
}

fn column(rows: &[Vec<String>], name: &str) -> Vec<String> {
    let at = rows[0].iter().position(|n| n == name).expect(name);
    rows[1..].iter().map(|row| row[at].clone()).collect()
}

#[test]
fn a_run_prints_its_result_as_data() {
    let program = Program::new();
    let words = [
        "run",
        "syscall/getppid",
        "--samples",
        "3",
        "--budget-ms",
        "1",
    ];
    let run = |format: &str| program.run(&[&words[..], &["--format", format]].concat());
    let json = run("json");
    assert_eq!(json.status, 0, "{json:?}");
    let value: Value = serde_json::from_str(&json.stdout).expect("one document");
    assert_eq!(value["experiments"][0]["id"], "syscall/getppid");
    assert!(json.stderr.contains("report: "), "{json:?}");
    assert!(run_folder(&program).join("report.html").is_file());
    let csv = rows(&run("csv"));
    let ids = column(&csv, "experiment");
    assert!(ids.iter().all(|id| id == "syscall/getppid"), "{ids:?}");
    let markdown = run("markdown");
    assert!(markdown.stdout.contains("Trust "), "{markdown:?}");
    assert!(!markdown.stdout.contains("report.html"), "{markdown:?}");
    let plan = program.run(&["run", "--dry-run", "--format", "json"]);
    assert_eq!(plan.status, 2, "{plan:?}");
    let both = program.run(&["run", "--load", "both", "--format", "csv"]);
    assert_eq!(both.status, 2, "{both:?}");
    assert!(both.stderr.contains("hint: use --format json"), "{both:?}");
}

#[test]
fn tables_are_rows_with_names() {
    let program = Program::new();
    let (small, crashed) = (fixture("v1-small"), fixture("v1-crashed"));
    let compared = program.run(&["compare", &small, &small, "--format", "csv"]);
    let compared = rows(&compared);
    let verdicts = column(&compared, "verdict");
    assert!(verdicts.iter().any(|v| v == "same"), "{verdicts:?}");
    let known = ["better", "worse", "same", "not_comparable", "skipped"];
    assert!(verdicts.iter().all(|v| known.contains(&v.as_str())));
    let report = program.run(&["report", &crashed, "--format", "csv"]);
    let exported = program.run(&["export", &crashed, "--format", "csv"]);
    assert_eq!(report.stdout, exported.stdout);
    let doctor = program.run(&["doctor", "--format", "csv"]);
    let head = doctor.stdout.lines().next().unwrap();
    assert_eq!(head, "capability,state,purpose,found,remedy");
    let json = program.run(&["doctor", "--format", "json"]);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    let capabilities = json["capabilities"].as_array().unwrap().len();
    assert!(doctor.stdout.lines().count() > capabilities, "{doctor:?}");
}

#[test]
fn each_iteration_of_ipc_is_a_row() {
    let program = Program::new();
    let ipc = |more: &[&str]| {
        let words = ["ipc", "-B", "-n", "3", "-t", "256KiB"];
        program.run(&[&words[..], more].concat())
    };
    let csv = rows(&ipc(&["--format", "csv", "-g"]));
    assert_eq!(column(&csv, "iteration"), ["0", "1", "2"]);
    assert!(csv[0].contains(&"time [seconds]".to_owned()), "{csv:?}");
    let names = |ended: &Ended| {
        let json: Value = serde_json::from_str(&ended.stdout).unwrap();
        json["benchmark_samples"].as_array().unwrap().len()
    };
    assert_eq!(names(&ipc(&["--format", "json"])), names(&ipc(&["-j"])));
    assert_eq!(ipc(&["-j", "--format", "csv"]).status, 2);
    let described = ipc(&["--format", "csv", "describe"]);
    assert_eq!(described.status, 2, "{described:?}");
}

#[test]
fn a_command_without_a_table_refuses_csv_before_it_does_anything() {
    let program = Program::new();
    for words in [&["list"][..], &["colocate", "--matrix"], &["lab", "list"]] {
        let ended = program.run(&[words, &["--format", "csv"]].concat());
        assert_eq!(ended.status, 2, "{words:?}");
        assert!(ended.stdout.is_empty(), "{words:?}");
        assert!(ended.stderr.contains("text, markdown, json"), "{words:?}");
    }
}
