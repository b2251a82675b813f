use super::findings;
use crate::testing::table;
use analysis::{ExperimentTable, PointView};
use record::{Finding, MachineCard, Verdict};
use testbed::{int, measured, word};

pub fn copied(method: &str, size: i64, cores: i64, gb_per_s: f64) -> PointView {
    let bytes = size * cores;
    let settings = [
        word("operation", "copy"),
        word("method", method),
        int("size", size),
        int("cores", cores),
    ];
    let mut point = measured("mem/bandwidth", &settings, &[bytes as f64 / gb_per_s]);
    point.head.bytes_per_op = Some(bytes.unsigned_abs());
    point
}

/// libc and avx2 alike in the first level, libc ahead beyond, nt ahead
/// from somewhere between 1 MiB and 16 MiB.
pub fn machine() -> ExperimentTable {
    let sizes = [16 << 10, 1 << 20, 16 << 20, 64 << 20];
    let rates = [
        ("libc", [150.0, 20.0, 8.0, 5.0]),
        ("avx2", [149.0, 18.0, 7.0, 4.0]),
        ("nt", [18.0, 16.0, 10.0, 8.0]),
    ];
    let mut points: Vec<PointView> = rates
        .iter()
        .flat_map(|(m, r)| sizes.iter().zip(r).map(|(s, r)| copied(m, *s, 1, *r)))
        .collect();
    points.push(copied("libc", 16 << 10, 2, 300.0));
    points.push(copied("libc", 64 << 20, 2, 6.0));
    table("mem/bandwidth", points)
}

pub fn find<'a>(all: &'a [Finding], key: &str) -> &'a Finding {
    let found = all.iter().find(|f| f.key == key);
    found.unwrap_or_else(|| panic!("no {key} among {all:#?}"))
}

#[test]
fn methods_that_cannot_be_separated_share_the_win() {
    let all = findings(&machine(), &MachineCard::default());
    assert_eq!(
        find(&all, "best_copy_method").sentence,
        "Fastest to copy with one CPU: 16 KiB libc or avx2 (150 GB/s); 1 MiB libc \
         (20.0 GB/s); 16 MiB to 64 MiB nt (10.0 to 8.00 GB/s)"
    );
}

#[test]
fn the_crossing_of_non_temporal_stores_lies_between_the_sizes_around_it() {
    let all = findings(&machine(), &MachineCard::default());
    let found = find(&all, "non_temporal_copy_pays_from");
    let (x, low, high) = (found.value, found.low, found.high);
    let mib = f64::from(1 << 20);
    assert!(x > Some(mib) && x < Some(16.0 * mib), "{x:?}");
    assert!(low <= x && x <= high);
    assert!(found.confidence.share > 0.9);
}

#[test]
fn non_temporal_stores_that_never_win_are_said_not_to_pay() {
    let mut t = machine();
    t.points
        .retain(|p| p.int("size").is_some_and(|s| s <= 1 << 20));
    let all = findings(&t, &MachineCard::default());
    let found = find(&all, "non_temporal_copy_pays_from");
    assert_eq!(found.value, None);
    assert_eq!(found.verdict, Verdict::Stated);
    assert!(
        found
            .sentence
            .ends_with("do not pay at any size up to 1 MiB")
    );
}

#[test]
fn a_win_within_the_noise_is_undecided() {
    let mut t = machine();
    t.points
        .retain(|p| p.int("size").is_some_and(|s| s <= 1 << 20));
    t.points.push(copied("libc", 16 << 20, 1, 8.0));
    t.points.push(copied("nt", 16 << 20, 1, 8.05));
    let all = findings(&t, &MachineCard::default());
    let found = find(&all, "non_temporal_copy_pays_from");
    assert_eq!(found.verdict, Verdict::Undecided);
}

#[test]
fn scaling_is_given_by_size_and_valued_at_the_largest() {
    let all = findings(&machine(), &MachineCard::default());
    let found = find(&all, "all_core_scaling");
    assert_eq!(
        found.sentence,
        "Copy bandwidth of 2 CPUs over 1 (libc): 2.00x at 16 KiB, 1.20x at 64 MiB"
    );
    let value = found.value.expect("it is stated");
    assert!((value - 1.2).abs() < 1e-9);
}

#[test]
fn the_largest_set_gives_a_rate_with_its_interval() {
    let all = findings(&machine(), &MachineCard::default());
    let found = find(&all, "largest_set_copy_bandwidth");
    let (low, value, high) = (found.low, found.value, found.high);
    assert!(low < value && value < high, "{found:?}");
    assert!(found.sentence.contains("64 MiB at 8.00 GB/s"));
}

#[test]
fn nothing_measured_says_nothing() {
    let empty = table("mem/bandwidth", Vec::new());
    assert_eq!(findings(&empty, &MachineCard::default()), []);
}
