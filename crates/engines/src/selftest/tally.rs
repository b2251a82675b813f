//! From trials to a row: what was planted, what was read, the verdict.

use record::{SelfTestReading, SelfTestRow, SelfTestUnit, SelfTestVerdict};
use stats::Interval;

/// An interval of 95 % misses the truth in one of twenty.
pub const INTERVAL_MISSES: f64 = 0.05;
/// A change of level, or a second mode, is seen where there is none in one of a hundred.
pub const FALSELY_SEEN: f64 = 0.01;
/// What is planted has to be found in this share of the trials.
const FOUND: f64 = 0.9;
/// A number of misses that is less likely than this is not chance: with twenty rows, a sound
/// instrument fails one in one self-test of ten at most, mostly far more rarely.
const CHANCE: f64 = 0.005;

/// What a row plants.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub id: &'static str,
    pub planted: String,
    pub value: Option<f64>,
    pub unit: SelfTestUnit,
    /// More noise than this hides it from a perfect instrument as well; as `Trial::noise`.
    pub bears: f64,
    /// What the noise is of: `interval` or `samples`.
    pub noise_of: &'static str,
    /// Share of trials that a sound instrument gets wrong: false alarms of a row that plants
    /// nothing, intervals that miss of the others.
    pub misses: f64,
}

/// One attempt.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Trial {
    /// Found; of nothing planted, a false alarm.
    pub found: bool,
    /// Whether the interval held the planted value.
    pub held: Option<bool>,
    pub read: Option<SelfTestReading>,
    /// The machine itself changed, and the instrument says so: this says nothing.
    pub set_aside: bool,
    /// What hides a planted effect, in its unit.
    pub noise: f64,
}

/// The reading of an interval.
pub fn reading(interval: &Interval) -> SelfTestReading {
    SelfTestReading {
        center: interval.center,
        low: interval.low,
        high: interval.high,
    }
}

/// A reading without an interval.
pub fn reading_of(value: f64) -> SelfTestReading {
    SelfTestReading {
        center: value,
        low: value,
        high: value,
    }
}

/// The largest number of misses that chance explains, of `trials` that miss with this
/// probability each.
pub fn most_by_chance(trials: usize, misses: f64) -> usize {
    let mut exactly = (1.0 - misses).powf(trials as f64);
    let mut at_most = exactly;
    for more in 1..=trials {
        if 1.0 - at_most <= CHANCE {
            return more - 1;
        }
        let left = (trials - more + 1) as f64;
        exactly *= left / more as f64 * misses / (1.0 - misses);
        at_most += exactly;
    }
    trials
}

/// The row of a plan.
pub fn row(plan: &Plan, trials: &[Trial]) -> SelfTestRow {
    let judged: Vec<&Trial> = trials.iter().filter(|t| !t.set_aside).collect();
    let held: Option<Vec<bool>> = judged.iter().map(|t| t.held).collect();
    let held = held.filter(|all| !all.is_empty());
    let counts = Counts {
        all: trials.len(),
        judged: judged.len(),
        found: judged.iter().filter(|t| t.found).count(),
        held: held.map(|all| all.iter().filter(|held| **held).count()),
        hidden: judged
            .iter()
            .filter(|t| !t.found && t.noise > plan.bears)
            .map(|t| t.noise)
            .collect(),
    };
    let verdict = counts.verdict(plan);
    let mut row = SelfTestRow {
        id: plan.id.to_owned(),
        planted: plan.planted.clone(),
        planted_value: plan.value,
        unit: plan.unit,
        read: middle(&judged),
        trials: count(counts.judged),
        found: count(counts.found),
        held: counts.held.map(count),
        verdict,
        note: String::new(),
    };
    row.note = counts.note(plan, &row);
    row
}

/// A row that cannot be had here.
pub fn not_run(id: &str, planted: &str, unit: SelfTestUnit, why: &str) -> SelfTestRow {
    SelfTestRow {
        id: id.to_owned(),
        planted: planted.to_owned(),
        planted_value: None,
        unit,
        read: None,
        trials: 0,
        found: 0,
        held: None,
        verdict: SelfTestVerdict::NotRun,
        note: why.to_owned(),
    }
}

