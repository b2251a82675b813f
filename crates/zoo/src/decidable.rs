//! What hides a quantity from the methods of the recipe, by the description alone.
//!
//! Two methods have to speak, and no third may contradict without a reason that is known. Where
//! the description leaves fewer, no number of samples helps, and an answer that is undecided is
//! the right one.

use crate::cores::{Core, Prefetcher};
use crate::truth::{HIDDEN, truth};
use crate::{Guest, Surroundings};

/// Why the quantity cannot be decided on this core and in these surroundings; None where it can,
/// as far as the description goes.
pub fn hidden(core: &Core, key: &str, around: &Surroundings) -> Option<&'static str> {
    of_kernel(key, around)
        .or_else(|| of_core(core, key, around))
        .or_else(|| of_neighbour(core, key, around))
}

fn of_kernel(key: &str, around: &Surroundings) -> Option<&'static str> {
    let kernel = &around.kernel;
    let (other_turn, other_limit) = kernel.real_time.states_others();
    let other_slack = kernel
        .stated_slack_ns
        .is_some_and(|ns| ns != kernel.slack_ns);
    let little = kernel.real_time.wants_little;
    const STATES: &str = "the kernel states something else";
    match key {
        "timer_slack" => other_slack.then_some(STATES),
        "rr_turn" => other_turn.then_some(STATES),
        "rt_limit" if other_limit => Some(STATES),
        "rt_limit" => little.then_some("ordinary tasks want little of it"),
        "tick_period" => (misled_of_ticks(around) > 1).then_some("two of three methods are misled"),
        _ => None,
    }
}

/// How many of the three methods that look for the tick see something else.
fn misled_of_ticks(around: &Surroundings) -> usize {
    let (kernel, tick_ns) = (&around.kernel, 1e9 / around.tick_hz);
    let statement = kernel.stated_ns.is_some_and(|ns| ns != tick_ns);
    let coarse = kernel.keeps_every > 1;
    let gaps = kernel.timer_hz > around.tick_hz;
    [statement, coarse, gaps].iter().filter(|is| **is).count()
}

fn of_core(core: &Core, key: &str, around: &Surroundings) -> Option<&'static str> {
    let level = |n: usize| core.levels.get(n);
    match key {
        "cache_levels" | "dram_latency" | "fetched_together" | "fetched_ahead" | "one_cache"
            if core.flush.is_none() =>
        {
            Some("no instruction drops lines")
        }
        "fetched_together" if around.smt_sibling => {
            Some("threads of one core pass no lines to each other")
        }
        "fetched_ahead" if furthest(core) < FAR => Some("no line is fetched far ahead"),
        "l3_capacity" | "l3_latency"
            if level(2)?.bytes as f64 <= HIDDEN * level(1)?.bytes as f64 =>
        {
            Some("L3 is hardly larger than L2")
        }
        "cache_levels" | "l3_capacity" | "l3_latency" | "dram_latency" if replays(core) => {
            Some("a prefetcher replays chains that come back")
        }
        "tlb_l2_reach" if collide(core) => Some("lines of scattered pages collide in L1d"),
        "page_walk" if core.stlb.is_none() => Some("behind one buffer there might be a second"),
        "l2_ways" if level(1)?.ways <= level(0)?.ways => {
            Some("lines that compete for a set of L2 compete for one of L1d before")
        }
        "l2_ways" if around.guest == Guest::SmallHost => Some("memory lies in pieces"),
        "l2_ways" if core.arch == "arm" => Some("there are no huge pages"),
        _ => None,
    }
}

/// What a neighbour takes comes and goes, so that what is true of the core spreads, in places by
/// more than an answer may.
fn of_neighbour(core: &Core, key: &str, around: &Surroundings) -> Option<&'static str> {
    let alone = Surroundings {
        neighbour: None,
        ..around.clone()
    };
    let mut all = experiments::all().quantities().all.iter();
    let widest = all.find(|q| q.key == key)?.widest;
    let spreads = |around| truth(core, key, around).is_some_and(|t| t.high > widest * t.low);
    let by_it = spreads(around) && !spreads(&alone);
    // Ways are counted by what fits: in one set, or in all of them.
    let by_it = by_it || (key == "l2_ways" && of_neighbour(core, "l2_capacity", around).is_some());
    let by_it = by_it || (key == "page_walk" && one_walk_is_left(core, around));
    by_it.then_some("what the neighbour takes of it comes and goes")
}

