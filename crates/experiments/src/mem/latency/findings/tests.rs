//! Machines of known caches and translation buffers.

use super::super::figures::CLAIMS;
use super::super::{EXPERIMENT, PATTERNS};
use super::findings;
use crate::testing::table;
use analysis::{ExperimentTable, PointView};
use catalogue::Preset;
use record::{AxisValue, Finding, MachineCard, Verdict};
use testbed::caches::{card, measured};

const KIB: f64 = 1024.0;
const MIB: f64 = 1024.0 * KIB;

/// A machine as the theory has it.
struct Model {
    /// Capacity in bytes and latency in ns, nearest first.
    caches: Vec<(f64, f64)>,
    memory_ns: f64,
    /// Reach in pages and extra time beyond it, ns.
    buffers: Vec<(f64, f64)>,
    huge_pages: bool,
    prefetch: bool,
}

impl Model {
    /// Random lines over `size` bytes: beyond a capacity C the misses grow to
    /// all of them at 1.3 C.
    fn dense(&self, size: f64) -> f64 {
        let slower = self.caches[1..].iter().map(|c| c.1).chain([self.memory_ns]);
        let climbs = self
            .caches
            .iter()
            .zip(slower)
            .map(|((capacity, hit), miss)| {
                let missing = ((size / capacity - 1.0) / 0.3).clamp(0.0, 1.0);
                missing * (miss - hit)
            });
        self.caches[0].1 + climbs.sum::<f64>()
    }

    fn translation(&self, pages: f64) -> f64 {
        let beyond = self.buffers.iter().rev().find(|b| pages > b.0);
        beyond.map_or(0.0, |b| b.1)
    }

    fn time(&self, size: f64, pattern: &str, pages: &str) -> f64 {
        let translation = match pages {
            "base" => self.translation(size / 4096.0),
            _ => 0.0,
        };
        match pattern {
            "random_line" => self.dense(size) + translation,
            "random_page" => self.dense(size / 64.0) + translation,
            _ => {
                let stride: f64 = pattern["stride_".len()..].parse().expect("a number");
                let share = (stride / 64.0).min(1.0);
                let hidden = if self.prefetch { 0.1 } else { 1.0 };
                self.caches[0].1 + (self.dense(size) - self.caches[0].1) * share * hidden
            }
        }
    }

    /// The quick grid, measured.
    fn measure(&self, card: &MachineCard) -> ExperimentTable {
        let mut points = Vec::new();
        for grid in (EXPERIMENT.grids)(Preset::Quick, card) {
            let values = |axis: &str| -> Vec<AxisValue> {
                let found = grid.values.iter().find(|(name, _)| *name == axis);
                found.expect("every grid sets every axis").1.clone()
            };
            for size in values("size") {
                for pattern in values("pattern") {
                    for pages in values("pages") {
                        points.extend(self.point(&size, &pattern, &pages));
                    }
                }
            }
        }
        table("mem/latency", points)
    }

    fn point(&self, size: &AxisValue, pattern: &AxisValue, pages: &AxisValue) -> Option<PointView> {
        let words = (pattern.as_word()?, pages.as_word()?);
        if words.1 == "thp" && !self.huge_pages {
            return None;
        }
        let settings = [
            ("size", size.clone()),
            ("pattern", pattern.clone()),
            ("pages", pages.clone()),
        ];
        let ns = self.time(size.as_int()? as f64, words.0, words.1);
        Some(measured("mem/latency", &settings, &[ns]))
    }
}

fn intel() -> Model {
    Model {
        caches: vec![(48.0 * KIB, 1.67), (2.0 * MIB, 5.5), (30.0 * MIB, 25.0)],
        memory_ns: 110.0,
        buffers: vec![(96.0, 2.3), (2048.0, 12.0)],
        huge_pages: true,
        prefetch: true,
    }
}

fn zen() -> Model {
    Model {
        caches: vec![(32.0 * KIB, 0.95), (512.0 * KIB, 3.3), (16.0 * MIB, 11.0)],
        memory_ns: 95.0,
        buffers: vec![(72.0, 1.8), (3072.0, 9.0)],
        huge_pages: true,
        prefetch: true,
    }
}

fn beaglebone() -> Model {
    Model {
        caches: vec![(32.0 * KIB, 3.0), (256.0 * KIB, 10.0)],
        memory_ns: 220.0,
        buffers: vec![(32.0, 45.0)],
        huge_pages: false,
        prefetch: false,
    }
}

fn by_key<'a>(found: &'a [Finding], key: &str) -> &'a Finding {
    found.iter().find(|f| f.key == key).unwrap_or_else(|| {
        let keys: Vec<&str> = found.iter().map(|f| f.key.as_str()).collect();
        panic!("no finding {key} among {keys:?}")
    })
}

/// Within this share of the truth.
fn near(f: &Finding, truth: f64, share: f64) {
    let value = f.value.unwrap_or_else(|| panic!("{} has no value", f.key));
    assert!(
        (value / truth - 1.0).abs() < share,
        "{}: {value} for {truth}",
        f.key
    );
}

fn sized(model: &Model) -> MachineCard {
    let caches: Vec<(u64, u32)> = model.caches.iter().map(|c| (c.0 as u64, 8)).collect();
    MachineCard {
        transparent_hugepages: model.huge_pages.then(|| "madvise".to_owned()),
        ..card(&caches)
    }
}

