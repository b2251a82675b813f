//! What is known of one experiment: what its points take, by the budget that they are given.

use harness::session::Spent;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A new run counts so much against what was known.
const NEWER: f64 = 0.5;
/// Share of a budget that samples take where nothing is known.
pub const USUAL_USE: f64 = 0.9;
/// Budgets that are nearer than by this factor of two are as good as the same.
const NEAR: u32 = 1;

/// What a point takes in one process.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Known {
    /// Share of the budget that the samples take.
    pub used: f64,
    /// Share of the recordings that are made: none where they are skipped.
    pub recorded: f64,
    /// Set-up, calibration and all else, ns.
    pub besides_ns: f64,
    /// Its part of the time from the last sample to the end of the run, ns.
    pub closing_ns: f64,
}

impl Known {
    /// Of an experiment in a run whose closing took so long for each point of each process.
    /// None where it says nothing: no point, or no time for some of them.
    pub fn of(spent: &Spent, closing_ns: f64) -> Option<Known> {
        if spent.points == 0 || spent.cut {
            return None;
        }
        let points = f64::from(spent.points);
        let recorded = f64::from(spent.done) / points;
        let sampled_ns = spent.sampled_ns as f64;
        let made_ns = recorded * spent.recorded_ns as f64;
        let known = Known {
            used: sampled_ns / spent.budget_ns.max(1) as f64,
            recorded,
            besides_ns: (spent.took_ns as f64 - sampled_ns - made_ns).max(0.0) / points,
            closing_ns,
        };
        [known.used, known.besides_ns, known.closing_ns]
            .iter()
            .all(|n| n.is_finite())
            .then_some(known)
    }

    /// `share` of the way to another.
    fn toward(self, other: Known, share: f64) -> Known {
        let mix = |from: f64, to: f64| from + share * (to - from);
        Known {
            used: mix(self.used, other.used),
            recorded: mix(self.recorded, other.recorded),
            besides_ns: mix(self.besides_ns, other.besides_ns),
            closing_ns: mix(self.closing_ns, other.closing_ns),
        }
    }

    /// The same on a machine whose set-ups take so much longer.
    pub fn scaled(self, factor: f64) -> Known {
        Known {
            besides_ns: self.besides_ns * factor,
            closing_ns: self.closing_ns * factor,
            ..self
        }
    }
}

/// By the class of the budget of a point: one class for each power of two, ns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ByBudget(BTreeMap<u32, Known>);

/// The class of the budget of a point.
pub fn class(budget_ns: f64) -> u32 {
    analysis::whole(budget_ns.max(1.0).log2().round())
        .try_into()
        .unwrap_or(u32::MAX)
}

/// In the middle of a class.
fn budget_ns(class: u32) -> f64 {
    f64::from(class).exp2()
}

impl ByBudget {
    /// Joins what a run took to what is known.
    pub fn take(&mut self, class: u32, new: Known) {
        let known = self.0.entry(class).or_insert(new);
        *known = known.toward(new, NEWER);
    }

    /// With about this budget.
    pub fn near(&self, class: u32) -> Option<Known> {
        let (at, known) = self.nearest(class)?;
        (at.abs_diff(class) <= NEAR).then_some(known)
    }

    /// From other budgets, however far: the samples take most of the budget, but no less time
    /// than with a smaller one and no more than with a larger one.
    pub fn any(&self, class: u32) -> Option<Known> {
        let (_, nearest) = self.nearest(class)?;
        let sampled_ns = |(at, known): (&u32, &Known)| known.used * budget_ns(*at);
        let smaller = self.0.range(..class).map(sampled_ns);
        let larger = self.0.range(class + 1..).map(sampled_ns);
        let most_ns = USUAL_USE * budget_ns(class);
        let least_ns = smaller.fold(most_ns, f64::max);
        Some(Known {
            used: larger.fold(least_ns, f64::min) / budget_ns(class),
            ..nearest
        })
    }

    fn nearest(&self, class: u32) -> Option<(u32, Known)> {
        let all = self.0.iter().map(|(at, known)| (*at, *known));
        all.min_by_key(|(at, _)| at.abs_diff(class))
    }

    /// What both know, `share` of the way to the other.
    pub fn between(&self, other: &ByBudget, share: f64) -> ByBudget {
        let both = |(at, known): (&u32, &Known)| {
            let other = other.0.get(at)?;
            Some((*at, known.toward(*other, share)))
        };
        ByBudget(self.0.iter().filter_map(both).collect())
    }