/// Whether one of three methods is left to measure a walk: lines of scattered pages collide, and
/// lines in random order over what the last buffer does not hold come from memory, the times of
/// which a neighbour moves by more than the walk.
fn one_walk_is_left(core: &Core, around: &Surroundings) -> bool {
    let (Some(last), Some(buffer)) = (core.levels.last(), core.stlb.as_ref()) else {
        return false;
    };
    let overflown = 2 * u64::from(buffer.entries) * core.page_bytes;
    let time = |key| truth(core, key, around);
    let (Some(memory), Some(walk)) = (time("dram_latency"), time("page_walk")) else {
        return false;
    };
    collide(core) && overflown > last.bytes && memory.high - memory.low > walk.high
}

/// Whether a random chain through the third cache comes before it is asked for.
fn replays(core: &Core) -> bool {
    let behind = core.levels.get(1).map_or(0, |second| second.bytes);
    let remembers = core.prefetchers.iter().map(Prefetcher::remembers);
    core.levels.len() > 2 && remembers.max().unwrap_or(0) * u64::from(core.line_bytes) > behind
}

/// Whether scattered pages fill sets of the first cache long before the second buffer ends.
fn collide(core: &Core) -> bool {
    let (Some(first), Some(second)) = (core.levels.first(), core.stlb.as_ref()) else {
        return false;
    };
    let lines = first.bytes / u64::from(core.line_bytes);
    let colours = first.bytes / u64::from(first.ways) > core.page_bytes;
    colours && first.ways <= 2 && u64::from(second.entries) > lines
}

/// A walk in order is three times as fast as one in random order for certain where this many lines
/// are under way at once.
const FAR: u32 = 4;

/// How many lines ahead of a walk in order some prefetcher gets.
fn furthest(core: &Core) -> u32 {
    let of = |prefetcher: &Prefetcher| match prefetcher {
        Prefetcher::Stream { ahead, .. } | Prefetcher::IpStride { ahead, .. } => *ahead,
        Prefetcher::NextLine => 1,
        _ => 0,
    };
    core.prefetchers.iter().map(of).max().unwrap_or(FAR)
}

#[cfg(test)]
mod tests {
    use super::hidden;
    use crate::conditions::conditions;
    use crate::cores::{all, named};
    use crate::truth::{of_kernel, truth};

    #[test]
    fn what_most_cores_show_is_hidden_on_none_and_a_false_statement_hides_what_it_states() {
        for condition in conditions() {
            for core in all() {
                for seed in 1..=20 {
                    let around = condition.around(&core.name, seed);
                    for key in [
                        "line_size",
                        "l1d_capacity",
                        "l1d_ways",
                        "l1d_latency",
                        "tlb_l1_reach",
                    ] {
                        assert!(truth(&core, key, &around).is_some());
                        assert_eq!(hidden(&core, key, &around), None, "{} {key}", core.name);
                    }
                    let (turn, limit) = around.kernel.real_time.states_others();
                    assert_eq!(hidden(&core, "rr_turn", &around).is_some(), turn);
                    assert!(!limit || hidden(&core, "rt_limit", &around).is_some());
                    assert!(of_kernel(&around, "rt_limit").is_some());
                }
            }
        }
    }

    #[test]
    fn a_board_hides_what_needs_an_instruction_that_drops_lines() {
        let around = conditions()[0].around("cortex-a9", 1);
        let of = |name: &str, key: &str| hidden(&named(name).expect("a core"), key, &around);
        assert_eq!(
            of("cortex-a9", "dram_latency"),
            Some("no instruction drops lines")
        );
        assert!(of("cortex-a9", "one_cache").is_some() && of("zen3", "one_cache").is_none());
        assert!(of("cortex-a8", "page_walk").is_some() && of("cortex-a9", "page_walk").is_none());
        assert_eq!(of("zen3", "dram_latency"), None);
        assert!(of("cortex-a72", "tlb_l2_reach").is_some());
        assert!(of("neoverse-v2", "l3_latency").is_some() && of("zen3", "l3_latency").is_none());
        assert!(of("zen3", "l2_ways").is_some() && of("skylake-sp", "l2_ways").is_none());
        assert!(
            of("cortex-a72", "fetched_ahead").is_some() && of("zen3", "fetched_ahead").is_none()
        );
    }

    #[test]
    fn a_neighbour_hides_what_it_uses_and_no_more() {
        let neighbour = conditions().remove(1);
        let of = |name: &str, key: &str| {
            let around = neighbour.around(name, 1);
            hidden(&named(name).expect("a core"), key, &around).is_some()
        };
        for key in ["l3_capacity", "l3_latency", "dram_latency"] {
            assert!(of("zen3", key), "{key}");
        }
        for key in ["l2_capacity", "l2_latency", "cache_levels", "tlb_l2_reach"] {
            assert!(!of("zen3", key), "{key}");
        }
        // Of page walks one method is left where lines collide too.
        for key in ["l2_capacity", "l2_ways", "page_walk"] {
            assert!(of("cortex-a72", key) && !of("neoverse-v2", key), "{key}");
        }
    }
}
