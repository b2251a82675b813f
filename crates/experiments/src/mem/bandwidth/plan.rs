//! Which sizes, methods and CPUs are measured.

use super::{CONTENTS, OPERATIONS, methods_for};
use catalogue::{Grid, KIB, MIB, Preset, doubling};
use record::MachineCard;

/// Grids of `mem/bandwidth` for this preset; sizes come from the caches on the machine
/// card.
pub fn grids(preset: Preset, card: &MachineCard) -> Vec<Grid> {
    match preset {
        Preset::Quick => quick(card),
        Preset::Full => full(card),
    }
}

/// Sizes for the three main places (first level, second level, beyond), two
/// more for the copy, and all CPUs on the methods that matter most there.
fn quick(card: &MachineCard) -> Vec<Grid> {
    let mut grids = Vec::new();
    for operation in OPERATIONS {
        let methods = brief(methods_for(operation, &card.arch));
        let copy = *operation == "copy";
        let (near, beyond): (Vec<i64>, i64) = match operation {
            _ if copy => (vec![16 * KIB, 256 * KIB, MIB, 8 * MIB], 64 * MIB),
            &"read" => (in_caches(card), in_memory(card)),
            _ => (vec![16 * KIB, MIB], 32 * MIB),
        };
        grids.push(grid(31, operation, &methods, &near, &[1]));
        let beyond = grid(31, operation, &widest(methods, card), &[beyond], &[1]);
        if copy {
            let mut zeros = of_zeros(beyond.clone());
            // Enough to see whether zeros are cheaper: a pass over them takes as long.
            zeros.values.retain(|(axis, _)| *axis != "method");
            grids.extend([beyond, zeros.words("method", &["libc", "nt"])]);
        } else {
            grids.push(beyond);
        }
    }
    if card.cpus > 1 {
        let all = i64::from(card.cpus);
        let sizes = [16 * KIB, MIB, 64 * MIB];
        grids.push(grid(31, "copy", &["libc", "nt"], &sizes, &[all]));
    }
    grids
}

/// A set for each stated cache that it alone holds: half of it, and more than twice the one
/// before. Where nothing is stated: what every machine has.
fn in_caches(card: &MachineCard) -> Vec<i64> {
    let bytes = |size: u64| i64::try_from(size).unwrap_or(i64::MAX);
    let mut sizes = Vec::new();
    let mut before = 0;
    for cache in card.data_caches() {
        let half = bytes(cache.size_bytes / 2).min(MOST_IN_CACHE);
        if half > 2 * before && half >= KIB {
            // Whole pieces of every loop.
            sizes.push(half / KIB * KIB);
        }
        before = bytes(cache.size_bytes);
    }
    if sizes.is_empty() {
        return vec![16 * KIB, MIB];
    }
    sizes
}

/// A set of which the last cache holds a quarter at most, as far as a quick run can touch it.
fn in_memory(card: &MachineCard) -> i64 {
    let last = card.last_level().map_or(8 * MIB, |c| {
        i64::try_from(c.size_bytes).unwrap_or(MOST_IN_MEMORY)
    });
    let wanted = last.saturating_mul(4).clamp(32 * MIB, MOST_IN_MEMORY);
    // A small machine keeps most of its memory.
    let memory = i64::try_from(card.memory_bytes / 8).unwrap_or(MOST_IN_MEMORY);
    match memory {
        0 => wanted,
        some => wanted.min((some / MIB * MIB).max(32 * MIB)),
    }
}

/// Largest sets of a quick run, for a cache and for memory.
const MOST_IN_CACHE: i64 = 32 * MIB;
const MOST_IN_MEMORY: i64 = 512 * MIB;

/// Without those methods that only show how slow the plain ways are.
fn brief(mut methods: Vec<&'static str>) -> Vec<&'static str> {
    if methods.len() > 3 {
        methods.retain(|m| !["memmove", "words", "sse2"].contains(m));
    }
    methods
}

/// Of the vector widths only the widest: beyond the caches, where a pass takes
/// many milliseconds, they differ little.
fn widest(mut methods: Vec<&'static str>, card: &MachineCard) -> Vec<&'static str> {
    if card.features.iter().any(|f| f == "avx512f") {
        methods.retain(|m| *m != "avx2");
    }
    methods
}

fn full(card: &MachineCard) -> Vec<Grid> {
    let cache = card.last_level().map_or(64 * MIB, |c| {
        i64::try_from(c.size_bytes).unwrap_or(64 * MIB)
    });
    let largest = (4 * cache).clamp(256 * MIB, 1024 * MIB);
    let sizes: Vec<i64> = doubling(KIB, largest).collect();
    let all = i64::from(card.cpus.max(1));
    let mut cores: Vec<i64> = doubling(2, all).collect();
    if all > 1 && !cores.contains(&all) {
        cores.push(all);
    }
    let mut grids = Vec::new();
    for operation in OPERATIONS {
        let methods = methods_for(operation, &card.arch);
        grids.push(grid(300, operation, &methods, &sizes, &[1]));
        let few = brief(methods);
        let places: Vec<i64> = sizes.iter().copied().step_by(2).collect();
        if !cores.is_empty() {
            grids.push(grid(300, operation, &few, &places, &cores));
        }
        if *operation == "copy" {
            grids.push(of_zeros(grid(300, operation, &few, &places, &[1])));
        }
    }
    grids
}

fn grid(budget_ms: u64, operation: &str, methods: &[&str], sizes: &[i64], cores: &[i64]) -> Grid {
    Grid::new(budget_ms)
        .words("operation", &[operation])
        .words("method", methods)
        .ints("size", sizes.iter().copied())
        .ints("cores", cores.iter().copied())
        .words("content", &CONTENTS[..1])
}

/// The same points with a source of zeros.
fn of_zeros(mut grid: Grid) -> Grid {
    grid.values.retain(|(axis, _)| *axis != "content");
    grid.words("content", &CONTENTS[1..])
}
