//! Simulated machines under the real harness.

use analysis::inference::{Answer, Says};
use catalogue::recipe;
use harness::{Clock, Simulated};
use zoo::cores::{Policy, named};
use zoo::stage::{Stage, run};
use zoo::{Core, Memory, Surroundings};

fn core(name: &str) -> Core {
    named(name).expect("a described core")
}

/// Memory of this process that stands for memory of the machine, and a chain through it.
struct Ring {
    words: Vec<usize>,
}

impl Ring {
    fn new(stage: &Stage, lines: usize) -> Ring {
        let words = vec![0; lines * 8];
        let at = words.as_ptr() as usize;
        stage.map(at, lines * 64, false);
        Ring { words }
    }

    fn base(&self) -> usize {
        self.words.as_ptr() as usize
    }

    /// The line after the next, so that all of an odd number are met.
    fn next(&self, at: usize) -> usize {
        let bytes = self.words.len() * 8;
        let offset = at - self.base();
        self.base() + (offset + 2 * 64) % bytes
    }

    fn walk(&self, stage: &Stage, loads: u64) -> f64 {
        let before = stage.lock().memory.now_ns();
        stage.follow(self.base(), loads, 32, &mut |at| self.next(at));
        stage.lock().memory.now_ns() - before
    }
}

#[test]
fn rounds_that_are_all_alike_take_as_long_as_each_of_their_loads() {
    for lines in [101, 2001, 20_001] {
        let still = || Stage::new(Memory::new(core("cortex-a72"), Surroundings::still(), 7));
        let (whole, single) = (still(), still());
        let (ring, other) = (Ring::new(&whole, lines), Ring::new(&single, lines));
        let rounds = 20;
        let passed = ring.walk(&whole, rounds * lines as u64);
        let each: f64 = (0..rounds).map(|_| other.walk(&single, lines as u64)).sum();
        assert!(
            (passed / each - 1.0).abs() < 1e-6,
            "{lines}: {passed} {each}"
        );
        let counts = (whole.lock().memory.counts(), single.lock().memory.counts());
        assert_eq!(counts.0, counts.1, "{lines}");
    }
}

#[test]
fn what_disturbs_the_caches_is_not_skipped() {
    let stage = Stage::new(Memory::new(core("zen3"), Surroundings::quiet(), 3));
    let ring = Ring::new(&stage, 101);
    let passed_ns = ring.walk(&stage, 200_000_000);
    let ticks = stage.lock().memory.ticks() as f64;
    // 250 a second, whatever is skipped in between.
    let expected = passed_ns / 4e6;
    assert!((ticks - expected).abs() < 2.0, "{ticks} for {expected}");
}

#[test]
fn the_clock_goes_on_with_the_machine() {
    let stage = Stage::new(Memory::new(core("zen3"), Surroundings::still(), 3));
    let before = stage.start();
    stage.compute(3.5e6);
    let passed_ns = stage.elapsed_ns(before, stage.stop());
    assert!((passed_ns / 1e6 - 1.0).abs() < 0.01, "{passed_ns}");
}

fn says(all: &[Answer], key: &str) -> Option<f64> {
    let found = all.iter().find(|a| a.quantity == key)?;
    match found.says {
        Says::Value { value, .. } => Some(value),
        Says::Nothing(_) => None,
    }
}

#[test]
fn an_experiment_sees_the_caches_that_a_core_is_described_with() {
    let text = "title='t'\nprocesses=1\nsamples=4\npreset='quick'\n[[experiment]]\n\
                id='mem/associativity'\n";
    let recipe = recipe::parse("t", text).expect("a recipe");
    let catalogue = experiments::all();
    let listed = catalogue.find("mem/associativity").expect("it is listed");
    for name in ["skylake-sp", "neoverse-n1"] {
        let core = core(name);
        let ran = run(catalogue, &recipe, &core, &Surroundings::quiet(), 1).expect("a plan");
        let all = (listed.experiment.answers)(&ran.tables[0], &ran.card);
        let first = &core.levels[0];
        assert_eq!(
            says(&all, "l1d_capacity"),
            Some(first.bytes as f64),
            "{name}"
        );
        assert_eq!(
            says(&all, "l1d_ways"),
            Some(f64::from(first.ways)),
            "{name}"
        );
        assert_eq!(
            says(&all, "l2_capacity"),
            Some(core.levels[1].bytes as f64),
            "{name}"
        );
    }
}

/// Medians of random loads from sets of so many MiB, in ns, by experiments as they are run.
fn random_loads_ns(core: &Core, mib: &[u32]) -> Vec<f64> {
    let sizes: Vec<String> = mib.iter().map(|mib| format!("\"{mib}M\"")).collect();
    let text = format!(
        "title='t'\nprocesses=1\nsamples=4\n[[experiment]]\nid='mem/latency'\n\
         axes={{ size=[{}], pattern=['random_line'], pages=['thp'] }}\n",
        sizes.join(",")
    );
    let recipe = recipe::parse("t", &text).expect("a recipe");
    let ran = run(experiments::all(), &recipe, core, &Surroundings::still(), 1).expect("a plan");
    let points = &ran.tables[0].points;
    let medians = points.iter().map(|p| p.primary().expect("measured"));
    medians.map(|summary| summary.median.center).collect()
}

/// 1 MiB of L2 before 32 MiB of L3, full of what was measured before: of what goes through such
/// a cache once, a part is found again.
#[test]
fn a_set_that_fits_a_cache_which_replaces_at_random_is_held_when_measuring_begins() {
    let core = core("neoverse-n1");
    let level = &core.levels[2];
    assert_eq!((level.policy, level.bytes), (Policy::Random, 32 << 20));
    let ns = random_loads_ns(&core, &[96, 2, 10]);
    assert!(ns[0] > 2.0 * ns[1], "three times the cache: {ns:?}");
    assert!(ns[2] < 1.1 * ns[1], "a third of the cache: {ns:?}");
}
