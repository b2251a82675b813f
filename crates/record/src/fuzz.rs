//! Fuzz targets of the three readers of a record: bytes from a file that anybody may have
//! written must give samples or an error, never a panic.
//!
//! `cargo test` runs each for a moment. For long:
//! `cargo bolero test -p record fuzz::stream_reader`.

use crate::head_file::HeadFile;
use crate::{stream, table};
use bolero::check;
use std::path::Path;
use std::time::Duration;

pub(crate) const MOMENT: Duration = Duration::from_secs(1);

/// Bytes at positions of a valid file (modulo its length) are replaced; then it
/// is cut to a share of its length. Reaches behind magic words and checksums,
/// which random bytes alone do not.
pub(crate) type Edits = (Vec<(u16, u8)>, u8);

pub(crate) fn edited(valid: &[u8], (edits, cut): &Edits) -> Vec<u8> {
    let mut bytes = valid.to_vec();
    for (at, value) in edits {
        let at = usize::from(*at) % bytes.len();
        bytes[at] = *value;
    }
    if *cut < 128 {
        bytes.truncate(bytes.len() * usize::from(*cut) / 128);
    }
    bytes
}

fn read_stream(bytes: &[u8]) {
    let mut samples = 0;
    let read = stream::read(Path::new("s"), bytes, bytes.len() as u64, &mut |_, s| {
        samples += s.len() as u64;
    });
    if let Ok(recovery) = read {
        assert_eq!(recovery.samples, samples);
        assert_eq!(
            recovery.kept_bytes + recovery.dropped_bytes,
            bytes.len() as u64
        );
    }
}

#[test]
fn stream_reader() {
    const VALID: &[u8] = include_bytes!("../../../fixtures/records/v1-crashed/samples.stream");
    check!().with_test_time(MOMENT).for_each(read_stream);
    check!()
        .with_test_time(MOMENT)
        .with_type::<Edits>()
        .for_each(|edits| read_stream(&edited(VALID, edits)));
}

/// The payload alone, without the checksum that guards it.
#[test]
fn point_decoder() {
    const VALID: &[u8] = include_bytes!("../../../fixtures/records/v1-crashed/samples.stream");
    let mut frames = crate::FrameReader::starting_at(&VALID[16..], 16);
    let valid = frames
        .next()
        .ok()
        .flatten()
        .expect("the fixture has a whole frame");
    assert!(stream::decode_point(&valid).is_ok());
    check!()
        .with_test_time(MOMENT)
        .with_type::<Edits>()
        .for_each(|edits| drop(stream::decode_point(&edited(&valid, edits))));
}

#[test]
fn head_reader() {
    const VALID: &[u8] = include_bytes!("../../../fixtures/records/v1-small/run.json");
    let read = |bytes: &[u8]| drop(HeadFile::parse(Path::new("run.json"), bytes));
    check!().with_test_time(MOMENT).for_each(read);
    check!()
        .with_test_time(MOMENT)
        .with_type::<Edits>()
        .for_each(|edits| read(&edited(VALID, edits)));
}

#[test]
fn table_reader() {
    const VALID: &[u8] = include_bytes!("../../../fixtures/records/v1-small/copy-memcpy.parquet");
    let read = |bytes: Vec<u8>| drop(table::read_table(Path::new("t.parquet"), bytes));
    check!()
        .with_test_time(MOMENT)
        .for_each(|bytes: &[u8]| read(bytes.to_vec()));
    check!()
        .with_test_time(MOMENT)
        .with_type::<Edits>()
        .for_each(|edits| read(edited(VALID, edits)));
}

#[test]
fn copies_reader() {
    const SAMPLES: &[u8] = include_bytes!("../../../fixtures/records/v1-small/copy-memcpy.parquet");
    let path = Path::new("c.parquet");
    let read = |bytes: Vec<u8>| table::read_copies(path, bytes);
    assert!(read(SAMPLES.to_vec()).is_err_and(|e| e.to_string().contains("copies_version")));
    let head = HeadFile::parse(
        Path::new("run.json"),
        include_bytes!("../../../fixtures/records/v1-small/run.json"),
    )
    .expect("the fixture is a run")
    .head;
    let copy = crate::RecordedCopy {
        operation: crate::CopyOperation::ToUser,
        ring: 0,
        sequence: 1102,
        size_bytes: 8,
        cpu_start: 0,
        cpu_end: None,
        t0_ns: 613_326_537_662,
        t1_ns: 613_326_537_755,
        caller: 0xffff_ffff_8144_c129,
        symbol: Some("tty_ioctl".to_owned()),
        engine: crate::Engine::Cpu,
        not_copied_bytes: None,
        process: None,
    };
    let valid = table::encode_copies(&head, "copies/trace", &vec![copy.clone(); 3])
        .expect("copies are stored")
        .bytes;
    assert_eq!(read(valid.clone()).expect("as stored"), vec![copy; 3]);
    check!()
        .with_test_time(MOMENT)
        .for_each(|bytes: &[u8]| drop(read(bytes.to_vec())));
    check!()
        .with_test_time(MOMENT)
        .with_type::<Edits>()
        .for_each(|edits| drop(read(edited(&valid, edits))));
}
