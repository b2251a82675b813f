//! `pontage ab`: what it refuses, what it keeps, and what it ends with.

mod program;

use program::{Ended, Program};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;

fn refused(ended: &Ended, words: &[&str]) {
    assert_eq!(ended.status, 2, "{ended:?}");
    for word in words {
        assert!(ended.stderr.contains(word), "{word}: {ended:?}");
    }
}

/// The only folder of a comparison.
fn folder(program: &Program) -> PathBuf {
    let mut all = fs::read_dir(program.out()).unwrap();
    let one = all.next().unwrap().unwrap().path();
    assert!(all.next().is_none());
    one
}

fn study(program: &Program) -> Value {
    let text = fs::read_to_string(folder(program).join("ab.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn what_cannot_be_measured_in_turn_is_refused_before_anything_is_measured() {
    let program = Program::new();
    refused(&program.run(&["ab"]), &["<ID|GLOB|RECIPE>"]);
    refused(
        &program.run(&["ab", "nosuch"]),
        &["cannot find experiment nosuch"],
    );
    let between = |setting: &str| program.run(&["ab", "syscall/getppid", "--between", setting]);
    refused(&between("swap"), &["no NAME=VALUE", "hint: for example"]);
    refused(
        &between("sysctl vm.nosuch=1"),
        &["this kernel has no such setting"],
    );
    refused(
        &between("kernel.core_pattern=x"),
        &["does not change it", "about speed"],
    );
    let env = program.run(&["ab", "syscall/getppid", "--env", "X"]);
    refused(&env, &["cannot read --env X"]);
    let binary = [
        "ab",
        "syscall/getppid",
        "--binary",
        "/nonexistent/a",
        "/nonexistent/b",
    ];
    refused(
        &program.run(&binary),
        &["cannot find program /nonexistent/a"],
    );
    let command = program.run(&["ab", "--command", "/nonexistent/a", "true"]);
    refused(&command, &["cannot run `/nonexistent/a`"]);
    let failing = program.run(&["ab", "--command", "true", "exit 3"]);
    refused(
        &failing,
        &["cannot time `exit 3`", "exit status: 3", "--ignore-failure"],
    );
    let offload = program.run(&["ab", "offload/latency", "--time", "1"]);
    assert_eq!(offload.status, 77, "{offload:?}");
    assert!(
        offload.stderr.contains("nothing was compared: "),
        "{offload:?}"
    );
    assert!(offload.stderr.contains("enable: "), "{offload:?}");
    let both = program.run(&["ab", "syscall/getppid", "--command", "true", "true"]);
    refused(&both, &["cannot be used with"]);
    let left = fs::read_dir(program.out()).map_or(0, Iterator::count);
    assert_eq!(left, 0, "nothing is left of what was not begun");
}

#[test]
fn the_plan_is_shown_without_measuring() {
    let program = Program::new();
    let plan = program.run(&[
        "ab",
        "syscall/getppid",
        "--env",
        "X=1",
        "--time",
        "20",
        "--dry-run",
    ]);
    assert_eq!(plan.status, 0, "{plan:?}");
    let lines = [
        "A  syscall/getppid",
        "B  syscall/getppid with X=1",
        "each visit: pontage run syscall/getppid --budget-ms 200 --processes 1",
        "1 pair(s), 20 s at most",
    ];
    assert_eq!(plan.stdout.lines().collect::<Vec<_>>(), lines);
    assert!(!program.out().exists());
}

#[test]
fn a_command_that_takes_longer_is_worse() {
    let program = Program::new();
    let commands = [
        "ab",
        "--command",
        "true",
        "sleep 0.1",
        "--format",
        "json",
        "--seed",
        "7",
    ];
    let ended = program.run(&commands);
    assert_eq!(ended.status, 1, "{ended:?}");
    let shown: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(shown, study(&program), "what is shown is what is kept");
    assert_eq!(shown["stop"], "decided");
    assert_eq!(shown["family"]["seed"], 7);
    let pair = &shown["family"]["pairs"][0];
    assert_eq!(pair["outcome"], "worse");
    assert!(pair["ratio"]["low"].as_f64().unwrap() > 1.05, "{pair}");
    let blocks = pair["blocks"].as_array().unwrap().len();
    assert_eq!(blocks, shown["orders"].as_array().unwrap().len());
    assert_eq!(blocks, 8, "at the first look");
}

#[test]
fn commands_too_long_for_the_time_are_said_after_the_first_block() {
    let program = Program::new();
    let ended = program.run(&["ab", "--command", "sleep 0.1", "sleep 0.1", "--time", "1"]);
    assert_eq!(ended.status, 77, "{ended:?}");
    let said = ended.stderr.lines().find(|l| l.contains("warning:"));
    let said = said.unwrap_or_else(|| panic!("{ended:?}"));
    assert!(said.contains("6 blocks are the fewest that show"), "{said}");
    assert!(said.contains("--time "), "{said}");
    let long = program.run(&["ab", "--command", "sleep 0.1", "true"]);
    assert!(!long.stderr.contains("warning:"), "{long:?}");
}

#[test]
fn a_command_that_takes_less_is_no_failure() {
    let program = Program::new();
    let ended = program.run(&["ab", "--command", "sleep 0.1", "true"]);
    assert_eq!(ended.status, 0, "{ended:?}");
    assert!(ended.stdout.contains("0 worse, 1 better"), "{ended:?}");
}

#[test]
fn both_sides_are_runs_that_can_be_read() {
    let program = Program::new();
    let ended = program.run(&[
        "ab",
        "syscall/getppid",
        "--budget-ms",
        "5",
        "--time",
        "2",
        "--env",
        "X=1",
    ]);
    // Too few blocks for a verdict, or just enough.
    assert!([0, 77].contains(&ended.status), "{ended:?}");
    let study = study(&program);
    let blocks = study["orders"].as_array().unwrap().len();
    for run in study["runs"].as_array().unwrap() {
        let run = run.as_str().unwrap();
        let shown = program.run(&["report", run, "--format", "json"]);
        assert_eq!(shown.status, 0, "{shown:?}");
        let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
        let text = shown.to_string();
        assert!(
            text.contains("one side of pontage ab, each process a visit"),
            "{text}"
        );
        let point = &shown["experiments"][0]["points"][0];
        let processes = point["metrics"]["latency"]["processes"].as_u64();
        assert_eq!(processes, Some(2 * blocks as u64), "{point}");
    }
}

#[test]
fn ctrl_c_keeps_what_was_measured_and_concludes_nothing() {
    let program = Program::new();
    let arguments = ["ab", "syscall/getppid", "--budget-ms", "5", "--env", "X=1"];
    let mut command = program.command(&arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut lines = lines.map_while(Result::ok);
    assert!(lines.any(|line| line.contains("1 blocks")));
    let pid = libc::pid_t::try_from(child.id()).unwrap();
    // SAFETY: takes numbers only; the child is not yet collected.
    unsafe { libc::kill(pid, libc::SIGINT) };
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest:?}");
    let study = study(&program);
    assert_eq!(study["stop"], "interrupted");
    assert_eq!(study["family"]["looks"].as_array().unwrap().len(), 0);
    for run in study["runs"].as_array().unwrap() {
        let shown = program.run(&["report", run.as_str().unwrap()]);
        assert_eq!(shown.status, 0, "{shown:?}");
    }
}
