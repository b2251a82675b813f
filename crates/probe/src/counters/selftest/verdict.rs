//! What two measurements of known work, N turns and three times as many, say of a counter.

use super::expect::Expectation;
use crate::counters::reading::{Count, State};
use serde::{Deserialize, Serialize};

/// Whether a counter is to be believed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    Counts,
    /// For a share of the time, 0..1: its counts are scaled up.
    Shared {
        share: f64,
    },
    /// Says something else than what was done.
    Dead {
        why: String,
    },
    /// Was on no counter while the work was done.
    Starved {
        why: String,
    },
    NotTested {
        why: String,
    },
}

/// Scaled counts of a steady loop miss it by the share of it that was not seen.
const SCALED: f64 = 0.10;

impl Verdict {
    /// Its counts are to be believed, scaled ones as estimates.
    pub fn counts(&self) -> bool {
        matches!(self, Verdict::Counts | Verdict::Shared { .. })
    }

    /// Why it does not count; None where it does.
    pub fn why(&self) -> Option<&str> {
        match self {
            Verdict::Counts | Verdict::Shared { .. } => None,
            Verdict::Dead { why } | Verdict::Starved { why } | Verdict::NotTested { why } => {
                Some(why)
            }
        }
    }

    /// `counts`, `dead` ...: for tables.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Counts => "counts",
            Verdict::Shared { .. } => "counts for a share of the time",
            Verdict::Dead { .. } => "dead",
            Verdict::Starved { .. } => "starved",
            Verdict::NotTested { .. } => "not tested",
        }
    }
}

/// A count of so many turns.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    pub turns: u64,
    pub count: Count,
}

impl Measured {
    /// A count of the work without that of a reading around no work: a program that was built
    /// without optimisation spends thousands of instructions on one.
    pub fn of(turns: u64, empty: Count, count: Count) -> Measured {
        let value = (count.value - empty.value).max(0.0);
        let count = Count { value, ..count };
        Measured { turns, count }
    }
}

/// Judges an event by what it counted of N and of 3 N turns of the work that is expected of it.
pub fn judge(expected: &Expectation, few: Measured, many: Measured) -> Verdict {
    let (Some(of_few), Some(of_many)) = (few.count.known(), many.count.known()) else {
        return not_counted(&few, &many);
    };
    let share = f64::min(
        few.count.share().unwrap_or(0.0),
        many.count.share().unwrap_or(0.0),
    );
    let scaled = if share < 1.0 { SCALED } else { 0.0 };
    for (measured, counted) in [(few, of_few), (many, of_many)] {
        let turns = measured.turns as f64;
        let (low, high) = (expected.low * turns, expected.high * turns);
        if counted < low * (1.0 - scaled) || counted > high * (1.0 + scaled) {
            return Verdict::Dead {
                why: format!("counted {} of {}", number(counted), range(low, high)),
            };
        }
    }
    let wanted = many.turns as f64 / few.turns as f64;
    let ratio = of_many / of_few;
    if (ratio / wanted - 1.0).abs() > expected.tolerance + 2.0 * scaled {
        return Verdict::Dead {
            why: format!("{wanted:.0} times the work gave {ratio:.3} times the count"),
        };
    }
    match share < 1.0 {
        true => Verdict::Shared { share },
        false => Verdict::Counts,
    }
}

/// Where a measurement has no value.
fn not_counted(few: &Measured, many: &Measured) -> Verdict {
    let [few, many] = [few, many].map(|m| m.count);
    let absent = [few, many].iter().any(|c| c.state == State::Absent);
    if absent {
        let why = "could not be read".to_owned();
        return Verdict::NotTested { why };
    }
    let starved = if few.known().is_none() { few } else { many };
    Verdict::Starved {
        why: format!(
            "was on a counter for {} of {} ns",
            starved.running_ns, starved.enabled_ns
        ),
    }
}

fn range(low: f64, high: f64) -> String {
    match high < low * 1.1 {
        true => number(f64::midpoint(low, high)),
        false => format!("{} to {}", number(low), number(high)),
    }
}

/// `1,020,000`.
pub fn number(value: f64) -> String {
    let digits = format!("{:.0}", value.max(0.0));
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::reading::Times;
    use crate::counters::selftest::work::Loop;

    const EXPECTED: Expectation = Expectation {
        work: Loop::Multiply,
        low: 5.94,
        high: 6.06,
        tolerance: 0.01,
    };

    fn of(turns: u64, value: u64, running_ns: u64) -> Measured {
        let after = Times {
            value,
            enabled_ns: 1000,
            running_ns,
        };
        Measured {
            turns,
            count: Count::between(Times::default(), after),
        }
    }

    fn judged(few: u64, many: u64) -> Verdict {
        judge(&EXPECTED, of(1000, few, 1000), of(3000, many, 1000))
    }

    #[test]
    fn the_number_and_the_ratio_both_have_to_be_right() {
        assert_eq!(judged(6000, 18_000), Verdict::Counts);
        assert_eq!(judged(6050, 18_020), Verdict::Counts);
        for (few, many, why) in [
            (0, 0, "counted 0 of 6,000"),
            (2900, 8700, "counted 2,900 of 6,000"),
            (6000, 6000, "counted 6,000 of 18,000"),
            (6100, 18_300, "counted 6,100 of 6,000"),
            (6050, 17_830, "3 times the work gave 2.947 times the count"),
        ] {
            assert_eq!(judged(few, many), Verdict::Dead { why: why.into() });
        }
    }

    #[test]
    fn a_share_is_said_and_no_time_at_all_is_another_thing_than_zero() {
        let shared = judge(&EXPECTED, of(1000, 3000, 500), of(3000, 9000, 500));
        assert_eq!(shared, Verdict::Shared { share: 0.5 });
        let starved = judge(&EXPECTED, of(1000, 0, 0), of(3000, 0, 0));
        assert_eq!(starved.word(), "starved");
        assert_eq!(starved.why(), Some("was on a counter for 0 of 1000 ns"));
        assert!(!starved.counts());
        let absent = Measured {
            turns: 1,
            count: Count::ABSENT,
        };
        assert_eq!(judge(&EXPECTED, absent, absent).word(), "not tested");
    }

    #[test]
    fn numbers_have_their_thousands_apart() {
        for (value, text) in [
            (0.0, "0"),
            (999.4, "999"),
            (1000.0, "1,000"),
            (1_234_567.0, "1,234,567"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
