//! The toll map ranks what may be believed and explains what is absent.

mod synthetic;

use analysis::view::ContaminationLevel;
use report::toll::{COLUMNS_BYTES, Standing, Toll, TollCell, TollMap, flag_mark};

fn cell(map: &TollMap, label: &str, bytes: u64) -> TollCell {
    let column = COLUMNS_BYTES
        .iter()
        .position(|b| *b == bytes)
        .expect("a column of the map");
    let row = map
        .rows
        .iter()
        .find(|r| r.label == label)
        .expect("a row of the map");
    row.cells[column].clone()
}

fn measured(map: &TollMap, label: &str, bytes: u64) -> Toll {
    match cell(map, label, bytes) {
        TollCell::Measured(t) => t,
        other => panic!("{label} at {bytes}: {other:?}"),
    }
}

#[test]
fn one_cheapest_in_each_column() {
    let map = TollMap::of(&synthetic::run());
    for column in 0..COLUMNS_BYTES.len() {
        let tolls: Vec<&Toll> = map
            .rows
            .iter()
            .filter_map(|r| match &r.cells[column] {
                TollCell::Measured(t) => Some(t),
                _ => None,
            })
            .collect();
        let best: Vec<&&Toll> = tolls
            .iter()
            .filter(|t| t.standing == Standing::Cheapest)
            .collect();
        assert_eq!(best.len(), 1);
        for t in tolls.iter().filter(|t| t.standing == Standing::Costlier) {
            assert!(t.ns.center > best[0].ns.center && t.ns.low > best[0].ns.high);
        }
    }
}

#[test]
fn a_contaminated_cell_is_shown_but_not_ranked() {
    let map = TollMap::of(&synthetic::run());
    let hot = measured(&map, "memcpy hot", 64 << 10);
    assert_eq!(hot.flag, ContaminationLevel::Contaminated);
    assert_eq!(hot.standing, Standing::NotRanked);
    assert_eq!(flag_mark(&hot), "!");
}

#[test]
fn rate_is_bytes_once_over_time() {
    let map = TollMap::of(&synthetic::run());
    let t = measured(&map, "memcpy cold", 1 << 20);
    let rate = t.gb_per_s.expect("copies move bytes");
    assert!((rate * t.ns.center - (1 << 20) as f64).abs() < 1e-6);
}

#[test]
fn skipped_cells_share_one_note_with_the_remedy() {
    let map = TollMap::of(&synthetic::run());
    let TollCell::Absent { note } = cell(&map, "copy_to_user, pread huge", 64) else {
        panic!("expected a skip")
    };
    let other = cell(&map, "copy_from_user, pwrite huge", 16 << 20);
    assert_eq!(other, TollCell::Absent { note });
    assert_eq!(map.notes[note].word, "SKIP");
    assert!(map.notes[note].remedy.contains("nr_hugepages"));
}

#[test]
fn a_row_skipped_as_a_whole_has_its_reason_in_every_column() {
    let map = TollMap::of(&synthetic::run());
    for bytes in COLUMNS_BYTES {
        assert!(matches!(
            cell(&map, "DMA channel", bytes),
            TollCell::Absent { .. }
        ));
    }
}

#[test]
fn what_was_not_reached_is_missing() {
    let map = TollMap::of(&synthetic::incomplete());
    assert_eq!(
        cell(&map, "copy_from_user, pipe", 1 << 20),
        TollCell::Missing
    );
}
