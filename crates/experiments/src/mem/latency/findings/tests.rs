//! Machines of known caches and translation buffers.

use super::super::figures::CLAIMS;
use super::super::{EXPERIMENT, PATTERNS};
use super::caches::by_chase;
use super::{LinesCurve, answers, findings};
use crate::quantities::caches::{
    CAPACITIES, CHASE, FLUSHED, LAST_TREAD, LATENCIES, LEVELS, PLACEMENT, TREADS,
};
use crate::quantities::combined::derived;
use crate::quantities::line::{LINE, STRIDES};
use crate::quantities::translation::{APART, BASE_PAGES, PAGES, REACHES, SECOND, WALK};
use crate::testing::table;
use analysis::inference::{Answer, Patterns, Says, conclude};
use analysis::{ExperimentTable, PointView};
use catalogue::Preset;
use record::{AxisValue, MachineCard, Verdict};
use stats::CurvePoint;
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
    /// The host has each huge page in base pages.
    in_pieces: bool,
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

    /// Of pages in random order a buffer holds a share that it has at hand.
    fn translation_at_random(&self, pages: f64) -> f64 {
        let mut before = 0.0;
        let steps = self.buffers.iter().map(|(reach, ns)| {
            let misses = (1.0 - reach / pages.max(1.0)).max(0.0);
            let step = (ns - before) * misses;
            before = *ns;
            step
        });
        steps.sum()
    }

    fn time(&self, size: f64, pattern: &str, pages: &str) -> f64 {
        let pages = match pages {
            "thp" if !self.in_pieces => 0.0,
            _ => size / 4096.0,
        };
        let translation = self.translation(pages);
        match pattern {
            "random_line" => self.dense(size) + self.translation_at_random(pages),
            "random_page" | "random_page_apart" => self.dense(size / 64.0) + translation,
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
        in_pieces: false,
        prefetch: true,
    }
}

fn zen() -> Model {
    Model {
        caches: vec![(32.0 * KIB, 0.95), (512.0 * KIB, 3.3), (16.0 * MIB, 11.0)],
        memory_ns: 95.0,
        buffers: vec![(72.0, 1.8), (3072.0, 9.0)],
        huge_pages: true,
        in_pieces: false,
        prefetch: true,
    }
}

fn beaglebone() -> Model {
    Model {
        caches: vec![(32.0 * KIB, 3.0), (256.0 * KIB, 10.0)],
        memory_ns: 220.0,
        buffers: vec![(32.0, 45.0)],
        huge_pages: false,
        in_pieces: false,
        prefetch: false,
    }
}

/// What a method says of a quantity: its value, and the bounds.
fn says(all: &[Answer], key: &str, method: &str) -> Result<[f64; 3], String> {
    let mut found = all.iter();
    let found = found.find(|a| a.quantity == key && a.method == method);
    match &found
        .unwrap_or_else(|| panic!("nothing of {key} by {method}"))
        .says
    {
        Says::Value { value, low, high } => Ok([*value, *low, *high]),
        Says::Nothing(why) => Err(why.clone()),
    }
}

/// The truth is within this share of the value, and between the bounds stretched by a tenth.
fn near(all: &[Answer], key: &str, method: &str, truth: f64, share: f64) {
    let [value, low, high] = says(all, key, method).unwrap_or_else(|why| panic!("{key}: {why}"));
    let close = (value / truth - 1.0).abs() < share;
    let between = low / 1.1 <= truth && truth <= 1.1 * high;
    assert!(
        close && between,
        "{key} by {method}: {value} ({low} to {high}) for {truth}"
    );
}

fn sized(model: &Model) -> MachineCard {
    let caches: Vec<(u64, u32)> = model.caches.iter().map(|c| (c.0 as u64, 8)).collect();
    MachineCard {
        transparent_hugepages: model.huge_pages.then(|| "madvise".to_owned()),
        ..card(&caches)
    }
}

fn of(model: &Model, card: &MachineCard) -> Vec<Answer> {
    answers(&model.measure(card), card)
}

