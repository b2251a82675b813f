//! What another process leaves behind: kill -9, a full disk, no permission.
//!
//! The test executable calls itself: an ignored test is the body of the child.

mod common;

use common::{outcome, point, samples_of, small_head};
use record::{PointState, RecordError, Run, RunState, RunWriter};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;

const PLACE: &str = "PONTAGE_TEST_PLACE";

fn place() -> PathBuf {
    PathBuf::from(std::env::var_os(PLACE).expect("set by the parent test"))
}

/// Arguments that run the ignored test `body` of this executable.
fn child_arguments(body: &str) -> [String; 4] {
    ["--ignored", "--exact", "--nocapture", body].map(String::from)
}

fn endless_point(index: u32) -> record::PointHead {
    let mut p = point(
        index,
        "copy/memcpy",
        vec![common::setting("size", i64::from(index))],
    );
    p.state = PointState::Done;
    p
}

#[test]
#[ignore = "body of a child process"]
fn child_appends_until_killed() {
    let mut writer = RunWriter::create(&place(), small_head("r")).unwrap();
    for index in 100.. {
        let p = endless_point(index);
        writer.append_point(&p, &samples_of(&p, 2, 50)).unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "stored {index}")
            .and_then(|()| out.flush())
            .unwrap();
    }
}

fn start_appending(place: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(child_arguments("child_appends_until_killed"))
        .env(PLACE, place)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Kill with SIGKILL once `after` points are stored; the last one it printed.
fn kill_after(child: &mut Child, after: usize) -> u32 {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let stored = |line: String| {
        line.strip_prefix("stored ")
            .and_then(|n| n.parse::<u32>().ok())
    };
    let mut last = 0;
    let mut seen = 0;
    while seen < after {
        let line = lines
            .next()
            .expect("the child goes on until it is killed")
            .unwrap();
        if let Some(index) = stored(line) {
            last = index;
            seen += 1;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // What it still printed between the decision and its death counts too.
    lines
        .map_while(Result::ok)
        .filter_map(stored)
        .last()
        .unwrap_or(last)
}

#[test]
fn what_was_stored_survives_kill_9() {
    for after in [1, 7, 40] {
        let parent = tempfile::tempdir().unwrap();
        let last = kill_after(&mut start_appending(parent.path()), after);
        let folder = parent.path().join("r");
        let run = Run::open(&folder).unwrap();
        assert!(matches!(run.head().state, RunState::Incomplete { .. }));
        let stored = run.samples("copy/memcpy").unwrap();
        for index in 100..=last {
            let expected = samples_of(&endless_point(index), 2, 50);
            assert_eq!(
                stored.get(&index),
                Some(&expected),
                "point {index} of {last}"
            );
        }
        let mut writer = RunWriter::resume(&folder).expect("the lock died with the process");
        assert!(writer.done().contains(&last));
        let next = endless_point(last + 100);
        writer
            .append_point(&next, &samples_of(&next, 1, 1))
            .unwrap();
    }
}

/// Appends until the medium refuses, checks what the error says, makes room,
/// goes on, and closes.
#[test]
#[ignore = "body of a child process"]
fn child_meets_a_full_disk() {
    // As the program does: the limit is an error of the write, and no death.
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default()).unwrap();
    let place = place();
    let ballast = place.join("ballast");
    std::fs::write(&ballast, vec![1_u8; 100 << 10]).unwrap();
    let mut writer = RunWriter::create(&place, small_head("r")).unwrap();
    let mut index = 100;
    let error = loop {
        let p = endless_point(index);
        match writer.append_point(&p, &samples_of(&p, 2, 50)) {
            Ok(()) => index += 1,
            Err(error) => break error,
        }
        assert!(index < 10_000, "the disk never filled");
    };
    assert!(error.is_full(), "{error}");
    assert!(error.to_string().contains("samples.stream"), "{error}");
    let hint = error.hint().unwrap();
    // What is full: a disk, or what a file may have.
    let helps = hint.contains("KiB") || hint.contains("ulimit -f");
    assert!(
        helps && hint.contains("--resume") && hint.contains("--out"),
        "{hint}"
    );
    println!("hint: {hint}");
    let stored = || {
        let run = Run::open(&place.join("r")).unwrap();
        assert!(run.recovery().unwrap().is_clean());
        run.samples("copy/memcpy").unwrap().len()
    };
    assert_eq!(stored(), index as usize - 100);
    std::fs::remove_file(&ballast).unwrap();
    if std::env::var_os("PONTAGE_TEST_ROOM").is_some() {
        let p = endless_point(index);
        writer.append_point(&p, &samples_of(&p, 2, 50)).unwrap();
        assert_eq!(stored(), index as usize - 99);
        let mut head = writer.head().clone();
        head.state = RunState::Incomplete {
            reason: "disk full".into(),
        };
        writer.close(head).unwrap();
    }
    println!("reached the end");
}

fn shell(script: &str, body: &str, place: &Path, room: bool) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh"]);
    command.arg(std::env::current_exe().unwrap());
    command.args(child_arguments(body)).env(PLACE, place);
    if room {
        command.env("PONTAGE_TEST_ROOM", "1");
    }
    command.output().unwrap()
}

fn assert_reached_the_end(output: &Output) {
    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(
        out.contains("reached the end") && output.status.success(),
        "{out}\n{err}"
    );
}

/// The limit on file size is the full disk that everybody may make.
#[test]
fn a_file_size_limit_loses_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let script = r#"ulimit -f 256 && exec "$@""#;
    let output = shell(script, "child_meets_a_full_disk", parent.path(), false);
    assert_reached_the_end(&output);
}

