//! What the caches of a simulated machine keep, and what loads of it take.

mod machines;

use machines::{L1_NS, L2_NS, L3_NS, MEMORY_NS, core, level, load_ns, mean_ns, same, small, still};
use zoo::cores::{Inclusion, Policy, Tlb, Utag, Walk};
use zoo::{Core, Memory, Surroundings};

fn lines(bytes: u64) -> Vec<u64> {
    (0..bytes / 64).map(|line| line * 64).collect()
}

/// The mean of a second round.
fn second_round(memory: &mut Memory, addresses: &[u64]) -> f64 {
    mean_ns(memory, addresses);
    mean_ns(memory, addresses)
}

#[test]
fn what_fits_is_all_hits_at_the_exact_latency() {
    let mut memory = still(small());
    same(load_ns(&mut memory, 0), MEMORY_NS);
    same(second_round(&mut memory, &lines(4 << 10)), L1_NS);
    same(second_round(&mut memory, &lines(32 << 10)), L2_NS);
    same(second_round(&mut memory, &lines(64 << 10)), MEMORY_NS);
}

#[test]
fn one_line_too_many_in_a_set_misses_always_and_under_chance_partly() {
    let set: Vec<u64> = (0..5).map(|way| way * 1024).collect();
    same(second_round(&mut still(small()), &set), L2_NS);
    let mut random = small();
    random.levels[0].policy = Policy::Random;
    let mut memory = still(random);
    let rounds: Vec<u64> = set.iter().copied().cycle().take(5_000).collect();
    let mean = second_round(&mut memory, &rounds);
    assert!(mean > L1_NS + 0.5 && mean < L2_NS - 0.5, "{mean}");
}

fn three_levels(inclusion: Inclusion) -> Core {
    let mut levels = small().levels;
    levels.push(level("L3", 64 << 10, 16, Policy::Lru, inclusion));
    core(levels)
}

#[test]
fn an_exclusive_level_adds_to_the_one_above() {
    let mut exclusive = still(three_levels(Inclusion::Exclusive));
    same(second_round(&mut exclusive, &lines(96 << 10)), L3_NS);
    same(second_round(&mut exclusive, &lines(128 << 10)), MEMORY_NS);
    let mut inclusive = still(three_levels(Inclusion::Inclusive));
    same(second_round(&mut inclusive, &lines(64 << 10)), L3_NS);
    same(second_round(&mut inclusive, &lines(96 << 10)), MEMORY_NS);
}

/// X is used all the time, so that the first level keeps it, while others of its set in the
/// last level age it there.
fn after_conflicts(inclusion: Inclusion) -> f64 {
    let mut memory = still(core(vec![
        level("L1d", 4 << 10, 4, Policy::Lru, Inclusion::NonInclusive),
        level("L2", 32 << 10, 8, Policy::Lru, inclusion),
    ]));
    for way in 1..=8 {
        load_ns(&mut memory, 0);
        // The same set of L2, and half of the times another one of L1.
        load_ns(&mut memory, way * 4096);
    }
    load_ns(&mut memory, 0)
}

#[test]
fn an_inclusive_level_takes_lines_back_and_another_does_not() {
    same(after_conflicts(Inclusion::Inclusive), MEMORY_NS);
    same(after_conflicts(Inclusion::NonInclusive), L1_NS);
}

#[test]
fn stolen_ways_are_of_no_use() {
    let mut core = small();
    core.levels[1].stolen_ways = 4;
    let mut memory = still(core);
    same(second_round(&mut memory, &lines(16 << 10)), L2_NS);
    same(second_round(&mut memory, &lines(32 << 10)), MEMORY_NS);
}

fn with_tlbs() -> Core {
    let tlb = |entries, ways, extra_cycles| Tlb {
        entries,
        ways,
        extra_cycles,
        coalesce: 1,
        huge_entries: None,
    };
    Core {
        dtlb: tlb(8, 8, 0.0),
        stlb: Some(tlb(16, 4, 14.0)),
        walk: Walk {
            levels: 4,
            cycles: 10.0,
            cache_entries: 16,
        },
        ..small()
    }
}