    /// Takes what only the other knows, of a machine whose set-ups take so much less time.
    pub fn fill(&mut self, other: &ByBudget, factor: f64) {
        for (at, known) in &other.0 {
            self.0.entry(*at).or_insert_with(|| known.scaled(factor));
        }
    }

    /// How much longer set-ups take here than there, by budgets that both know.
    pub fn ratios<'a>(&'a self, there: &'a ByBudget) -> impl Iterator<Item = f64> + 'a {
        let both = |(at, known): (&u32, &Known)| {
            let other = there.0.get(at)?;
            let ratio = known.besides_ns / other.besides_ns;
            (ratio.is_finite() && ratio > 0.0).then_some(ratio)
        };
        self.0.iter().filter_map(both)
    }
}

#[cfg(test)]
mod tests {
    use super::{ByBudget, Known, USUAL_USE, class};
    use harness::session::Spent;

    fn spent(used: f64, besides_ms: u64) -> Spent {
        let sampled_ns = (used * 1e9) as u64;
        Spent {
            points: 10,
            done: 10,
            budget_ns: 1_000_000_000,
            sampled_ns,
            recorded_ns: 3_000_000_000,
            took_ns: 3_000_000_000 + sampled_ns + 10 * besides_ms * 1_000_000,
            ..Spent::default()
        }
    }

    #[test]
    fn what_runs_took_is_learned_by_budget() {
        let mut all = ByBudget::default();
        all.take(27, Known::of(&spent(0.5, 20), 1e6).expect("known"));
        all.take(27, Known::of(&spent(0.7, 40), 3e6).expect("known"));
        let known = all.near(28).expect("as good as the same");
        assert!((known.used - 0.6).abs() < 1e-6 && (known.recorded - 1.0).abs() < 1e-6);
        assert!((known.besides_ns - 3e7).abs() < 1.0 && (known.closing_ns - 2e6).abs() < 1.0);
        assert_eq!(all.near(30), None);
        let far = all.any(30).expect("from the other budget");
        assert_eq!((far.used, far.besides_ns), (USUAL_USE, known.besides_ns));
        let kept = serde_json::to_string(&all).expect("numbers");
        assert_eq!(
            serde_json::from_str::<ByBudget>(&kept).expect("the same"),
            all
        );
    }

    #[test]
    fn a_budget_between_two_takes_no_less_than_the_smaller_and_no_more_than_the_larger() {
        let of = |used: f64| Known::of(&spent(used, 1), 0.0).expect("known");
        let mut all = ByBudget::default();
        // Over its budget of a millisecond by far; 300 runs end long before the 64 s.
        all.take(20, of(32.0));
        all.take(36, of(1.0 / 64.0));
        let used = |class| all.any(class).expect("by both").used;
        assert!((used(22) - 8.0).abs() < 1e-6, "no less than 32 ms");
        assert!((used(28) - USUAL_USE).abs() < 1e-6, "its budget");
        assert!((used(33) - 1.0 / 8.0).abs() < 1e-6, "no more than a second");
    }

    #[test]
    fn skips_are_learned_as_well_and_what_was_cut_is_not() {
        let skipped = Spent {
            done: 0,
            sampled_ns: 0,
            took_ns: 50_000_000,
            ..spent(0.0, 0)
        };
        let known = Known::of(&skipped, 0.0).expect("they cost little");
        assert_eq!((known.used, known.recorded), (0.0, 0.0));
        assert!((known.besides_ns - 5e6).abs() < 1.0);
        let cut = Spent {
            cut: true,
            ..spent(0.5, 1)
        };
        assert_eq!(Known::of(&cut, 0.0), None);
        assert_eq!(Known::of(&Spent::default(), 0.0), None);
        assert_eq!(Known::of(&spent(0.5, 1), f64::NAN), None);
    }

    #[test]
    fn a_machine_is_as_slow_as_its_set_ups() {
        let of = |ms| {
            let mut all = ByBudget::default();
            all.take(27, Known::of(&spent(0.5, ms), 0.0).expect("known"));
            all
        };
        let ratios: Vec<f64> = of(30).ratios(&of(10)).collect();
        assert!(ratios.len() == 1 && (ratios[0] - 3.0).abs() < 1e-6);
        assert_eq!(class(8.4e6), 23);
        assert_eq!(class(0.0), 0);
    }
}
