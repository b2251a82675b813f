//! Small machines for tests: two levels, no translation, no prefetchers, nothing around.
#![allow(dead_code, reason = "each test uses a part of it")]

use zoo::cores::{Coherence, Core, Flush, Inclusion, Level, Policy, Prefetcher, Tlb, Walk};
use zoo::{Memory, Surroundings};

/// Cycles of a nanosecond, and of the levels.
pub const GHZ: f64 = 2.0;
pub const L1_NS: f64 = 2.0;
pub const L2_NS: f64 = 6.0;
pub const L3_NS: f64 = 20.0;
pub const MEMORY_NS: f64 = 100.0;

/// A level of so many ways.
pub fn level(name: &str, bytes: u64, ways: u32, policy: Policy, inclusion: Inclusion) -> Level {
    let latency_ns = match name {
        "L1d" => L1_NS,
        "L2" => L2_NS,
        _ => L3_NS,
    };
    Level {
        name: name.to_owned(),
        bytes,
        ways,
        latency_cycles: latency_ns * GHZ,
        policy,
        inclusion,
        shared_cpus: if name == "L3" { 4 } else { 1 },
        slices: 1,
        stolen_ways: 0,
    }
}

/// A core of these levels.
pub fn core(levels: Vec<Level>) -> Core {
    Core {
        name: "test".to_owned(),
        title: "a core for tests".to_owned(),
        arch: "x86_64".to_owned(),
        clock_ghz: GHZ,
        line_bytes: 64,
        levels,
        dtlb: Tlb {
            entries: 4096,
            ways: 4,
            extra_cycles: 0.0,
            coalesce: 1,
            huge_entries: None,
        },
        stlb: None,
        walk: Walk {
            levels: 0,
            cycles: 0.0,
            cache_entries: 16,
        },
        memory_ns: MEMORY_NS,
        prefetchers: Vec::new(),
        utag: None,
        page_bytes: 4096,
        huge_page_bytes: 2 << 20,
        coherence: Coherence {
            transfer_ns: 50.0,
            local_ns: 5.0,
            pair_prefetch: true,
        },
        flush: Some(Flush {
            granule_bytes: 64,
            cost_ns: 40.0,
        }),
        sources: Vec::new(),
    }
}

/// 4 KiB of 4 ways over 32 KiB of 8 ways, inclusive, least recently used.
pub fn small() -> Core {
    core(vec![
        level("L1d", 4 << 10, 4, Policy::Lru, Inclusion::NonInclusive),
        level("L2", 32 << 10, 8, Policy::Lru, Inclusion::Inclusive),
    ])
}

/// The same with a prefetcher.
pub fn with(prefetcher: Prefetcher) -> Core {
    Core {
        prefetchers: vec![prefetcher],
        ..small()
    }
}

/// A machine around which nothing happens, with 16 MiB mapped in place from address 0.
pub fn still(core: Core) -> Memory {
    let mut memory = Memory::new(core, Surroundings::still(), 1);
    memory.map_in_place(0, 16 << 20);
    memory
}

/// What a load takes, in ns.
pub fn load_ns(memory: &mut Memory, address: u64) -> f64 {
    let before = memory.now_ns();
    memory.load(0, 1, address);
    memory.now_ns() - before
}

/// What loads of these addresses take on average, in ns.
pub fn mean_ns(memory: &mut Memory, addresses: &[u64]) -> f64 {
    let total: f64 = addresses.iter().map(|a| load_ns(memory, *a)).sum();
    total / addresses.len() as f64
}

/// Equal but for the rounding of a sum.
#[track_caller]
pub fn same(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-6,
        "{found}, expected {expected}"
    );
}
