//! A against B, measured in turn: blocks judged while they come, and when to stop.
//!
//! Looking at the same blocks again and again finds a difference by chance sooner or later, so the
//! error of 5 % is spent: half of it on looks after 8, 12, 18, 27 ... blocks, each with half of what
//! the one before it had, and the rest on the last look, when the time is up. What each look spends
//! adds up to the error of all of them, however they depend on each other.

mod study;

pub use study::{Absent, Side, Stop, Study, StudyVerdict, drawn, order};

use record::Unit;
use serde::{Deserialize, Serialize};
use stats::{Abba, Interval};

/// The chance that any of a family of points that do not differ is called.
pub const FAMILY_ERROR: f64 = 0.05;
/// Blocks before the first look.
pub const FIRST_LOOK: usize = 8;
/// Fewest blocks that can show a difference: of six, 2 of 2^6 ways to flip them are as far apart
/// as all on one side, 3.1 %.
pub const FEWEST_BLOCKS: usize = 6;
/// From one look to the next, blocks grow by this factor.
const GROWTH: f64 = 1.5;
/// Part of the error that looks before the last may spend.
const EARLY: f64 = 0.5;

/// One point in both arms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// `mem/latency size=4096`, or the command.
    pub name: String,
    pub metric: String,
    pub unit: Unit,
    pub lower_is_better: bool,
    pub blocks: Vec<Abba>,
    /// B / A; None of fewer than two blocks.
    pub ratio: Option<Interval>,
    /// The chance that any point of the family differs so much, at the last look.
    pub adjusted_p: Option<f64>,
    /// How much of what the hypervisor took of a visit shows in its value, where it was taken off
    /// the ratio: 1 where all of it comes on top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stolen_slope: Option<f64>,
    pub outcome: PairOutcome,
}

/// What is known of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PairOutcome {
    Better,
    Worse,
    /// The whole interval is within the threshold.
    Same,
    /// Not shown to differ beyond the threshold, nor not to.
    Undecided,
}

/// Blocks of a family of points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Family {
    /// Changes below this share are not called (0.05 for 5 %).
    pub threshold: f64,
    pub seed: u64,
    /// Looks so far, with what each has spent.
    pub looks: Vec<Look>,
    /// Share of each visit's time that the hypervisor took, one for each block where it is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stolen: Vec<Abba>,
    pub pairs: Vec<Pair>,
}

/// All blocks so far judged.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Look {
    pub blocks: usize,
    pub spent: f64,
    /// Whether it was the last, when the time was up.
    pub last: bool,
}

impl Pair {
    /// Without a block.
    pub fn new(name: String, metric: String, unit: Unit, lower_is_better: bool) -> Pair {
        Pair {
            name,
            metric,
            unit,
            lower_is_better,
            blocks: Vec::new(),
            ratio: None,
            adjusted_p: None,
            stolen_slope: None,
            outcome: PairOutcome::Undecided,
        }
    }

    /// The median over all visits to one side, in the unit of the pair.
    pub fn middle(&self, side: Side) -> Option<f64> {
        let of = |block: &Abba| match side {
            Side::A => block.a,
            Side::B => block.b,
        };
        let values: Vec<f64> = self.blocks.iter().flat_map(of).collect();
        stats::median(&values).ok()
    }
}

impl PairOutcome {
    fn is_change(self) -> bool {
        matches!(self, PairOutcome::Better | PairOutcome::Worse)
    }
}

impl Family {
    /// Of points without a block.
    pub fn new(pairs: Vec<Pair>, threshold: f64, seed: u64) -> Family {
        Family {
            threshold,
            seed,
            looks: Vec::new(),
            stolen: Vec::new(),
            pairs,
        }
    }

    /// Blocks that every point has.
    pub fn blocks(&self) -> usize {
        self.pairs.iter().map(|p| p.blocks.len()).min().unwrap_or(0)
    }

    /// Judges the blocks so far where a look is due; true once every point is decided.
    pub fn look(&mut self) -> bool {
        if self.blocks() < self.next_look() {
            return false;
        }
        let alpha = early(self.looks.len());
        self.judge(alpha, false);
        self.is_decided()
    }

    /// Judges all blocks when the time is up, with all that was not spent.
    pub fn last_look(&mut self) {
        let spent: f64 = self.looks.iter().map(|l| l.spent).sum();
        if self.blocks() > 0 {
            self.judge(FAMILY_ERROR - spent, true);
        }
    }

