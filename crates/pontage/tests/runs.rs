//! `pontage runs`: the list, names, tags, baselines, and deleting.

mod program;
mod shelf;

use program::{Ended, Program};
use serde_json::{Value, json};
use shelf::{edit, keep, keep_as, label};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::process::Stdio;

const OLD: &str = "20260101T000000Z-host-aaaaaa";
const MID: &str = "20260102T000000Z-host-bbbbbb";
const NEW: &str = "20260103T000000Z-host-cccccc";

fn three() -> Program {
    let program = Program::new();
    for (id, day) in [(OLD, 1), (MID, 2), (NEW, 3)] {
        keep(&program, id, &format!("2026-01-0{day}T00:00:00Z"));
    }
    program
}

fn done(program: &Program, words: &[&str]) -> Ended {
    let ended = program.run(words);
    assert_eq!(ended.status, 0, "{ended:?}");
    ended
}

fn refused(program: &Program, words: &[&str], causes: &[&str]) {
    let ended = program.run(words);
    assert_eq!(ended.status, 2, "{words:?} {ended:?}");
    for cause in causes {
        assert!(ended.stderr.contains(cause), "{cause}: {ended:?}");
    }
}

fn listed(program: &Program) -> Vec<Value> {
    let ended = done(program, &["runs", "--format", "json"]);
    let all: Value = serde_json::from_str(&ended.stdout).unwrap();
    all["runs"].as_array().unwrap().clone()
}

fn ids(program: &Program) -> Vec<String> {
    let id = |run: &Value| run["id"].as_str().unwrap().to_owned();
    listed(program).iter().map(id).collect()
}

#[test]
fn the_list_has_every_run_the_newest_first_and_fits_80_columns() {
    let program = three();
    let long = program.out().join(MID);
    label(
        &long,
        Some("a-name-of-more-characters-than-fit"),
        &["ci", "nightly"],
    );
    edit(&long, |head| {
        head["machine"]["host"] = json!("node-1.rack-2.example.org");
        head["recipe"]["name"] = json!("recipes/of/mine, and yours.toml");
    });
    keep_as("v3-crashed", &program, "crashed", "2025-01-01T00:00:00Z");
    fs::create_dir_all(program.out().join("no-run")).unwrap();
    let damaged = keep(&program, "damaged", "2025-01-01T00:00:00Z");
    fs::write(damaged.join("run.json"), "{").unwrap();
    assert_eq!(ids(&program), [NEW, MID, OLD, "crashed", "damaged"]);
    let runs = listed(&program);
    let field = |at: usize, name: &str| runs[at][name].clone();
    assert_eq!(field(1, "tags"), json!(["ci", "nightly"]));
    let states: Vec<Value> = (0..5).map(|at| field(at, "state")).collect();
    assert_eq!(
        json!(states),
        json!([
            "complete",
            "complete",
            "complete",
            "incomplete",
            "unreadable"
        ])
    );
    let bytes: u64 = fs::read_dir(program.out().join(NEW))
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    assert_eq!(field(0, "bytes"), bytes);

    let text = program
        .command(&["runs"])
        .env("COLUMNS", "80")
        .output()
        .unwrap();
    let text = String::from_utf8(text.stdout).unwrap();
    let rows: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(rows.len(), 6, "a line for each run: {text}");
    assert!(rows.iter().all(|row| row.chars().count() <= 80), "{text}");
    assert!(
        rows[1].contains("cccccc") && rows[2].contains("a-name"),
        "{text}"
    );
    assert!(text.contains("5 runs under runs/, "), "{text}");
    assert!(text.contains("cannot read runs/damaged/run.json"), "{text}");

    let csv = done(&program, &["runs", "--format", "csv"]).stdout;
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines.len() == 6 && lines[0].starts_with("id,name,tags,started_utc,recipe,host,"));
    assert!(
        lines[2].contains(",ci nightly,")
            && lines[2].contains(",\"recipes/of/mine, and yours.toml\",")
    );
    let markdown = done(&program, &["runs", "--format", "markdown"]).stdout;
    assert!(markdown.starts_with("| run | name | tags |") && markdown.contains(MID));
}

#[test]
fn without_runs_the_list_says_so() {
    let program = Program::new();
    let ended = done(&program, &["runs"]);
    assert_eq!(
        ended.stdout,
        "no runs under runs/; measure one with: pontage run\n"
    );
    assert!(listed(&program).is_empty());
    assert!(!program.out().exists());
}

