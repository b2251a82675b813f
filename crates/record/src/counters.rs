//! Counters asked for in addition to the time: which events they really are, and which
//! could not be had.

use serde::{Deserialize, Serialize};

/// The group of hardware or software counters of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
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
    /// Passes with and without counters alternate (A B B A): times are of those without.
    /// Not so in records from before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alternating: bool,
    /// Sentences of the test that the counters went through at the start of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub self_test: Vec<String>,
}

/// Metric of the time with counters over that without, from passes that alternate.
pub const PROBE_EFFECT: &str = "probe_effect";
/// Metric of the time of an operation in passes with counters, ns: no result, what the probe
/// effect is made of.
pub const COUNTED_TIME: &str = "counted_time";
/// Before a note of a point that says that its counts are not to be taken as they stand.
pub const ALARM: &str = "alarm: ";
/// Before other notes of a point on its counts: whose they are, and which are not given.
pub const ON_COUNTERS: &str = "counters: ";

/// One event of the group.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
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
    /// Which of several groups that take turns it is counted in, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u16>,
    /// What reading the counters itself counts in each batch: taken off, so that the count as
    /// it was read is value x operations + this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_off: Option<f64>,
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
    fn heads_from_before_groups_took_turns_are_read() {
        let event = r#"{"alias": "A", "event": "a", "note": "", "scope": "user", "absent": null}"#;
        let text = format!(
            r#"{{"group": "arch", "core": "", "source": "", "metrics": [], "events": [{event}]}}"#
        );
        let head: CountersHead = serde_json::from_str(&text).unwrap();
        assert!(!head.alternating && head.self_test.is_empty());
        assert_eq!(
            (head.events[0].turn, head.events[0].taken_off),
            (None, None)
        );
        assert_eq!(
            serde_json::to_value(&head)
                .unwrap()
                .as_object()
                .unwrap()
                .len(),
            5
        );
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
                    turn: Some(1),
                    taken_off: Some(3208.5),
                }],
                alternating: true,
                self_test: vec!["place 6 of 6 is dead: counted 0 of 1,020,000".into()],
                ..CountersHead::default()
            }),
            ..Conditions::default()
        };
        let text = serde_json::to_string(&conditions).unwrap();
        let back: Conditions = serde_json::from_str(&text).unwrap();
        assert_eq!(back, conditions);
    }
}