    /// Intervals as they are, for a reader; decides nothing and spends nothing.
    pub fn glance(&mut self) {
        let outcomes: Vec<PairOutcome> = self.pairs.iter().map(|p| p.outcome).collect();
        self.judge(FAMILY_ERROR, true);
        self.looks.pop();
        for (pair, outcome) in self.pairs.iter_mut().zip(outcomes) {
            pair.outcome = outcome;
        }
    }

    /// Blocks at which the next look is due.
    pub fn next_look(&self) -> usize {
        let grown = |blocks: usize, _: usize| stats::whole_index((blocks as f64 * GROWTH).round());
        (0..self.looks.len()).fold(FIRST_LOOK, grown)
    }

    /// Whether there is nothing left to measure for.
    pub fn is_decided(&self) -> bool {
        let undecided = |p: &Pair| p.outcome == PairOutcome::Undecided;
        !self.pairs.iter().any(undecided)
    }

    /// How many points have this outcome.
    pub fn count(&self, outcome: PairOutcome) -> usize {
        self.pairs.iter().filter(|p| p.outcome == outcome).count()
    }

    fn judge(&mut self, alpha: f64, last: bool) {
        let blocks = self.blocks();
        // Known of every block, or of none.
        let stolen = match self.stolen.len() >= blocks {
            true => &self.stolen[..blocks],
            false => &[],
        };
        let of = |pair: &mut Pair| -> Option<Vec<f64>> {
            let of_pair = &pair.blocks[..blocks];
            let slope = stats::along::slope(of_pair, stolen);
            pair.stolen_slope = (slope > 0.0).then_some(slope);
            stats::along::log_ratios(of_pair, stolen, slope)
        };
        let differences: Vec<Option<Vec<f64>>> = self.pairs.iter_mut().map(of).collect();
        let known: Vec<Vec<f64>> = differences.iter().flatten().cloned().collect();
        let judged = stats::flips(&known, alpha, self.seed).unwrap_or_default();
        self.looks.push(Look {
            blocks,
            spent: alpha,
            last,
        });
        let limit = self.threshold.ln_1p();
        let pairs = self.pairs.iter_mut().zip(&differences);
        let pairs = pairs.filter(|(_, known)| known.is_some());
        for ((pair, _), found) in pairs.zip(judged) {
            pair.ratio = Some(found.effect.map(f64::exp));
            pair.adjusted_p = Some(found.p);
            pair.decide(&found.effect, found.p <= alpha, limit);
        }
    }
}

impl Pair {
    /// What was decided stays: each look has paid for its own decisions.
    fn decide(&mut self, log: &Interval, differs: bool, limit: f64) {
        if self.outcome != PairOutcome::Undecided {
            return;
        }
        let by_ranks = log.method == stats::Method::SignedRank;
        if differs && log.center.abs() > limit {
            self.outcome = match (log.center > 0.0) == self.lower_is_better {
                true => PairOutcome::Worse,
                false => PairOutcome::Better,
            };
        } else if by_ranks && log.low > -limit && log.high < limit {
            self.outcome = PairOutcome::Same;
        }
        debug_assert!(!self.outcome.is_change() || differs);
    }
}

