//! What the instrument itself counts in a batch: two readings of the clock, and half a
//! reading of the group at each end.

use super::live::Counters;
use super::plan::{CounterPlan, TakenOff};
use super::{Count, Turn};
use probe::counters::Layer;
use std::collections::BTreeMap;

/// Empty batches of each group.
const EMPTY: usize = 301;
/// The first ones warm the way.
const WARM: usize = 20;

/// What each event counts in an empty batch, by alias; those that count nothing are left out.
/// `nothing` is the batch, with the clock around it.
pub(super) fn measured<L: Layer>(
    plan: &CounterPlan,
    layer: impl Fn() -> L + 'static,
    nothing: &mut dyn FnMut(),
) -> BTreeMap<String, TakenOff> {
    let bare = CounterPlan {
        taken_off: BTreeMap::new(),
        ..plan.clone()
    };
    let (mut counters, _) = Counters::open_with(&bare, layer);
    counters.attach_block(&[super::Whom::default()]);
    let mut found: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for pass in 0..plan.passes.len().max(1) {
        // The second of each four passes counts.
        counters.pass_begins(4 * pass + 1);
        debug_assert_eq!(counters.turn(), Turn::Counted);
        for batch in 0..WARM + EMPTY {
            counters.before(0, 0);
            nothing();
            counters.stop(0, 0);
            if batch < WARM {
                continue;
            }
            let values = counters.counted(1).values;
            for (metric, value) in plan.metrics.iter().zip(values) {
                if let (Some(alias), Some(value)) = (metric.alias(), value) {
                    found.entry(alias.to_owned()).or_default().push(value);
                }
            }
        }
    }
    let all = found.into_iter().map(|(alias, mut counts)| {
        counts.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| stats::quantile::quantile_sorted(&counts, share).unwrap_or(0.0);
        let taken_off = TakenOff {
            typical: at(0.5),
            scatter: at(0.9) - at(0.1),
        };
        (alias, taken_off)
    });
    all.filter(|(_, t)| *t != TakenOff::default()).collect()
}
