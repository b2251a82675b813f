//! Planted costs: operations with and without them, in alternation, and the ratio of both.

use super::bench::{Stopped, Tools};
use super::planted::{Effect, Planted};
use super::tally::{INTERVAL_MISSES, Plan, Trial, reading};
use record::{Sample, SelfTestUnit};
use stats::interval::NOMINAL_LEVEL;
use stats::{Abba, Interval, flips, mean, median, whole};

/// Turns of an operation: one more is 1 %.
const BASE: u64 = 100;
/// Turns of an operation on which a time is planted.
const SHORT_BASE: u64 = 25;
/// The time that is planted there, ns: as many whole turns as come nearest.
const PLANTED_NS: f64 = 20.0;
/// Samples of each side of a block, in two halves of which the median counts: one batch that was
/// interrupted says nothing.
const IN_BLOCK: usize = 6;
/// Samples of each side: thirteen blocks, of which all flips can be tried.
const SAMPLES: u32 = 78;
/// A change is one where the interval has no room for none, and it is half of the smallest
/// that is planted.
const SMALLEST: f64 = 0.005;
/// An interval of 95 % that reaches to half of what is planted excludes none of it in 97 %
/// of trials.
const BORNE: f64 = 0.5;

/// Fewer blocks show nothing at 5 %.
const FEWEST_BLOCKS: usize = 6;
const SEED: u64 = 5;

/// A row of this kind.
pub struct Cost {
    pub plan: Plan,
    base: u64,
    extra: u64,
}

/// All of them; a turn takes `turn_ns`.
pub fn rows(turn_ns: f64) -> Vec<Cost> {
    let share = |id, percent: u64| Cost {
        plan: plan(id, BASE, percent, format!("+{percent} %"), None),
        base: BASE,
        extra: percent,
    };
    let nothing = Cost {
        plan: plan("nothing_added", BASE, 0, "nothing".to_owned(), None),
        base: BASE,
        extra: 0,
    };
    let turns = whole((PLANTED_NS / turn_ns).round()).max(1);
    let planted_ns = turns as f64 * turn_ns;
    let words = format!(
        "+{planted_ns:.1} ns on {:.0} ns",
        SHORT_BASE as f64 * turn_ns
    );
    let time = Cost {
        plan: plan("plus_20_ns", SHORT_BASE, turns, words, Some(planted_ns)),
        base: SHORT_BASE,
        extra: turns,
    };
    vec![
        nothing,
        share("plus_1_percent", 1),
        share("plus_5_percent", 5),
        share("plus_10_percent", 10),
        time,
    ]
}

fn plan(id: &'static str, base: u64, extra: u64, planted: String, ns: Option<f64>) -> Plan {
    let share = extra as f64 / base as f64;
    Plan {
        id,
        planted,
        value: ns.or(Some(share)),
        unit: match ns {
            Some(_) => SelfTestUnit::Nanoseconds,
            None => SelfTestUnit::Change,
        },
        bears: BORNE * share,
        noise_of: "interval",
        misses: INTERVAL_MISSES,
    }
}

impl Cost {
    /// One trial.
    ///
    /// # Errors
    /// The self-test is to end.
    pub fn trial(&self, tools: &mut Tools<'_>) -> Result<Trial, Stopped> {
        let effect = match self.extra {
            0 => Effect::Nothing,
            extra => Effect::Extra(extra),
        };
        let mut both = [
            Planted::new(tools.machine, self.base, Effect::Nothing),
            Planted::new(tools.machine, self.base, effect),
        ];
        let sampled = tools.batches(&mut both, SAMPLES)?;
        let blocks = blocks(&sampled[0], &sampled[1]);
        Ok(self.read(&blocks, tools.step_of_batch()))
    }

    /// `step`: share of a batch that the clock does not tell.
    fn read(&self, blocks: &[Abba], step: f64) -> Trial {
        let of_time = self.plan.unit == SelfTestUnit::Nanoseconds;
        let without: Vec<f64> = blocks.iter().flat_map(|b| b.a).collect();
        let planted = self.extra as f64 / self.base as f64;
        let (Some(effect), Ok(without)) = (effect(blocks, of_time), median(&without)) else {
            return unusable();
        };
        // As a share of an operation without.
        let (scale, none) = if of_time { (without, 0.0) } else { (1.0, 1.0) };
        let effect = effect.at_least(step * scale);
        let share = |value: f64| (value - none) / scale;
        let held = match of_time {
            true => holds(blocks, planted, step * scale),
            false => Some(effect.contains(none + planted)),
        };
        let excluded = share(effect.low) > 0.0 || share(effect.high) < 0.0;
        let large = share(effect.center).abs() > SMALLEST;
        Trial {
            found: excluded && large,
            held,
            read: Some(reading(&Interval {
                center: effect.center - none,
                low: effect.low - none,
                high: effect.high - none,
                ..effect
            })),
            set_aside: false,
            noise: (effect.high - effect.low) / (2.0 * scale),
        }
    }
}

