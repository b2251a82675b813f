//! The committed records of every schema version: they open for ever.

mod common;

use common::{outcome, small_head};
use record::{PointHead, PointState, Run, RunState, RunWriter, Sample, SummaryRow, Yardstick};
use std::fs;
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/records")
        .join(name)
}

#[test]
fn small_opens_with_every_sample() {
    for version in ["v1-small", "v2-small"] {
        small_opens(version, |samples| samples);
    }
    small_opens("v3-small", with_all);
    let summary = Run::open(&fixture("v3-small")).unwrap().summary().unwrap();
    assert_eq!(summary.as_deref(), Some(&[row()][..]));
}

/// What samples have since version 3.
fn with_all(mut samples: Vec<Sample>) -> Vec<Sample> {
    for sample in &mut samples {
        let index = sample.index;
        sample.disturbance.bracket_batches = 1 + index % 3;
        sample.disturbance.off_cpu_ns = (!index.is_multiple_of(4)).then_some(u64::from(index));
        sample.yardstick = (!index.is_multiple_of(5)).then_some(Yardstick {
            link_ns: 0.25 + f64::from(index) / 1024.0,
            burst_ns: 0.0625,
        });
    }
    samples
}

fn row() -> SummaryRow {
    SummaryRow {
        experiment: "copy/memcpy".into(),
        settings: "size=64".into(),
        metric: "latency".into(),
        unit: "ns".into(),
        samples: 20,
        processes: 2,
        effective: 17.5,
        median: 12.5,
        low: Some(12.0),
        level: 0.95,
        method: "process-t".into(),
        verdict: Some("clean".into()),
        ..SummaryRow::default()
    }
}

fn small_opens(name: &str, made: fn(Vec<Sample>) -> Vec<Sample>) {
    let run = Run::open(&fixture(name)).unwrap();
    let head = run.head();
    let here = (head.schema_version, &head.state);
    assert_eq!(here, (record::SCHEMA_VERSION, &RunState::Complete));
    assert_eq!(head.id, "20231114T221320Z-written-not-measured");
    for index in 0..8 {
        let (point, samples) = outcome(&small_head("any"), index, 10);
        assert_eq!(*head.points[index as usize], point);
        let stored = run.samples(&point.experiment).unwrap();
        let stored = stored.get(&index).cloned().unwrap_or_default();
        assert_eq!(stored, made(samples));
    }
}

#[test]
fn crashed_opens_to_its_last_whole_point() {
    for version in ["v1-crashed", "v2-crashed"] {
        crashed_opens(version, |samples| samples);
    }
    crashed_opens("v3-crashed", with_all);
}

fn crashed_opens(name: &str, made: fn(Vec<Sample>) -> Vec<Sample>) {
    let run = Run::open(&fixture(name)).unwrap();
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
        let stored = &run.samples(&point.experiment).unwrap()[&index];
        assert_eq!(stored, &made(samples));
    }
    assert_eq!(run.head().points[3].state, PointState::Pending);
}

/// Where the ring ran was one axis in version 1 and is two since.
#[test]
fn v1_switch_says_where_its_ring_ran_in_the_words_of_today() {
    let run = Run::open(&fixture("v1-switch")).unwrap();
    let head = run.head();
    let axes: Vec<&str> = head.experiments[0]
        .axes
        .iter()
        .map(|a| a.name.as_str())
        .collect();
    assert_eq!(axes, ["processes", "footprint", "placement", "partner"]);
    let word = |p: &PointHead, axis| p.value(axis).and_then(|v| v.as_word()).unwrap().to_owned();
    let mut places: Vec<(String, String)> = head
        .points
        .iter()
        .map(|p| (word(p, "placement"), word(p, "partner")))
        .collect();
    places.sort();
    places.dedup();
    let expected = [
        ("same_cache", "awake"),
        ("same_cache", "busy"),
        ("same_cache", "idle"),
        ("same_cpu", "idle"),
    ];
    assert_eq!(places, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    let stored = run.samples("switch/context").unwrap();
    assert_eq!(stored.len(), head.points.len());
}

#[test]
fn a_run_of_version_1_is_gone_on_with() {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("v1-crashed");
    fs::create_dir(&folder).unwrap();
    for file in ["run.json", "samples.stream"] {
        fs::copy(fixture("v1-crashed").join(file), folder.join(file)).unwrap();
    }
    let mut writer = RunWriter::resume(&folder).unwrap();
    assert_eq!(writer.done().len(), 3);
    let (point, samples) = outcome(&small_head("any"), 3, 10);
    writer.append_point(&point, &samples).unwrap();
    drop(writer);
    let run = Run::open(&folder).unwrap();
    assert_eq!(run.recovery().unwrap().frames, 4);
    assert_eq!(run.samples(&point.experiment).unwrap()[&3], samples);
}

/// Makes the fixtures of the current version in a folder of your choice:
/// `PONTAGE_FIXTURES=DIR cargo test -p pontage-record --test fixtures -- --ignored`.
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
        writer.append_point(&point, &with_all(samples)).unwrap();
        if index == 3 {
            let stream = fs::read(folder.join("samples.stream")).unwrap();
            let crashed = to.join("v3-crashed");
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
    writer.write_summary(&[row()]).unwrap();
    writer.close(head).unwrap();
    fs::create_dir_all(to.join("v3-small")).unwrap();
    for entry in fs::read_dir(&folder).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join("v3-small").join(entry.file_name())).unwrap();
    }
}