#[test]
fn a_full_file_system_loses_nothing_and_the_run_goes_on() {
    let parent = tempfile::tempdir().unwrap();
    let script = format!(r#"mount -t tmpfs -o size=512k none "${PLACE}" || exit 77; exec "$@""#);
    let script = format!("exec unshare -m sh -c '{script}' sh \"$@\"");
    let output = shell(&script, "child_meets_a_full_disk", parent.path(), true);
    let may_not = output.status.code() != Some(0)
        && !String::from_utf8_lossy(&output.stdout).contains("running 1 test");
    if may_not {
        eprintln!(
            "SKIP: cannot mount a tmpfs in a namespace of its own: {}; run the tests as root: sudo -E cargo test -p pontage-record",
            String::from_utf8_lossy(&output.stderr).trim()
        );
        return;
    }
    assert_reached_the_end(&output);
}

#[test]
fn a_folder_without_permission_is_named_with_a_remedy() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().unwrap();
    let sealed = parent.path().join("sealed");
    std::fs::create_dir(&sealed).unwrap();
    std::fs::set_permissions(&sealed, std::fs::Permissions::from_mode(0o500)).unwrap();
    if std::fs::write(sealed.join("probe"), "").is_ok() {
        eprintln!(
            "SKIP: root may write anywhere; run the tests as another user: su nobody -s /bin/sh"
        );
        return;
    }
    let error = RunWriter::create(&sealed, small_head("r")).unwrap_err();
    assert!(matches!(error, RecordError::Io { .. }));
    let text = error.to_string();
    assert!(
        text.starts_with("cannot create ") && text.contains("Permission denied"),
        "{text}"
    );
    assert!(error.hint().unwrap().contains("--out DIR"));
}

#[test]
fn a_table_that_cannot_be_written_leaves_the_run_to_be_closed_again() {
    let parent = tempfile::tempdir().unwrap();
    let mut head = small_head("r");
    let mut writer = RunWriter::create(parent.path(), head.clone()).unwrap();
    for index in 0..8 {
        let (point, samples) = outcome(&head, index, 5);
        writer.append_point(&point, &samples).unwrap();
    }
    head.state = RunState::Complete;
    let obstacle = parent.path().join("r/copy-memcpy.parquet");
    std::fs::create_dir_all(obstacle.join("x")).unwrap();
    let error = writer.close(head.clone()).unwrap_err();
    assert!(error.to_string().contains("copy-memcpy.parquet"), "{error}");
    let run = Run::open(&parent.path().join("r")).unwrap();
    assert_eq!(
        run.head().state,
        RunState::Running,
        "not closed: the writer lives"
    );
    assert_eq!(run.samples("copy/memcpy").unwrap().len(), 6);
    std::fs::remove_dir_all(&obstacle).unwrap();
    writer.close(head).unwrap();
    let run = Run::open(&parent.path().join("r")).unwrap();
    assert_eq!(run.head().state, RunState::Complete);
}
