//! How busy the machine is.
//!
//! Source: proc_loadavg(5), Documentation/accounting/psi.rst.

use crate::source::Source;
use crate::text::Unexpected;
use serde::{Deserialize, Serialize};

/// Load averages and CPU pressure at the moment of reading.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Load {
    pub average: Option<LoadAverage>,
    /// Share of the last 10 s in which some task waited for a CPU, percent.
    pub cpu_pressure_percent: Option<f64>,
}

/// Tasks that ran or waited, on average over 1, 5 and 15 minutes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LoadAverage {
    pub minutes_1: f64,
    pub minutes_5: f64,
    pub minutes_15: f64,
    /// Now, this process included.
    pub runnable: u32,
}

/// Reads /proc/loadavg and /proc/pressure/cpu.
pub fn read(source: &Source) -> Load {
    Load {
        average: source.parse("/proc/loadavg", parse_average),
        cpu_pressure_percent: source.parse("/proc/pressure/cpu", parse_pressure),
    }
}

/// `0.20 0.18 0.12 1/80 11206`
fn parse_average(text: &str) -> Result<LoadAverage, Unexpected> {
    let wrong = || Unexpected::new("load averages", text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let [one, five, fifteen, tasks, ..] = words[..] else {
        return Err(wrong());
    };
    let number = |word: &str| {
        let value = word.parse().ok();
        value.filter(|v: &f64| v.is_finite()).ok_or_else(wrong)
    };
    let (runnable, _) = tasks.split_once('/').ok_or_else(wrong)?;
    Ok(LoadAverage {
        minutes_1: number(one)?,
        minutes_5: number(five)?,
        minutes_15: number(fifteen)?,
        runnable: runnable.parse().map_err(|_| wrong())?,
    })
}

/// `some avg10=1.23 avg60=...`
fn parse_pressure(text: &str) -> Result<f64, Unexpected> {
    let first = text.lines().next().unwrap_or_default();
    first
        .strip_prefix("some avg10=")
        .and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .filter(|value: &f64| value.is_finite())
        .ok_or_else(|| Unexpected::new("some avg10=", first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_load_and_pressure() {
        let load = parse_average("0.20 0.18 0.12 3/80 11206").unwrap();
        assert_eq!((load.minutes_1, load.runnable), (0.20, 3));
        assert!(parse_average("0.20 0.18").is_err());
        assert!(parse_average("NaN 0 0 1/1").is_err());
        assert_eq!(parse_pressure("some avg10=1.50 avg60=0\nfull\n"), Ok(1.5));
        assert!(parse_pressure("none\n").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(?s).*") {
            let _ = parse_average(&text);
            let _ = parse_pressure(&text);
        }
    }
}
