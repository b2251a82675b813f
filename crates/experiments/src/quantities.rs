//! What is concluded about a machine: each quantity with its methods, of which every one is
//! measured in an experiment and says what misleads it.

pub mod caches;
pub(crate) mod combined;
pub mod kernel;
pub mod line;
pub mod prefetch;
pub mod scheduler;
pub mod sharing;
pub mod translation;

use analysis::inference::{Answer, Quantity, Says};
use catalogue::Quantities;

/// In the order of the report.
pub const ALL: &[Quantity] = &[
    line::LINE,
    line::TOGETHER,
    caches::LEVELS,
    caches::CAPACITIES[0],
    caches::WAYS[0],
    caches::LATENCIES[0],
    caches::CAPACITIES[1],
    caches::WAYS[1],
    caches::LATENCIES[1],
    caches::CAPACITIES[2],
    caches::LATENCIES[2],
    caches::LATENCIES[3],
    translation::REACHES[0],
    translation::REACHES[1],
    translation::SECOND,
    translation::WALK,
    prefetch::AHEAD,
    sharing::ONE_CORE,
    sharing::ONE_CACHE,
    kernel::TICK,
    kernel::SLACK,
    scheduler::TURN,
    scheduler::LIMIT,
];

/// All of them, with what follows from several answers.
pub const QUANTITIES: Quantities = Quantities { all: ALL, derived };

fn derived(answers: &[Answer]) -> Vec<Answer> {
    let mut all = combined::derived(answers);
    all.extend(prefetch::derived(answers));
    all
}

/// What a method said of a quantity: the value and its bounds.
fn of(answers: &[Answer], quantity: &str, method: &str) -> Option<[f64; 3]> {
    let mut found = answers.iter();
    let found = found.find(|a| a.quantity == quantity && a.method == method)?;
    match found.says {
        Says::Value { value, low, high } => Some([value, low, high]),
        Says::Nothing(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::ALL;
    use std::collections::BTreeSet;

    #[test]
    fn each_rests_on_two_kinds_of_methods_with_different_enemies() {
        for quantity in ALL {
            let kinds: BTreeSet<_> = quantity.methods.iter().map(|m| m.kind).collect();
            assert!(kinds.len() >= 2, "{}", quantity.key);
            let names: BTreeSet<&str> = quantity.methods.iter().map(|m| m.name).collect();
            assert_eq!(names.len(), quantity.methods.len(), "{}", quantity.key);
            for method in quantity.methods {
                let listed = crate::all().find(method.experiment);
                assert!(listed.is_some(), "{}: {}", quantity.key, method.experiment);
                assert!(!method.fooled_by.is_empty(), "{}", method.name);
            }
        }
    }
}
