//! Levels that change while a point is sampled. A plain subject is sampled in alternation:
//! what it shows, and the other without what was planted as well, is the machine's own.

use super::bench::{Stopped, Tools};
use super::planted::{Effect, Planted};
use super::reading;
use super::tally::{FALSELY_SEEN, Plan, Trial, reading_of};
use analysis::contamination::SHIFT_TOLERATED;
use analysis::{Around, judge_point, level};
use record::{Sample, SelfTestUnit};
use stats::{Change, ChangeKind};

const BASE: u64 = 100;
const SAMPLES: u32 = 60;
/// A change is found where it is read to this share of itself ...
const SHARE_OFF: f64 = 1.0 / 3.0;
/// ... and a step, within so many samples of its place.
const PLACE_OFF: usize = 6;
/// The machine itself changed where so many of the samples were disturbed.
const DISTURBED: f64 = 0.05;
/// Where so many samples are worth one, they wander: of AR(1) 0.7 and less a change is found where
/// there is none in 3 % of points of 60 samples at most, of 0.95 in 11 % (simulated).
const LEANING: f64 = 4.0;
/// Noise of a sample, as a share of the change, with which it is still named: of 60 samples with
/// noise of 1.75 % a drift of 10 % is in 97 % of trials, and a step of 4 % half way as well
/// (simulated; with 2.25 % in 86 %).
const DRIFT_BEARS: f64 = 0.15;
const STEP_BEARS: f64 = 0.375;

/// A row of this kind.
pub struct Level {
    pub plan: Plan,
    shape: Shape,
}

/// How the cost changes over the samples, as a share.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Shape {
    Drift(f64),
    Step {
        by: f64,
        at: usize,
    },
    /// The first so many are slower.
    WarmUp {
        by: f64,
        first: usize,
    },
}

impl Shape {
    fn factor(self, at: usize) -> f64 {
        match self {
            Shape::Drift(by) => 1.0 + by * at as f64 / f64::from(SAMPLES - 1),
            Shape::Step { by, at: from } if at >= from => 1.0 + by,
            Shape::WarmUp { by, first } if at < first => 1.0 + by,
            Shape::Step { .. } | Shape::WarmUp { .. } => 1.0,
        }
    }

    /// Change of the level as a share of the level before.
    fn share(self) -> f64 {
        match self {
            Shape::Drift(by) | Shape::Step { by, .. } => by,
            Shape::WarmUp { by, .. } => 1.0 / (1.0 + by) - 1.0,
        }
    }

    /// Noise of a sample, as a share, that hides no change of this shape.
    fn bears(self) -> f64 {
        let share = match self {
            Shape::Drift(_) => DRIFT_BEARS,
            Shape::Step { .. } | Shape::WarmUp { .. } => STEP_BEARS,
        };
        share * self.share().abs()
    }

    fn is_named_by(self, change: &Change) -> bool {
        let near = |place: usize, found: usize| place.abs_diff(found) <= PLACE_OFF;
        let kind = match (self, change.kind) {
            (Shape::Drift(_), ChangeKind::Trend) => true,
            (Shape::Step { at, .. }, ChangeKind::Step { before }) => near(at, before),
            (Shape::WarmUp { first, .. }, ChangeKind::Step { before }) => near(first, before),
            _ => false,
        };
        kind && (change.share() / self.share() - 1.0).abs() <= SHARE_OFF
    }
}

/// All of them.
pub fn rows() -> Vec<Level> {
    let row = |id, planted: &str, shape: Shape| Level {
        plan: Plan {
            id,
            planted: planted.to_owned(),
            value: Some(shape.share()),
            unit: SelfTestUnit::Change,
            bears: shape.bears(),
            noise_of: "samples",
            misses: FALSELY_SEEN,
        },
        shape,
    };
    let half = SAMPLES as usize / 2;
    vec![
        row("drift_10_percent", "drift of 10 %", Shape::Drift(0.10)),
        row(
            "step_4_percent",
            "step of 4 % half way",
            Shape::Step { by: 0.04, at: half },
        ),
        row(
            "warm_up",
            "first 25 of 60 slower by 30 %",
            Shape::WarmUp {
                by: 0.30,
                first: 25,
            },
        ),
    ]
}

