//! Sessions that end before their plan, and points that are left out.

use super::NoProgress;
use super::plans::Shelf;
use super::plans::plan;
use super::plans::run;
use super::plans::session;
use harness::HarnessError;
use record::PointState;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

pub fn skipped_points_are_not_tried_again() {
    let scratch = tempfile::tempdir().unwrap();
    let mut session = session(scratch.path());
    session.processes = 2;
    let mut shelf = Shelf::default();
    let plan = plan(&[&["skip"], &["a", "skip"]]);
    session.run(&plan, &mut shelf, &mut NoProgress).unwrap();
    let skipped = PointState::Skipped {
        reason: "no such device".to_owned(),
        remedy: "modprobe it".to_owned(),
    };
    assert_eq!(shelf.of(0).head.state, skipped);
    assert_eq!(shelf.of(2).head.state, skipped);
    assert_eq!(shelf.kept.iter().filter(|k| k.head.index == 1).count(), 2);
}

pub fn a_point_without_a_sample_is_not_done() {
    let (shelf, ending) = run(&plan(&[&["well", "recorded-nothing"]]));
    assert!(!ending.stopped);
    assert!(shelf.is_done(0));
    let empty = shelf.of(1);
    assert!(empty.samples.is_empty());
    let PointState::Skipped { reason, remedy } = &empty.head.state else {
        panic!("{:?}", empty.head.state);
    };
    assert_eq!(reason, "the recording has nothing of this point");
    assert!(!remedy.is_empty());
}

pub fn a_stop_keeps_what_was_finished() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let scratch = tempfile::tempdir().unwrap();
    let mut session = session(scratch.path());
    session.stop = &STOP;
    let mut shelf = Shelf {
        stop_after: Some((1, &STOP)),
        ..Shelf::default()
    };
    let plan = plan(&[&["a"], &["hang"], &["b"], &["c"]]);
    let ending = session.run(&plan, &mut shelf, &mut NoProgress).unwrap();
    assert!(ending.stopped);
    assert!(shelf.is_done(0));
    // It ended before the second had hung for long enough to have failed.
    assert_eq!(shelf.kept.len(), 1);
}

pub fn a_full_disk_ends_the_run() {
    let scratch = tempfile::tempdir().unwrap();
    let mut shelf = Shelf {
        full_after: Some(1),
        ..Shelf::default()
    };
    let plan = plan(&[&["a"], &["b"], &["c"]]);
    let error = session(scratch.path())
        .run(&plan, &mut shelf, &mut NoProgress)
        .unwrap_err();
    assert!(matches!(error, HarnessError::Sink { .. }));
    assert!(error.to_string().contains("no space left"), "{error}");
    assert_eq!(shelf.kept.len(), 1);
}

pub fn a_program_that_is_no_worker_fails_the_points() {
    let scratch = tempfile::tempdir().unwrap();
    let mut session = session(scratch.path());
    session.launcher.program = PathBuf::from("/bin/true");
    let mut shelf = Shelf::default();
    session
        .run(&plan(&[&["a"], &["b"]]), &mut shelf, &mut NoProgress)
        .unwrap();
    assert!(shelf.failure(0).contains("before it could measure"));
    assert!(shelf.failure(1).contains("before it could measure"));
}

pub fn a_missing_program_is_an_error() {
    let scratch = tempfile::tempdir().unwrap();
    let mut session = session(scratch.path());
    session.launcher.program = PathBuf::from("/nonexistent/pontage");
    let error = session
        .run(&plan(&[&["a"]]), &mut Shelf::default(), &mut NoProgress)
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("cannot start the measuring process /nonexistent"),
        "{text}"
    );
}
