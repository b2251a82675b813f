//! The committed records of every schema version: they open for ever.

mod common;

use common::{outcome, small_head};
use record::{PointState, Run, RunState, RunWriter};
use std::fs;
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/records")
        .join(name)
}

#[test]
fn v1_small_opens_with_every_sample() {
    let run = Run::open(&fixture("v1-small")).unwrap();
    let head = run.head();
    assert_eq!((head.schema_version, &head.state), (1, &RunState::Complete));
    assert_eq!(head.id, "20231114T221320Z-written-not-measured");
    for index in 0..8 {
        let (point, samples) = outcome(&small_head("any"), index, 10);
        assert_eq!(head.points[index as usize], point);
        let stored = run.samples(&point.experiment).unwrap();
        assert_eq!(stored.get(&index).cloned().unwrap_or_default(), samples);
    }
}

#[test]
fn v1_crashed_opens_to_its_last_whole_point() {
    let run = Run::open(&fixture("v1-crashed")).unwrap();
    assert!(
        matches!(&run.head().state, RunState::Incomplete { reason } if reason.contains("killed"))
    );
    let recovery = run.recovery().unwrap();
    assert_eq!((recovery.frames, recovery.samples), (3, 100));
    assert!(
        recovery.dropped_bytes > 0 && recovery.damaged_frames == 0,
        "{recovery:?}"
    );
    for index in 0..3 {
        let (point, samples) = outcome(&small_head("any"), index, 10);
        assert_eq!(run.samples(&point.experiment).unwrap()[&index], samples);
    }
    assert_eq!(run.head().points[3].state, PointState::Pending);
}

/// Makes the fixtures of the current version in a folder of your choice:
/// `PONTAGE_FIXTURES=DIR cargo test -p record --test fixtures -- --ignored`.
/// Those of a released version are never made again.
#[test]
#[ignore = "writes fixtures"]
fn make_fixtures() {
    let to = PathBuf::from(std::env::var_os("PONTAGE_FIXTURES").expect("PONTAGE_FIXTURES=DIR"));
    let work = tempfile::tempdir().unwrap();
    let mut head = small_head("20231114T221320Z-written-not-measured");
    let mut writer = RunWriter::create(work.path(), head.clone()).unwrap();
    let folder = work.path().join(&head.id);
    for index in 0..8 {
        let (point, samples) = outcome(&head, index, 10);
        writer.append_point(&point, &samples).unwrap();
        if index == 3 {
            let stream = fs::read(folder.join("samples.stream")).unwrap();
            let crashed = to.join("v1-crashed");
            fs::create_dir_all(&crashed).unwrap();
            fs::copy(folder.join("run.json"), crashed.join("run.json")).unwrap();
            fs::write(
                crashed.join("samples.stream"),
                &stream[..stream.len() - 100],
            )
            .unwrap();
        }
    }
    head.state = RunState::Complete;
    head.ended_utc = Some("2023-11-14T22:13:40Z".into());
    writer.close(head).unwrap();
    fs::create_dir_all(to.join("v1-small")).unwrap();
    for entry in fs::read_dir(&folder).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join("v1-small").join(entry.file_name())).unwrap();
    }
}