/// The trial in the middle.
fn middle(judged: &[&Trial]) -> Option<SelfTestReading> {
    let mut read: Vec<SelfTestReading> = judged.iter().filter_map(|t| t.read).collect();
    read.sort_unstable_by(|a, b| a.center.total_cmp(&b.center));
    read.get(read.len() / 2).copied()
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

struct Counts {
    all: usize,
    judged: usize,
    found: usize,
    held: Option<usize>,
    /// Noise of the trials in which it hid what was planted.
    hidden: Vec<f64>,
}

impl Counts {
    fn verdict(&self, plan: &Plan) -> SelfTestVerdict {
        let by_chance = most_by_chance(self.judged, plan.misses);
        if 2 * self.judged < self.all || self.judged == 0 {
            return SelfTestVerdict::TooNoisy;
        }
        if plan.id.starts_with("nothing") {
            return match self.found <= by_chance {
                true => SelfTestVerdict::Passed,
                false => SelfTestVerdict::Failed,
            };
        }
        let missed = self.held.map_or(0, |held| self.judged - held);
        let enough = |found: usize| found as f64 >= FOUND * self.judged as f64;
        match missed <= by_chance {
            true if enough(self.found) => SelfTestVerdict::Passed,
            true if enough(self.found + self.hidden.len()) => SelfTestVerdict::TooNoisy,
            _ => SelfTestVerdict::Failed,
        }
    }

    fn note(&self, plan: &Plan, row: &SelfTestRow) -> String {
        let mut notes = Vec::new();
        if self.judged < self.all {
            notes.push(format!(
                "{} of {} trials set aside: the machine itself changed",
                self.all - self.judged,
                self.all
            ));
        }
        let noise = stats::median(&self.hidden).ok();
        if let (SelfTestVerdict::TooNoisy, Some(noise)) = (row.verdict, noise) {
            notes.push(format!(
                "noise of the {} in {} of them: {:.1} %",
                plan.noise_of,
                self.hidden.len(),
                100.0 * noise
            ));
        }
        if let (SelfTestVerdict::Failed, Some(held)) = (row.verdict, self.held) {
            notes.push(format!("{held} of {} intervals hold it", self.judged));
        }
        notes.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(id: &'static str, misses: f64) -> Plan {
        Plan {
            id,
            planted: "+5 %".to_owned(),
            value: Some(0.05),
            unit: SelfTestUnit::Change,
            bears: 0.025,
            noise_of: "interval",
            misses,
        }
    }

    fn trials(found: usize, held: usize, noise: f64) -> Vec<Trial> {
        let trial = |at| Trial {
            found: at < found,
            held: Some(at < held),
            noise,
            ..Trial::default()
        };
        (0..20).map(trial).collect()
    }

    fn verdict(id: &'static str, trials: &[Trial]) -> SelfTestVerdict {
        row(&plan(id, INTERVAL_MISSES), trials).verdict
    }

    #[test]
    fn as_many_may_miss_as_chance_lets() {
        // P(Bin(20, 0.05) > 4) = 0.26 %, > 3: 1.6 %.
        assert_eq!(most_by_chance(20, 0.05), 4);
        assert_eq!(most_by_chance(1, 0.05), 1);
        // P(Bin(60, 0.01) > 3) = 0.3 %.
        assert_eq!(most_by_chance(60, 0.01), 3);
        assert_eq!(most_by_chance(0, 0.05), 0);
        assert_eq!(most_by_chance(20, 0.0), 0);
    }

    #[test]
    fn each_verdict_has_its_reason() {
        use SelfTestVerdict::{Failed, Passed, TooNoisy};
        assert_eq!(verdict("plus", &trials(18, 16, 0.01)), Passed);
        assert_eq!(verdict("plus", &trials(17, 20, 0.01)), Failed);
        assert_eq!(verdict("plus", &trials(17, 20, 0.03)), TooNoisy);
        // An interval that does not hold what it should is no matter of noise.
        assert_eq!(verdict("plus", &trials(20, 15, 0.03)), Failed);
        assert_eq!(verdict("nothing", &trials(4, 20, 0.0)), Passed);
        assert_eq!(verdict("nothing", &trials(5, 20, 0.0)), Failed);
    }

    #[test]
    fn trials_in_which_the_machine_changed_are_set_aside_and_counted() {
        let mut all = trials(20, 20, 0.01);
        all[..9].iter_mut().for_each(|t| {
            t.set_aside = true;
            t.found = false;
        });
        let kept = row(&plan("plus", INTERVAL_MISSES), &all);
        assert_eq!((kept.found, kept.trials), (11, 11));
        assert_eq!(kept.verdict, SelfTestVerdict::Passed);
        assert!(kept.note.starts_with("9 of 20 trials"), "{}", kept.note);
        all[9..11].iter_mut().for_each(|t| t.set_aside = true);
        let few = row(&plan("plus", INTERVAL_MISSES), &all);
        assert_eq!(few.verdict, SelfTestVerdict::TooNoisy);
    }
}
