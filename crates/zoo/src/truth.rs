//! What is true of a described core, and whether a finding says so.

use crate::cores::{Core, Inclusion, Level, Prefetcher, Tlb};
use crate::{Guest, Surroundings};

/// Values that are right: between two bounds, which are equal where only one is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Truth {
    pub low: f64,
    pub high: f64,
    /// How far an answer may lie outside, as a share.
    pub slack: f64,
}

/// What became of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    Right,
    Wrong,
    Undecided,
}

/// An answer may be so much off where the truth is a size, and where it is a time: what a load
/// takes has the noise of its surroundings in it.
pub const SIZE_SLACK: f64 = 0.1;
/// See `SIZE_SLACK`.
pub const TIME_SLACK: f64 = 0.15;
/// Where it is a period that a clock keeps.
const CLOCK_SLACK: f64 = 0.02;
/// Neighbours that use a part of a shared cache leave so much of it at least.
const LEFT: f64 = 0.3;
/// A cache up to this factor of the one in front of it may not be seen.
pub const HIDDEN: f64 = 1.5;
/// What they may add to a load from it, and to one from memory.
const SLOWER: f64 = 1.6;

/// The truth of a quantity of this core; None where its description says nothing of it.
/// A neighbour around it uses the last level and memory too.
pub fn truth(core: &Core, key: &str, around: &Surroundings) -> Option<Truth> {
    let shared = around.neighbour.is_some();
    let exactly = |value: f64| Truth {
        low: value,
        high: value,
        slack: 0.0,
    };
    let line = f64::from(core.line_bytes);
    let level = |n: usize| core.levels.get(n);
    match key {
        "line_size" => Some(exactly(line)),
        "fetched_together" => Some(together(core, line)),
        "cache_levels" => Some(levels(core)),
        "l1d_capacity" => capacity(core, 0, shared),
        "l2_capacity" => capacity(core, 1, shared),
        "l3_capacity" => capacity(core, 2, shared),
        "l1d_ways" => Some(exactly(f64::from(level(0)?.ways))),
        "l2_ways" => Some(exactly(f64::from(level(1)?.ways))),
        "l1d_latency" => Some(latency(core, level(0)?, false)),
        "l2_latency" => Some(latency(core, level(1)?, shared && core.levels.len() == 2)),
        "l3_latency" => Some(latency(core, level(2)?, shared)),
        "dram_latency" => Some(Truth {
            low: core.memory_ns,
            high: core.memory_ns * if shared { SLOWER } else { 1.0 },
            slack: TIME_SLACK,
        }),
        "tlb_l1_reach" => Some(reach(core, &core.dtlb)),
        "tlb_l2_reach" => Some(reach(core, core.stlb.as_ref()?)),
        "tlb_l2_latency" => {
            let ns = core.stlb.as_ref()?.extra_cycles / core.clock_ghz;
            Some(Truth {
                low: ns,
                high: ns,
                slack: 0.3,
            })
        }
        "page_walk" => Some(walk(core, around.guest)),
        "fetched_ahead" => fetched_ahead(core).map(|yes| exactly(f64::from(u8::from(yes)))),
        "one_core" => Some(exactly(f64::from(u8::from(around.smt_sibling)))),
        "one_cache" => Some(exactly(f64::from(u8::from(one_cache(core, around))))),
        _ => None,
    }
}

/// Whether the quantity is of a cache or a buffer that the core has not.
pub fn absent(core: &Core, key: &str) -> bool {
    match key {
        "l2_capacity" | "l2_ways" | "l2_latency" => core.levels.len() < 2,
        "l3_capacity" | "l3_latency" => core.levels.len() < 3,
        "tlb_l2_reach" | "tlb_l2_latency" => core.stlb.is_none(),
        _ => false,
    }
}

/// Nothing is true of a core that fetches by pairs or by what was used before.
fn fetched_ahead(core: &Core) -> Option<bool> {
    let in_order = |p: &Prefetcher| match p {
        Prefetcher::Stream { .. } | Prefetcher::NextLine => true,
        Prefetcher::IpStride {
            max_stride_bytes, ..
        } => *max_stride_bytes >= core.line_bytes,
        _ => false,
    };
    let found = core.prefetchers.iter().any(in_order);
    (found || core.prefetchers.is_empty()).then_some(found)
}

