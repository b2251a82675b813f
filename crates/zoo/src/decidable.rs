//! What hides a quantity from the methods of the recipe, by the description alone.
//!
//! Two methods have to speak, and no third may contradict without a reason that is known. Where
//! the description leaves fewer, no number of samples helps, and an answer that is undecided is
//! the right one.

use crate::cores::Core;
use crate::{Guest, Surroundings};

/// Why the quantity cannot be decided on this core and in these surroundings; None where it can,
/// as far as the description goes.
pub fn hidden(core: &Core, key: &str, around: &Surroundings) -> Option<&'static str> {
    of_kernel(key, around).or_else(|| of_core(core, key, around))
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
    let drops = core.flush.is_some();
    let level = |n: usize| core.levels.get(n);
    match key {
        "cache_levels" | "dram_latency" | "fetched_together" | "fetched_ahead" if !drops => {
            Some("no instruction drops lines")
        }
        "l2_ways" if level(1)?.ways <= level(0)?.ways => {
            Some("lines that compete for a set of L2 compete for one of L1d before")
        }
        "l2_ways" if around.guest == Guest::SmallHost => Some("memory lies in pieces"),
        _ => None,
    }
}
