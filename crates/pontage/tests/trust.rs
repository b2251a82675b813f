//! A record is data: what a foreign one asks for is shown, and not executed.

mod program;

use program::{Ended, Program, points, run_folder};
use record::{PointState, Run, RunState, RunWriter};
use std::fs;
use std::path::{Path, PathBuf};

/// An unfinished record that runs a command, as if it came from another user: this
/// state folder knows nothing of it.
fn foreign(program: &Program, line: &str) -> PathBuf {
    let victim = format!("victim=cmd:{line}");
    let words = [
        "run",
        "colocate/matrix",
        "--axis",
        &victim,
        "--axis",
        "neighbour=alu",
        "--axis",
        "placement=same_cpu",
        "--axis",
        "window=1000000",
        "--budget-ms",
        "5",
    ];
    let state = program.out().join("elsewhere");
    let made = program
        .command(&words)
        .env("PONTAGE_STATE_DIR", state)
        .output();
    let folder = run_folder(program);
    let mut head = Run::open(&folder)
        .unwrap_or_else(|e| panic!("{e} {made:?}"))
        .head()
        .clone();
    head.state = RunState::Running;
    for point in &mut head.points {
        point.state = PointState::Pending;
    }
    let writer = RunWriter::create(&program.out().join("foreign"), head).unwrap();
    writer.folder().to_owned()
}

/// Of another program's words for a load nothing is made up.
#[test]
fn a_load_that_is_none_is_refused_even_where_it_is_trusted() {
    let program = Program::new();
    let folder = foreign(&program, "true");
    let file = folder.join("run.json");
    let text = fs::read_to_string(&file).unwrap();
    let changed = text.replace("\"load\": \"light\"", "\"load\": \"light\\nx\"");
    assert_ne!(changed, text);
    fs::write(&file, changed).unwrap();
    let refused = resume(&program, &folder, &["--trust"]);
    assert_eq!(refused.status, 2, "{refused:?}");
    assert!(
        refused.stderr.contains("which this program does not know"),
        "{refused:?}"
    );
    assert_eq!(points(&folder).0, 0);
}

/// Names and contents of a run folder.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let mut all: Vec<_> = entries
        .map(|p| (p.clone(), fs::read(&p).unwrap()))
        .collect();
    all.sort();
    all
}

fn resume(program: &Program, folder: &Path, more: &[&str]) -> Ended {
    let mut words = vec!["run", "--resume", folder.to_str().unwrap()];
    words.extend(more);
    program.run(&words)
}

#[test]
fn a_foreign_record_runs_nothing_until_it_is_trusted() {
    let program = Program::new();
    let proof = program.out().join("proof");
    let line = format!("touch {} # \u{1b}[2J\u{202e}", proof.display());
    let folder = foreign(&program, &line);
    let _ = fs::remove_file(&proof);
    let before = contents(&folder);
    let refused = resume(&program, &folder, &[]);
    assert_eq!(refused.status, 2, "{refused:?}");
    assert!(!proof.exists(), "its command ran");
    assert_eq!(contents(&folder), before, "nothing was written");
    for shown in [
        "command: touch ",
        "load: light",
        "title = ",
        "cannot resume ",
        "--trust",
    ] {
        assert!(refused.stderr.contains(shown), "{shown}: {refused:?}");
    }
    let steers = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!refused.stderr.contains(steers), "{refused:?}");

    let trusted = resume(&program, &folder, &["--trust"]);
    assert_eq!(trusted.status, 0, "{trusted:?}");
    assert!(proof.exists());
    let (done, all) = points(&folder);
    assert_eq!(done, all);
}

#[test]
fn a_record_whose_recipe_was_changed_is_foreign() {
    let program = Program::new();
    let mut child = program
        .command(&["run", "syscall/*", "--budget-ms", "700", "--processes", "1"])
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    program::wait_for_point(&program);
    program::send("INT", child.id());
    child.wait().unwrap();
    let folder = run_folder(&program);
    let file = folder.join("run.json");
    let text = fs::read_to_string(&file).unwrap();
    let changed = [
        text.replace("title = ", "question = 'x'\\ntitle = "),
        text.replace("\"load\": \"light\"", "\"load\": \"heavy\""),
        text.replace("-host\"", "-tsoh\"")
            .replace("\"id\": \"2", "\"id\": \"1"),
    ];
    for changed in changed {
        assert_ne!(changed, text);
        fs::write(&file, changed).unwrap();
        let refused = resume(&program, &folder, &[]);
        assert_eq!(refused.status, 2, "{refused:?}");
        assert!(refused.stderr.contains("was not typed here"), "{refused:?}");
    }
    fs::write(&file, text).unwrap();
    let resumed = resume(&program, &folder, &[]);
    assert_eq!(resumed.status, 0, "{resumed:?}");
}
