//! What follows from the answers of several experiments on caches and memory.

use super::caches::{
    CAPACITIES, CHASE, CONFLICT, FLUSHED, LAST_TREAD, LATENCIES, LEVELS, PLACEMENT, QUOTIENT,
    RISES, TREADS, WAY_BYTES, WAYS,
};
use super::{of, prefetch};
use analysis::inference::Answer;

/// Memory takes at least this share of what a dropped line takes on the last tread of a
/// staircase; less is a cache that no set was larger than.
const MEMORY_SHARE: f64 = 0.6;

/// Page tables that come from memory make a load from memory so many times as long at most; what
/// rises by more is a cache.
const WITH_WALKS: f64 = 3.0;

/// What follows from the answers of two experiments: ways as a quotient, the time of memory
/// and the number of levels.
pub(crate) fn derived(answers: &[Answer]) -> Vec<Answer> {
    let mut all = no_caches(answers);
    let silenced = |key| all.iter().any(|answer: &Answer| answer.quantity == key);
    let levels = (0..2).filter(|level| !silenced(CAPACITIES[*level].key));
    let quotients: Vec<Answer> = levels.filter_map(|l| quotient(answers, l)).collect();
    all.extend(quotients);
    all.extend(behind_the_last(answers));
    all.extend(replayed(answers));
    all
}

/// Nothing is said of a cache whose loads may come from memory: a curve goes on to rise behind it,
/// where caches no longer hold the page tables.
fn no_caches(answers: &[Answer]) -> Vec<Answer> {
    let ns = |key, method| of(answers, key, method).map(|[ns, ..]| ns);
    let flushed = ns(LATENCIES[3].key, FLUSHED);
    let last = [CHASE, PLACEMENT].map(|method| ns(LAST_TREAD, method));
    let last = last.into_iter().flatten().fold(0.0, f64::max);
    let mut all = Vec::new();
    for level in 1..CAPACITIES.len() {
        let (latency, capacity) = (LATENCIES[level].key, CAPACITIES[level].key);
        let methods = [CHASE, PLACEMENT, CONFLICT];
        let loads = methods.iter().filter_map(|method| ns(latency, method));
        let slowest = loads.fold(0.0, f64::max);
        let why = match flushed {
            Some(flushed) if slowest >= MEMORY_SHARE * flushed => {
                "its loads take as long as those from memory"
            }
            None if slowest > 0.0 && last < WITH_WALKS * slowest => {
                "no method said what memory takes, so its loads may come from there"
            }
            _ => continue,
        };
        let keys = [latency, capacity];
        let said = keys
            .iter()
            .flat_map(|key| methods.map(|method| (key, method)));
        let said = said.filter(|(key, method)| of(answers, key, method).is_some());
        all.extend(said.map(|(key, method)| Answer::nothing(key, method, why)));
    }
    all
}

/// A set of the third cache is a chain that comes back, over huge pages and over base pages: where
/// such a chain is foreseen, neither says how far its lines are.
fn replayed(answers: &[Answer]) -> Vec<Answer> {
    if !prefetch::replays(answers) {
        return Vec::new();
    }
    let why = "a random chain that comes back is foreseen here (mem/prefetch)";
    let third = [CAPACITIES[2].key, LATENCIES[2].key];
    let both = third.map(|key| [CHASE, PLACEMENT].map(|method| Answer::nothing(key, method, why)));
    both.into_iter().flatten().collect()
}

fn quotient(answers: &[Answer], level: usize) -> Option<Answer> {
    let [way, ..] = of(answers, WAY_BYTES[level], CONFLICT)?;
    let capacity = of(answers, CAPACITIES[level].key, CHASE)?;
    let [value, low, high] = capacity.map(|bytes| bytes / way);
    let key = WAYS[level].key;
    // A set holds a whole number of lines.
    let [low, high] = [low.floor(), high.ceil()];
    Some(Answer::between(key, QUOTIENT, value, low, high))
}

