//! What the speed of the CPU itself accounts for between two runs.
//!
//! A CPU whose cycle takes 8 % longer makes an operation slower by something between nothing (it
//! waits for memory) and 8 % (it stays in the core). Which of it, the figures do not say; so a
//! ratio anywhere in between is no change of the code, and only what is beyond counts. The same of a
//! core of which another thread had a part: how much of it an operation lacked is not known.

use record::{MetricHead, Unit};

/// How far each way a logarithm may be another.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reach {
    pub below: f64,
    pub above: f64,
}

/// Logarithms of B / A that a change of the CPU's speed alone can give.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Accounted {
    low: f64,
    high: f64,
}

impl Accounted {
    /// For a metric that grows as a time does, or falls as a rate, where what the yardstick read
    /// took so many times as long in B.
    pub fn of(ratios: [Option<f64>; 2], metric: &MetricHead) -> Accounted {
        if !follows_speed(metric.unit) {
            return Accounted::default();
        }
        let sign = if metric.lower_is_better { 1.0 } else { -1.0 };
        let logs = ratios.into_iter().flatten().map(|ratio| sign * ratio.ln());
        logs.fold(Accounted::default(), |reach, log| Accounted {
            low: reach.low.min(log),
            high: reach.high.max(log),
        })
    }

    /// The same where growing is getting worse.
    pub fn as_cost(self, sign: f64) -> Accounted {
        let (one, other) = (sign * self.low, sign * self.high);
        Accounted {
            low: one.min(other),
            high: one.max(other),
        }
    }

    /// What of a ratio is beyond.
    pub fn beyond(self, log: f64) -> f64 {
        log - log.clamp(self.low, self.high)
    }

    /// How far each way a ratio may be from `shift` without any other cause.
    pub fn around(self, shift: f64) -> Reach {
        Reach {
            below: (shift - self.low).max(0.0).min(self.width()),
            above: (self.high - shift).max(0.0).min(self.width()),
        }
    }

    fn width(self) -> f64 {
        self.high - self.low
    }

    /// Whether the speeds differ at all.
    pub fn is_something(self) -> bool {
        self.width() > 0.0
    }
}

/// `another thread had a part of the core in B, 43 % slower`, where additions side by side take
/// so many times as long.
pub fn shared(core: f64) -> String {
    let (side, more) = match core > 1.0 {
        true => ("B", core - 1.0),
        false => ("A", 1.0 / core - 1.0),
    };
    format!(
        "another thread had a part of the core in {side}, {:.0} % slower for it",
        100.0 * more
    )
}

/// `the CPU itself ran 8 % slower in B`, where a cycle takes so many times as long.
pub fn sentence(cycle: f64) -> String {
    let (by, word) = match cycle > 1.0 {
        true => (cycle - 1.0, "slower"),
        false => (1.0 - cycle, "faster"),
    };
    format!("the CPU itself ran {:.0} % {word} in B", 100.0 * by)
}

/// Whether a slower machine makes it larger or smaller: a time, or work in a time.
pub(super) fn follows_speed(unit: Unit) -> bool {
    matches!(unit, Unit::Nanoseconds | Unit::GigabytesPerSecond)
}
