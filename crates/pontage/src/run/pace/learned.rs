//! What runs took under one condition: of each experiment, and of the run as a whole.

use super::known::{ByBudget, Known, class};
use harness::Ending;
use harness::session::Spent;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Of a run, whatever it measures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Whole {
    /// From the start of the program to the first process.
    pub start_ns: f64,
    /// Time that is spent on measuring again, for that of measuring.
    pub again: f64,
    /// Of fresh memory; 0 where it is not known.
    #[serde(default)]
    pub touch_ns_per_mib: f64,
}

impl Whole {
    /// `share` of the way to another.
    pub fn toward(self, other: Whole, share: f64) -> Whole {
        let mix = |from: f64, to: f64| from + share * (to - from);
        Whole {
            start_ns: mix(self.start_ns, other.start_ns),
            again: mix(self.again, other.again),
            touch_ns_per_mib: mix(self.touch_ns_per_mib, other.touch_ns_per_mib),
        }
    }
}

/// What is known under one condition.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    pub run: Option<Whole>,
    pub experiments: BTreeMap<String, ByBudget>,
}

/// By the load, and whether events are counted.
pub type Kept = BTreeMap<String, Learned>;

/// The condition without a load and counters.
pub const PLAIN: &str = "light";

/// What a run took apart from its points.
#[derive(Debug, Clone, Copy)]
pub struct Around {
    pub start: Duration,
    pub closing: Duration,
}

impl Learned {
    /// 0 where it is not known.
    pub fn touch_ns_per_mib(&self) -> f64 {
        self.run.map_or(0.0, |run| run.touch_ns_per_mib)
    }

    /// Learns from a run, on a machine where fresh memory costs so much.
    pub fn take(&mut self, ending: &Ending, around: Around, touch_ns_per_mib: f64) {
        let points: u32 = ending.spent.iter().map(|s| s.points).sum();
        let closing_ns = around.closing.as_secs_f64() * 1e9 / f64::from(points.max(1));
        for ((id, class), spent) in together(&ending.spent) {
            if let Some(known) = Known::of(&spent, closing_ns) {
                self.experiments.entry(id).or_default().take(class, known);
            }
        }
        let took_ns: f64 = ending.spent.iter().map(|s| s.took_ns as f64).sum();
        let again = ending.again_ns as f64 / took_ns;
        let new = Whole {
            start_ns: around.start.as_secs_f64() * 1e9,
            again: if again.is_finite() { again } else { 0.0 },
            // JSON has no infinity.
            touch_ns_per_mib: if touch_ns_per_mib.is_finite() {
                touch_ns_per_mib
            } else {
                0.0
            },
        };
        self.run = Some(self.run.map_or(new, |old| old.toward(new, 0.5)));
    }
}

/// A plan may ask for an experiment several times: what all of them with about the same budget
/// took, for they are known by one name.
fn together(all: &[Spent]) -> BTreeMap<(String, u32), Spent> {
    let mut sums: BTreeMap<(String, u32), Spent> = BTreeMap::new();
    for spent in all {
        let each_ns = spent.budget_ns as f64 / f64::from(spent.points.max(1));
        let sum = sums.entry((spent.experiment.clone(), class(each_ns)));
        sum.or_default().add(spent);
    }
    sums
}