/// One line of each page, in different sets.
fn pages(count: u64, base: u64) -> Vec<u64> {
    (0..count)
        .map(|page| base + page * 4096 + page * 64)
        .collect()
}

#[test]
fn translations_cost_what_is_described() {
    let mut memory = still(with_tlbs());
    same(second_round(&mut memory, &pages(8, 0)), L1_NS);
    same(second_round(&mut memory, &pages(16, 0)), L1_NS + 7.0);
    // A walk: 10 cycles, and one load of the last table, whose lines are few. All upper
    // entries are kept.
    same(
        second_round(&mut memory, &pages(32, 0)),
        L1_NS + 7.0 + 5.0 + L1_NS,
    );
    let counts = memory.counts();
    assert_eq!(counts.loads, 2 * (8 + 16 + 32));
    // The second TLB still had the first 16 pages of the last size.
    assert_eq!(counts.walks, 16 + 16 + 32);
}

#[test]
fn a_guest_walks_two_tables() {
    use zoo::Guest;
    let walk_loads = |guest| {
        let around = Surroundings {
            guest,
            ..Surroundings::still()
        };
        let mut memory = Memory::new(with_tlbs(), around, 1);
        let base = memory.map(4 << 20, true);
        second_round(&mut memory, &pages(64, base));
        let before = memory.counts();
        mean_ns(&mut memory, &pages(64, base));
        let after = memory.counts();
        (
            after.walks - before.walks,
            after.walk_loads - before.walk_loads,
        )
    };
    assert_eq!(walk_loads(Guest::Bare), (0, 0));
    assert_eq!(walk_loads(Guest::HugeHost), (0, 0));
    // Pieces of 4 KiB: 64 of them are too many. Each walk loads the guest's last entry, and
    // the host's for that and for the page.
    assert_eq!(walk_loads(Guest::SmallHost), (64, 3 * 64));
}

#[test]
fn pages_that_share_an_entry_need_fewer() {
    let mut core = with_tlbs();
    core.dtlb.coalesce = 4;
    let mut memory = still(core);
    // In place, so all frames are in a row: 32 pages are 8 entries.
    same(second_round(&mut memory, &pages(32, 0)), L1_NS);
}

#[test]
fn lines_of_equal_hash_evict_one_another() {
    let mut core = small();
    core.utag = Some(Utag {
        pairs: vec![[12, 20], [13, 21]],
    });
    let mut memory = still(core);
    let (first, other, twin) = (0, 1 << 12, 1 << 12 | 1 << 20 | 1 << 21);
    same(second_round(&mut memory, &[first, other]), L1_NS);
    // Bits 12 and 20 cancel out, bit 21 is one of the hash: its like is bit 13.
    same(second_round(&mut memory, &[twin, 1 << 13]), L2_NS);
    same(second_round(&mut memory, &[twin, first, other]), L1_NS);
}

#[test]
fn a_flush_takes_a_granule_and_nothing_else() {
    let mut core = small();
    core.flush.as_mut().unwrap().granule_bytes = 128;
    let mut memory = still(core);
    second_round(&mut memory, &lines(512));
    let before = memory.now_ns();
    memory.flush(0, 192);
    same(memory.now_ns() - before, 40.0);
    let found: Vec<f64> = [64, 128, 192, 256]
        .map(|a| load_ns(&mut memory, a))
        .to_vec();
    assert_eq!(found, [L1_NS, MEMORY_NS, MEMORY_NS, L1_NS]);
}

#[test]
fn without_a_flush_nothing_is_flushed() {
    let mut memory = still(Core {
        flush: None,
        ..small()
    });
    load_ns(&mut memory, 0);
    memory.flush(0, 0);
    same(load_ns(&mut memory, 0), L1_NS);
}

#[test]
fn stores_that_overlap_cost_a_share() {
    let mut memory = still(small());
    memory.store(0, 1, 0);
    same(memory.now_ns(), MEMORY_NS / 10.0);
    memory.store(0, 1, 0);
    same(memory.now_ns(), MEMORY_NS / 10.0 + L1_NS / 10.0);
}
