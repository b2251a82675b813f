//! The verdict on a path: by the figures, and as certain as their intervals.

use super::Path;
use super::side::{Both, TailAt};
use crate::compare::scatter::Scatter;
use crate::compare::{Pair, judge};
use crate::contamination::{STEAL_CONTAMINATES, judge_run};
use crate::view::{ContaminationLevel, RunView};
use serde::Serialize;
use stats::Interval;

/// The median has moved when it is off by this share. A run of one process
/// against another shows changes from about 11 % on.
pub const MEDIAN_MOVED: f64 = 0.10;
/// A steady path: its tail stays within this multiple of its own median, so
/// that a budget of twice the usual time holds but for the last thousandth.
pub const TAIL_STEADY: f64 = 2.0;
/// Tail over median may grow by this factor between the runs.
pub const TAIL_GROWN: f64 = 1.5;
/// The quartiles of a steady path lie at most this share of the median apart.
pub const MIDDLE_STEADY: f64 = 0.25;
/// Fewer samples on a side show nothing of a tail.
pub const FEWEST_SAMPLES: usize = 20;
/// A load was there when every CPU that it was meant for was in use for this
/// share of the run: it is started with 90 %, and a stop takes a moment.
pub const LOAD_THERE: f64 = 0.8;
/// From so many samples on the quartiles are well known.
const FEWEST_FOR_MIDDLE: u32 = 100;

/// What load does to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Neither median nor tail move.
    Predictable,
    /// The median falls, the tail stays as near to it: a CPU that is kept awake.
    Faster,
    /// The median rises, the tail stays as near to it.
    Slower,
    /// The tail leaves the median, or the quartiles part.
    Unpredictable,
    /// Noise of the surroundings, or too few samples.
    Undecided,
}

impl Verdict {
    /// In the order in which they are counted.
    pub const ALL: [Verdict; 5] = [
        Verdict::Predictable,
        Verdict::Faster,
        Verdict::Slower,
        Verdict::Unpredictable,
        Verdict::Undecided,
    ];

    /// In words, as reports print it.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Predictable => "predictable",
            Verdict::Faster => "faster and steady",
            Verdict::Slower => "slower but steady",
            Verdict::Unpredictable => "unpredictable",
            Verdict::Undecided => "undecided",
        }
    }
}

/// What else may have made the times of these two runs.
pub(super) struct Noise {
    /// The run without load was not without load.
    light: Option<String>,
    /// Others used the CPUs as well: what interrupts a path may be theirs.
    others: bool,
    /// The hypervisor took the CPUs away while they were loaded.
    stolen: Option<String>,
}

impl Noise {
    /// What the two runs say of their surroundings.
    pub fn of(light: &RunView, heavy: &RunView) -> Noise {
        let of_light = judge_run(&light.head.conditions);
        let stolen = heavy.head.conditions.steal_share;
        Noise {
            light: (of_light.level == ContaminationLevel::Contaminated)
                .then(|| "the light run was not light".to_owned()),
            others: of_light.level > ContaminationLevel::Clean,
            stolen: stolen
                .filter(|share| *share > STEAL_CONTAMINATES)
                .map(|s| format!("the hypervisor took {:.1} % of the CPU time", 100.0 * s)),
        }
    }
}

/// Median and tail of a path under load, both as multiples.
struct Figures<'a> {
    both: &'a Both,
    /// Heavy over light.
    ratio: Interval,
}

struct Judgement {
    verdict: Verdict,
    certain: bool,
    reason: String,
}

fn undecided(reason: String) -> Judgement {
    Judgement {
        verdict: Verdict::Undecided,
        certain: true,
        reason,
    }
}

pub(super) fn judged(pair: &Pair<'_>, both: Both, scatter: Scatter, noise: &Noise) -> Path {
    let (ratio, judgement) = judgement(pair, &both, scatter, noise);
    let settings = pair.a.or(pair.b).map(|(_, p)| p.head.settings.clone());
    Path {
        settings: settings.unwrap_or_default(),
        light: both.light,
        heavy: both.heavy,
        ratio,
        verdict: judgement.verdict,
        certain: judgement.certain,
        reason: judgement.reason,
    }
}

fn judgement(
    pair: &Pair<'_>,
    both: &Both,
    scatter: Scatter,
    noise: &Noise,
) -> (Option<Interval>, Judgement) {
    let ratio = judge::ratio_of(pair, 0, scatter);
    let Some(known) = ratio else {
        let reason = "values at or below zero have no ratio".to_owned();
        return (None, undecided(reason));
    };
    let figures = Figures { both, ratio: known };
    let obstacle = noise.light.clone().or_else(|| obstacle(pair, both));
    let judgement = match obstacle {
        Some(reason) => undecided(reason),
        None => figures.weighed(noise),
    };
    (ratio, judgement)
}

