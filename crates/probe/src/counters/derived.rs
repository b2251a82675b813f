//! Rates made of counts. A rate whose counts are missing is missing, and a share
//! outside of 0..1 is none: its two events count things of different origin.

use serde::{Deserialize, Serialize};

/// Of the second level's references those that missed: what a study of cache
/// pollution draws.
pub const L2_MISSES: &str = "l2d_cache_miss_rate";

/// A rate and the aliases it is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    /// `cycles_per_instruction`, `l1d_cache_hit_rate`.
    pub name: String,
    /// The formula, for people.
    pub formula: String,
    kind: Formula,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Formula {
    Quotient {
        over: String,
        under: String,
    },
    /// missed / all.
    Missed {
        all: String,
        missed: String,
    },
    /// (all - missed) / all.
    Spared {
        all: String,
        missed: String,
    },
    /// good / (good + missed).
    Predicted {
        good: String,
        missed: String,
    },
}

impl Rate {
    /// More is worse: a cost, not a hit rate.
    pub fn lower_is_better(&self) -> bool {
        matches!(self.kind, Formula::Quotient { .. } | Formula::Missed { .. })
    }

    /// A part of a whole: 0..=1 where its events count the same things.
    pub fn is_share(&self) -> bool {
        !matches!(self.kind, Formula::Quotient { .. })
    }

    /// The rate of the counts that `count` gives for an alias; None where one
    /// is missing or nothing happened. What is no share of anything is
    /// [`Rated::Outside`].
    pub fn value(&self, count: impl Fn(&str) -> Option<f64>) -> Rated {
        let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        let value = || match &self.kind {
            Formula::Quotient { over, under } => share(count(over)?, count(under)?),
            Formula::Missed { all, missed } => share(count(missed)?, count(all)?),
            Formula::Spared { all, missed } => {
                let all = count(all)?;
                share(all - count(missed)?, all)
            }
            Formula::Predicted { good, missed } => {
                let good = count(good)?;
                share(good, good + count(missed)?)
            }
        };
        match value() {
            None => Rated::None,
            Some(value) if self.is_share() && !(0.0..=1.0).contains(&value) => {
                Rated::Outside(value)
            }
            Some(value) => Rated::Rate(value),
        }
    }

    /// What it is made of.
    pub fn aliases(&self) -> [&str; 2] {
        match &self.kind {
            Formula::Quotient { over: a, under: b }
            | Formula::Missed { missed: a, all: b }
            | Formula::Spared { all: a, missed: b }
            | Formula::Predicted { good: a, missed: b } => [a, b],
        }
    }
}

/// What two counts make.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rated {
    Rate(f64),
    /// A share below 0 or above 1: never shown as a rate.
    Outside(f64),
    /// A count is missing, or nothing happened.
    None,
}

impl Rated {
    /// The rate, where it is one.
    pub fn rate(self) -> Option<f64> {
        match self {
            Rated::Rate(rate) => Some(rate),
            Rated::Outside(_) | Rated::None => None,
        }
    }
}

/// The rates that can be made of `aliases`, whose names all end in `suffix`; so do
/// theirs. `branches_include_mispredicted`: what BR_PRED is on this core; where it counts
/// predicted branches only, the rate is that of the Cortex-A72's users, BR_PRED /
/// (BR_MIS_PRED + BR_PRED).
pub fn rates(aliases: &[&str], suffix: &str, branches_include_mispredicted: bool) -> Vec<Rate> {
    let named = |alias: &str| format!("{alias}{suffix}");
    let missed = |all: &str, missed: &str| Formula::Missed {
        all: named(all),
        missed: named(missed),
    };
    let spared = |all: &str, missed: &str| Formula::Spared {
        all: named(all),
        missed: named(missed),
    };
    let branches = match branches_include_mispredicted {
        true => spared("BR_PRED", "BR_MIS_PRED"),
        false => Formula::Predicted {
            good: named("BR_PRED"),
            missed: named("BR_MIS_PRED"),
        },
    };
    let cycles = Formula::Quotient {
        over: named("CPU_CYCLES"),
        under: named("INST_RETIRED"),
    };
    let mut all = vec![
        rate("cycles_per_instruction", suffix, cycles),
        rate(
            "l1d_cache_hit_rate",
            suffix,
            spared("L1D_CACHE", "L1D_CACHE_REFILL"),
        ),
        rate(
            "l2d_cache_hit_rate",
            suffix,
            spared("L2D_CACHE", "L2D_CACHE_REFILL"),
        ),
        rate(
            "l1i_cache_hit_rate",
            suffix,
            spared("L1I_CACHE", "L1I_CACHE_REFILL"),
        ),
        rate(L2_MISSES, suffix, missed("L2D_CACHE", "L2D_CACHE_REFILL")),
        rate("br_pred_rate", suffix, branches),
    ];
    all.retain(|rate| rate.aliases().iter().all(|a| aliases.contains(a)));
    all
}

fn rate(name: &str, suffix: &str, kind: Formula) -> Rate {
    let formula = match &kind {
        Formula::Quotient { over, under } => format!("{over} / {under}"),
        Formula::Missed { all, missed } => format!("{missed} / {all}"),
        Formula::Spared { all, missed } => format!("({all} - {missed}) / {all}"),
        Formula::Predicted { good, missed } => format!("{good} / ({missed} + {good})"),
    };
    Rate {
        name: format!("{name}{suffix}"),
        formula,
        kind,
    }
}