fn one_cache(core: &Core, around: &Surroundings) -> bool {
    let shared = core.levels.iter().any(|level| level.shared_cpus > 1);
    around.smt_sibling || (around.partner_shares_llc && shared)
}

/// The truth of a quantity of the kernel; None where it is none of the kernel's.
pub fn of_kernel(around: &Surroundings, key: &str) -> Option<Truth> {
    let slack_ns = around.kernel.slack_ns;
    match key {
        "timer_slack" => Some(Truth {
            low: slack_ns,
            high: slack_ns,
            slack: TIME_SLACK,
        }),
        "rr_turn" => Some(turn(around)),
        "rt_limit" => {
            let spared = around.kernel.real_time.spared;
            Some(Truth {
                low: spared,
                high: spared,
                slack: TIME_SLACK,
            })
        }
        "tick_period" => Some(Truth {
            low: 1e9 / around.tick_hz,
            high: 1e9 / around.tick_hz,
            slack: CLOCK_SLACK,
        }),
        _ => None,
    }
}

/// A turn ends at a tick.
fn turn(around: &Surroundings) -> Truth {
    let turn_ns = around.kernel.real_time.turn_ns;
    let tick_ns = 1e9 / around.tick_hz;
    Truth {
        low: turn_ns,
        high: (turn_ns / tick_ns).ceil() * tick_ns,
        slack: CLOCK_SLACK,
    }
}

/// A level that is hardly larger than the one in front of it may show or not.
fn levels(core: &Core) -> Truth {
    let hidden = core
        .levels
        .windows(2)
        .filter(|w| w[1].bytes as f64 <= HIDDEN * w[0].bytes as f64);
    let all = core.levels.len() as f64;
    Truth {
        low: all - hidden.count() as f64,
        high: all,
        slack: 0.0,
    }
}

fn together(core: &Core, line: f64) -> Truth {
    let has = |wanted: fn(&Prefetcher) -> bool| core.prefetchers.iter().any(wanted);
    let pairs = has(|p| matches!(p, Prefetcher::AdjacentLine));
    // By history, or upwards only: either answer is right.
    let sometimes = has(|p| matches!(p, Prefetcher::UpDown | Prefetcher::NextLine));
    Truth {
        low: if pairs { 2.0 * line } else { line },
        high: if pairs || sometimes { 2.0 * line } else { line },
        slack: 0.0,
    }
}

/// What a program gets of a cache: its own size, and that of the caches in front of it where it
/// keeps what they evict, or need not hold what they do. Where the one behind it keeps what it
/// evicts and may not be seen, both may pass for one.
fn capacity(core: &Core, level: usize, shared: bool) -> Option<Truth> {
    let of = core.levels.get(level)?;
    let kept = 1.0 - f64::from(of.stolen_ways) / f64::from(of.ways);
    let own = of.bytes as f64 * kept;
    let in_front: u64 = core.levels[..level].iter().map(|l| l.bytes).sum();
    let more = match of.inclusion {
        Inclusion::Inclusive => 0.0,
        Inclusion::Exclusive | Inclusion::NonInclusive => in_front as f64,
    };
    let last = level + 1 == core.levels.len();
    let behind = core.levels.get(level + 1);
    let behind = behind.filter(|l| l.inclusion == Inclusion::Exclusive);
    let behind = behind.map_or(0.0, |l| l.bytes as f64);
    let unseen = if behind <= HIDDEN * own { behind } else { 0.0 };
    Some(Truth {
        low: own * if shared && last { LEFT } else { 1.0 },
        high: own + more + unseen,
        slack: SIZE_SLACK,
    })
}

fn latency(core: &Core, level: &Level, shared: bool) -> Truth {
    let ns = level.latency_cycles / core.clock_ghz;
    Truth {
        low: ns,
        high: ns * if shared { SLOWER } else { 1.0 },
        slack: TIME_SLACK,
    }
}

