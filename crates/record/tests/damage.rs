//! Torn, damaged, foreign and unreadable run folders.

mod common;

use common::{outcome, small_head};
use proptest::prelude::*;
use record::{RecordError, Run, RunState, RunWriter};
use std::fs;
use std::path::{Path, PathBuf};

const STREAM: &str = "samples.stream";

/// An unclosed run of `count` points; where each frame ends in its stream.
fn crashed(parent: &Path, count: u32) -> (PathBuf, Vec<u64>) {
    let head = small_head("r");
    let mut writer = RunWriter::create(parent, head.clone()).unwrap();
    let folder = parent.join("r");
    let mut ends = vec![fs::metadata(folder.join(STREAM)).unwrap().len()];
    for index in 0..count {
        let (point, samples) = outcome(&head, index, 2);
        writer.append_point(&point, &samples).unwrap();
        ends.push(fs::metadata(folder.join(STREAM)).unwrap().len());
    }
    (folder, ends)
}

/// A closed, complete run.
fn closed(parent: &Path) -> PathBuf {
    let (folder, _) = crashed(parent, 8);
    let mut writer = RunWriter::resume(&folder).unwrap();
    let mut head = writer.head().clone();
    head.state = RunState::Complete;
    writer.close(head).unwrap();
    folder
}

fn points_held(run: &Run) -> u32 {
    let count = |e: &str| run.samples(e).unwrap().len();
    u32::try_from(count("syscall/getppid") + count("copy/memcpy")).unwrap()
}

#[test]
fn cut_at_every_byte_the_whole_points_remain() {
    let parent = tempfile::tempdir().unwrap();
    let (folder, ends) = crashed(parent.path(), 3);
    let whole = fs::read(folder.join(STREAM)).unwrap();
    for length in 0..=whole.len() {
        fs::write(folder.join(STREAM), &whole[..length]).unwrap();
        let run = Run::open(&folder).unwrap();
        let expected = ends[1..]
            .iter()
            .filter(|end| **end <= length as u64)
            .count();
        let recovery = run.recovery().unwrap();
        assert_eq!(recovery.frames as usize, expected, "cut at {length}");
        assert_eq!(points_held(&run) as usize, expected);
        assert_eq!(recovery.kept_bytes + recovery.dropped_bytes, length as u64);
        let at_a_seam = ends.contains(&(length as u64));
        assert_eq!(
            recovery.is_clean(),
            at_a_seam || length == 0,
            "cut at {length}"
        );
    }
}

#[test]
fn a_run_cut_anywhere_resumes_to_the_same_end() {
    let parent = tempfile::tempdir().unwrap();
    let (folder, _) = crashed(parent.path(), 3);
    let whole = fs::read(folder.join(STREAM)).unwrap();
    let head = fs::read(folder.join("run.json")).unwrap();
    for length in (0..=whole.len()).step_by(37) {
        fs::write(folder.join(STREAM), &whole[..length]).unwrap();
        fs::write(folder.join("run.json"), &head).unwrap();
        let mut writer = RunWriter::resume(&folder).unwrap();
        let done = writer.done();
        for index in (0..3).filter(|index| !done.contains(index)) {
            let (point, samples) = outcome(&small_head("r"), index, 2);
            writer.append_point(&point, &samples).unwrap();
        }
        drop(writer);
        assert_eq!(
            fs::read(folder.join(STREAM)).unwrap(),
            whole,
            "cut at {length}"
        );
    }
    assert!(folder.join("samples.stream.cut").exists());
}

#[test]
fn one_damaged_frame_costs_one_point() {
    let parent = tempfile::tempdir().unwrap();
    let (folder, ends) = crashed(parent.path(), 3);
    let mut bytes = fs::read(folder.join(STREAM)).unwrap();
    let inside_second = usize::try_from(ends[2]).unwrap() - 5;
    bytes[inside_second] ^= 0x10;
    fs::write(folder.join(STREAM), bytes).unwrap();
    let run = Run::open(&folder).unwrap();
    let recovery = run.recovery().unwrap();
    assert_eq!(
        (
            recovery.frames,
            recovery.damaged_frames,
            recovery.dropped_bytes
        ),
        (2, 1, 0)
    );
    let writer = RunWriter::resume(&folder).unwrap();
    assert_eq!(writer.done().into_iter().collect::<Vec<_>>(), [0, 2]);
}

