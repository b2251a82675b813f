use super::simulated::{Forgets, Simulated};
use super::{FileStore, Found, RECORD_BYTES, Way, Writer, read, record};
use harness::SetupError;
use proptest::prelude::*;
use testbed::context;

/// Enough for records that begin and end at each word of a line.
const RECORDS: usize = 40;

/// Writes until the crash; what was acknowledged, and what is found.
fn crashed(steps: u32, seed: u64, forgets: Forgets) -> (u64, Found) {
    let mut medium = Simulated::new(RECORDS * RECORD_BYTES, steps, seed, forgets);
    let mut acknowledged = 0;
    let mut writer = Writer::new(&mut medium);
    for _ in 0..RECORDS {
        match writer.append() {
            Ok(number) => acknowledged = number,
            Err(_) => break,
        }
    }
    (acknowledged, read(&medium.crash()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn nothing_acknowledged_is_lost(steps in 0u32..1300, seed: u64) {
        let (acknowledged, found) = crashed(steps, seed, Forgets::Nothing);
        prop_assert!(found.records >= acknowledged, "{acknowledged} {found:?}");
        prop_assert!(found.records <= acknowledged + 1, "{acknowledged} {found:?}");
    }

    #[test]
    fn a_changed_byte_ends_the_log_before_it(at in 0usize..8000, change in 1u8..) {
        let mut log: Vec<u8> = (1..=RECORDS as u64).flat_map(record).collect();
        let at = at % log.len();
        log[at] ^= change;
        let found = read(&log);
        prop_assert!(found.end <= at && found.records < RECORDS as u64);
        prop_assert!(found.torn);
    }
}

/// Crashes after which something acknowledged is missing.
fn losses(forgets: Forgets) -> usize {
    let runs = (0..400u64).map(|seed| crashed(30 + (seed as u32 * 13) % 1200, seed, forgets));
    runs.filter(|(acknowledged, found)| found.records < *acknowledged)
        .count()
}

#[test]
fn a_writer_that_forgets_is_caught() {
    assert_eq!(losses(Forgets::Nothing), 0);
    for forgets in [Forgets::Flush, Forgets::Fence, Forgets::LastLine] {
        assert!(losses(forgets) > 40, "{forgets:?}: {}", losses(forgets));
    }
}

#[test]
fn a_torn_tail_is_reported_and_an_empty_log_is_none() {
    let mut log: Vec<u8> = (1..=3).flat_map(record).collect();
    let end = log.len();
    log.extend([0; 4096]);
    let whole = Found {
        records: 3,
        end,
        torn: false,
    };
    assert_eq!(read(&log), whole);
    log[end + 100] = 1;
    assert_eq!(
        read(&log),
        Found {
            torn: true,
            ..whole
        }
    );
    assert_eq!(read(&log[..end - 1]).records, 2);
    assert_eq!(read(&[]).records, 0);
    assert_eq!(read(&[0xff; 100]).records, 0);
}

#[test]
fn files_take_logs_by_every_way_they_have() {
    let (context, _keep) = context();
    for sync in [
        Way::MapSync,
        Way::Lines,
        Way::Msync,
        Way::Fdatasync,
        Way::None,
    ] {
        let path = context.scratch.join(format!("{sync:?}"));
        let store = match FileStore::create(&path, 40 * RECORD_BYTES, sync) {
            Ok(store) => store,
            Err(SetupError::Skip { reason, .. }) if sync == Way::MapSync => {
                assert!(reason.contains("MAP_SYNC"), "{reason}");
                continue;
            }
            Err(other) => panic!("{sync:?}: {other}"),
        };
        let mut writer = Writer::new(store);
        for number in 1..=40 {
            assert_eq!(writer.append().unwrap(), number, "{sync:?}");
        }
        drop(writer);
        let found = read(&std::fs::read(&path).unwrap());
        assert_eq!((found.records, found.torn), (40, false), "{sync:?}");
        let again = FileStore::create(&path, 1, sync);
        assert!(
            matches!(again, Err(SetupError::Fail(_))),
            "a log is never overwritten"
        );
    }
}

#[test]
fn a_mapped_log_that_is_full_says_so() {
    let (context, _keep) = context();
    let store = FileStore::create(&context.scratch.join("log"), 1, Way::Msync).unwrap();
    let mut writer = Writer::new(store);
    let written = (0..1000).take_while(|_| writer.append().is_ok()).count();
    assert!(
        (4096 / RECORD_BYTES..4096 / 32).contains(&written),
        "{written}"
    );
}
