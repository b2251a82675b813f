//! A comparison in turn as it is kept and shown.

use super::{FAMILY_ERROR, Family, Pair, PairOutcome};
use serde::{Deserialize, Serialize};
use stats::{Interval, Method, Rng};

/// Which arm is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    A,
    B,
}

/// The order of a block: its first side; the block is read the same from both ends.
pub fn order(first: Side) -> [Side; 4] {
    match first {
        Side::A => [Side::A, Side::B, Side::B, Side::A],
        Side::B => [Side::B, Side::A, Side::A, Side::B],
    }
}

/// The first side of block `number`, drawn by lot.
pub fn drawn(seed: u64, number: usize) -> Side {
    // One generator for each block: the order of one does not depend on how many there are.
    let mut rng = Rng::new(seed ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    match rng.next_u64() >> 63 {
        0 => Side::A,
        _ => Side::B,
    }
}

/// Why no more blocks were measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It goes on, or ended without a word.
    Running,
    /// Every point was decided.
    Decided,
    /// The time was up.
    Time,
    /// By a signal: what was measured is kept, and nothing is concluded from it.
    Interrupted,
}

/// All of a comparison in turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// RFC 3339.
    pub started_utc: String,
    pub command_line: Vec<String>,
    /// What the arms are, in words.
    pub a: String,
    pub b: String,
    /// The folders of the arms' runs, where there are any.
    pub runs: Option<[String; 2]>,
    pub family_error: f64,
    /// The first side of each block.
    pub orders: Vec<Side>,
    /// Time that it took, s.
    pub seconds: f64,
    /// Share of the time of all CPUs that the hypervisor took meanwhile, 0..=1.
    pub steal_share: Option<f64>,
    pub stop: Stop,
    /// Points that were planned and could not be judged, with the reason.
    pub absent: Vec<Absent>,
    pub family: Family,
}

/// A point without a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absent {
    pub name: String,
    pub reason: String,
}

/// What a comparison in turn says to a machine that asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StudyVerdict {
    /// Nothing was shown to be worse.
    Passed,
    /// A point is worse.
    Failed,
    /// Nothing was judged.
    Unknown,
}

impl Study {
    /// Without a block.
    pub fn new(a: String, b: String, family: Family) -> Study {
        Study {
            started_utc: String::new(),
            command_line: Vec::new(),
            a,
            b,
            runs: None,
            family_error: FAMILY_ERROR,
            orders: Vec::new(),
            seconds: 0.0,
            steal_share: None,
            stop: Stop::Running,
            absent: Vec::new(),
            family,
        }
    }

    /// A verdict needs a look at enough blocks to show anything, and more points judged than absent
    /// ones.
    pub fn verdict(&self) -> StudyVerdict {
        let by_ranks = |r: &Interval| r.method == Method::SignedRank;
        let shown = |p: &&Pair| p.ratio.as_ref().is_some_and(by_ranks);
        let judged = self.family.pairs.iter().filter(shown).count();
        let enough = judged > 0 && judged >= self.absent.len() && !self.family.looks.is_empty();
        match (self.stop, enough) {
            (Stop::Interrupted | Stop::Running, _) | (_, false) => StudyVerdict::Unknown,
            _ if self.family.count(PairOutcome::Worse) > 0 => StudyVerdict::Failed,
            _ => StudyVerdict::Passed,
        }
    }

    /// Takes points out that a block lacks, each with its reason.
    pub fn without(&mut self, lacking: impl Fn(usize) -> Option<String>) {
        let mut at = 0;
        let absent = &mut self.absent;
        self.family.pairs.retain(|pair| {
            let reason = lacking(at);
            at += 1;
            let Some(reason) = reason else {
                return true;
            };
            let name = pair.name.clone();
            absent.push(Absent { name, reason });
            false
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Unit;

    #[test]
    fn orders_are_drawn_evenly_and_again_alike() {
        let first = |seed| {
            (0..1000)
                .filter(move |n| drawn(seed, *n) == Side::A)
                .count()
        };
        for seed in [0, 1, 77] {
            assert!((440..560).contains(&first(seed)), "{}", first(seed));
        }
        assert_eq!(drawn(5, 17), drawn(5, 17));
        for first in [Side::A, Side::B] {
            let block = order(first);
            assert_eq!(block.iter().filter(|s| **s == Side::A).count(), 2);
            assert_eq!((block[0], block[1]), (block[3], block[2]));
        }
    }

    #[test]
    fn without_blocks_there_is_no_verdict() {
        let pair = |name: &str| Pair::new(name.into(), String::new(), Unit::Nanoseconds, true);
        let family = Family::new(vec![pair("x"), pair("y")], 0.05, 1);
        let mut study = Study::new("A".into(), "B".into(), family);
        study.stop = Stop::Time;
        assert_eq!(study.verdict(), StudyVerdict::Unknown);
        // Five can show nothing at 5 %.
        for blocks in [5, 6] {
            for pair in &mut study.family.pairs {
                let block = stats::Abba {
                    a: [1.0; 2],
                    b: [1.0, 1.1],
                };
                pair.blocks = vec![block; blocks];
            }
            study.family.looks.clear();
            study.family.last_look();
            let known = match blocks {
                5 => StudyVerdict::Unknown,
                _ => StudyVerdict::Passed,
            };
            assert_eq!(study.verdict(), known, "{blocks}");
        }
        study.family.looks.clear();
        study.without(|at| (at == 0).then(|| "skipped".to_owned()));
        assert_eq!(study.family.pairs.len(), 1);
        assert_eq!(
            (&*study.absent[0].name, &*study.absent[0].reason),
            ("x", "skipped")
        );
    }
}
