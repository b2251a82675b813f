//! A finding in its place: what it changes, how much it can bear, how large its effect is.

use crate::grade::{Grade, Letter};
use serde::Serialize;

/// What a finding changes for its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// A stated value, a self-check, or itself.
    Contradicts,
    /// A break-even point, or the cheapest of several ways.
    Choice,
    Figure,
}

/// How much a finding can bear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    Low,
    Medium,
    High,
}

/// A finding in its place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranked {
    pub class: Class,
    /// A plain sentence, complete by itself.
    pub sentence: String,
    pub trust: Trust,
    /// The experiment that it rests on; the first, where there are several.
    pub experiment: String,
    /// Sure part of its effect, as a natural logarithm of a ratio.
    pub effect: f64,
    /// How many ways or sizes it covers.
    pub ways: usize,
}

impl Class {
    /// One character in front of it.
    pub fn mark(self) -> &'static str {
        match self {
            Class::Contradicts => "!",
            Class::Choice => "=",
            Class::Figure => "-",
        }
    }

    /// What the mark means.
    pub fn name(self) -> &'static str {
        match self {
            Class::Contradicts => "contradicts",
            Class::Choice => "choice or break-even",
            Class::Figure => "figure",
        }
    }
}

impl Trust {
    /// `high`.
    pub fn name(self) -> &'static str {
        match self {
            Trust::High => "high",
            Trust::Medium => "medium",
            Trust::Low => "low",
        }
    }

    /// No finding is surer than its run.
    pub fn capped_by(self, grade: &Grade) -> Trust {
        self.min(match grade.letter {
            Letter::A | Letter::B => Trust::High,
            Letter::C => Trust::Medium,
            Letter::D => Trust::Low,
        })
    }

    /// By the half-width of an interval as a logarithm of a ratio, and by how sure it is.
    pub fn of(half_width: f64, share: f64) -> Trust {
        match (half_width, share) {
            (w, s) if w <= 0.1 && s >= 0.945 => Trust::High,
            (w, s) if w <= 0.4 && s >= 0.8 => Trust::Medium,
            _ => Trust::Low,
        }
    }
}

/// What of a ratio is beyond its interval: 0 where that contains 1.
pub fn sure_part(low_ln: f64, high_ln: f64) -> f64 {
    match (low_ln, high_ln) {
        (low, _) if low > 0.0 => low,
        (_, high) if high < 0.0 => -high,
        _ => 0.0,
    }
}