/// Levels are the treads before memory, and the last tread is memory where its loads take as
/// long as those of dropped lines.
fn behind_the_last(answers: &[Answer]) -> Vec<Answer> {
    let dram = LATENCIES[3].key;
    let flushed = of(answers, dram, FLUSHED);
    let mut all = Vec::new();
    for method in [CHASE, PLACEMENT] {
        let (Some([treads, ..]), Some([ns, low, high])) =
            (of(answers, TREADS, method), of(answers, LAST_TREAD, method))
        else {
            continue;
        };
        let Some([flushed, _, flushed_high]) = flushed else {
            let why = "no method said what memory takes, so the last tread may be a cache";
            all.push(Answer::nothing(LEVELS.key, method, why));
            if method == CHASE {
                all.push(Answer::nothing(dram, method, why));
            }
            continue;
        };
        let reached = ns >= MEMORY_SHARE * flushed;
        let rises = of(answers, RISES, method).is_some();
        // Nor does memory take longer than that: page tables that caches no longer hold do.
        let beyond = rises && low > flushed_high;
        all.push(match (reached || !rises) && !beyond {
            true => {
                let levels = treads - f64::from(u8::from(reached));
                Answer::exactly(LEVELS.key, method, levels)
            }
            false => Answer::nothing(
                LEVELS.key,
                method,
                match beyond {
                    true => "the time rises beyond what memory takes, so a step may be page tables",
                    false => "the time still rises at the largest set",
                },
            ),
        });
        if method == CHASE {
            all.push(match reached && !rises {
                true => Answer::between(dram, method, ns, low, high),
                false => Answer::nothing(
                    dram,
                    method,
                    "no set is so large that all its loads go to memory; measure larger ones with \
                     --full or --axis size=..",
                ),
            });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{CAPACITIES, CHASE, CONFLICT, FLUSHED, LAST_TREAD, LATENCIES, PLACEMENT, derived};
    use crate::quantities::prefetch::replayed;
    use analysis::inference::{Answer, Says};

    /// What is said of the third cache where its loads take so long, dropped lines so long, and the
    /// last tread so long.
    fn third(ns: f64, flushed: Option<f64>, last: f64) -> Vec<Answer> {
        let value = |key, method, ns: f64| Answer::between(key, method, ns, ns, ns);
        let mut said = vec![
            value(LATENCIES[2].key, CHASE, ns),
            value(LATENCIES[2].key, CONFLICT, ns),
            value(CAPACITIES[2].key, PLACEMENT, 1e7),
            Answer::nothing(CAPACITIES[2].key, CHASE, "it moves"),
            value(LAST_TREAD, CHASE, last),
        ];
        said.extend(flushed.map(|ns| value(LATENCIES[3].key, FLUSHED, ns)));
        let all = derived(&said).into_iter();
        all.filter(|a| a.quantity == LATENCIES[2].key || a.quantity == CAPACITIES[2].key)
            .collect()
    }

    #[test]
    fn a_tread_that_takes_as_long_as_memory_is_no_cache() {
        assert!(third(20.0, Some(100.0), 105.0).is_empty());
        let all = third(160.0, Some(140.0), 300.0);
        let of = |a: &Answer| matches!(&a.says, Says::Nothing(why) if why.contains("from memory"));
        assert!(all.len() == 3 && all.iter().all(of), "{all:?}");
    }

    #[test]
    fn where_none_said_what_memory_takes_a_cache_is_three_times_as_fast_as_what_follows() {
        assert!(third(20.0, None, 105.0).is_empty());
        let all = third(158.0, None, 300.0);
        let of = |a: &Answer| matches!(&a.says, Says::Nothing(why) if why.contains("no method"));
        assert!(all.len() == 3 && all.iter().all(of), "{all:?}");
    }

    #[test]
    fn where_chains_that_come_back_are_foreseen_none_says_how_far_the_third_cache_is() {
        let of = |share: f64| derived(&[replayed([share, share - 0.1, share + 0.1])]);
        assert!(of(0.2).is_empty());
        let all = of(0.9);
        for key in [CAPACITIES[2].key, LATENCIES[2].key] {
            for method in [CHASE, PLACEMENT] {
                let found = all.iter().find(|a| a.quantity == key && a.method == method);
                let says = found.map(|a| &a.says);
                assert!(matches!(says, Some(Says::Nothing(why)) if why.contains("comes back")));
            }
        }
        assert_eq!(all.len(), 4);
    }
}
