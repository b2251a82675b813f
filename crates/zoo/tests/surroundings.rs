//! What goes on around the measured code has the size that was planted.

mod machines;

use machines::{MEMORY_NS, load_ns, mean_ns, same, small};
use stats::Rng;
use zoo::{Core, Guest, Memory, Surroundings, cores};

fn chase(bytes: u64, seed: u64) -> Vec<u64> {
    let mut rng = Rng::new(seed);
    let mut lines: Vec<u64> = (0..bytes / 64).map(|line| line * 64).collect();
    for at in (1..lines.len()).rev() {
        lines.swap(at, rng.below(at + 1));
    }
    lines
}

/// The time at which a chase ends on this core.
fn end_ns(core: &Core, around: &Surroundings, seed: u64) -> f64 {
    let mut memory = Memory::new(core.clone(), around.clone(), seed);
    let base = memory.map(1 << 20, false);
    for address in chase(1 << 20, 1) {
        memory.load(0, 1, base + address);
        memory.store(1, 2, base + address);
    }
    memory.now_ns()
}

#[test]
fn a_seed_decides_every_bit_on_every_core() {
    let around = Surroundings {
        drift: 0.01,
        guest: Guest::SmallHost,
        stolen_share: 0.05,
        stolen_ns: 10_000.0,
        ..Surroundings::neighbour()
    };
    for core in cores::all() {
        let first = end_ns(&core, &around, 1);
        assert_eq!(first.to_bits(), end_ns(&core, &around, 1).to_bits());
        assert_ne!(first.to_bits(), end_ns(&core, &around, 2).to_bits());
    }
}

#[test]
fn another_seed_has_other_frames() {
    let frames = |seed| {
        let mut memory = Memory::new(small(), Surroundings::still(), seed);
        let base = memory.map(64 << 10, false);
        (0..16)
            .map(|page| memory.physical(base + page * 4096))
            .collect::<Vec<_>>()
    };
    assert_eq!(frames(1), frames(1));
    assert_ne!(frames(1), frames(2));
}

#[test]
fn ticks_are_as_many_as_planted() {
    let around = Surroundings {
        tick_hz: 250.0,
        tick_ns: 2_000.0,
        ..Surroundings::still()
    };
    let mut memory = Memory::new(small(), around, 3);
    let steps = 200_000;
    (0..steps).for_each(|_| memory.compute(20_000.0));
    let expected = memory.now_ns() / 4e6;
    assert!((memory.ticks() as f64 - expected).abs() <= 1.0);
    // Each of them takes its time.
    let due = f64::from(steps) * 10_000.0 + memory.ticks() as f64 * 2_000.0;
    assert!((memory.now_ns() - due).abs() < 1.0);
}

#[test]
fn thefts_take_their_share() {
    let around = Surroundings {
        stolen_share: 0.1,
        stolen_ns: 300_000.0,
        ..Surroundings::still()
    };
    let mut memory = Memory::new(small(), around, 3);
    (0..300_000).for_each(|_| memory.compute(100_000.0));
    let share = memory.stolen_ns() / memory.now_ns();
    assert!((share - 0.1).abs() < 0.01, "{share}");
    let own = (memory.now_ns() - memory.stolen_ns()) / (300_000.0 * 50_000.0);
    assert!((own - 1.0).abs() < 1e-9, "{own}");
}

#[test]
fn noise_has_its_size() {
    let around = Surroundings {
        noise: 0.05,
        ..Surroundings::still()
    };
    let mut memory = Memory::new(small(), around, 3);
    let base = memory.map(4096, false);
    load_ns(&mut memory, base);
    let loads: Vec<f64> = (0..50_000).map(|_| load_ns(&mut memory, base)).collect();
    let mean = loads.iter().sum::<f64>() / loads.len() as f64;
    let least = loads.iter().copied().fold(f64::INFINITY, f64::min);
    assert!((mean / machines::L1_NS - 1.05).abs() < 0.005, "{mean}");
    assert!(least >= machines::L1_NS - 1e-6, "{least}");
}

