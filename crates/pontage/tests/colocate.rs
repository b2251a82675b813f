//! `pontage colocate` from outside: what it measures, refuses, skips, and that no
//! process of a command outlives it. Counts and contents, never times.

mod program;

use program::{Program, alive, head, points, run_folder, send};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Two tasks that take turns on a CPU: there is no machine without one.
const PAIR: [&str; 7] = [
    "colocate",
    "--tasks",
    "1+1",
    "--placement",
    "same_cpu",
    "--window",
    "1",
];

const ALU_AND_ALU: [&str; 9] = [
    "colocate", "--a", "alu", "--b", "alu", "--tasks", "1+1", "--window", "1",
];

fn pair<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&PAIR[..], more].concat()
}

/// What this machine has no two CPUs for: one answer, and no record.
#[test]
fn a_placement_that_is_not_here_is_one_skip() {
    let program = Program::new();
    for words in [
        &[
            "colocate",
            "--a",
            "alu",
            "--b",
            "spin",
            "--placement",
            "smt_sibling",
        ][..],
        &[
            "colocate",
            "--matrix",
            "--a",
            "alu",
            "--b",
            "spin",
            "--placement",
            "smt_sibling",
        ],
        &[
            "colocate",
            "--a",
            "alu",
            "--b",
            "spin",
            "--placement",
            "same_cache,other_socket",
        ],
    ] {
        // On one CPU none of them is there, whatever the machine.
        let ended = program.one_cpu(words);
        assert_eq!(ended.status, 77, "{ended:?}");
        assert_eq!(ended.stderr.matches("SKIP").count(), 1, "{ended:?}");
        assert!(ended.stderr.contains("hint: "), "{ended:?}");
        assert_eq!(ended.stdout, "");
    }
    assert!(!program.out().exists(), "no record of dashes");
}

#[test]
fn a_pair_is_measured_and_shown_in_the_units_of_its_kinds() {
    let program = Program::new();
    let shown = program.run(&pair(&["--a", "alu", "--b", "strings"]));
    assert_eq!(shown.status, 0, "{shown:?}");
    for part in [
        "1 + 1 tasks, same cpu, processes",
        "turns/s -> ",
        "alu&strings",
    ] {
        assert!(shown.stdout.contains(part), "{part}: {shown:?}");
    }
    let folder = run_folder(&program);
    assert_eq!(points(&folder), (4, 4));
    let again = program.run(&["report", folder.to_str().unwrap()]);
    assert!(again.stdout.contains("alu&strings"), "{again:?}");
    let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("Gain by mixing: 1 + 1 tasks"));
}

#[test]
fn what_two_cpus_share_is_measured_with_a_pair() {
    let program = Program::new();
    let shown = program.run(&ALU_AND_ALU);
    assert_eq!(shown.status, 0, "{shown:?}");
    let apart = !shown.stderr.contains("two share each (same)");
    // What they share, or that the noise hides it.
    for what in [
        ["separate cores", "one core"],
        ["cache in common", "Cache in common"],
    ] {
        let is_said = what.iter().any(|words| shown.stdout.contains(words));
        assert_eq!(is_said, apart, "{what:?}: {shown:?}");
    }
}

#[test]
fn on_one_cpu_there_is_no_second_to_ask_about() {
    let program = Program::new();
    let shown = program.one_cpu(&ALU_AND_ALU);
    assert_eq!(shown.status, 0, "{shown:?}");
    assert_eq!(points(&run_folder(&program)), (4, 4));
}

#[test]
fn programs_get_json_and_nothing_else() {
    let program = Program::new();
    let shown = program.run(&pair(&[
        "--a",
        "alu",
        "--b",
        "alu",
        "--same-mm",
        "--format",
        "json",
    ]));
    assert_eq!(shown.status, 0, "{shown:?}");
    let report: serde_json::Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(report["pairs"][0]["settings"]["mm"], "same");
    assert!(report["pairs"][0]["a"]["gain"].is_number(), "{report}");
    assert!(shown.stderr.contains("report: "), "{shown:?}");
}

#[test]
fn a_matrix_has_a_cell_for_each_two() {
    let program = Program::new();
    let asked = [
        "colocate",
        "--matrix",
        "--a",
        "alu,syscall",
        "--b",
        "spin",
        "--b",
        "alu",
        "--window",
        "1",
        "--placement",
        "same_cpu",
    ];
    let shown = program.run(&asked);
    assert_eq!(shown.status, 0, "{shown:?}");
    assert_eq!(points(&run_folder(&program)), (4, 4));
    assert!(shown.stdout.contains("victim\\neighbour"), "{shown:?}");
}

#[test]
fn every_kind_is_listed() {
    let program = Program::new();
    let text = program.run(&["colocate", "--list"]);
    let json = program.run(&["colocate", "--list", "--format", "json"]);
    assert_eq!((text.status, json.status), (0, 0));
    let heads: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    for head in heads.as_array().unwrap() {
        let word = head["word"].as_str().unwrap();
        assert!(text.stdout.contains(&format!("\n  {word} ")), "{word}");
    }
}

