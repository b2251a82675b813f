//! Rates made of counts. A rate whose counts are missing is missing.

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
        matches!(self.kind, Formula::Quotient { .. })
    }

    /// The rate of the counts that `count` gives for an alias; None where one
    /// is missing or nothing happened.
    pub fn value(&self, count: impl Fn(&str) -> Option<f64>) -> Option<f64> {
        let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        match &self.kind {
            Formula::Quotient { over, under } => share(count(over)?, count(under)?),
            Formula::Spared { all, missed } => {
                let all = count(all)?;
                share(all - count(missed)?, all)
            }
            Formula::Predicted { good, missed } => {
                let good = count(good)?;
                share(good, good + count(missed)?)
            }
        }
    }

    fn aliases(&self) -> [&str; 2] {
        match &self.kind {
            Formula::Quotient { over: a, under: b }
            | Formula::Spared { all: a, missed: b }
            | Formula::Predicted { good: a, missed: b } => [a, b],
        }
    }
}

/// The rates that can be made of `aliases`. `branches_include_mispredicted`:
/// what BR_PRED is on this core; where it counts predicted branches only, the
/// rate is that of the Cortex-A72's users, BR_PRED / (BR_MIS_PRED + BR_PRED).
pub fn rates(aliases: &[&str], branches_include_mispredicted: bool) -> Vec<Rate> {
    let quotient = |over: &str, under: &str| Formula::Quotient {
        over: over.to_owned(),
        under: under.to_owned(),
    };
    let spared = |all: &str, missed: &str| Formula::Spared {
        all: all.to_owned(),
        missed: missed.to_owned(),
    };
    let predicted = |good: &str, missed: &str| Formula::Predicted {
        good: good.to_owned(),
        missed: missed.to_owned(),
    };
    let branches = match branches_include_mispredicted {
        true => spared("BR_PRED", "BR_MIS_PRED"),
        false => predicted("BR_PRED", "BR_MIS_PRED"),
    };
    let mut all = vec![
        rate(
            "cycles_per_instruction",
            quotient("CPU_CYCLES", "INST_RETIRED"),
        ),
        rate(
            "l1d_cache_hit_rate",
            spared("L1D_CACHE", "L1D_CACHE_REFILL"),
        ),
        rate(
            "l2d_cache_hit_rate",
            spared("L2D_CACHE", "L2D_CACHE_REFILL"),
        ),
        rate(
            "l1i_cache_hit_rate",
            spared("L1I_CACHE", "L1I_CACHE_REFILL"),
        ),
        rate(L2_MISSES, quotient("L2D_CACHE_REFILL", "L2D_CACHE")),
        rate("br_pred_rate", branches),
    ];
    all.retain(|rate| rate.aliases().iter().all(|a| aliases.contains(a)));
    all
}

fn rate(name: &str, kind: Formula) -> Rate {
    let formula = match &kind {
        Formula::Quotient { over, under } => format!("{over} / {under}"),
        Formula::Spared { all, missed } => format!("({all} - {missed}) / {all}"),
        Formula::Predicted { good, missed } => format!("{good} / ({missed} + {good})"),
    };
    Rate {
        name: name.to_owned(),
        formula,
        kind,
    }
}
