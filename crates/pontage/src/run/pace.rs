//! How long a plan takes on this machine, from what runs before it took.
//!
//! A plan knows the budget of its points and how long its recordings last. It does not know what
//! set-up takes here, nor how many points end early: both are learned, for each experiment, and kept in the state folder. Of an
//! experiment that never ran here the usual is assumed, and said.

use catalogue::plan::{Block, Plan, Planned};
use harness::session::Spent;
use pontage::state_file;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// In the state folder.
const FILE: &str = "pace.json";
/// Share of the budget that samples take, and what a point takes in each process besides, ns,
/// where nothing is known.
const USUAL: Known = Known {
    used: 0.7,
    besides_ns: 15e6,
};
/// A new run counts so much against what was known.
const NEWER: f64 = 0.5;

/// What one experiment takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Known {
    /// Share of the budget that the samples take.
    used: f64,
    /// Set-up, calibration and all else, of a point in one process, ns.
    besides_ns: f64,
}

/// What is known of the experiments that ran here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Pace(BTreeMap<String, Known>);

/// How long a plan takes by the clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    pub ns: f64,
    /// Every experiment of it ran here before.
    pub known: bool,
}

impl Pace {
    /// What is kept of this user's runs.
    pub fn read() -> Pace {
        state_file::read(FILE).unwrap_or_default()
    }

    /// Learns from a run; what cannot be kept is not missed.
    pub fn learn(spent: &[Spent]) {
        let mut pace = Pace::read();
        spent.iter().for_each(|spent| pace.take(spent));
        let _ = state_file::keep(FILE, &pace);
    }

    fn take(&mut self, spent: &Spent) {
        let sampled_ns = spent.sampled_ns as f64;
        let besides_ns = spent.took_ns as f64 - sampled_ns - spent.recorded_ns as f64;
        let seen = Known {
            used: sampled_ns / spent.budget_ns as f64,
            besides_ns: besides_ns.max(0.0) / f64::from(spent.points),
        };
        if !(seen.used.is_finite() && seen.besides_ns.is_finite()) {
            return;
        }
        let known = self.0.entry(spent.experiment.clone()).or_insert(seen);
        let mixed = |old: f64, new: f64| old + NEWER * (new - old);
        known.used = mixed(known.used, seen.used);
        known.besides_ns = mixed(known.besides_ns, seen.besides_ns);
    }

    /// What one experiment of a plan takes, with all its processes.
    pub fn of_experiment(&self, plan: &Plan, planned: &Planned) -> Estimate {
        let known = self.0.get(planned.listed.id);
        let Known { used, besides_ns } = known.copied().unwrap_or(USUAL);
        let sampled_ns: u64 = planned.blocks.iter().map(Block::sampled_ns).sum();
        let points: usize = planned.blocks.iter().map(|b| b.points.len()).sum();
        let processes = f64::from(plan.processes);
        let recorded_ns: u64 = planned.blocks.iter().map(Block::lasts_ns).sum();
        let besides_ns = besides_ns * points as f64 + recorded_ns as f64;
        Estimate {
            ns: (sampled_ns as f64 * used + besides_ns) * processes,
            known: known.is_some(),
        }
    }

    /// What a plan takes; its limit of time holds.
    pub fn of(&self, plan: &Plan) -> Estimate {
        let each = plan.experiments.iter().map(|p| self.of_experiment(plan, p));
        let sum = each.fold((0.0, true), |(ns, known), e| (ns + e.ns, known && e.known));
        let limit_ns = plan.within_s.map_or(f64::INFINITY, |s| s as f64 * 1e9);
        Estimate {
            ns: sum.0.min(limit_ns),
            known: sum.1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pace;
    use harness::session::Spent;

    fn spent(used: f64, besides_ms: u64) -> Spent {
        let budget_ns = 1_000_000_000u64;
        let sampled_ns = (used * 1e9) as u64;
        Spent {
            experiment: "a/b".to_owned(),
            points: 10,
            budget_ns,
            sampled_ns,
            recorded_ns: 3_000_000_000,
            took_ns: 3_000_000_000 + sampled_ns + 10 * besides_ms * 1_000_000,
        }
    }

    #[test]
    fn what_runs_took_is_learned_and_what_is_no_number_is_not() {
        let mut pace = Pace::default();
        pace.take(&spent(0.5, 20));
        let known = pace.0["a/b"];
        assert!((known.used - 0.5).abs() < 1e-6 && (known.besides_ns - 2e7).abs() < 1.0);
        pace.take(&spent(0.7, 40));
        let known = pace.0["a/b"];
        assert!((known.used - 0.6).abs() < 1e-6 && (known.besides_ns - 3e7).abs() < 1.0);
        let none = Spent {
            budget_ns: 0,
            sampled_ns: 0,
            points: 0,
            took_ns: 0,
            ..spent(0.0, 0)
        };
        pace.take(&none);
        assert_eq!(pace.0["a/b"], known);
        let kept = serde_json::to_string(&pace).expect("numbers");
        assert_eq!(serde_json::from_str::<Pace>(&kept).expect("the same"), pace);
    }
}