#[test]
fn more_tasks_than_cpus_are_skipped_with_a_remedy() {
    let program = Program::new();
    let shown = program.one_cpu(&["colocate", "--a", "alu", "--b", "alu", "--tasks", "6+6"]);
    assert_eq!(shown.status, 77, "{shown:?}");
    for part in [
        "SKIP: cannot measure pairs: 12 tasks, two to a CPU, need 6 CPUs",
        "hint: fewer tasks: --tasks 1+1",
    ] {
        assert!(shown.stderr.contains(part), "{part}: {shown:?}");
    }
}

#[test]
fn a_sibling_that_is_not_there_is_skipped() {
    let program = Program::new();
    let asked = [
        "colocate",
        "--a",
        "alu",
        "--b",
        "alu",
        "--tasks",
        "1+1",
        "--placement",
        "smt_sibling",
    ];
    let shown = program.one_cpu(&asked);
    assert_eq!(shown.status, 77, "{shown:?}");
    let remedy = "hint: pontage run --axis placement=same_cpu, or --placement";
    assert!(shown.stderr.contains(remedy), "{shown:?}");
}

#[test]
fn a_command_that_fails_fails_its_points() {
    let program = Program::new();
    let shown = program.run(&pair(&["--a", "cmd:exit 3", "--b", "alu"]));
    assert_eq!(shown.status, 2, "{shown:?}");
    failed_with(&program, "`exit 3` failed");
    // Nothing is said by what a failing command took.
    assert!(!shown.stdout.contains("Findings"), "{shown:?}");
}

/// As the record has it: in the terminal a reason is wrapped.
fn failed_with(program: &Program, reason: &str) {
    let head = head(&run_folder(program));
    let state = &head["points"][0]["state"];
    assert_eq!(state["state"], "failed", "{state}");
    let said = state["reason"].as_str().unwrap();
    assert!(said.contains(reason), "{state}");
}

/// A command that never ends, and leaves the numbers of its processes in a file.
fn endless(program: &Program) -> (PathBuf, String) {
    std::fs::create_dir_all(program.out()).unwrap();
    let pids = program.out().join("pids");
    let file = pids.display();
    let line = format!("sleep 600 & echo $! >> {file}; echo $$ >> {file}; wait");
    (pids, format!("cmd:{line}"))
}

fn numbers(pids: &Path) -> Vec<u32> {
    let text = std::fs::read_to_string(pids).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

fn nothing_is_left(pids: &Path) {
    let started = numbers(pids);
    assert!(started.len() >= 2, "the command ran: {started:?}");
    let limit = Instant::now() + Duration::from_secs(20);
    while let Some(pid) = started.iter().find(|pid| alive(**pid)) {
        assert!(
            Instant::now() < limit,
            "process {pid} of the command is left"
        );
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_command_that_never_ends_is_ended_with_all_that_it_started() {
    let program = Program::new();
    let (pids, command) = endless(&program);
    let shown = program.run(&pair(&["--a", &command, "--b", "alu", "--deadline", "5"]));
    assert_eq!(shown.status, 2, "{shown:?}");
    failed_with(&program, "it ran longer than 5 s");
    nothing_is_left(&pids);
}

#[test]
fn nothing_of_a_command_outlives_a_run_that_is_ended() {
    for signal in ["INT", "KILL"] {
        let program = Program::new();
        let (pids, command) = endless(&program);
        let mut child = program
            .command(&pair(&["--a", &command, "--b", "alu", "--deadline", "600"]))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let limit = Instant::now() + Duration::from_secs(60);
        while numbers(&pids).len() < 2 {
            assert!(Instant::now() < limit, "the command was not started");
            sleep(Duration::from_millis(10));
        }
        send(signal, child.id());
        child.wait().unwrap();
        nothing_is_left(&pids);
    }
}

/// As sort(1) with its temporary files: a neighbour is ended at each window's end.
#[test]
fn a_command_can_remove_its_own_files() {
    let program = Program::new();
    let place = tempfile::tempdir().unwrap();
    let [files, script] = ["files", "script"].map(|name| place.path().join(name));
    std::fs::create_dir(&files).unwrap();
    let text =
        "trap 'rm -f \"$1/$$\"; exit 1' TERM\n: > \"$1/$$\"\nsleep 0.1 & wait\nrm -f \"$1/$$\"\n";
    std::fs::write(&script, text).unwrap();
    let command = format!("cmd:sh {} {}", script.display(), files.display());
    let shown = program.run(&pair(&["--a", "alu", "--b", &command]));
    assert_eq!(shown.status, 0, "{shown:?}");
    let left = std::fs::read_dir(&files).unwrap().count();
    assert_eq!(left, 0);
}
