//! How long a plan takes on this machine, from what runs before it took.
//!
//! A plan knows the budget of its points and how long its recordings last. What set-up and
//! closing take here, how many points end early and how many are skipped is learned, for each
//! experiment and under each load, and kept in the state folder. Of an experiment that never ran
//! here the usual is assumed, at the speed of those that did, and that is said.

mod known;

use catalogue::plan::{Block, Plan, Planned};
use harness::Ending;
use harness::session::Spent;
use known::{ByBudget, Known, class};
use pontage::state_file;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// In the state folder.
const FILE: &str = "pace.json";
/// What experiments took elsewhere, made by `cargo xtask estimates --keep`; only pollute/victim with its
/// largest budget is from the time that its guide had before, 50 minutes.
const USUAL: &str = include_str!("../../data/pace.json");
/// Where nothing is known.
const UNKNOWN: Known = Known {
    used: known::USUAL_USE,
    recorded: 1.0,
    besides_ns: 30e6,
    closing_ns: 1e6,
};
/// From the start of the program to the first process, ns, and the share of points that are
/// measured again, where neither is known.
const USUAL_RUN: Whole = Whole {
    start_ns: 3e8,
    again: 0.05,
};

/// Of a run, whatever it measures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Whole {
    start_ns: f64,
    /// Time that is spent on measuring again, for that of measuring.
    again: f64,
}

/// What is known under one condition.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Learned {
    run: Option<Whole>,
    experiments: BTreeMap<String, ByBudget>,
}

/// By the load, and whether events are counted.
type Kept = BTreeMap<String, Learned>;

/// The condition without a load and counters.
const PLAIN: &str = "light";

/// What is known of the experiments that ran here.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pace {
    own: Learned,
    /// Without load, where that is another condition.
    plain: Learned,
    usual: Learned,
}

/// How long a plan takes by the clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    pub ns: f64,
    /// Every experiment of it ran here before.
    pub known: bool,
}

/// What a run took apart from its points.
#[derive(Debug, Clone, Copy)]
pub struct Around {
    pub start: Duration,
    pub closing: Duration,
}

/// The name of a condition.
pub fn condition(load: &str, counted: bool) -> String {
    format!("{load}{}", if counted { ", counted" } else { "" })
}

impl Pace {
    /// What is kept of this user's runs under a condition.
    pub fn read(condition: &str) -> Pace {
        Pace::with(&state_file::read(FILE).unwrap_or_default(), condition)
    }

    /// Of what is kept; nothing where nothing ran.
    fn with(kept: &Kept, condition: &str) -> Pace {
        let of = |condition| kept.get(condition).cloned().unwrap_or_default();
        let usual: Kept = serde_json::from_str(USUAL).unwrap_or_default();
        Pace {
            own: of(condition),
            plain: of(PLAIN),
            usual: usual.get(PLAIN).cloned().unwrap_or_default(),
        }
    }

    /// Learns from a run; what cannot be kept is not missed.
    pub fn learn(condition: &str, ending: &Ending, around: Around) {
        let mut kept: Kept = state_file::read(FILE).unwrap_or_default();
        let learned = kept.entry(condition.to_owned()).or_default();
        learned.take(ending, around);
        let _ = state_file::keep(FILE, &kept);
    }

    /// What one experiment of a plan takes, with all its processes.
    pub fn of_experiment(&self, plan: &Plan, planned: &Planned) -> Estimate {
        let sum = |of: fn(&Block) -> u64| planned.blocks.iter().map(of).sum::<u64>() as f64;
        let (sampled_ns, recorded_ns) = (sum(Block::sampled_ns), sum(Block::lasts_ns));
        let points: usize = planned.blocks.iter().map(|b| b.points.len()).sum();
        let points = points as f64;
        let each_ns = sampled_ns / points.max(1.0);
        let (known, here) = self.look_up(planned.listed.id, class(each_ns));
        let processes = f64::from(plan.processes);
        let measured_ns =
            known.used * sampled_ns + known.recorded * recorded_ns + known.besides_ns * points;
        let again = if plan.processes > 1 {
            self.whole().again
        } else {
            0.0
        };
        Estimate {
            ns: (measured_ns * (1.0 + again) + known.closing_ns * points) * processes,
            known: here,
        }
    }

    /// What a plan takes; its limit of time holds.
    pub fn of(&self, plan: &Plan) -> Estimate {
        let each = plan.experiments.iter().map(|p| self.of_experiment(plan, p));
        let begin = (self.whole().start_ns, true);
        let sum = each.fold(begin, |(ns, known), e| (ns + e.ns, known && e.known));
        let limit_ns = plan.within_s.map_or(f64::INFINITY, |s| s as f64 * 1e9);
        Estimate {
            ns: sum.0.min(limit_ns),
            known: sum.1,
        }
    }

    fn whole(&self) -> Whole {
        let known = [&self.own, &self.plain, &self.usual];
        let mut known = known.iter().filter_map(|learned| learned.run);
        known.next().unwrap_or(USUAL_RUN)
    }

    /// What is known best, and whether it is of this machine and condition.
    fn look_up(&self, id: &str, class: u32) -> (Known, bool) {
        let of = |learned: &Learned, how: fn(&ByBudget, u32) -> Option<Known>| {
            learned.experiments.get(id).and_then(|b| how(b, class))
        };
        if let Some(own) = of(&self.own, ByBudget::near) {
            return (own, true);
        }
        let usual = |how| of(&self.usual, how).map(|known| known.scaled(self.slowness()));
        let known = of(&self.plain, ByBudget::near)
            .or_else(|| usual(ByBudget::near))
            .or_else(|| of(&self.own, ByBudget::any))
            .or_else(|| of(&self.plain, ByBudget::any))
            .or_else(|| usual(ByBudget::any));
        (known.unwrap_or(UNKNOWN), false)
    }

    /// How much longer set-ups take here than usual: the median over what ran here.
    fn slowness(&self) -> f64 {
        let ran = self.own.experiments.iter().chain(&self.plain.experiments);
        let ratios = ran.filter_map(|(id, own)| Some(own.ratios(self.usual.experiments.get(id)?)));
        let mut ratios: Vec<f64> = ratios.flatten().collect();
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied().unwrap_or(1.0)
    }
}

impl Learned {
    fn take(&mut self, ending: &Ending, around: Around) {
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
        };
        let old = self.run.unwrap_or(new);
        self.run = Some(Whole {
            start_ns: (old.start_ns + new.start_ns) / 2.0,
            again: (old.again + new.again) / 2.0,
        });
    }
}

/// A plan may ask for an experiment several times: what all of them with about the same budget
/// took, for they are known by one name.
fn together(all: &[Spent]) -> BTreeMap<(String, u32), Spent> {
    let mut sums: BTreeMap<(String, u32), Spent> = BTreeMap::new();
    for spent in all {
        let each_ns = spent.budget_ns as f64 / f64::from(spent.points.max(1));
        let sum = sums.entry((spent.experiment.clone(), class(each_ns)));
        let sum = sum.or_default();
        sum.points += spent.points;
        sum.done += spent.done;
        sum.cut |= spent.cut;
        sum.budget_ns = sum.budget_ns.saturating_add(spent.budget_ns);
        sum.recorded_ns = sum.recorded_ns.saturating_add(spent.recorded_ns);
        sum.sampled_ns = sum.sampled_ns.saturating_add(spent.sampled_ns);
        sum.took_ns = sum.took_ns.saturating_add(spent.took_ns);
    }
    sums
}

#[cfg(test)]
mod tests;
