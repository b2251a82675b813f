//! Small facts that others rest on: values of axes, labels, cards, what to do about
//! an error, where a moment goes.

mod common;

use common::{outcome, point, setting, small_head};
use record::{AxisValue, Cache, CacheKind, MachineCard, RecordError, moment};
use std::io::{Error, ErrorKind};
use std::path::PathBuf;

#[test]
fn a_value_is_a_number_or_a_word() {
    let (number, word) = (AxisValue::from(64), AxisValue::from("hot"));
    assert_eq!((number.as_int(), number.as_word()), (Some(64), None));
    assert_eq!((word.as_int(), word.as_word()), (None, Some("hot")));
}

#[test]
fn a_point_is_called_by_its_settings() {
    let settings = vec![setting("size", 4096), setting("cache", "hot")];
    let point = point(0, "copy/memcpy", settings);
    assert_eq!(point.label(), "size=4096 cache=hot");
    assert_eq!(point.value("size"), Some(&AxisValue::Int(4096)));
    assert_eq!(point.value("other"), None);
}

#[test]
fn an_emulated_machine_is_known_by_its_word_or_its_hypervisor() {
    let of = |hypervisor: Option<&str>, emulated: Option<&str>| {
        let card = MachineCard {
            hypervisor: hypervisor.map(str::to_owned),
            emulated: emulated.map(str::to_owned),
            ..MachineCard::default()
        };
        card.is_emulated()
    };
    assert!(!of(None, None) && !of(Some("KVM"), None));
    assert!(of(Some("QEMU (TCG)"), None) && of(Some("an Emulator"), None));
    assert!(of(None, Some("TCG")));
}

#[test]
fn caches_that_hold_data_come_nearest_first() {
    let cache = |level, kind| Cache {
        level,
        kind,
        size_bytes: 1 << (10 + level),
        line_bytes: None,
        ways: None,
        shared_by: Vec::new(),
        instances: 1,
    };
    let card = MachineCard {
        caches: vec![
            cache(3, CacheKind::Unified),
            cache(1, CacheKind::Instruction),
            cache(1, CacheKind::Data),
        ],
        ..MachineCard::default()
    };
    let levels: Vec<u32> = card.data_caches().iter().map(|c| c.level).collect();
    assert_eq!(levels, [1, 3]);
    assert_eq!(card.last_level().map(|c| c.level), Some(3));
    assert!(MachineCard::default().last_level().is_none());
}

#[test]
fn each_cause_has_its_remedy() {
    let of = |kind: ErrorKind, needed_bytes| RecordError::Io {
        verb: "write",
        path: PathBuf::from("runs/r/samples.stream"),
        source: Error::from(kind),
        needed_bytes,
    };
    let hint = |kind, needed| of(kind, needed).hint().unwrap_or_default();
    assert!(
        hint(ErrorKind::StorageFull, Some(4096)).starts_with("free at least 4 KiB on the file")
    );
    assert!(hint(ErrorKind::QuotaExceeded, None).starts_with("free space on the file system"));
    assert!(hint(ErrorKind::PermissionDenied, Some(1)).contains("ls -ld runs/r"));
    assert!(hint(ErrorKind::NotFound, None).starts_with("check the path"));
    assert!(hint(ErrorKind::Other, Some(1)).contains("dmesg"));
    assert_eq!(of(ErrorKind::Other, None).hint(), None);
    for (kind, full) in [
        (ErrorKind::FileTooLarge, true),
        (ErrorKind::WriteZero, true),
        (ErrorKind::NotFound, false),
        (ErrorKind::Other, false),
    ] {
        assert_eq!(of(kind, Some(1)).is_full(), full, "{kind}");
    }
    let none = RecordError::BadName { id: String::new() };
    assert!(!none.is_full());
}

/// A moment is no measured time: it has no duration and no floor.
#[test]
fn the_samples_of_a_moment_have_nothing_of_the_samples_time() {
    let head = small_head("r");
    let mut sample = outcome(&head, 0, 1).1[0].clone();
    (sample.floor_ns, sample.elapsed_ns) = (3.0, 5.0);
    let [seconds, nanoseconds] = moment::samples_of(&sample, [7, 8], 2_000_000_003);
    assert_eq!((seconds.metric, seconds.value), (7, 2.0));
    assert_eq!((nanoseconds.metric, nanoseconds.value), (8, 3.0));
    for half in [seconds, nanoseconds] {
        assert_eq!((half.floor_ns, half.elapsed_ns), (0.0, 0.0));
        assert_eq!((half.process, half.index), (sample.process, sample.index));
    }
}
