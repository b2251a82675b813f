//! Copies handed over while a run goes on: what was handed over is there after
//! kill -9, behind damage, and as a table once the run is closed.

mod common;

use common::{experiment, metric, small_head};
use record::{CopyOperation, Engine, RecordedCopy, Run, RunState, RunWriter, Unit};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ID: &str = "copies/trace";
const RUN: &str = "20231114T221320Z-copies";
const STREAM: &str = "copies-trace.copies.stream";
const FOLDER_FOR_CHILD: &str = "PONTAGE_TEST_COPIES";

fn copy(sequence: u64) -> RecordedCopy {
    RecordedCopy {
        operation: CopyOperation::ALL[sequence as usize % CopyOperation::ALL.len()],
        ring: 1,
        sequence,
        size_bytes: sequence * 3,
        cpu_start: 1,
        cpu_end: Some(0),
        t0_ns: 1_000 + sequence,
        t1_ns: 1_093 + sequence,
        caller: 0xffff_ffff_8144_c129,
        symbol: sequence
            .is_multiple_of(2)
            .then(|| "vfs_read+0x1e9".to_owned()),
        engine: Engine::Cpu,
        not_copied_bytes: Some(0),
        process: Some(4711),
    }
}

fn copies(from: u64, to: u64) -> Vec<RecordedCopy> {
    (from..to).map(copy).collect()
}

fn begin(parent: &Path) -> RunWriter {
    let mut head = small_head(RUN);
    let metrics = vec![metric("time", Unit::Nanoseconds)];
    head.experiments = vec![experiment(ID, Vec::new(), metrics)];
    head.points.clear();
    RunWriter::create(parent, head).unwrap()
}

fn close(mut writer: RunWriter) -> PathBuf {
    let mut head = writer.head().clone();
    head.state = RunState::Complete;
    writer.close(head).unwrap();
    writer.folder().to_owned()
}

#[test]
fn portions_become_one_table() {
    let parent = tempfile::tempdir().unwrap();
    let mut writer = begin(parent.path());
    // More than a frame and more than a row group holds.
    let all = copies(0, 300_000);
    for portion in [&all[..7], &[], &all[7..200_000], &all[200_000..]] {
        writer.append_copies(ID, portion).unwrap();
    }
    assert_eq!(
        Run::open(writer.folder())
            .unwrap()
            .copies(ID)
            .unwrap()
            .unwrap()
            .len(),
        300_000
    );
    assert!(writer.append_copies("copies/other", &all[..1]).is_err());
    let folder = close(writer);
    assert!(!folder.join(STREAM).exists());
    let run = Run::open(&folder).unwrap();
    assert_eq!(run.copies(ID).unwrap().unwrap(), all);
    assert!(run.copies_bytes(ID).unwrap().is_some());
}

#[test]
fn a_torn_end_costs_the_torn_frame_and_is_kept_in_a_file() {
    let parent = tempfile::tempdir().unwrap();
    let mut writer = begin(parent.path());
    let folder = writer.folder().to_owned();
    let path = folder.join(STREAM);
    writer.append_copies(ID, &copies(0, 5)).unwrap();
    let whole = fs::read(&path).unwrap().len();
    writer.append_copies(ID, &copies(5, 9)).unwrap();
    drop(writer);
    let stored = fs::read(&path).unwrap();
    fs::write(&path, &stored[..stored.len() - 3]).unwrap();
    assert_eq!(
        Run::open(&folder).unwrap().copies(ID).unwrap(),
        Some(copies(0, 5))
    );
    let mut writer = RunWriter::resume(&folder).unwrap();
    writer.append_copies(ID, &copies(20, 22)).unwrap();
    let folder = close(writer);
    let mut expected = copies(0, 5);
    expected.extend(copies(20, 22));
    assert_eq!(
        Run::open(&folder).unwrap().copies(ID).unwrap(),
        Some(expected)
    );
    assert_eq!(
        fs::read(folder.join(format!("{STREAM}.cut"))).unwrap(),
        stored[whole..stored.len() - 3]
    );
}

#[test]
fn a_run_that_was_not_completed_keeps_its_table() {
    let parent = tempfile::tempdir().unwrap();
    let mut writer = begin(parent.path());
    writer.append_copies(ID, &copies(0, 5)).unwrap();
    let mut head = writer.head().clone();
    head.state = RunState::Incomplete {
        reason: "SIGINT".into(),
    };
    writer.close(head).unwrap();
    let folder = writer.folder().to_owned();
    drop(writer);
    let mut writer = RunWriter::resume(&folder).unwrap();
    let why = writer.append_copies(ID, &copies(5, 6)).unwrap_err();
    assert!(why.to_string().contains("written already"), "{why}");
    let folder = close(writer);
    assert_eq!(
        Run::open(&folder).unwrap().copies(ID).unwrap(),
        Some(copies(0, 5))
    );
}

/// Started by the test below: appends for ever, and says how far it has come.
#[test]
#[ignore = "the process that is killed"]
fn child_that_appends() {
    let Some(parent) = std::env::var_os(FOLDER_FOR_CHILD) else {
        return;
    };
    let mut writer = begin(Path::new(&parent));
    for portion in (0..).step_by(100) {
        writer
            .append_copies(ID, &copies(portion, portion + 100))
            .unwrap();
        let mut out = std::io::stderr().lock();
        writeln!(out, "{}", portion + 100).unwrap();
    }
}

#[test]
fn kill_9_loses_no_copy_that_was_handed_over() {
    let parent = tempfile::tempdir().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "child_that_appends", "--nocapture"])
        .env(FOLDER_FOR_CHILD, parent.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let appended = lines
        .map_while(Result::ok)
        .filter_map(|l| l.parse::<u64>().ok());
    let appended = appended.take(50).last().expect("it appends");
    child.kill().unwrap();
    child.wait().unwrap();
    let run = Run::open(&parent.path().join(RUN)).unwrap();
    let found = run.copies(ID).unwrap().unwrap();
    assert!(
        found.len() as u64 >= appended,
        "{} of {appended}",
        found.len()
    );
    assert_eq!(found, copies(0, found.len() as u64));
    assert!(matches!(run.head().state, RunState::Incomplete { .. }));
}