/// Entries, of which some hold several pages where these lie in a row.
fn reach(core: &Core, tlb: &Tlb) -> Truth {
    let bytes = f64::from(tlb.entries) * core.page_bytes as f64;
    Truth {
        low: bytes,
        high: bytes * if tlb.coalesce > 1 { 1.3 } else { 1.0 },
        slack: SIZE_SLACK,
    }
}

/// From tables in the first cache to tables in the second: the last level of them, or the two
/// last. In a guest each entry of its tables needs one of the host's, and so does the page.
fn walk(core: &Core, guest: Guest) -> Truth {
    let (least, most) = match guest {
        Guest::Bare => (1.0, 2.0),
        Guest::HugeHost | Guest::SmallHost => (3.0, 5.0),
    };
    let cycles = |level: usize| core.levels.get(level).map_or(0.0, |l| l.latency_cycles);
    let second = core.stlb.as_ref().map_or(0.0, |tlb| tlb.extra_cycles);
    let fixed = core.walk.cycles + second;
    Truth {
        low: (fixed + least * cycles(0)) / core.clock_ghz,
        high: (fixed + most * cycles(1)) / core.clock_ghz,
        slack: 0.3,
    }
}

/// Whether an answer between two bounds is right: the truth lies between them, or near.
pub fn outcome(low: f64, high: f64, truth: Truth) -> Outcome {
    let stretch = 1.0 + truth.slack;
    match low / stretch <= truth.high && high * stretch >= truth.low {
        true => Outcome::Right,
        false => Outcome::Wrong,
    }
}

#[cfg(test)]
mod tests {
    use super::{Outcome, outcome, truth, walk};
    use crate::cores::{all, named};
    use crate::{Guest, Surroundings};

    #[test]
    fn a_guest_walks_two_tables() {
        let core = named("zen3").expect("a core");
        let of = |guest| walk(&core, guest);
        let (bare, guest) = (of(Guest::Bare), of(Guest::SmallHost));
        let ns = |level: usize| core.levels[level].latency_cycles / core.clock_ghz;
        assert!((guest.low - bare.low - 2.0 * ns(0)).abs() < 1e-9);
        assert!((guest.high - bare.high - 3.0 * ns(1)).abs() < 1e-9);
    }

    #[test]
    fn every_core_has_a_truth_of_its_line_and_its_first_cache() {
        for core in all() {
            let line = truth(&core, "line_size", &Surroundings::quiet()).expect("a line");
            assert_eq!(line.low, f64::from(core.line_bytes), "{}", core.name);
            let size = truth(&core, "l1d_capacity", &Surroundings::quiet()).expect("a cache");
            let bytes = core.levels[0].bytes as f64;
            assert_eq!(outcome(bytes, bytes, size), Outcome::Right, "{}", core.name);
            let third = outcome(bytes / 3.0, bytes / 3.0, size);
            assert_eq!(third, Outcome::Wrong, "{}", core.name);
        }
    }

    #[test]
    fn an_exclusive_cache_gives_its_own_size_and_that_in_front_of_it() {
        let zen = named("zen3").expect("a core");
        let l3 = truth(&zen, "l3_capacity", &Surroundings::quiet()).expect("a cache");
        assert!(l3.high > l3.low, "{l3:?}");
        assert!(
            truth(&zen, "l3_capacity", &Surroundings::neighbour()).is_some_and(|t| t.low < l3.low)
        );
        assert!(truth(&zen, "colour", &Surroundings::quiet()).is_none());
        // 12 MiB before 8 MiB: one rise may be that of both.
        let m1 = named("apple-m1").expect("a core");
        let l2 = truth(&m1, "l2_capacity", &Surroundings::quiet()).expect("a cache");
        assert!(
            l2.high > 20.0 * 1048576.0 && l2.low == 12.0 * 1048576.0,
            "{l2:?}"
        );
        let l2 = truth(&zen, "l2_capacity", &Surroundings::quiet()).expect("a cache");
        assert!(l2.high < 1048576.0, "{l2:?}");
    }
}
