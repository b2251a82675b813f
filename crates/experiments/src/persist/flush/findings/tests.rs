use super::{CLAIMS, findings};
use crate::testing::table;
use analysis::{ExperimentTable, PointView};
use record::Finding;
use testbed::{int, measured, word};

const ID: &str = "persist/flush";

fn at(method: &str, place: &str, fence: &str, size: i64, ns: f64, write: f64) -> PointView {
    let settings = [
        word("method", method),
        word("place", place),
        word("fence", fence),
        int("size", size),
    ];
    measured(ID, &settings, &[ns, write])
}

/// 160 ns for a fence, 40 for a store; msync 20 µs and flat; DAX next to it.
fn machine() -> ExperimentTable {
    let mut points = Vec::new();
    for size in [64i64, 4096, 1 << 20] {
        let lines = size as f64 / 64.0;
        let block = |ns: f64| 160.0 + lines * ns;
        points.extend([
            at("store", "anonymous", "per_block", size, 40.0 + lines, 40.0),
            at(
                "clflush",
                "anonymous",
                "per_block",
                size,
                2.0 * block(6.0),
                40.0,
            ),
            at(
                "clflushopt",
                "anonymous",
                "per_block",
                size,
                block(6.0),
                40.0,
            ),
            at("clwb", "anonymous", "per_block", size, block(4.0), 40.0),
            at("clwb", "anonymous", "per_line", size, 160.0 * lines, 40.0),
            at("msync", "tmpfs", "per_block", size, 290.0, 40.0),
            at("store", "dax", "per_block", size, 40.0 + lines, 40.0),
            at("clwb", "dax", "per_block", size, block(4.0), 40.0),
            at("map_sync", "dax", "per_block", size, block(4.0), 40.0),
            at("msync", "dax", "per_block", size, 20_000.0, 6_000.0),
        ]);
    }
    table(ID, points)
}

fn find<'a>(all: &'a [Finding], key: &str) -> &'a Finding {
    let found = all.iter().find(|f| f.key == key);
    found.unwrap_or_else(|| panic!("no {key} among {all:#?}"))
}

#[test]
fn the_cheapest_is_found_for_each_place_and_size() {
    let all = findings(&machine());
    let small = find(&all, "cheapest_anonymous_64");
    assert!(
        small.sentence.contains("clwb, 164 ns"),
        "{}",
        small.sentence
    );
    assert!(
        small.sentence.contains("clflushopt cannot be separated")
            || small.sentence.contains("next is clflushopt")
    );
    let large = find(&all, "cheapest_dax_1048576");
    assert!(
        large.sentence.contains("make 1 MiB persistent"),
        "{}",
        large.sentence
    );
    assert!(large.sentence.contains("msync"), "{}", large.sentence);
    assert!(!all.iter().any(|f| f.key.starts_with("cheapest_file")));
}

#[test]
fn a_crossing_is_found_where_another_way_wins() {
    let all = findings(&machine());
    let crossing = all.iter().find(|f| f.key.starts_with("break_even_dax"));
    let crossing = crossing.expect("msync wins at 1 MiB");
    assert!(crossing.key.ends_with("_msync"), "{}", crossing.key);
    assert!(
        crossing.sentence.contains("from 1 MiB on"),
        "{}",
        crossing.sentence
    );
    assert!(
        !all.iter()
            .any(|f| f.key.starts_with("break_even_anonymous"))
    );
}

#[test]
fn a_fence_for_each_line_is_set_against_one_for_the_block() {
    let all = findings(&machine());
    let times = find(&all, "fence_clwb_anonymous").value.unwrap();
    assert!((times - 10240.0 / 416.0).abs() < 0.01, "{times}");
}

#[test]
fn tmpfs_is_flagged_and_map_sync_is_free() {
    let all = findings(&machine());
    let nothing = find(&all, "no_persistence_msync");
    assert!(
        nothing.sentence.contains("flushes nothing"),
        "{}",
        nothing.sentence
    );
    assert!(find(&all, "map_sync").sentence.contains("costs nothing"));
    let fault = find(&all, "fault_dax");
    assert_eq!(fault.value, Some(6_000.0));
    assert!(
        fault.sentence.contains("104 ns where it has not"),
        "{}",
        fault.sentence
    );
}

#[test]
fn claims_hold_fail_and_stay_open() {
    let check = |t: &ExperimentTable| -> Vec<Option<bool>> {
        CLAIMS
            .iter()
            .map(|c| (c.check)(t).map(|o| o.held().expect(&o.evidence)))
            .collect()
    };
    assert_eq!(check(&machine()), [Some(true), Some(true)]);
    let odd = table(
        ID,
        vec![
            at("store", "anonymous", "per_block", 256, 100.0, 100.0),
            at("clflush", "anonymous", "per_block", 256, 50.0, 100.0),
            at("clflushopt", "anonymous", "per_block", 256, 90.0, 100.0),
        ],
    );
    assert_eq!(check(&odd), [Some(false), Some(false)]);
    let empty = table(ID, Vec::new());
    assert_eq!(check(&empty), [None, None]);
    assert_eq!(findings(&empty), []);
}
