//! Recorded copies: stored next to the samples, read back bit by bit.

mod common;

use common::{experiment, metric, small_head};
use record::{CopyOperation, Engine, RecordError, RecordedCopy, Run, RunWriter, Unit};
use std::fs;
use std::path::{Path, PathBuf};

const ID: &str = "copies/trace";

fn copies() -> Vec<RecordedCopy> {
    let of = |n: u64, operation, engine| RecordedCopy {
        operation,
        ring: 3,
        sequence: u64::MAX - n,
        size_bytes: n * 8,
        cpu_start: 3,
        cpu_end: n.is_multiple_of(2).then_some(5),
        t0_ns: 613_326_537_662 + n,
        t1_ns: u64::MAX,
        caller: 0xffff_ffff_8144_c129,
        symbol: (n == 1).then(|| "tty_ioctl+0x1e9".to_owned()),
        engine,
        not_copied_bytes: (n == 2).then_some(7),
        process: (n > 3).then_some(4711),
    };
    let operations = CopyOperation::ALL.into_iter().zip(0..);
    operations
        .map(|(operation, n)| {
            let engine = if n == 3 { Engine::Dma } else { Engine::Cpu };
            of(n, operation, engine)
        })
        .collect()
}

fn written() -> (tempfile::TempDir, PathBuf) {
    let parent = tempfile::tempdir().unwrap();
    let mut head = small_head("20231114T221320Z-copies");
    let metrics = vec![metric("time", Unit::Nanoseconds)];
    head.experiments = vec![experiment(ID, Vec::new(), metrics)];
    head.points.clear();
    let mut writer = RunWriter::create(parent.path(), head.clone()).unwrap();
    writer.write_copies(ID, &copies()[..1]).unwrap();
    writer.write_copies(ID, &copies()).unwrap();
    let other = writer.write_copies("copies/other", &copies());
    assert!(matches!(other, Err(RecordError::UnknownExperiment { .. })));
    let folder = writer.folder().to_owned();
    (parent, folder)
}

fn closed(folder: &Path) {
    let mut writer = RunWriter::resume(folder).unwrap();
    let mut head = writer.head().clone();
    head.state = record::RunState::Complete;
    head.ended_utc = Some("2023-11-14T22:13:40Z".into());
    writer.close(head).unwrap();
}

#[test]
fn copies_of_a_run_that_was_never_closed_are_read_as_stored() {
    let (_parent, folder) = written();
    let run = Run::open(&folder).unwrap();
    assert_eq!(run.copies(ID).unwrap(), Some(copies()));
    assert_eq!(run.copies("syscall/getppid").unwrap(), None);
}

#[test]
fn closing_and_resuming_keep_them() {
    let (_parent, folder) = written();
    closed(&folder);
    let run = Run::open(&folder).unwrap();
    assert_eq!(run.copies(ID).unwrap(), Some(copies()));
    // Next to them is the table of samples, which has none.
    assert!(run.samples(ID).unwrap().is_empty());
}

/// A text that stands once in the file may be meant by every row.
#[test]
fn long_texts_in_every_row_are_refused() {
    let (_parent, folder) = written();
    let mut writer = RunWriter::resume(&folder).unwrap();
    let named = |bytes: usize| RecordedCopy {
        symbol: Some("s".repeat(bytes)),
        ..copies()[0].clone()
    };
    // As long as they get, and all as long as most are.
    let mut long = vec![named(20); 20_000];
    long[0] = named(512);
    writer.write_copies(ID, &long).unwrap();
    let run = Run::open(&folder).unwrap();
    assert_eq!(run.copies(ID).unwrap().unwrap().len(), 20_000);
    writer.write_copies(ID, &vec![named(1024); 20_000]).unwrap();
    let cause = Run::open(&folder)
        .unwrap()
        .copies(ID)
        .unwrap_err()
        .to_string();
    assert!(
        cause.contains("holds 20480000 bytes of text in 20000 rows"),
        "{cause}"
    );
}

#[test]
fn damage_is_reported_and_a_table_of_samples_is_none_of_copies() {
    let (_parent, folder) = written();
    let path = folder.join("copies-trace.copies");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    let why = Run::open(&folder).unwrap().copies(ID).unwrap_err();
    assert!(why.to_string().contains("checksum mismatch"), "{why}");
    fs::remove_file(&path).unwrap();
    assert!(Run::open(&folder).unwrap().copies(ID).is_err());
}

#[test]
fn runs_without_copies_say_nothing_of_them() {
    let parent = tempfile::tempdir().unwrap();
    let writer = RunWriter::create(parent.path(), small_head("20231114T221320Z-none")).unwrap();
    let head = fs::read_to_string(writer.folder().join("run.json")).unwrap();
    assert!(!head.contains("\"copies\""), "{head}");
}

/// The table of version 1 is in the fixture v1-offload.
#[test]
fn a_table_of_version_2_opens_with_iov_iter_and_process() {
    let fixture = "../../fixtures/records/v1-copies-2";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(fixture);
    let bytes = fs::read(folder.join("copies-trace.copies.parquet")).unwrap();
    // Key, header and length of the value, value.
    let version = b"pontage.copies_version\x18\x012";
    assert!(bytes.windows(version.len()).any(|w| w == version));
    let run = Run::open(&folder).unwrap();
    assert_eq!(run.copies(ID).unwrap(), Some(copies()));
}

/// `PONTAGE_FIXTURES=DIR cargo test -p pontage-record --test copies -- --ignored`. That of
/// a released version is never made again.
#[test]
#[ignore = "writes a fixture"]
fn make_fixture() {
    let to = PathBuf::from(std::env::var_os("PONTAGE_FIXTURES").expect("PONTAGE_FIXTURES=DIR"));
    let to = to.join("v1-copies-2");
    let (_parent, folder) = written();
    closed(&folder);
    fs::create_dir_all(&to).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}
