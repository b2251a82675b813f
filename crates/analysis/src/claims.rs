//! Claims as inferences: what the intervals of the measured figures say of them.
//!
//! "a takes at most as long as b" is judged by the 95 % interval of the difference a - b, made of
//! the intervals of both (MOVER, as in `stats::ratio`, on the linear scale, since counts may be
//! 0). It is *held* where the whole interval says so, *broken* where the whole interval says
//! otherwise, and *unclear* between. A claim with a practical margin ("never slower", to 2 %)
//! is judged at that margin.
//!
//! Of a claim over many pairs all have to hold, and a single pair breaks it. Of a hundred pairs
//! that are equal two or three would break by chance at 95 %, so for that direction the
//! interval of each is widened (Bonferroni): a pair breaks the claim of n where its interval at
//! 1 - 0.05/n does.
//!
//! A figure that is contaminated, or has no interval, decides nothing.

mod quoted;

pub use quoted::{Quoted, is_contaminated};

use stats::Interval;
use stats::interval::NOMINAL_LEVEL;

/// What became of a claim whose points were measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// The intervals leave no room for the opposite.
    Held,
    /// They leave no room for the claim.
    Broken,
    /// They leave room for both.
    Unclear,
}

/// What became of a claim, and the figures that decided it.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub holds: Holds,
    pub evidence: String,
}

impl Outcome {
    /// Of what was counted or seen whole, and has no spread.
    pub fn exactly(held: bool, evidence: impl Into<String>) -> Outcome {
        Outcome {
            holds: match held {
                true => Holds::Held,
                false => Holds::Broken,
            },
            evidence: evidence.into(),
        }
    }

    /// Measured, and decided neither way: the evidence says why.
    pub fn unclear(evidence: impl Into<String>) -> Outcome {
        Outcome {
            holds: Holds::Unclear,
            evidence: evidence.into(),
        }
    }

    /// Whether the intervals decided neither way.
    pub fn is_unclear(&self) -> bool {
        self.holds == Holds::Unclear
    }

    /// As a record keeps it: None where it is unclear.
    pub fn held(&self) -> Option<bool> {
        match self.holds {
            Holds::Held => Some(true),
            Holds::Broken => Some(false),
            Holds::Unclear => None,
        }
    }
}

/// Whether `a` is at most `factor` times `b`.
pub fn at_most(a: &Interval, b: &Interval, factor: f64) -> Holds {
    Sides::of(a, b, factor).at_most(1)
}

/// Whether `a` is above `factor` times `b`.
pub fn above(a: &Interval, b: &Interval, factor: f64) -> Holds {
    match Sides::of(a, b, factor).at_most(1) {
        Holds::Held => Holds::Broken,
        Holds::Broken => Holds::Held,
        Holds::Unclear => Holds::Unclear,
    }
}

/// How far a difference is from 0, and how far it may be wrong to each side.
struct Sides {
    difference: f64,
    below: stats::Deviation,
    above: stats::Deviation,
}

impl Sides {
    /// Of `a - factor b`; no number where one of them has no interval.
    fn of(a: &Interval, b: &Interval, factor: f64) -> Sides {
        if quoted::lacks(a).or(quoted::lacks(b)).is_some() {
            return Sides {
                difference: f64::NAN,
                below: stats::Deviation::NONE,
                above: stats::Deviation::NONE,
            };
        }
        let (a_below, a_above) = quoted::deviations(a);
        let (b_below, b_above) = quoted::deviations(b);
        Sides {
            difference: a.center - factor * b.center,
            below: a_below.plus(b_above.times(factor)),
            above: a_above.plus(b_below.times(factor)),
        }
    }

    /// Whether it is at most 0, one of so many differences.
    fn at_most(&self, of: usize) -> Holds {
        let wide = 1.0 - (1.0 - NOMINAL_LEVEL) / of.max(1) as f64;
        if self.difference + self.above.half(NOMINAL_LEVEL) <= 0.0 {
            Holds::Held
        } else if self.difference - self.below.half(wide) > 0.0 {
            Holds::Broken
        } else {
            Holds::Unclear
        }
    }

    /// Whether it is below 0: the same, but where both are known to be equal.
    fn below(&self, of: usize) -> Holds {
        let known = self.above.variance + self.below.variance == 0.0;
        match known && self.difference == 0.0 {
            true => Holds::Broken,
            false => self.at_most(of),
        }
    }
}

/// One comparison that a claim consists of: `less` is at most `factor` times `more`, or below
/// it.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    less: Quoted,
    more: Quoted,
    factor: f64,
    strict: bool,
    /// Said the other way round: `more` is above `less`.
    turned: bool,
    /// Share that the factor allows.
    allowed: Option<f64>,
}

impl Pair {
    fn of(less: Quoted, more: Quoted, strict: bool) -> Pair {
        Pair {
            less,
            more,
            factor: 1.0,
            strict,
            turned: false,
            allowed: None,
        }
    }

    /// The same said from the other side.
    fn turned(self) -> Pair {
        Pair {
            turned: true,
            ..self
        }
    }

    /// The same of `factor` times the figure that is named second: `a` is above `factor` times
    /// `b`.
    #[must_use]
    pub fn times(self, factor: f64) -> Pair {
        let of_more = match self.turned {
            true => 1.0 / factor,
            false => factor,
        };
        Pair {
            factor: self.factor * of_more,
            ..self
        }
    }

