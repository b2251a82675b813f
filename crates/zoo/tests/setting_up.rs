//! A set-up of which only a part is simulated leaves what all of it would have left.

mod machines;

use machines::{core, level, load_ns, still};
use stats::Rng;
use zoo::Memory;
use zoo::cores::{Core, Inclusion, Policy};

/// Three times the last level, which is eight times the second.
const LINES: u64 = 3 << 14;

fn three_levels(policy: Policy, inclusion: Inclusion) -> Core {
    let near = |name, bytes| level(name, bytes, 8, Policy::TreePlru, Inclusion::NonInclusive);
    let mut core = core(vec![
        near("L1d", 32 << 10),
        near("L2", 128 << 10),
        level("L3", 1 << 20, 16, policy, inclusion),
    ]);
    core.dtlb.entries = 64;
    core
}

/// Addresses of `LINES` lines in random order.
fn in_random_order() -> Vec<u64> {
    let mut rng = Rng::new(11);
    let mut lines: Vec<u64> = (0..LINES).map(|line| line * 64).collect();
    for at in (1..lines.len()).rev() {
        lines.swap(at, rng.below(at + 1));
    }
    lines
}

/// What the loads of a walk round take in each tenth of it, in ns.
fn after(core: Core, set_up: impl Fn(&mut Memory, u64, usize)) -> Vec<f64> {
    let mut memory = still(core);
    let lines = in_random_order();
    for (at, line) in lines.iter().enumerate() {
        set_up(&mut memory, *line, lines.len() - 1 - at);
    }
    let tenths = lines.chunks(lines.len().div_ceil(10));
    tenths
        .map(|tenth| {
            let all = tenth.iter().map(|line| load_ns(&mut memory, *line));
            all.sum::<f64>() / tenth.len() as f64
        })
        .collect()
}

#[test]
fn a_walk_round_takes_what_it_takes_after_all_stores() {
    let kinds = [
        (Policy::Lru, Inclusion::Inclusive),
        (Policy::Rrip, Inclusion::Exclusive),
        (Policy::Qlru, Inclusion::NonInclusive),
        (Policy::Random, Inclusion::Inclusive),
        (Policy::Random, Inclusion::Exclusive),
    ];
    for (policy, inclusion) in kinds {
        let core = || three_levels(policy, inclusion);
        let whole = after(core(), |memory, line, _| memory.store(0, 0, line));
        let part = after(core(), Memory::set_up);
        for (whole, part) in whole.iter().zip(&part) {
            assert!(
                (whole - part).abs() < 0.02 * whole,
                "{policy:?} {inclusion:?}: {whole} and {part} ns"
            );
        }
    }
}
