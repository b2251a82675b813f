//! Limits on locking memory and on real-time scheduling.
//!
//! Source: getrlimit(2), sched(7).

use crate::problem::Flaw;
use crate::source::Source;
use crate::text::quoted;
use serde::{Deserialize, Serialize};

/// Resource limits of this process (getrlimit(2)).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Limits {
    /// RLIMIT_RTPRIO.
    pub realtime_priority: Option<Limit>,
    /// RLIMIT_MEMLOCK, bytes.
    pub locked_memory_bytes: Option<Limit>,
    pub open_files: Option<Limit>,
    pub processes: Option<Limit>,
    /// Of each period, what real-time tasks may use; -1 is all of it.
    pub rt_runtime_us: Option<i64>,
    pub rt_period_us: Option<i64>,
    pub rr_timeslice_ms: Option<i64>,
    pub autogroup: Option<bool>,
}

/// A limit in force, and how far the process may raise it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    pub soft: Bound,
    pub hard: Bound,
}

/// A limit, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    At(u64),
    Unlimited,
}

impl Bound {
    /// Whether `amount`, in the unit of the limit, is within it.
    pub fn allows(self, amount: u64) -> bool {
        self >= Bound::At(amount)
    }
}

impl Limits {
    /// Whether real-time tasks get any time at all.
    pub fn realtime_runs(&self) -> bool {
        self.rt_runtime_us != Some(0)
    }
}

/// Reads /proc/self/limits.
pub fn read(source: &Source) -> Limits {
    let sysctl = |name: &str| source.number(&format!("/proc/sys/kernel/{name}"));
    Limits {
        rt_runtime_us: sysctl("sched_rt_runtime_us"),
        rt_period_us: sysctl("sched_rt_period_us"),
        rr_timeslice_ms: sysctl("sched_rr_timeslice_ms"),
        autogroup: source.switch("/proc/sys/kernel/sched_autogroup_enabled"),
        ..source.lines("/proc/self/limits", parse).unwrap_or_default()
    }
}

/// Columns: name, soft, hard, unit.
pub fn parse(text: &str) -> (Limits, Vec<Flaw>) {
    let mut limits = Limits::default();
    let mut flaws = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let mut take = |name: &str, field: &mut Option<Limit>| {
            let Some(rest) = line.strip_prefix(name) else {
                return;
            };
            *field = limit(rest);
            if field.is_none() {
                let cause = format!("expected two limits, found {}", quoted(rest.trim()));
                flaws.push(Flaw::at(index + 1, cause));
            }
        };
        take("Max realtime priority", &mut limits.realtime_priority);
        take("Max locked memory", &mut limits.locked_memory_bytes);
        take("Max open files", &mut limits.open_files);
        take("Max processes", &mut limits.processes);
    }
    (limits, flaws)
}

fn limit(columns: &str) -> Option<Limit> {
    let mut words = columns.split_whitespace();
    let soft = bound(words.next()?)?;
    let hard = bound(words.next()?)?;
    Some(Limit { soft, hard })
}

fn bound(word: &str) -> Option<Bound> {
    match word {
        "unlimited" => Some(Bound::Unlimited),
        number => number.parse().ok().map(Bound::At),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn limits_are_two_columns() {
        let text = "Limit  Soft Limit  Hard Limit  Units\nMax locked memory  8388608 unlimited bytes\n\
                    Max realtime priority     0      0     \n";
        let (limits, flaws) = parse(text);
        assert!(flaws.is_empty());
        let locked = limits.locked_memory_bytes.unwrap();
        assert_eq!(locked.soft, Bound::At(8 << 20));
        assert!(locked.hard.allows(u64::MAX) && !locked.soft.allows(8 << 21));
        assert_eq!(limits.realtime_priority.unwrap().hard, Bound::At(0));
        assert_eq!(parse("Max open files many\n").1[0].line, 1);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(?s).*", tail in ".*") {
            let _ = parse(&text);
            let _ = parse(&format!("Max locked memory{tail}"));
        }
    }
}