    /// The same, where a difference of this share does not matter.
    #[must_use]
    pub fn allowing(self, share: f64) -> Pair {
        Pair {
            allowed: Some(share),
            factor: self.factor * (1.0 + share),
            ..self
        }
    }

    fn holds(&self, of: usize) -> Holds {
        if self.doubt().is_some() {
            return Holds::Unclear;
        }
        let sides = Sides::of(&self.less.value, &self.more.value, self.factor);
        match self.strict {
            true => sides.below(of),
            false => sides.at_most(of),
        }
    }

    /// In the order in which they are named.
    fn named(&self) -> [&Quoted; 2] {
        match self.turned {
            true => [&self.more, &self.less],
            false => [&self.less, &self.more],
        }
    }

    fn doubt(&self) -> Option<String> {
        let which = self.named().into_iter().zip(["the first", "the second"]);
        which
            .filter_map(|(quoted, place)| {
                Some(format!("{} {}", quoted.short(place), quoted.doubt()?))
            })
            .next()
    }

    /// How near to broken, from -1 to 1: the larger the worse.
    fn severity(&self) -> f64 {
        let (less, more) = (self.less.value.center, self.factor * self.more.value.center);
        let severity = (less - more) / (less.abs() + more.abs());
        match severity.is_nan() {
            true => 0.0,
            false => severity,
        }
    }

    /// Why its intervals decide nothing.
    fn reason(&self, of: usize) -> String {
        if let Some(doubt) = self.doubt() {
            return doubt;
        }
        if self.holds(1) == Holds::Broken {
            return format!("of {of} comparisons one so far apart may be chance");
        }
        let known = |quoted: &Quoted| quoted.value.low == quoted.value.high;
        let reason = match (known(&self.less) || known(&self.more), self.factor == 1.0) {
            (true, _) => "the interval reaches over it",
            (false, true) => "the intervals overlap",
            (false, false) => "the intervals leave both open",
        };
        reason.to_owned()
    }

    fn evidence(&self) -> String {
        let allowed = self.allowed.map(|share| {
            let percent = 100.0 * share;
            format!(", {percent:.0} % allowed")
        });
        let [first, second] = self.named();
        let second = second.beyond(first);
        format!("{first}, {second}{}", allowed.unwrap_or_default())
    }
}

/// A claim that consists of these comparisons: held where all are, broken where one surely is.
/// None without any. The evidence is the pair that is nearest to breaking it.
pub fn all(pairs: impl IntoIterator<Item = Pair>) -> Option<Outcome> {
    let pairs: Vec<Pair> = pairs.into_iter().collect();
    let of = pairs.iter().filter(|p| p.doubt().is_none()).count();
    out_of(pairs, of)
}

/// A claim that is one comparison.
pub fn one(pair: Pair) -> Option<Outcome> {
    all([pair])
}

/// No figure of a series is below one before it, but by `allowed`.
///
/// Each is compared with its neighbour and with those of the figures before it that have the
/// highest ends; as if with all of them, since any could have been the highest.
pub fn never_falls(series: &[Quoted], allowed: f64) -> Option<Outcome> {
    let mut pairs = Vec::new();
    let mut highest: [Option<&Quoted>; 2] = [None, None];
    let ends: [fn(&Quoted) -> f64; 2] = [|q| q.value.low, |q| q.value.high];
    let mut fall = |from: &Quoted, to: &Quoted| {
        pairs.push(from.clone().at_most(to.clone()).allowing(allowed));
    };
    for (at, next) in series.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| &series[at]);
        if let Some(before) = before {
            fall(before, next);
        }
        for (best, end) in highest.iter_mut().zip(ends) {
            if let Some(best) = best.filter(|best| Some(*best) != before) {
                fall(best, next);
            }
            let higher = best.is_none_or(|best| end(next) > end(best));
            if higher && next.doubt().is_none() {
                *best = Some(next);
            }
        }
    }
    let known = series.iter().filter(|q| q.doubt().is_none()).count();
    out_of(pairs, known * known.saturating_sub(1) / 2)
}

/// Of these pairs, chosen among so many.
fn out_of(pairs: Vec<Pair>, of: usize) -> Option<Outcome> {
    let each: Vec<(Holds, &Pair)> = pairs.iter().map(|pair| (pair.holds(of), pair)).collect();
    let worst = |wanted: Option<Holds>| {
        let fit = each
            .iter()
            .filter(|(holds, _)| wanted.is_none_or(|w| w == *holds));
        fit.max_by(|a, b| a.1.severity().total_cmp(&b.1.severity()))
    };
    let (holds, pair) = worst(Some(Holds::Broken))
        .or_else(|| worst(Some(Holds::Unclear)))
        .or_else(|| worst(None))?;
    let which = match pairs.len() {
        1 => String::new(),
        _ => format!("the worst of {} comparisons: ", pairs.len().max(of)),
    };
    let reason = match holds {
        Holds::Unclear => format!("; {}", pair.reason(of)),
        _ => String::new(),
    };
    Some(Outcome {
        holds: *holds,
        evidence: format!("{which}{}{reason}", pair.evidence()),
    })
}

#[cfg(test)]
mod tests;