/// What the plain subjects of all these rows are for.
pub fn nothing() -> Plan {
    Plan {
        id: "nothing_changes",
        planted: "a level that stays".to_owned(),
        value: None,
        unit: SelfTestUnit::Change,
        bears: 0.0,
        noise_of: "samples",
        misses: FALSELY_SEEN,
    }
}

impl Level {
    /// One trial, and that of the plain subject.
    ///
    /// # Errors
    /// The self-test is to end.
    pub fn trial(&self, tools: &mut Tools<'_>) -> Result<(Trial, Trial), Stopped> {
        let factors = (0..SAMPLES as usize).map(|at| self.shape.factor(at));
        let planted = Effect::Factors(factors.collect());
        let mut both = [
            Planted::new(tools.machine, BASE, Effect::Nothing),
            Planted::new(tools.machine, BASE, planted),
        ];
        let sampled = tools.batches(&mut both, SAMPLES)?;
        let around = reading::around(&sampled);
        let (plain, changed) = (seen(&sampled[0]), seen(&sampled[1]));
        let twin = self.without_planted(&sampled[1]);
        let both = [&sampled[0], &twin].iter().all(|of| wanders(of));
        let set_aside = both || sampled.iter().any(|of| machine_changed(of, &around));
        let noise = noise(&sampled[0]);
        let trial = |change: Option<Change>, found| Trial {
            found,
            held: None,
            read: change.map(|change| reading_of(change.share())),
            set_aside,
            noise,
        };
        let named = changed.is_some_and(|change| self.shape.is_named_by(&change));
        Ok((trial(changed, named), trial(plain, plain.is_some())))
    }

    /// What the samples were without the change.
    fn without_planted(&self, samples: &[Sample]) -> Vec<Sample> {
        let plain = |(at, sample): (usize, &Sample)| Sample {
            value: sample.value / self.shape.factor(at),
            ..*sample
        };
        samples.iter().enumerate().map(plain).collect()
    }
}

/// Any change of level, however small, or samples that lean on each other so much that they may
/// seem to have one.
fn wanders(samples: &[Sample]) -> bool {
    let changed = level::change(&samples.iter().collect::<Vec<_>>(), 0.0).is_some();
    let values: Vec<f64> = samples.iter().map(|s| s.value).collect();
    changed || stats::dependence(&values).is_ok_and(|of| of.time > LEANING)
}

fn seen(samples: &[Sample]) -> Option<Change> {
    level::change(&samples.iter().collect::<Vec<_>>(), SHIFT_TOLERATED)
}

/// Whether the watch or the yardstick say that the machine did not stay as it was, whatever
/// the samples say.
fn machine_changed(samples: &[Sample], around: &Around) -> bool {
    let all: Vec<&Sample> = samples.iter().collect();
    let paced = level::pace_changed(&all, SHIFT_TOLERATED).is_some();
    let judged = judge_point(samples, around);
    let disturbed = judged.is_none_or(|verdict| {
        f64::from(verdict.disturbed) > DISTURBED * f64::from(verdict.samples)
    });
    paced || disturbed || all.len() < SAMPLES as usize
}

/// Standard deviation of a sample, as a share: the larger of that from the differences of one to
/// the next, and of that around the median, which knows what wanders slowly.
fn noise(samples: &[Sample]) -> f64 {
    let pairs = samples.windows(2);
    let steps: Vec<f64> = pairs.map(|p| p[1].value / p[0].value - 1.0).collect();
    let values: Vec<f64> = samples.iter().map(|s| s.value).collect();
    let sigma = |values: &[f64]| {
        let deviation = stats::median_absolute_deviation(values).unwrap_or(f64::NAN);
        stats::quantile::MAD_TO_SIGMA * deviation
    };
    let around = sigma(&values) / stats::median(&values).unwrap_or(f64::NAN);
    (sigma(&steps) / std::f64::consts::SQRT_2).max(around)
}
