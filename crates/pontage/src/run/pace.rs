//! How long a plan takes on this machine, from what runs before it took.
//!
//! A plan knows the budget of its points and how long its recordings last. What set-up and
//! closing take here, how many points end early and how many are skipped is learned, for each
//! experiment and under each load, and kept in the state folder. Of an experiment that never ran
//! here the usual of machines with such memory is assumed, at the speed of those that did, and
//! that is said.

mod known;
mod learned;
mod usual;

use super::progress::Expected;
use catalogue::plan::{Block, Plan, Planned};
use engines::memory::first_touch::first_touch_ns_per_mib;
use harness::Ending;
use known::{ByBudget, Known, class};
pub use learned::Around;
use learned::{Kept, Learned, PLAIN, Whole};
use pontage::state_file;

/// In the state folder.
const FILE: &str = "pace.json";
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
    touch_ns_per_mib: 0.0,
};

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

/// One process of an experiment.
struct Once {
    points: f64,
    /// Samples, recordings and set-ups.
    measured_ns: f64,
    closing_ns: f64,
    /// It ran here before.
    here: bool,
}

/// What a MiB of fresh memory costs here. Where there is none, as on the slowest machine known.
fn touch_ns_per_mib() -> f64 {
    first_touch_ns_per_mib().unwrap_or(f64::INFINITY)
}

/// The name of a condition.
pub fn condition(load: &str, counted: bool) -> String {
    format!("{load}{}", if counted { ", counted" } else { "" })
}

impl Pace {
    /// What is kept of this user's runs under a condition.
    pub fn read(condition: &str) -> Pace {
        let kept = state_file::read(FILE).unwrap_or_default();
        let usual = usual::at(usual::machines(), touch_ns_per_mib());
        Pace::with(&kept, condition, usual)
    }

    /// Of what is kept, nothing where nothing ran, and of what is usual.
    fn with(kept: &Kept, condition: &str, usual: Learned) -> Pace {
        let of = |condition| kept.get(condition).cloned().unwrap_or_default();
        Pace {
            own: of(condition),
            plain: of(PLAIN),
            usual,
        }
    }

    /// Learns from a run; what cannot be kept is not missed.
    pub fn learn(condition: &str, ending: &Ending, around: Around) {
        let mut kept: Kept = state_file::read(FILE).unwrap_or_default();
        let learned = kept.entry(condition.to_owned()).or_default();
        learned.take(ending, around, touch_ns_per_mib());
        let _ = state_file::keep(FILE, &kept);
    }

    /// What one experiment of a plan takes, with all its processes.
    pub fn of_experiment(&self, plan: &Plan, planned: &Planned) -> Estimate {
        let once = self.once(planned);
        let processes = f64::from(plan.processes);
        Estimate {
            ns: (once.measured_ns * (1.0 + self.again(plan)) + once.closing_ns) * processes,
            known: once.here,
        }
    }

    /// What one process of an experiment takes.
    fn once(&self, planned: &Planned) -> Once {
        let sum = |of: fn(&Block) -> u64| planned.blocks.iter().map(of).sum::<u64>() as f64;
        let (sampled_ns, recorded_ns) = (sum(Block::sampled_ns), sum(Block::lasts_ns));
        let points: usize = planned.blocks.iter().map(|b| b.points.len()).sum();
        let points = points as f64;
        let each_ns = sampled_ns / points.max(1.0);
        let (known, here) = self.look_up(planned.listed.id, class(each_ns));
        Once {
            points,
            measured_ns: known.used * sampled_ns
                + known.recorded * recorded_ns
                + known.besides_ns * points,
            closing_ns: known.closing_ns * points,
            here,
        }
    }

    /// The share of measuring that measuring again takes.
    fn again(&self, plan: &Plan) -> f64 {
        match plan.processes > 1 {
            true => self.whole().again,
            false => 0.0,
        }
    }

    /// What the progress of these experiments of a plan expects.
    pub fn expected<'a>(
        &self,
        plan: &Plan,
        measured: impl Iterator<Item = &'a Planned>,
    ) -> Expected {
        let mut expected = Expected {
            again: self.again(plan),
            ..Expected::default()
        };
        for planned in measured {
            let once = self.once(planned);
            expected
                .point_ns
                .push(once.measured_ns / once.points.max(1.0));
            expected.closing_ns += once.closing_ns * f64::from(plan.processes);
        }
        expected
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
        let mut ran = self.plain.clone();
        ran.experiments.extend(self.own.experiments.clone());
        usual::slowness(&ran, &self.usual)
    }
}

#[cfg(test)]
mod tests;