#[test]
fn the_clock_wanders_and_memory_does_not() {
    let around = Surroundings {
        drift: 0.05,
        ..Surroundings::still()
    };
    let mut memory = Memory::new(small(), around, 3);
    let mut seen: Vec<f64> = Vec::new();
    for _ in 0..2_000 {
        memory.pass_ns(100_000.0);
        let before = memory.now_ns();
        memory.compute(1_000.0);
        seen.push((memory.now_ns() - before) / 500.0);
    }
    let least = seen.iter().copied().fold(f64::INFINITY, f64::min);
    let most = seen.iter().copied().fold(0.0, f64::max);
    assert!(
        least > 0.95 && most < 1.053 && most - least > 0.03,
        "{least} {most}"
    );
    let base = memory.map(1 << 20, false);
    same(load_ns(&mut memory, base), MEMORY_NS);
}

#[test]
fn a_neighbour_takes_the_last_level_and_slows_memory() {
    let mean = |around: Surroundings| {
        let mut memory = Memory::new(cores::named("zen3").unwrap(), around, 3);
        let base = memory.map(8 << 20, true);
        let addresses: Vec<u64> = chase(8 << 20, 1).iter().map(|a| base + a).collect();
        mean_ns(&mut memory, &addresses);
        (0..4)
            .map(|_| mean_ns(&mut memory, &addresses))
            .sum::<f64>()
            / 4.0
    };
    let (quiet, loud) = (mean(Surroundings::quiet()), mean(Surroundings::neighbour()));
    assert!(loud > 1.2 * quiet, "{quiet} {loud}");
}

/// What an addition of CPU 0 takes while CPU 1 adds so many bytes away, in ns.
fn addition_ns(around: Surroundings, bytes: u64) -> f64 {
    let mut memory = Memory::new(small(), around, 3);
    let base = memory.map(4096, false);
    let before = memory.now_ns();
    memory.contend(base, base + bytes, 10_000);
    (memory.now_ns() - before) / 10_000.0
}

#[test]
fn contention_depends_on_the_line_and_on_the_pair() {
    let still = Surroundings::still;
    same(addition_ns(still(), 8), 50.0);
    same(addition_ns(still(), 64), 7.0);
    same(addition_ns(still(), 128), 5.0);
    let sibling = Surroundings {
        smt_sibling: true,
        ..still()
    };
    // They take turns at the line that both have.
    same(addition_ns(sibling.clone(), 8), 10.0);
    same(addition_ns(sibling, 64), 5.0);
}

/// What a load of CPU 0 takes where CPU 1 alone has just loaded the same line, in ns.
fn handed_ns(around: Surroundings) -> f64 {
    let mut memory = Memory::new(small(), around, 3);
    let base = memory.map(4096, false);
    // The translation is known; another line of the page is.
    memory.load(0, 0, base + 2048);
    memory.load(1, 0, base);
    let before = memory.now_ns();
    memory.load(0, 0, base);
    memory.now_ns() - before
}

#[test]
fn a_line_that_the_partner_brought_is_as_near_as_what_both_share() {
    let still = Surroundings::still;
    let near = handed_ns(still());
    let sibling = handed_ns(Surroundings {
        smt_sibling: true,
        ..still()
    });
    let apart = handed_ns(Surroundings {
        partner_shares_llc: false,
        ..still()
    });
    assert!(sibling < near && near < apart, "{sibling} {near} {apart}");
    assert!(apart >= small().memory_ns, "{apart}");
}

#[test]
fn a_partner_that_is_away_does_not_contend() {
    let around = Surroundings {
        stolen_share: 0.5,
        stolen_ns: 100_000.0,
        ..Surroundings::still()
    };
    let mut memory = Memory::new(small(), around, 3);
    let base = memory.map(4096, false);
    memory.contend(base, base, 10_000_000);
    let mean = (memory.now_ns() - memory.stolen_ns()) / 1e7;
    // Half of the time at 50 ns, half at 5: additions per time are averaged.
    assert!((mean / 9.1 - 1.0).abs() < 0.1, "{mean}");
}

#[test]
fn a_line_that_the_partner_wrote_is_transferred() {
    let mut memory = Memory::new(small(), Surroundings::still(), 3);
    let base = memory.map(4096, false);
    memory.store(0, 1, base);
    memory.store(1, 1, base);
    let first = load_ns(&mut memory, base);
    assert!(first >= 50.0, "{first}");
    same(load_ns(&mut memory, base), machines::L1_NS);
}