/// Why nothing can be said whatever the figures are.
fn obstacle(pair: &Pair<'_>, both: &Both) -> Option<String> {
    if let Some(reason) = judge::first_metric_differs(pair) {
        return Some(reason);
    }
    let fewest = both.light.samples.min(both.heavy.samples);
    if (fewest as usize) < FEWEST_SAMPLES {
        return Some(format!(
            "fewer than {FEWEST_SAMPLES} samples say nothing about a tail"
        ));
    }
    let point = pair.a.and_then(|(_, p)| p.contamination.as_ref());
    point
        .filter(|c| c.level == ContaminationLevel::Contaminated)
        .map(|c| format!("contaminated without load: {}", c.reason))
}

impl Figures<'_> {
    fn weighed(&self, noise: &Noise) -> Judgement {
        let (light, heavy) = (self.both.light.span(), self.both.heavy.span());
        let Some(reason) = self.unsteady(light, heavy) else {
            return self.steady(noise);
        };
        // What is bad may be the work of others; what is good is good in spite
        // of them.
        let own = self.both.own_spans;
        let own = (own.0.unwrap_or(light), own.1.unwrap_or(heavy));
        if own != (light, heavy) && self.unsteady(own.0, own.1).is_none() {
            let excuse = "but not after leaving out the samples in which the hypervisor took the \
                          CPU";
            return undecided(format!("{reason}, {excuse}"));
        }
        if let Some(doubt) = self.doubt(noise) {
            return undecided(format!("{reason}; {doubt}"));
        }
        Judgement {
            verdict: Verdict::Unpredictable,
            certain: self.surely_unsteady(),
            reason,
        }
    }

    /// Why a bad figure says nothing of the load.
    fn doubt(&self, noise: &Noise) -> Option<String> {
        let contaminated = self.both.heavy.contamination == Some(ContaminationLevel::Contaminated);
        match &noise.stolen {
            Some(reason) => Some(reason.clone()),
            None if contaminated && noise.others => {
                Some("contaminated, and others already used the CPUs without load".to_owned())
            }
            None => None,
        }
    }

    /// Why a path with these tails over median is not steady.
    fn unsteady(&self, light: f64, heavy: f64) -> Option<String> {
        let grown = heavy / light > TAIL_GROWN;
        let reason = match (heavy > TAIL_STEADY, light > TAIL_STEADY) {
            (true, true) if grown => "the tail is long without load, and longer under load",
            (true, true) => "the tail is as long without load",
            (true, false) => "the tail moves away from the median",
            _ if grown => "the tail grows",
            _ if self.both.heavy.middle() > MIDDLE_STEADY => "the quartiles part",
            _ => return None,
        };
        Some(reason.to_owned())
    }

    fn at(&self) -> TailAt {
        self.both.heavy.tail_at
    }

    fn surely_unsteady(&self) -> bool {
        let (light, heavy) = (&self.both.light, &self.both.heavy);
        let wide = heavy.middle() > MIDDLE_STEADY && heavy.samples >= FEWEST_FOR_MIDDLE;
        let (Some(of_light), Some(of_heavy)) = (light.tail, heavy.tail) else {
            return wide;
        };
        let least = of_heavy.value.low / heavy.median.center;
        // An open end is infinite: nothing has grown for certain.
        let grown = least / (of_light.value.high / light.median.center);
        wide || least > TAIL_STEADY || grown > TAIL_GROWN
    }

    /// A steady path: which way its median went.
    fn steady(&self, noise: &Noise) -> Judgement {
        let limit = 1.0 + MEDIAN_MOVED;
        let Interval {
            center, low, high, ..
        } = self.ratio;
        let (verdict, surely_moved) = match center {
            r if r > limit => (Verdict::Slower, low > limit),
            r if r < 1.0 / limit => (Verdict::Faster, high < 1.0 / limit),
            _ => (Verdict::Predictable, low >= 1.0 / limit && high <= limit),
        };
        // As with a tail: what is bad may be the work of others.
        if let Some(doubt) = self.doubt(noise).filter(|_| verdict == Verdict::Slower) {
            return undecided(format!("slower; {doubt}"));
        }
        let mut reasons = Vec::new();
        if !surely_moved {
            reasons.push(match verdict {
                Verdict::Predictable => "the median may have moved further".to_owned(),
                _ => "the median may have moved less than that".to_owned(),
            });
        }
        reasons.extend(self.tail_unknown());
        Judgement {
            verdict,
            certain: reasons.is_empty(),
            reason: reasons.join("; "),
        }
    }

    /// Why the tail may still be longer than a steady path's.
    fn tail_unknown(&self) -> Option<String> {
        let (light, heavy) = (&self.both.light, &self.both.heavy);
        let at = self.at().name();
        let Some(tail) = heavy.tail else {
            return Some("too few samples for a quantile of the tail".to_owned());
        };
        if tail.value.high.is_infinite() {
            return Some(format!("too few samples for an upper end of {at}"));
        }
        let most = tail.value.high / heavy.median.center;
        (most > TAIL_STEADY || most / light.span() > TAIL_GROWN)
            .then(|| format!("{at} may be higher"))
    }
}
