//! Records from elsewhere that would wait for ever or take all memory.

mod common;

use common::{outcome, samples_of, small_head};
use record::{PointState, Run, RunState, RunWriter};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

fn closed(parent: &Path, samples: u32) -> PathBuf {
    let head = small_head("r");
    let mut writer = RunWriter::create(parent, head.clone()).unwrap();
    for index in 0..8 {
        let (point, samples) = outcome(&head, index, samples);
        writer.append_point(&point, &samples).unwrap();
    }
    let mut head = writer.head().clone();
    head.state = RunState::Complete;
    writer.close(head).unwrap();
    parent.join("r")
}

fn cause(folder: &Path) -> String {
    match Run::open(folder) {
        Err(error) => error.to_string(),
        Ok(run) => run.samples("copy/memcpy").unwrap_err().to_string(),
    }
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn a_head_that_never_ends_or_never_begins_is_refused() {
    let parent = tempfile::tempdir().unwrap();
    let folder = closed(parent.path(), 2);
    let head = folder.join("run.json");
    fs::remove_file(&head).unwrap();
    symlink("/dev/zero", &head).unwrap();
    assert!(cause(&folder).contains("it is a character device, not a regular file"));
    fs::remove_file(&head).unwrap();
    fifo(&head);
    assert!(cause(&folder).contains("it is a FIFO, not a regular file"));
    fs::remove_file(&head).unwrap();
    fs::File::create(&head).unwrap().set_len(1 << 40).unwrap();
    assert!(
        cause(&folder).contains("it has more than"),
        "{}",
        cause(&folder)
    );
}

#[test]
fn a_stream_or_a_table_that_is_a_fifo_is_refused() {
    let parent = tempfile::tempdir().unwrap();
    let folder = closed(parent.path(), 2);
    let table = folder.join("copy-memcpy.parquet");
    fs::remove_file(&table).unwrap();
    fifo(&table);
    assert!(cause(&folder).contains("it is a FIFO, not a regular file"));
    drop(RunWriter::create(parent.path(), small_head("s")).unwrap());
    let folder = parent.path().join("s");
    fs::remove_file(folder.join("samples.stream")).unwrap();
    fifo(&folder.join("samples.stream"));
    assert!(cause(&folder).contains("it is a FIFO, not a regular file"));
    let error = RunWriter::resume(&folder).unwrap_err().to_string();
    assert!(error.contains("is not a regular file"), "{error}");
}

/// What a resumed run writes must not go through a link that came with it.
#[test]
fn a_stream_that_is_a_link_is_not_written() {
    let parent = tempfile::tempdir().unwrap();
    drop(RunWriter::create(parent.path(), small_head("r")).unwrap());
    let folder = parent.path().join("r");
    let victim = parent.path().join("victim");
    fs::rename(folder.join("samples.stream"), &victim).unwrap();
    symlink(&victim, folder.join("samples.stream")).unwrap();
    let before = fs::read(&victim).unwrap();
    assert!(RunWriter::resume(&folder).is_err());
    assert_eq!(fs::read(&victim).unwrap(), before);
}

#[test]
fn braces_without_end_are_an_error_and_no_crash() {
    let parent = tempfile::tempdir().unwrap();
    let folder = closed(parent.path(), 2);
    for (open, text) in [("[", "{\"schema_version\":1,\"x\":"), ("{\"a\":", "")] {
        let deep = format!("{text}{}", open.repeat(200_000));
        fs::write(folder.join("run.json"), deep).unwrap();
        assert!(cause(&folder).contains("not JSON"), "{}", cause(&folder));
    }
}

/// Any JSON takes 26 times its size in memory, so little of it is read as that.
#[test]
fn a_head_is_read_as_what_it_is() {
    let parent = tempfile::tempdir().unwrap();
    let folder = closed(parent.path(), 2);
    let path = folder.join("run.json");
    let good: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let with = |name: &str, bytes: usize| {
        let mut head = good.clone();
        head[name] = "HERE".into();
        let filler = format!("[{}[]]", "[],".repeat(bytes / 3));
        let text = head.to_string();
        fs::write(&path, text.replacen("\"HERE\"", &filler, 1)).unwrap();
    };
    with("machine_full", 1 << 20);
    Run::open(&folder).unwrap();
    with("machine_full", 17 << 20);
    assert!(
        cause(&folder).contains("machine_full has 17825"),
        "{}",
        cause(&folder)
    );
    // What this program does not know is passed by, however much it is.
    with("of_a_later_program", 4 << 20);
    Run::open(&folder).unwrap();
    with("findings", 1 << 20);
    assert!(cause(&folder).contains("invalid"), "{}", cause(&folder));
    fs::write(&path, format!("[{good}]")).unwrap();
    assert!(cause(&folder).contains("does not start with {"));
}

/// A table with `change` made to it, listed in run.json as if it had been
/// written so.
fn forge(folder: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let path = folder.join("copy-memcpy.parquet");
    let mut bytes = fs::read(&path).unwrap();
    change(&mut bytes);
    fs::write(&path, &bytes).unwrap();
    let head = folder.join("run.json");
    let mut json: serde_json::Value = serde_json::from_slice(&fs::read(&head).unwrap()).unwrap();
    let tables = json["tables"].as_array_mut().unwrap();
    let table = tables
        .iter_mut()
        .find(|t| t["file"] == "copy-memcpy.parquet")
        .unwrap();
    table["bytes"] = bytes.len().into();
    table["crc32"] = crc32fast::hash(&bytes).into();
    fs::write(head, json.to_string()).unwrap();
}

/// Replaces the size that a page declares, of three bytes, by the largest that
/// fits there.
fn declare_a_megabyte(bytes: &mut [u8]) {
    let header = |w: &[u8]| {
        w[0] == 0x15
            && [0, 4, 6].contains(&w[1])
            && w[2] == 0x15
            && w[3] >= 0x80
            && w[4] >= 0x80
            && w[5] < 0x80
            && w[6] == 0x15
    };
    let at = bytes.windows(7).position(header).expect("a page of 8 KiB");
    bytes[at + 3..at + 6].copy_from_slice(&[0xfe, 0xff, 0x7f]);
}

#[test]
fn a_page_that_declares_more_than_it_can_hold_is_refused_before_room_is_made() {
    let parent = tempfile::tempdir().unwrap();
    let folder = closed(parent.path(), 400);
    forge(&folder, |bytes| declare_a_megabyte(bytes));
    let cause = cause(&folder);
    assert!(cause.contains("declares 1048575 bytes unpacked"), "{cause}");
}

#[test]
fn very_many_equal_rows_in_a_small_file_are_refused() {
    let parent = tempfile::tempdir().unwrap();
    let head = small_head("r");
    let mut writer = RunWriter::create(parent.path(), head.clone()).unwrap();
    let mut point = head.points[1].clone();
    point.state = PointState::Done;
    let one = samples_of(&point, 1, 1)[0].clone();
    for _ in 0..3 {
        writer
            .append_point(&point, &vec![one.clone(); 100_000])
            .unwrap();
    }
    let mut head = writer.head().clone();
    head.state = RunState::Incomplete {
        reason: "test".into(),
    };
    writer.close(head).unwrap();
    let folder = parent.path().join("r");
    fs::remove_file(folder.join("samples.stream")).unwrap();
    let cause = cause(&folder);
    assert!(cause.contains("it declares 300000 rows in"), "{cause}");
}

/// The other side of the limit: what is really measured is read.
#[test]
fn tables_of_ordinary_runs_are_far_from_the_limits() {
    let parent = tempfile::tempdir().unwrap();
    let folder = closed(parent.path(), 2000);
    let samples = Run::open(&folder).unwrap().samples("copy/memcpy").unwrap();
    assert_eq!(
        samples.values().map(Vec::len).sum::<usize>(),
        6 * 2 * 2 * 2000
    );
}