#[test]
fn three_levels_with_huge_pages() {
    for model in [intel(), zen()] {
        let all = of(&model, &sized(&model));
        assert_eq!(says(&all, TREADS, CHASE).map(|v| v[0]), Ok(4.0));
        for (level, (capacity, ns)) in model.caches.iter().enumerate() {
            near(&all, CAPACITIES[level].key, CHASE, *capacity, 0.3);
            near(&all, LATENCIES[level].key, CHASE, *ns, 0.03);
        }
        near(&all, LAST_TREAD, CHASE, model.memory_ns, 0.03);
    }
}

#[test]
fn of_two_numbers_of_treads_the_smaller_is_said_and_of_more_none() {
    let model = intel();
    let said = |spread: f64| {
        let point = |n: u32| {
            let (x, spread) = (8.0 * KIB * 2f64.powf(f64::from(n) / 2.0), spread);
            let ns = model.dense(x);
            CurvePoint::new(x, ns, ns / spread, ns * spread)
        };
        let medians: Vec<CurvePoint> = (0..38).map(point).collect();
        let fastest = medians.clone();
        by_chase(&LinesCurve { fastest, medians })
    };
    // Of the last one some redrawn curves have five.
    for spread in [1.01, 1.2, 1.4] {
        let treads = says(&said(spread), TREADS, CHASE);
        assert_eq!(treads.map(|v| v[0]), Ok(4.0), "{spread}");
    }
    let silent = says(&said(2.0), LEVELS.key, CHASE);
    assert!(silent.is_err_and(|why| why.contains("number of treads")));
}

#[test]
fn the_reach_of_a_buffer_is_no_cache_where_the_host_has_huge_pages_in_pieces() {
    for whole in [intel(), zen()] {
        let model = Model {
            in_pieces: true,
            ..whole
        };
        let all = of(&model, &sized(&model));
        assert_eq!(says(&all, TREADS, CHASE).map(|v| v[0]), Ok(4.0));
        for (level, (capacity, ns)) in model.caches.iter().enumerate() {
            near(&all, CAPACITIES[level].key, CHASE, *capacity, 0.3);
            near(&all, LATENCIES[level].key, CHASE, *ns, 0.1);
        }
        // Over huge pages loads walk as well.
        let walk = says(&all, WALK.key, BASE_PAGES);
        assert!(walk.is_err_and(|why| why.contains("in pieces")));
        near(&all, WALK.key, PAGES, model.buffers[1].1, 0.3);
    }
}

#[test]
fn translation_stands_apart_from_the_caches() {
    for model in [intel(), zen()] {
        let all = of(&model, &sized(&model));
        for method in [PAGES, APART] {
            let [first, second] = [&model.buffers[0], &model.buffers[1]];
            near(&all, REACHES[0].key, method, first.0 * 4096.0, 0.35);
            near(&all, REACHES[1].key, method, second.0 * 4096.0, 0.35);
            near(&all, SECOND.key, method, first.1, 0.2);
        }
        near(&all, WALK.key, PAGES, model.buffers[1].1, 0.3);
        near(&all, WALK.key, APART, model.buffers[1].1, 0.3);
    }
    let model = intel();
    let all = of(&model, &sized(&model));
    near(&all, WALK.key, BASE_PAGES, model.buffers[1].1, 0.15);
    // The third cache of the other ends soon behind its last buffer: there the two curves do not
    // differ by translation alone, and the method errs to more.
    let model = zen();
    let [value, ..] = says(&of(&model, &sized(&model)), WALK.key, BASE_PAGES).expect("a walk");
    assert!(
        (0.8..3.0).contains(&(value / model.buffers[1].1)),
        "{value}"
    );
}

