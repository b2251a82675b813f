//! Traces are listed with their points, whatever happens to the run.

mod common;

use common::small_head;
use record::{PointHead, PointState, Run, RunWriter, TraceHead};

fn done(writer: &RunWriter, traces: &[&str]) -> PointHead {
    let mut point = writer.head().points[0].clone().into_own();
    point.state = PointState::Done;
    let head = |file: &&str| TraceHead {
        file: (*file).to_owned(),
        bytes: 7,
    };
    point.traces = traces.iter().map(head).collect();
    point
}

fn files(point: &PointHead) -> Vec<&str> {
    point.traces.iter().map(|t| t.file.as_str()).collect()
}

#[test]
fn they_survive_a_crash_a_resume_and_later_repetitions() {
    let parent = tempfile::tempdir().unwrap();
    let mut writer = RunWriter::create(parent.path(), small_head("run")).unwrap();
    let folder = writer.folder().to_owned();
    writer
        .append_point(&done(&writer, &["a.dat"]), &[])
        .unwrap();
    // A later repetition has none of its own.
    writer.append_point(&done(&writer, &[]), &[]).unwrap();
    assert_eq!(files(&writer.head().points[0]), ["a.dat"]);
    drop(writer);
    let run = Run::open(&folder).unwrap();
    assert_eq!(files(&run.head().points[0]), ["a.dat"]);
    let mut writer = RunWriter::resume(&folder).unwrap();
    assert_eq!(files(&writer.head().points[0]), ["a.dat"]);
    let head = writer.head().clone();
    writer.close(head).unwrap();
    let run = Run::open(&folder).unwrap();
    assert_eq!(files(&run.head().points[0]), ["a.dat"]);
    assert!(run.head().points[1].traces.is_empty());
    // Points without traces do not mention them.
    let text = std::fs::read_to_string(folder.join("run.json")).unwrap();
    assert_eq!(text.matches("\"traces\"").count(), 1);
}

#[test]
fn an_attempt_that_failed_has_its_own_or_none() {
    let parent = tempfile::tempdir().unwrap();
    let mut writer = RunWriter::create(parent.path(), small_head("run")).unwrap();
    writer
        .append_point(&done(&writer, &["a.dat"]), &[])
        .unwrap();
    let mut failed = done(&writer, &[]);
    failed.state = PointState::Failed {
        reason: "x".to_owned(),
    };
    writer.append_point(&failed, &[]).unwrap();
    assert!(writer.head().points[0].traces.is_empty());
    let folder = writer.folder().to_owned();
    drop(writer);
    let run = Run::open(&folder).unwrap();
    assert!(run.head().points[0].traces.is_empty());
}