/// What the look after so many others may spend.
fn early(looks: usize) -> f64 {
    let halvings = i32::try_from(looks + 1).unwrap_or(i32::MAX);
    FAMILY_ERROR * EARLY * 0.5f64.powi(halvings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::Rng;

    fn family(points: usize) -> Family {
        let pair = |at| Pair::new(format!("p{at}"), "latency".into(), Unit::Nanoseconds, true);
        Family::new((0..points).map(pair).collect(), 0.05, 1)
    }

    /// A block of every point; processes differ by `sd`.
    fn block(family: &mut Family, rng: &mut Rng, sd: f64, effect: impl Fn(usize) -> f64) {
        for (at, pair) in family.pairs.iter_mut().enumerate() {
            let mut side = |shift: f64| [0; 2].map(|_| 100.0 * (shift + sd * rng.normal()).exp());
            let a = side(0.0);
            let b = side(effect(at));
            pair.blocks.push(Abba { a, b });
        }
    }

    fn measured(family: &mut Family, rng: &mut Rng, most: usize, sd: f64, effect: f64) {
        for _ in 0..most {
            block(family, rng, sd, |_| effect);
            if family.look() {
                return;
            }
        }
        family.last_look();
    }

    #[test]
    fn what_the_hypervisor_took_hides_no_difference() {
        let measured = |known: bool, seed: u64| {
            let mut rng = Rng::new(seed);
            let mut family = family(1);
            for _ in 0..40 {
                let mut side = |factor: f64| {
                    let shares = [0; 2].map(|_| 0.4 * rng.uniform());
                    let noise = 0.01 * rng.normal();
                    (
                        shares,
                        shares.map(|s| 100.0 * factor * noise.exp() / (1.0 - s)),
                    )
                };
                let (a, b) = (side(1.0), side(1.08));
                family.pairs[0].blocks.push(Abba { a: a.1, b: b.1 });
                if known {
                    family.stolen.push(Abba { a: a.0, b: b.0 });
                }
                if family.look() {
                    break;
                }
            }
            family
        };
        let found = |known: bool| {
            let studies = (1..=20).map(|seed| measured(known, seed));
            studies.filter(|f| f.count(PairOutcome::Worse) == 1).count()
        };
        assert_eq!(found(true), 20);
        assert!(found(false) < 10, "or the test shows nothing");
        let slope = measured(true, 1).pairs[0].stolen_slope.expect("seen");
        assert!((slope - 1.0).abs() < 0.1, "{slope}");
        assert_eq!(measured(false, 1).pairs[0].stolen_slope, None);
    }

    #[test]
    fn looks_spend_no_more_than_the_error_of_the_family() {
        let mut many = family(1);
        let mut rng = Rng::new(1);
        measured(&mut many, &mut rng, 130, 0.8, 0.0);
        let blocks: Vec<usize> = many.looks.iter().map(|l| l.blocks).collect();
        assert_eq!(blocks, [8, 12, 18, 27, 41, 62, 93, 130]);
        let spent: f64 = many.looks.iter().map(|l| l.spent).sum();
        assert!((spent - FAMILY_ERROR).abs() < 1e-12, "{spent}");
        assert!(many.looks.iter().rev().skip(1).all(|l| !l.last));
    }

    #[test]
    fn what_does_not_differ_is_called_in_at_most_five_percent() {
        let mut rng = Rng::new(2);
        let mut called = 0;
        for _ in 0..120 {
            let mut four = family(4);
            // Wide enough that chance would be beyond the threshold.
            measured(&mut four, &mut rng, 12, 0.3, 0.0);
            called += u32::from(four.pairs.iter().any(|p| p.outcome.is_change()));
        }
        assert!(called <= 12, "{called} of 120");
    }

    #[test]
    fn a_planted_change_is_found_and_an_equal_pair_ends_early() {
        let mut rng = Rng::new(3);
        let mut slower = family(2);
        measured(&mut slower, &mut rng, 30, 0.01, 0.1);
        assert_eq!(slower.count(PairOutcome::Worse), 2);
        assert_eq!(slower.blocks(), FIRST_LOOK);
        let ratio = slower.pairs[0].ratio.expect("eight blocks");
        assert!(ratio.contains(0.1f64.exp()), "{ratio:?}");
        let mut faster = family(1);
        measured(&mut faster, &mut rng, 30, 0.01, -0.1);
        assert_eq!(faster.count(PairOutcome::Better), 1);
        let mut equal = family(2);
        measured(&mut equal, &mut rng, 30, 0.005, 0.0);
        assert_eq!(equal.count(PairOutcome::Same), 2);
        assert!(equal.blocks() < 30);
    }

    #[test]
    fn fewer_than_the_fewest_blocks_show_nothing_and_the_fewest_do() {
        let mut rng = Rng::new(5);
        for (blocks, worse) in [(FEWEST_BLOCKS - 1, 0), (FEWEST_BLOCKS, 1)] {
            let mut one = family(1);
            measured(&mut one, &mut rng, blocks, 0.001, 0.5);
            assert_eq!(one.count(PairOutcome::Worse), worse, "{blocks} blocks");
        }
    }

    #[test]
    fn a_glance_spends_nothing() {
        let mut rng = Rng::new(4);
        let mut one = family(1);
        for _ in 0..7 {
            block(&mut one, &mut rng, 0.01, |_| 0.2);
        }
        one.glance();
        assert!(one.looks.is_empty() && one.pairs[0].ratio.is_some());
        assert_eq!(one.pairs[0].outcome, PairOutcome::Undecided);
        let mut empty = family(1);
        empty.last_look();
        assert!(empty.looks.is_empty() && empty.pairs[0].ratio.is_none());
    }
}