#[test]
fn a_small_board_without_huge_pages_prefetchers_or_third_level() {
    let model = beaglebone();
    let all = of(&model, &sized(&model));
    // Its 32 translations reach 128 KiB, half of the second cache: taken off.
    assert_eq!(says(&all, TREADS, CHASE).map(|v| v[0]), Ok(3.0));
    for (level, (capacity, ns)) in model.caches.iter().enumerate() {
        near(&all, CAPACITIES[level].key, CHASE, *capacity, 0.3);
        near(&all, LATENCIES[level].key, CHASE, *ns, 0.1);
    }
    near(&all, LAST_TREAD, CHASE, 220.0, 0.05);
    near(&all, REACHES[0].key, PAGES, 32.0 * 4096.0, 0.35);
    // Of its only buffer nothing says that no second one is behind it.
    let walk = says(&all, WALK.key, PAGES);
    assert!(walk.is_err_and(|why| why.contains("last buffer")));
    assert_eq!(says(&all, LINE.key, STRIDES).map(|v| v[0]), Ok(64.0));
}

#[test]
fn levels_are_the_treads_before_memory_where_dropped_lines_say_what_memory_takes() {
    let model = intel();
    let card = sized(&model);
    let levels = |dropped_ns: Option<f64>, model: &Model| {
        let mut all = of(model, &card);
        let flushed = |ns| Answer::exactly(LATENCIES[3].key, FLUSHED, ns);
        all.extend(dropped_ns.map(flushed));
        let more = derived(&all);
        let dram = says(&more, LATENCIES[3].key, CHASE).is_ok();
        (says(&more, LEVELS.key, CHASE).map(|v| v[0]), dram)
    };
    assert_eq!(levels(Some(108.0), &model), (Ok(3.0), true));
    assert!(levels(None, &model).0.is_err());
    // Page tables that no cache holds would make one step more.
    let mut tables = intel();
    tables.in_pieces = true;
    tables.buffers[1].1 = 400.0;
    tables.buffers[1].0 = 16384.0;
    let said = levels(Some(108.0), &tables).0;
    assert!(
        said.as_ref().is_err_and(|why| why.contains("page tables")),
        "{said:?}"
    );
    let mut endless = intel();
    endless.caches[2].0 = 4096.0 * MIB;
    assert_eq!(levels(Some(108.0), &endless), (Ok(3.0), false));
}

#[test]
fn two_methods_conclude_and_the_card_is_held_against_them() {
    let model = intel();
    let card = card(&[(48 << 10, 12), (2 << 20, 16), (260 << 20, 20)]);
    let mut all = of(&model, &card);
    all.push(Answer::between(
        CAPACITIES[2].key,
        PLACEMENT,
        30.0 * MIB,
        28.0 * MIB,
        33.0 * MIB,
    ));
    all.retain(|a| (a.quantity, a.method) != (CAPACITIES[2].key, PLACEMENT) || says_any(a));
    let found = conclude(&CAPACITIES[2], &all, &card, &Patterns::untested());
    let f = found.expect("two methods").finding;
    assert_eq!(f.verdict, Verdict::Disagree, "{}", f.sentence);
    assert!(
        f.sentence.contains("on the machine card L3 holds 260 MiB"),
        "{}",
        f.sentence
    );
    assert!(
        f.sentence.contains("not granted to this guest"),
        "{}",
        f.sentence
    );
}

fn says_any(answer: &Answer) -> bool {
    matches!(answer.says, Says::Value { .. })
}

#[test]
fn prefetchers_take_the_line_away_from_strides() {
    let model = zen();
    let card = sized(&model);
    let all = of(&model, &card);
    assert!(
        says(&all, LINE.key, STRIDES)
            .unwrap_err()
            .contains("foresee")
    );
    let found = findings(&model.measure(&card), &card);
    assert!(found[0].key == "prefetch_gain" && found[0].value > Some(5.0));
}

#[test]
fn empty_and_tiny_tables_say_nothing() {
    let card = MachineCard::default();
    assert!(answers(&table("mem/latency", Vec::new()), &card).is_empty());
    let mut few = zen().measure(&card);
    few.points.truncate(3);
    assert!(answers(&few, &card).is_empty());
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
            outcome.as_ref().is_some_and(|o| o.held() == Some(true)),
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
