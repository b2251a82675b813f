//! What `pontage selftest` found: costs, modes, changes of level, broken clocks and broken
//! counters of known size, planted, and how often the instrument saw them.

use serde::{Deserialize, Serialize};

/// The last self-test of a machine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SelfTest {
    /// RFC 3339.
    pub made_utc: String,
    pub rows: Vec<SelfTestRow>,
}

/// One thing that was planted, again and again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelfTestRow {
    pub id: String,
    /// In words: `+5 %`.
    pub planted: String,
    /// The planted value in `unit`; None where it is no number.
    pub planted_value: Option<f64>,
    pub unit: SelfTestUnit,
    /// What the trial in the middle read.
    pub read: Option<SelfTestReading>,
    /// Trials that say something: without those in which the machine itself changed.
    pub trials: u32,
    /// Trials in which it was found; of a row that plants nothing, false alarms; of the counters
    /// of the machine itself, places that count.
    pub found: u32,
    /// Trials whose interval held the planted value; None where a reading has no interval.
    pub held: Option<u32>,
    pub verdict: SelfTestVerdict,
    /// What else is to be known: noise, trials set aside, the reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// What a row is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SelfTestUnit {
    /// By this share more than without.
    Change,
    /// Share of the samples.
    Share,
    Nanoseconds,
    /// Parts per million.
    Ppm,
}

/// A value with the ends of its interval, which are equal where it has none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SelfTestReading {
    #[serde(deserialize_with = "crate::float::or_nan")]
    pub center: f64,
    #[serde(deserialize_with = "crate::float::or_nan")]
    pub low: f64,
    #[serde(deserialize_with = "crate::float::or_nan")]
    pub high: f64,
}

/// How a row ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SelfTestVerdict {
    Passed,
    Failed,
    /// The machine is too noisy for it: the intervals say so themselves.
    TooNoisy,
    NotRun,
}

/// Rows whose trials are false alarms begin with this.
const NOTHING: &str = "nothing";
/// The row of the machine's own counters: nothing is planted there, and it has a trial for each
/// place of the largest group.
pub const COUNTERS_HERE: &str = "counters_here";

impl SelfTestRow {
    /// Whether nothing was planted, and what was found are false alarms.
    pub fn plants_nothing(&self) -> bool {
        self.id.starts_with(NOTHING)
    }
}

impl SelfTest {
    /// The row of this id.
    pub fn row(&self, id: &str) -> Option<&SelfTestRow> {
        self.rows.iter().find(|row| row.id == id)
    }

    /// False alarms, and of how many trials.
    pub fn false_alarms(&self) -> (u32, u32) {
        let nothing = self.rows.iter().filter(|row| row.plants_nothing());
        nothing.fold((0, 0), |(found, trials), row| {
            (
                found.saturating_add(row.found),
                trials.saturating_add(row.trials),
            )
        })
    }

    /// Rows that ended so.
    pub fn ended(&self, verdict: SelfTestVerdict) -> impl Iterator<Item = &SelfTestRow> {
        self.rows.iter().filter(move |row| row.verdict == verdict)
    }
}
