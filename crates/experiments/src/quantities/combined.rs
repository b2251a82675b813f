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

/// What follows from the answers of two experiments: ways as a quotient, the time of memory
/// and the number of levels.
pub(crate) fn derived(answers: &[Answer]) -> Vec<Answer> {
    let quotients = (0..2).filter_map(|level| quotient(answers, level));
    let behind = behind_the_last(answers);
    quotients.chain(behind).chain(replayed(answers)).collect()
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
    use super::{CAPACITIES, CHASE, LATENCIES, PLACEMENT, derived};
    use crate::quantities::prefetch::replayed;
    use analysis::inference::Says;

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