#[test]
fn runs_get_names_and_tags_and_lose_them() {
    let program = three();
    done(&program, &["runs", "rename", "latest", "release"]);
    done(&program, &["runs", "rename", "@release", "release"]);
    done(&program, &["runs", "tag", "aaaaaa", "ci", "zen5"]);
    done(&program, &["runs", "untag", "aaaaaa", "zen5"]);
    let runs = listed(&program);
    assert_eq!(
        (&runs[0]["name"], &runs[2]["tags"]),
        (&json!("release"), &json!(["ci"]))
    );
    let taken = format!("runs/{NEW} has this name");
    refused(
        &program,
        &["runs", "rename", "previous", "release"],
        &[&taken, "hint:"],
    );
    refused(
        &program,
        &["runs", "rename", "previous", "latest"],
        &["reserved"],
    );
    refused(
        &program,
        &["runs", "tag", "previous", "a b"],
        &["letters, digits"],
    );
    refused(
        &program,
        &["runs", "untag", "@release", "ci"],
        &["it has no tags"],
    );
    refused(&program, &["runs", "untag", "@ci", "x"], &["it has: ci"]);
    done(&program, &["report", "@release"]);
}

#[test]
fn a_baseline_is_of_its_machine_recipe_and_load() {
    let program = three();
    let other = keep(&program, "other", "2025-01-01T00:00:00Z");
    edit(&other, |head| head["machine"]["host"] = json!("elsewhere"));
    let none = ["compare", "--baseline"];
    refused(
        &program,
        &none,
        &["cannot find a baseline for run", "pontage runs baseline"],
    );
    done(&program, &["runs", "baseline", "other"]);
    refused(&program, &none, &["cannot find a baseline for run"]);
    done(&program, &["runs", "baseline", OLD]);
    let replaced = done(&program, &["runs", "baseline", MID]);
    assert!(
        replaced.stderr.contains(&format!("in place of {OLD}")),
        "{replaced:?}"
    );
    let marked = || -> Vec<String> {
        let runs = listed(&program);
        let marked = runs.iter().filter(|run| run["baseline"] == true);
        marked
            .map(|run| run["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(marked(), [MID, "other"]);
    assert!(done(&program, &["runs"]).stdout.contains("*  bbbbbb"));

    let sides = |words: &[&str]| -> [String; 2] {
        let ended = program.run(&[&["compare", "--format", "json"], words].concat());
        let all: Value = serde_json::from_str(&ended.stdout).unwrap();
        ["a", "b"].map(|side| all[side].as_str().unwrap().to_owned())
    };
    assert_eq!(sides(&["--baseline"]), [MID, NEW]);
    assert_eq!(sides(&["--baseline", OLD]), [MID, OLD]);
    assert_eq!(sides(&["@baseline", OLD]), [MID, OLD]);
    assert_eq!(sides(&["@baseline"]), [MID, NEW]);
    assert_eq!(sides(&["--baseline=other"]), ["other", NEW]);
    refused(
        &program,
        &["compare", "--baseline", MID],
        &["it is the baseline", "hint:"],
    );
    refused(
        &program,
        &["compare", "--baseline=cccccc"],
        &["is not marked as one"],
    );
    refused(
        &program,
        &["compare", "--baseline", OLD, NEW],
        &["cannot be used with"],
    );

    done(&program, &["runs", "baseline", MID, "--remove"]);
    assert_eq!(marked(), ["other"]);
    refused(
        &program,
        &["runs", "baseline", MID, "--remove"],
        &["it is no baseline"],
    );
    keep_as("v3-crashed", &program, "crashed", "2025-01-01T00:00:00Z");
    refused(
        &program,
        &["runs", "baseline", "crashed"],
        &["incomplete", "--resume runs/crashed"],
    );
    fs::write(program.out().join("baselines.json"), "[]").unwrap();
    refused(
        &program,
        &["compare", "--baseline"],
        &["cannot read runs/baselines.json", "hint: remove it"],
    );
    done(&program, &["report", "latest"]);
}

#[test]
fn runs_are_deleted_whole_and_nothing_else_is() {
    let program = three();
    let folder = program.out().join(OLD);
    fs::create_dir(folder.join("traces")).unwrap();
    fs::write(folder.join("traces/point-1.dat"), "x").unwrap();
    fs::write(folder.join("report.html"), "x").unwrap();
    let outside = program.out().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("kept.dat"), "x").unwrap();
    symlink(&outside, folder.join("linked.parquet")).unwrap();
    symlink(outside.join("kept.dat"), folder.join("traces/linked.dat")).unwrap();
    let both = ["runs", "delete", "aaaaaa", "previous", "aaaaaa"];
    refused(
        &program,
        &both,
        &["cannot delete 2 runs", "no terminal", "--yes"],
    );
    let ended = done(&program, &[&both[..], &["--yes"]].concat());
    assert!(ended.stderr.contains("deleted 2 runs, "), "{ended:?}");
    assert_eq!(ids(&program), [NEW]);
    assert!(!folder.exists() && outside.join("kept.dat").exists());
}

#[test]
fn what_is_no_run_alone_is_not_deleted() {
    let program = three();
    let (old, new) = (program.out().join(OLD), program.out().join(NEW));
    fs::write(old.join("notes.txt"), "mine").unwrap();
    symlink(&new, program.out().join("link")).unwrap();
    let own = program.out().join("own");
    fs::create_dir(&own).unwrap();
    done(&program, &["runs", "baseline", MID]);
    for (word, causes) in [
        ("aaaaaa", &["it also holds notes.txt", "hint:"][..]),
        ("runs/link", &["it is a symbolic link", "hint:"]),
        ("runs/link/", &["it is a symbolic link"]),
        ("runs/own", &["cannot open", "as a run"]),
        ("runs", &["/runs as a run: it has no run.json"]),
        ("@baseline", &["it is a baseline", "--force"]),
        ("@nobody", &["cannot find run @nobody"]),
    ] {
        refused(&program, &["runs", "delete", NEW, word, "--yes"], causes);
    }
    fs::remove_file(old.join("notes.txt")).unwrap();
    fs::create_dir_all(old.join("traces/deep")).unwrap();
    refused(
        &program,
        &["runs", "delete", OLD, "--yes"],
        &["it also holds traces/deep"],
    );
    assert!(new.join("run.json").exists() && old.join("run.json").exists());
    done(
        &program,
        &["runs", "delete", "@baseline", "--yes", "--force"],
    );
    let marks = fs::read_to_string(program.out().join("baselines.json")).unwrap();
    assert!(!marks.contains(MID) && !program.out().join(MID).exists());
}

#[test]
fn a_run_that_is_being_written_is_neither_deleted_nor_changed() {
    let program = Program::new();
    let folder = keep_as("v3-crashed", &program, "crashed", "2025-01-01T00:00:00Z");
    let stream = fs::File::open(folder.join("samples.stream")).unwrap();
    stream.lock().unwrap();
    assert_eq!(listed(&program)[0]["state"], "running");
    for words in [
        &["delete", "crashed", "--yes"][..],
        &["rename", "crashed", "a"],
        &["tag", "crashed", "a"],
    ] {
        refused(
            &program,
            &[&["runs"], words].concat(),
            &["another process is writing it"],
        );
    }
    drop(stream);
    done(&program, &["runs", "delete", "crashed", "--yes"]);
    assert!(ids(&program).is_empty());
}

/// `script` gives the program a terminal.
fn asked(program: &Program, answer: &str) -> Option<String> {
    let command = format!("{} runs delete latest", env!("CARGO_BIN_EXE_pontage"));
    let folder = program.out().parent().unwrap().to_owned();
    let mut child = std::process::Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdin.write_all(format!("{answer}\n").as_bytes()).unwrap();
    let mut text = String::new();
    stdout.read_to_string(&mut text).unwrap();
    child.wait().unwrap();
    Some(text)
}

#[test]
fn on_a_terminal_deleting_asks() {
    let program = three();
    let Some(text) = asked(&program, "n") else {
        eprintln!("skipped: no program script");
        return;
    };
    assert!(
        text.contains("delete 1 run, ") && text.contains("[y/N]"),
        "{text}"
    );
    assert!(text.contains("nothing was deleted"), "{text}");
    assert_eq!(ids(&program).len(), 3);
    let text = asked(&program, "y").unwrap();
    assert!(text.contains("deleted 1 run, "), "{text}");
    assert_eq!(ids(&program), [MID, OLD]);
}