#[test]
fn three_levels_with_huge_pages() {
    for model in [intel(), zen()] {
        let card = sized(&model);
        let found = findings(&model.measure(&card), &card);
        assert_eq!(by_key(&found, "cache_levels").value, Some(3.0));
        for (level, (capacity, ns)) in ["l1d", "l2", "l3"].iter().zip(&model.caches) {
            let f = by_key(&found, &format!("{level}_capacity"));
            near(f, *capacity, 0.3);
            assert_eq!(f.verdict, Verdict::Agree, "{}", f.sentence);
            near(by_key(&found, &format!("{level}_latency")), *ns, 0.03);
        }
        near(by_key(&found, "dram_latency"), model.memory_ns, 0.03);
        assert!(found.iter().all(|f| f.confidence.share <= 1.0));
    }
}

#[test]
fn translation_stands_apart_from_the_caches() {
    for model in [intel(), zen()] {
        let card = sized(&model);
        let found = findings(&model.measure(&card), &card);
        near(
            by_key(&found, "tlb_l1_reach"),
            model.buffers[0].0 * 4096.0,
            0.35,
        );
        near(
            by_key(&found, "tlb_l2_reach"),
            model.buffers[1].0 * 4096.0,
            0.35,
        );
        near(by_key(&found, "tlb_l2_latency"), model.buffers[0].1, 0.2);
        near(by_key(&found, "page_walk"), model.buffers[1].1, 0.2);
    }
}

#[test]
fn a_small_board_without_huge_pages_prefetchers_or_third_level() {
    let model = beaglebone();
    let card = sized(&model);
    let found = findings(&model.measure(&card), &card);
    // Its 32 translations reach 128 KiB, half of the second cache: taken off.
    assert_eq!(by_key(&found, "cache_levels").value, Some(2.0));
    for (level, (capacity, ns)) in ["l1d", "l2"].iter().zip(&model.caches) {
        near(by_key(&found, &format!("{level}_capacity")), *capacity, 0.3);
        near(by_key(&found, &format!("{level}_latency")), *ns, 0.1);
    }
    near(by_key(&found, "dram_latency"), 220.0, 0.05);
    near(by_key(&found, "tlb_l1_reach"), 32.0 * 4096.0, 0.35);
    near(by_key(&found, "page_walk"), 45.0, 0.2);
    assert_eq!(by_key(&found, "line_size").value, Some(64.0));
    assert_eq!(by_key(&found, "line_size").verdict, Verdict::Agree);
}

#[test]
fn a_smaller_share_than_the_card_promises_is_a_disagreement() {
    let model = intel();
    let card = card(&[(48 << 10, 12), (2 << 20, 16), (260 << 20, 20)]);
    let found = findings(&model.measure(&card), &card);
    let f = by_key(&found, "l3_capacity");
    assert_eq!(
        (f.verdict, f.reference),
        (Verdict::Disagree, Some((260u64 << 20) as f64))
    );
    assert!(
        f.sentence.contains("the card says 260 MiB"),
        "{}",
        f.sentence
    );
    near(f, 30.0 * MIB, 0.3);
}

#[test]
fn a_set_that_never_leaves_the_last_cache_does_not_pass_for_memory() {
    let mut model = intel();
    model.caches[2].0 = 4096.0 * MIB;
    let card = sized(&model);
    let found = findings(&model.measure(&card), &card);
    assert_eq!(by_key(&found, "cache_levels").value, Some(3.0));
    assert_eq!(by_key(&found, "dram_latency").verdict, Verdict::Undecided);
}

#[test]
fn a_machine_without_a_card_is_read_all_the_same() {
    let model = zen();
    let found = findings(
        &model.measure(&MachineCard::default()),
        &MachineCard::default(),
    );
    assert_eq!(by_key(&found, "cache_levels").value, Some(3.0));
    assert_eq!(by_key(&found, "l2_capacity").verdict, Verdict::Stated);
}

#[test]
fn prefetchers_take_the_line_away_from_strides() {
    let model = zen();
    let card = sized(&model);
    let found = findings(&model.measure(&card), &card);
    assert_eq!(by_key(&found, "line_size").verdict, Verdict::Undecided);
    assert!(by_key(&found, "prefetch_gain").value > Some(5.0));
}

#[test]
fn empty_and_tiny_tables_say_nothing() {
    let card = MachineCard::default();
    assert!(findings(&table("mem/latency", Vec::new()), &card).is_empty());
    let mut few = zen().measure(&card);
    few.points.truncate(3);
    assert!(findings(&few, &card).is_empty());
    assert!(
        CLAIMS
            .iter()
            .all(|c| (c.check)(&table("mem/latency", Vec::new())).is_none())
    );
}

#[test]
fn claims_hold_on_a_machine_that_follows_the_theory() {
    let model = intel();
    let card = sized(&model);
    for claim in CLAIMS {
        let outcome = (claim.check)(&model.measure(&card));
        assert!(
            outcome.as_ref().is_some_and(|(held, _)| *held),
            "{}: {outcome:?}",
            claim.text
        );
    }
}

#[test]
fn grids_use_only_words_and_sizes_that_the_axes_know() {
    for preset in [Preset::Quick, Preset::Full] {
        for grid in (EXPERIMENT.grids)(preset, &MachineCard::default()) {
            let of = |axis| &grid.values.iter().find(|v| v.0 == axis).expect("set").1;
            assert!(of("size").iter().all(|v| v.as_int() > Some(0)));
            let known = |v: &AxisValue| v.as_word().is_some_and(|w| PATTERNS.contains(&w));
            assert!(of("pattern").iter().all(known));
        }
    }
}
