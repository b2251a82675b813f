//! A second mode among single operations, and a plain subject in alternation that has none.

use super::bench::{Stopped, Tools};
use super::planted::{Effect, Planted};
use super::reading;
use super::tally::{FALSELY_SEEN, Plan, Trial, reading_of};
use analysis::Mode;
use record::{Sample, SelfTestUnit};
use stats::Rng;

const BASE: u64 = 100;
const SAMPLES: u32 = 100;
/// What an operation of the second mode costs.
const TIMES: f64 = 3.0;
/// The modes are found where their distance is read to this share of itself ...
const TIMES_OFF: f64 = 0.1;
/// ... and how often each is, to so much of all samples.
const SHARE_OFF: f64 = 0.05;
/// Spread of a sample that the search bears: modes of 90 % and 10 % are found in 90 % of trials
/// with 3 % (simulated), in 11 % with 15 %.
const BORNE: f64 = 0.05;

/// A row of this kind.
pub struct Modes {
    pub plan: Plan,
    share: f64,
}

/// All of them.
pub fn rows() -> Vec<Modes> {
    let row = |id, share: f64| Modes {
        plan: Plan {
            id,
            planted: format!("{:.0} % at 3 times the cost", 100.0 * share),
            value: Some(share),
            unit: SelfTestUnit::Share,
            bears: BORNE,
            noise_of: "samples",
            misses: FALSELY_SEEN,
        },
        share,
    };
    vec![row("modes_90_10", 0.10), row("modes_70_30", 0.30)]
}

/// What the plain subjects of all these rows are for.
pub fn nothing() -> Plan {
    Plan {
        id: "nothing_bimodal",
        planted: "one mode".to_owned(),
        value: None,
        unit: SelfTestUnit::Share,
        bears: 0.0,
        noise_of: "samples",
        misses: FALSELY_SEEN,
    }
}

impl Modes {
    /// One trial, and that of the plain subject; `seed` says which operations are slow.
    ///
    /// # Errors
    /// The self-test is to end.
    pub fn trial(&self, tools: &mut Tools<'_>, seed: u64) -> Result<(Trial, Trial), Stopped> {
        let planted = Effect::Factors(factors(self.share, seed));
        let mut both = [
            Planted::new(tools.machine, BASE, Effect::Nothing),
            Planted::new(tools.machine, BASE, planted),
        ];
        let sampled = tools.singles(&mut both, SAMPLES)?;
        let modes = |samples: &[Sample]| {
            let summary = reading::summary(samples, tools.resolution_ns);
            summary.map_or_else(Vec::new, |summary| summary.modes)
        };
        let (plain, found) = (modes(&sampled[0]), modes(&sampled[1]));
        let trial = |modes: &[Mode], found| Trial {
            found,
            held: None,
            read: slow_share(modes).map(reading_of),
            set_aside: modes.is_empty(),
            noise: reading::spread(&sampled[0]),
        };
        Ok((
            trial(&found, self.are(&found)),
            trial(&plain, plain.len() > 1),
        ))
    }

    fn are(&self, modes: &[Mode]) -> bool {
        let [fast, slow] = modes else { return false };
        (slow.center / fast.center / TIMES - 1.0).abs() <= TIMES_OFF
            && (slow.share - self.share).abs() <= SHARE_OFF
    }
}

/// Exactly this share of the samples, in a drawn order.
fn factors(share: f64, seed: u64) -> Vec<f64> {
    let all = SAMPLES as usize;
    let slow = stats::whole_index(share * all as f64);
    let mut factors = vec![1.0; all];
    factors[..slow].fill(TIMES);
    let mut rng = Rng::new(seed);
    for at in (1..all).rev() {
        factors.swap(at, rng.below(at + 1));
    }
    factors
}

fn slow_share(modes: &[Mode]) -> Option<f64> {
    Some(modes.iter().skip(1).map(|mode| mode.share).sum())
}
