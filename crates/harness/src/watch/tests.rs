//! The watch of this machine, and of one that files describe.

use super::{Bracket, SystemWatch, Watch, Whole, brackets, is_blind};
use record::Disturbance;
use std::path::Path;

fn around(watch: &mut SystemWatch, batch: impl FnOnce()) -> Disturbance {
    watch.before();
    batch();
    watch.after().disturbance
}

fn fixture() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir(root.path().join("proc")).unwrap();
    counted(root.path(), 5, 7);
    root
}

fn counted(root: &Path, steal_ticks: u32, interrupts: u32) {
    let proc = root.join("proc");
    let stat = format!("cpu 1 1 1 1 1 1 1 {steal_ticks}\ncpu0 1 1 1 1 1 1 1 {steal_ticks}\n");
    std::fs::write(proc.join("stat"), stat).unwrap();
    let interrupts = format!(" CPU0\nLOC: {interrupts} timer\n");
    std::fs::write(proc.join("interrupts"), interrupts).unwrap();
}

#[test]
fn a_batch_that_sleeps_is_flagged() {
    let mut watch = SystemWatch::open(Path::new("/"), 0);
    let seen = around(&mut watch, || {
        std::thread::sleep(std::time::Duration::from_millis(20));
    });
    assert!(seen.voluntary_switches >= 1, "{seen:?}");
    // The scheduler's clock; a sleep may be longer than asked for, never shorter.
    assert!(
        seen.off_cpu_ns.is_some_and(|ns| ns > 19_000_000),
        "{seen:?}"
    );
}

#[test]
fn a_batch_that_faults_is_flagged() {
    let mut watch = SystemWatch::open(Path::new("/"), 0);
    let seen = around(&mut watch, || {
        let mut pages = vec![0u8; 8 << 20];
        for byte in pages.iter_mut().step_by(4096) {
            *byte = 1;
        }
        std::hint::black_box(&pages);
    });
    assert!(seen.minor_faults >= 1, "{seen:?}");
}

#[test]
fn without_proc_the_columns_are_absent_and_the_reason_is_kept() {
    let mut watch = SystemWatch::open(Path::new("/nonexistent"), 0);
    assert_eq!(watch.notes().len(), 2, "{:?}", watch.notes());
    watch.block_begins();
    watch.before();
    let mut seen = watch.after();
    let whole = watch.block_ends();
    assert!(whole.notes.is_empty());
    whole.complete(&mut seen);
    let seen = seen.disturbance;
    assert_eq!((seen.steal_ns, seen.interrupts), (None, None));
}

/// The first batch lies between readings of its own, the others share theirs.
#[test]
fn every_batch_lies_between_two_readings() {
    let root = fixture();
    let mut watch = SystemWatch::open(root.path(), 0);
    assert!(watch.notes().is_empty(), "{:?}", watch.notes());
    watch.block_begins();
    watch.before();
    counted(root.path(), 8, 12);
    std::thread::sleep(std::time::Duration::from_millis(200));
    let mut seen = vec![watch.after()];
    for _ in 0..3 {
        watch.before();
        seen.push(watch.after());
    }
    counted(root.path(), 8, 13);
    let whole = watch.block_ends();
    seen.iter_mut().for_each(|seen| whole.complete(seen));
    let tick_ns = probe::cpu_time::tick_ns();
    let of = |at: usize| seen[at].disturbance;
    assert_eq!(of(0).own_steal_ns(), Some(3 * tick_ns));
    assert_eq!(of(0).own_interrupts(), Some(5));
    // Read in less than a fiftieth of nothing: they lie between the same two.
    let last = of(3);
    assert_eq!(last.own_steal_ns(), Some(0));
    if last.bracket_batches == 3 {
        assert_eq!((last.interrupts, last.own_interrupts()), (Some(1), None));
    }
    let notes = whole.notes.join("; ");
    assert!(notes.contains("stolen from CPU 0"), "{notes}");
}

#[test]
fn a_batch_is_found_in_its_bracket() {
    let bracket = |first, batches| Bracket {
        first,
        batches,
        steal_ns: Some(first as u64),
        interrupts: None,
    };
    // Two readings may follow each other without a batch between them.
    let all = [bracket(0, 2), bracket(2, 0), bracket(2, 3)];
    let first_of = |batch| brackets::around(&all, batch).map(|b| (b.first, b.batches));
    assert_eq!(first_of(1), Some((0, 2)));
    assert_eq!(first_of(2), Some((2, 3)));
    assert_eq!(first_of(4), Some((2, 3)));
    assert_eq!(first_of(5), None);
}

#[test]
fn a_clock_that_goes_on_while_time_is_stolen_is_not_believed() {
    let tick_ns = probe::cpu_time::tick_ns();
    assert!(is_blind(Some(0), 5 * tick_ns));
    assert!(!is_blind(Some(5 * tick_ns), 5 * tick_ns));
    assert!(!is_blind(Some(0), tick_ns), "one tick may be of others");
    assert!(!is_blind(None, 5 * tick_ns));
    let whole = Whole {
        off_cpu_is_blind: true,
        ..Whole::default()
    };
    let mut seen = super::Seen::default();
    seen.disturbance.off_cpu_ns = Some(1);
    whole.complete(&mut seen);
    assert_eq!(seen.disturbance.off_cpu_ns, None);
}
