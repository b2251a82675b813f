//! `pontage trace record` and `interrupts`: what needs the live machine.

use super::wishes::Wishes;
use crate::flags::Format;
use clap::Args;
use harness::tracing::FunctionWish;
use machine::CpuList;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Interrupts {
    /// Count for this long (default: while CMD runs, or 1 s)
    #[arg(long, value_name = "N", value_parser = seconds)]
    pub seconds: Option<Duration>,
    /// Only these CPUs: 0,2-3
    #[arg(long, value_name = "LIST")]
    pub cpu: Option<CpuList>,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Command to run while counting
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// Which functions of the kernel are traced: all of them only on request.
#[derive(Debug, Clone, Args)]
pub struct Functions {
    /// Trace these functions and everything they call, with durations (function_graph)
    #[arg(long, value_name = "FN|GLOB,...", value_delimiter = ',')]
    pub graph: Vec<String>,
    /// Trace only these functions: names, globs, or 'all'
    #[arg(long, value_name = "FN|GLOB,...", value_delimiter = ',')]
    pub functions: Vec<String>,
    /// Depth of calls below --graph; 0: no limit
    #[arg(long, value_name = "N", default_value = "16", requires = "graph")]
    pub depth: u32,
}

impl Functions {
    /// None where no functions are asked for.
    pub fn wish(&self) -> Option<FunctionWish> {
        let asked = !self.graph.is_empty() || !self.functions.is_empty();
        asked.then(|| FunctionWish {
            below: self.graph.clone(),
            only: self.functions.clone(),
            depth: if self.graph.is_empty() { 0 } else { self.depth },
        })
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "Sets for -e: default (sched, irq, timer expiries), sched, irq, timer; all. \
    Any other system name takes all its events; for these three write sched:*, irq:*, timer:*.\n\
    Exit status: that of CMD (128 + N after signal N), 77 if nothing can be recorded."
)]
pub struct Record {
    #[command(flatten)]
    pub wishes: Wishes,
    #[command(flatten)]
    pub functions: Functions,
    /// Only this task and the children it starts later
    #[arg(long, value_name = "PID")]
    pub pid: Vec<u32>,
    /// Ring buffer of each CPU: 8192, 8M (default: 8192, less on a machine with little memory)
    #[arg(long, value_name = "N", value_parser = kibibytes)]
    pub buffer_kib: Option<u64>,
    /// Stop after this time; CMD runs on
    #[arg(long, value_name = "N", value_parser = seconds)]
    pub seconds: Option<Duration>,
    /// Clock of the timestamps; mono is CLOCK_MONOTONIC
    #[arg(long, value_name = "CLOCK", default_value = "mono")]
    pub clock: String,
    /// When a ring is full, discard new events instead of overwriting old ones. The
    /// kernel counts the losses but does not mark where they happened
    #[arg(long)]
    pub drop_newest: bool,
    /// The file to write
    #[arg(long, short, value_name = "FILE", default_value = "trace.dat")]
    pub out: PathBuf,
    /// Complete a killed recording from its folder (trace.dat.spool)
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["event", "graph", "functions",
          "depth", "filter", "pid", "buffer_kib", "seconds", "clock", "drop_newest", "out", "command"])]
    pub recover: Option<PathBuf>,
    /// Command to run while recording
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// 2, 0.5, 500ms, 2s, 1m
pub fn seconds(text: &str) -> Result<Duration, String> {
    let unit_at = text.find(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E'));
    let (number, unit) = text.split_at(unit_at.unwrap_or(text.len()));
    let scale = match unit {
        "" | "s" => Some(1.0),
        "ms" => Some(1e-3),
        "us" => Some(1e-6),
        "m" | "min" => Some(60.0),
        _ => None,
    };
    let both = number.parse::<f64>().ok().zip(scale);
    let (number, scale) = both.ok_or("expected a time: 2, 0.5, 500ms, 2s, 1m")?;
    let number = number * scale;
    match number > 0.0 && number <= 1e6 {
        true => Ok(Duration::from_secs_f64(number)),
        false => Err("must be above 0 and at most a million".to_owned()),
    }
}

/// 8192, 512K, 8M, 1GiB
fn kibibytes(text: &str) -> Result<u64, String> {
    const RANGE: std::ops::RangeInclusive<u64> = 8..=1 << 24;
    let unit_at = text.find(|c: char| !c.is_ascii_digit());
    let (number, unit) = text.split_at(unit_at.unwrap_or(text.len()));
    let scale = match unit.to_ascii_lowercase().as_str() {
        "" | "k" | "kib" => 1,
        "m" | "mib" => 1 << 10,
        "g" | "gib" => 1 << 20,
        _ => return Err("expected KiB, or a size: 8192, 512K, 8M".to_owned()),
    };
    let number = number.parse::<u64>().ok();
    let number = number.and_then(|n| n.checked_mul(scale));
    number
        .filter(|n| RANGE.contains(n))
        .ok_or_else(|| format!("must be {} to {} KiB", RANGE.start(), RANGE.end()))
}

#[cfg(test)]
mod tests {
    use super::{kibibytes, seconds};
    use std::time::Duration;

    #[test]
    fn times_and_sizes_may_have_units() {
        for (text, ms) in [
            ("2", 2000),
            ("0.5", 500),
            ("1e0", 1000),
            ("500ms", 500),
            ("2s", 2000),
            ("1m", 60_000),
            ("250000us", 250),
        ] {
            assert_eq!(seconds(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in ["", "s", "2h", "-1", "0ms", "1 s", "nan", "inf"] {
            assert!(seconds(text).is_err(), "{text}");
        }
        for (text, kib) in [
            ("8192", 8192),
            ("512K", 512),
            ("8M", 8192),
            ("1GiB", 1 << 20),
        ] {
            assert_eq!(kibibytes(text), Ok(kib), "{text}");
        }
        for text in ["", "7", "M", "8T", "-8", "99999999999999999999", "17G"] {
            assert!(kibibytes(text).is_err(), "{text}");
        }
    }
}