#[test]
fn a_point_marked_as_done_but_damaged_is_measured_again() {
    let parent = tempfile::tempdir().unwrap();
    let (folder, _) = crashed(parent.path(), 3);
    let mut writer = RunWriter::resume(&folder).unwrap();
    let head = writer.head().clone();
    writer.update_head(&head).unwrap();
    drop(writer);
    let bytes = fs::read(folder.join(STREAM)).unwrap();
    fs::write(folder.join(STREAM), &bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(RunWriter::resume(&folder).unwrap().done().len(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// A flipped bit is noticed, and never becomes a wrong sample.
    #[test]
    fn a_flipped_bit_in_a_stream_is_noticed(at in any::<prop::sample::Index>()) {
        let parent = tempfile::tempdir().unwrap();
        let (folder, _) = crashed(parent.path(), 3);
        let mut bytes = fs::read(folder.join(STREAM)).unwrap();
        let bit = at.index(bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(folder.join(STREAM), bytes).unwrap();
        let Ok(run) = Run::open(&folder) else { return Ok(()) };
        prop_assert!(!run.recovery().unwrap().is_clean());
        for (index, stored) in run.samples("copy/memcpy").unwrap() {
            prop_assert_eq!(stored, outcome(&small_head("r"), index, 2).1);
        }
    }

    #[test]
    fn a_flipped_bit_in_a_table_is_noticed(at in any::<prop::sample::Index>()) {
        let parent = tempfile::tempdir().unwrap();
        let table = closed(parent.path()).join("copy-memcpy.parquet");
        let mut bytes = fs::read(&table).unwrap();
        let bit = at.index(bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&table, bytes).unwrap();
        let run = Run::open(&parent.path().join("r")).unwrap();
        let error = run.samples("copy/memcpy").unwrap_err().to_string();
        prop_assert!(error.ends_with("checksum mismatch"), "{error}");
    }
}

fn open_error(folder: &Path) -> String {
    Run::open(folder).unwrap_err().to_string()
}

#[test]
fn folders_that_are_no_runs_are_named_as_such() {
    let parent = tempfile::tempdir().unwrap();
    let here = parent.path();
    assert!(open_error(&here.join("none")).ends_with("there is no such folder"));
    assert!(open_error(here).ends_with("it has no run.json"));
    fs::write(here.join("file"), "x").unwrap();
    assert!(open_error(&here.join("file")).ends_with("it is not a folder"));
    fs::write(here.join(STREAM), "").unwrap();
    assert!(open_error(here).contains("interrupted before its first point"));

    let head = here.join("run.json");
    fs::write(&head, [0xff, 0xfe, 0]).unwrap();
    assert!(open_error(here).contains("not JSON"));
    fs::write(&head, r#"{"name": "another program's run"}"#).unwrap();
    assert!(open_error(here).ends_with("it has no schema_version"));
    fs::write(&head, r#"{"schema_version": 1}"#).unwrap();
    assert!(open_error(here).contains("missing field"));
    fs::write(&head, r#"{"schema_version": 0}"#).unwrap();
    assert!(open_error(here).contains("never existed"));
    fs::write(&head, r#"{"schema_version": 4000000000}"#).unwrap();
    let newer = Run::open(here).unwrap_err();
    assert!(matches!(
        newer,
        RecordError::TooNew {
            found: 4_000_000_000,
            known: record::SCHEMA_VERSION,
            ..
        }
    ));
    assert_eq!(newer.hint().unwrap(), "read it with a newer pontage");
}

#[test]
fn missing_short_and_foreign_tables_are_distinguished() {
    let parent = tempfile::tempdir().unwrap();
    let folder = closed(parent.path());
    let run = Run::open(&folder).unwrap();
    let table = folder.join("copy-memcpy.parquet");
    let bytes = fs::read(&table).unwrap();
    fs::write(&table, &bytes[..bytes.len() - 9]).unwrap();
    let short = run.samples("copy/memcpy").unwrap_err().to_string();
    assert!(
        short.contains(&format!("{} were written", bytes.len())),
        "{short}"
    );
    fs::remove_file(&table).unwrap();
    let missing = run.samples("copy/memcpy").unwrap_err().to_string();
    assert!(missing.contains("copy-memcpy.parquet") && missing.contains("No such file"));
    assert!(
        run.samples("syscall/getppid").is_ok(),
        "the others stay readable"
    );

    // A head that points out of the folder.
    let head = fs::read_to_string(folder.join("run.json")).unwrap();
    let evil = head.replace("copy-memcpy.parquet", "../../etc/passwd");
    fs::write(folder.join("run.json"), evil).unwrap();
    let outside = Run::open(&folder)
        .unwrap()
        .samples("copy/memcpy")
        .unwrap_err();
    assert!(
        outside.to_string().contains("leads out of the folder"),
        "{outside}"
    );
}

#[test]
fn a_foreign_or_newer_stream_is_not_appended_to() {
    let parent = tempfile::tempdir().unwrap();
    let (folder, _) = crashed(parent.path(), 1);
    fs::write(folder.join(STREAM), "another program's file").unwrap();
    assert!(open_error(&folder).ends_with("it is not a sample stream"));
    assert!(RunWriter::resume(&folder).is_err());
    assert_eq!(
        fs::read(folder.join(STREAM)).unwrap(),
        b"another program's file"
    );
    fs::remove_file(folder.join(STREAM)).unwrap();
    let gone = RunWriter::resume(&folder).unwrap_err().to_string();
    assert!(gone.ends_with("its samples.stream is missing"), "{gone}");
}
