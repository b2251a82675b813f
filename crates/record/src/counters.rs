//! Counters asked for in addition to the time: which events they really are, and which
//! could not be had.

use serde::{Deserialize, Serialize};

/// The group of hardware or software counters of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CountersHead {
    /// `arch`, `dcache`, `instr`, `tlbmem` or `software`.
    pub group: String,
    /// Core family whose table of codes was used: `ARM Cortex-A72`.
    pub core: String,
    /// Where the codes are published.
    pub source: String,
    pub events: Vec<CounterHead>,
    /// Names of the metrics that the counters add to every experiment, behind
    /// its own.
    pub metrics: Vec<String>,
}

/// One event of the group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterHead {
    /// `L1D_CACHE_REFILL`: also the name of the metric.
    pub alias: String,
    /// The real event: `ls_any_fills_from_sys.all (rff44)`.
    pub event: String,
    /// In what it differs from its name.
    pub note: String,
    /// Whose work is counted: `user and kernel` or `user`.
    pub scope: String,
    /// Why it is not counted; None where it is.
    pub absent: Option<CounterAbsence>,
}

/// Why an event is not counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterAbsence {
    pub reason: String,
    /// The exact command that would help, or `none: ...`.
    pub remedy: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Conditions;

    #[test]
    fn conditions_without_counters_read_and_are_written_as_before() {
        let plain = serde_json::to_value(Conditions::default()).unwrap();
        assert!(plain.get("counters").is_none(), "{plain}");
        let back: Conditions = serde_json::from_value(plain).unwrap();
        assert_eq!(back.counters, None);
    }

    #[test]
    fn counters_are_read_as_written() {
        let conditions = Conditions {
            counters: Some(CountersHead {
                group: "arch".into(),
                events: vec![CounterHead {
                    alias: "LD_SPEC".into(),
                    event: "ld_spec (r70)".into(),
                    note: String::new(),
                    scope: "user".into(),
                    absent: Some(CounterAbsence {
                        reason: "no PMU".into(),
                        remedy: "none: another machine".into(),
                    }),
                }],
                ..CountersHead::default()
            }),
            ..Conditions::default()
        };
        let text = serde_json::to_string(&conditions).unwrap();
        let back: Conditions = serde_json::from_str(&text).unwrap();
        assert_eq!(back, conditions);
    }
}
