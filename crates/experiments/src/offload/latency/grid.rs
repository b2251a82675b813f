//! Points of offload/latency. Runs that are to become `.dat` files need one value
//! on `wait`, `memory` and `kernel_buffer`, which quick and the recipe have.

use catalogue::{Grid, KIB, MIB, Preset, doubling};

const LARGEST: i64 = 32 * MIB;
/// Columns of the toll map.
const FEW: [i64; 5] = [64, 4 * KIB, 64 * KIB, MIB, 16 * MIB];

const BOTH: &[&str] = &["pinned", "pin_per_copy"];

/// What is varied in addition to direction, cache and size.
struct Way<'a> {
    contexts: &'a [&'a str],
    pages: &'a [&'a str],
    wait: &'a [&'a str],
    memory: &'a [&'a str],
    kernel_buffer: &'a [&'a str],
}

/// The CPU pins nothing and waits for nothing.
const CPU: Way<'_> = Way {
    contexts: &["cpu"],
    pages: &["pinned"],
    wait: &["irq"],
    memory: &["small"],
    kernel_buffer: &["contiguous"],
};

const DMA: Way<'_> = Way {
    contexts: &["exclusive", "shared"],
    pages: BOTH,
    ..CPU
};

/// Grids of `offload/latency` for this preset.
pub fn grids(preset: Preset) -> Vec<Grid> {
    match preset {
        Preset::Quick => vec![
            grid(12, &["warm"], &CPU, &FEW),
            grid(12, &["warm"], &DMA, &FEW),
            grid(12, &["flushed"], &CPU, &FEW),
        ],
        Preset::Full => full(),
    }
}

fn full() -> Vec<Grid> {
    let all: Vec<i64> = doubling(1, LARGEST).collect();
    let some: Vec<i64> = doubling(KIB, LARGEST).step_by(3).collect();
    let caches = ["warm", "flushed"];
    let one = Way {
        contexts: &["exclusive"],
        ..DMA
    };
    let waiting = Way {
        wait: &["poll", "hybrid"],
        ..one
    };
    let memory: &[&str] = &["thp"];
    let scattered = Way {
        kernel_buffer: &["scattered"],
        ..one
    };
    let others = [
        waiting,
        Way { memory, ..CPU },
        Way { memory, ..one },
        scattered,
    ];
    let mut grids = vec![
        grid(200, &caches, &CPU, &all),
        grid(200, &caches, &DMA, &all),
    ];
    grids.extend(others.map(|way| grid(100, &["warm"], &way, &some)));
    grids
}

fn grid(budget_ms: u64, caches: &[&str], way: &Way<'_>, sizes: &[i64]) -> Grid {
    Grid::new(budget_ms)
        .words("direction", &["from_user", "to_user"])
        .words("cache", caches)
        .words("context", way.contexts)
        .words("pages", way.pages)
        .words("wait", way.wait)
        .words("memory", way.memory)
        .words("kernel_buffer", way.kernel_buffer)
        .ints("size", sizes.iter().copied())
}
