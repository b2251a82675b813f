//! What comes of points that end as they should.

use super::NoProgress;
use super::plans::Kept;
use super::plans::Shelf;
use super::plans::experiment;
use super::plans::plan;
use super::plans::run;
use super::plans::session;
use harness::Session;
use record::PointState;

pub fn points_come_back_with_their_samples() {
    let (shelf, ending) = run(&plan(&[&["calm"], &["print"], &["a", "b"]]));
    assert!(!ending.stopped);
    assert_eq!(ending.scheduling, "SCHED_OTHER");
    for index in 0..4 {
        assert!(shelf.is_done(index), "{:?}", shelf.of(index));
    }
    assert_eq!(shelf.of(0).head.bytes_per_op, Some(64));
    assert!(shelf.of(0).notes.contains(&"I am calm".to_owned()));
    let mut indices: Vec<u32> = shelf
        .kept
        .iter()
        .flat_map(|k| k.samples.iter().map(|s| s.index))
        .collect();
    indices.sort_unstable();
    let count = indices.len();
    indices.dedup();
    assert_eq!(indices.len(), count, "sample indices repeat");
}

pub fn traces_are_kept_once_and_what_is_not_is_noted() {
    let scratch = tempfile::tempdir().unwrap();
    let traces = scratch.path().join("traces");
    let mut session = session(scratch.path());
    session.processes = 2;
    let points = plan(&[&["traced"], &["calm"]]);
    let mut shelf = Shelf::default();
    session.run(&points, &mut shelf, &mut NoProgress).unwrap();
    assert!(shelf.kept.iter().all(|kept| kept.head.traces.is_empty()));
    session.context.traces = Some(traces.clone());
    let mut shelf = Shelf::default();
    session.run(&points, &mut shelf, &mut NoProgress).unwrap();
    let files =
        |kept: &Kept| -> Vec<String> { kept.head.traces.iter().map(|t| t.file.clone()).collect() };
    let all: Vec<_> = shelf
        .kept
        .iter()
        .map(|kept| (kept.process, kept.head.index, files(kept)))
        .collect();
    let name = "test-acting-0-switches.dat";
    let wanted = [
        (0, 0, vec![name.to_owned()]),
        (0, 1, vec![]),
        (1, 0, vec![]),
        (1, 1, vec![]),
    ];
    assert_eq!(all, wanted);
    assert!(trace::file::open(&traces.join(name)).is_ok());
    // A folder that cannot be made: noted, and the point is measured.
    session.context.traces = Some("/dev/null/traces".into());
    let mut shelf = Shelf::default();
    session.run(&points, &mut shelf, &mut NoProgress).unwrap();
    let first = &shelf.kept[0];
    assert!(first.head.state == PointState::Done && first.head.traces.is_empty());
    let notes = &first.notes;
    let text = "its trace is not kept: cannot create /dev/null/traces";
    assert!(notes.iter().any(|n| n.starts_with(text)), "{notes:?}");
}

pub fn what_interrupts_is_kept_where_it_is_asked_for() {
    let scratch = tempfile::tempdir().unwrap();
    let mut shelf = Shelf::default();
    let asked = Session {
        interrupts: true,
        ..session(scratch.path())
    };
    let plan = plan(&[&["calm"], &["a", "b"]]);
    let ending = asked.run(&plan, &mut shelf, &mut NoProgress).unwrap();
    if ending.notes.iter().any(|n| n.contains("/proc/interrupts")) {
        // A container may hide it.
        return;
    }
    let met = |index: u32| {
        let met = shelf.of(index).head.interrupts.clone();
        met.expect("it was counted")
    };
    let (calm, a, b) = (met(0), met(1), met(2));
    assert_eq!((calm.points, a.points), (1, 2));
    assert_eq!(a, b, "points of a block share it");
    assert!(calm.over_ns > 0 && !calm.with_setup);
    assert_eq!(calm.cpu, asked.context.test_cpu);
    let (shelf, _) = run(&plan[..]);
    assert_eq!(shelf.of(0).head.interrupts, None);
}

pub fn repetitions_visit_experiments_in_rounds() {
    let scratch = tempfile::tempdir().unwrap();
    let mut session = session(scratch.path());
    session.processes = 3;
    let plan = [
        experiment("test/x", 0, &[&["a"]]),
        experiment("test/y", 1, &[&["b"]]),
    ];
    let mut shelf = Shelf::default();
    session.run(&plan, &mut shelf, &mut NoProgress).unwrap();
    let order: Vec<(u16, u32)> = shelf
        .kept
        .iter()
        .map(|k| (k.process, k.head.index))
        .collect();
    assert_eq!(order, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]);
    for kept in &shelf.kept {
        assert!(kept.samples.iter().all(|s| s.process == kept.process));
    }
}