/// B - A, or B / A.
fn effect(blocks: &[Abba], of_time: bool) -> Option<Interval> {
    match of_time {
        true => judged(blocks, |block| {
            Some(mean(&block.b).ok()? - mean(&block.a).ok()?)
        }),
        false => Some(judged(blocks, Abba::log_ratio)?.map(f64::exp)),
    }
}

/// Whether the interval of B - A holds this share of A: of each block its own, for on a CPU of two
/// speeds no one A is that of all.
fn holds(blocks: &[Abba], share: f64, step: f64) -> Option<bool> {
    let beyond = |block: &Abba| {
        let (a, b) = (mean(&block.a).ok()?, mean(&block.b).ok()?);
        Some(b - a * (1.0 + share))
    };
    Some(judged(blocks, beyond)?.at_least(step).contains(0.0))
}

/// By the test that `pontage ab` decides with. None of too few blocks.
fn judged(blocks: &[Abba], of_block: impl Fn(&Abba) -> Option<f64>) -> Option<Interval> {
    let differences: Vec<f64> = blocks.iter().map(of_block).collect::<Option<_>>()?;
    if differences.len() < FEWEST_BLOCKS {
        return None;
    }
    let judged = flips(&[differences], 1.0 - NOMINAL_LEVEL, SEED).ok()?;
    Some(judged.first()?.effect)
}

/// The machine stood still: too few samples.
fn unusable() -> Trial {
    Trial {
        set_aside: true,
        ..Trial::default()
    }
}

/// Two subjects of a block are sampled A B, B A, A B, B A.
fn blocks(a: &[Sample], b: &[Sample]) -> Vec<Abba> {
    let pairs = a.chunks_exact(IN_BLOCK).zip(b.chunks_exact(IN_BLOCK));
    let block = |(a, b)| Abba {
        a: halves(a),
        b: halves(b),
    };
    pairs.map(block).collect()
}

/// Median of the first half and of the second.
fn halves(samples: &[Sample]) -> [f64; 2] {
    let (first, second) = samples.split_at(samples.len() / 2);
    [first, second].map(|half| {
        let values: Vec<f64> = half.iter().map(|s| s.value).collect();
        median(&values).unwrap_or(f64::NAN)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tally;
    use super::rows;
    use record::SelfTestVerdict;
    use stats::{Abba, Rng};

    #[test]
    fn a_planted_time_is_held_against_each_block_and_not_against_the_typical_one() {
        let rows = rows(20.0);
        let cost = rows.iter().find(|row| row.plan.id == "plus_20_ns");
        let cost = cost.expect("a row of that id");
        // One turn on 25 of a CPU that is slower in six blocks of thirteen, by half.
        let block = |at: usize| {
            let a = if at % 2 == 1 { 750.0 } else { 500.0 };
            let b = a * 1.04 + f64::from(u32::try_from((at * 5) % 13).unwrap_or(0)) / 100.0 - 0.06;
            Abba {
                a: [a; 2],
                b: [b; 2],
            }
        };
        let trial = cost.read(&(0..13).map(block).collect::<Vec<_>>(), 1e-6);
        assert_eq!((trial.found, trial.held), (true, Some(true)), "{trial:?}");
    }

    /// Twenty trials of thirteen blocks in which the second side costs so much more.
    fn verdict(id: &str, read: f64, noise: f64) -> SelfTestVerdict {
        let mut rng = Rng::new(7);
        let rows = rows(20.0);
        let cost = rows.iter().find(|row| row.plan.id == id);
        let cost = cost.expect("a row of that id");
        let trial = || {
            let mut value = |of: f64| of * (noise * rng.normal()).exp();
            let block = |_| Abba {
                a: [value(2000.0), value(2000.0)],
                b: [value(2000.0 * read), value(2000.0 * read)],
            };
            cost.read(&(0..13).map(block).collect::<Vec<_>>(), 1e-4)
        };
        let trials: Vec<_> = std::iter::repeat_with(trial).take(20).collect();
        tally::row(&cost.plan, &trials).verdict
    }

    #[test]
    fn an_instrument_that_reads_what_is_not_planted_fails() {
        use SelfTestVerdict::{Failed, Passed, TooNoisy};
        assert_eq!(verdict("plus_5_percent", 1.05, 0.005), Passed);
        // It sees nothing; it sees something else.
        assert_eq!(verdict("plus_5_percent", 1.0, 0.005), Failed);
        assert_eq!(verdict("plus_5_percent", 1.07, 0.005), Failed);
        assert_eq!(verdict("plus_1_percent", 1.01, 0.08), TooNoisy);
        assert_eq!(verdict("nothing_added", 1.0, 0.005), Passed);
        assert_eq!(verdict("nothing_added", 1.02, 0.005), Failed);
    }
}
