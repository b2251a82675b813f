//! The flags of `pontage ab`.

use crate::amounts::{Bare, percent, whole};
use crate::candidates;
use crate::flags::Format;
use clap::Args;
use clap_complete::ArgValueCompleter;
use std::ffi::OsString;
use std::path::PathBuf;

/// Measure A and B in turn, in fresh processes, and judge the difference
#[derive(Debug, Clone, Default, Args)]
#[command(
    after_help = "Blocks of four visits, A B B A or B A A B at random, go on until every point is \
    decided or the time is up. Without --between, --env, --binary or --command both sides are the same: \
    what is then called a difference is a false alarm.\n\
    Exit status: 0 nothing got worse, 1 something did, 2 usage or failure, 77 nothing could be judged, \
    130 interrupted."
)]
pub struct Ab {
    /// Experiments (area/name), areas, globs or recipes to measure on both sides
    #[arg(value_name = "ID|GLOB|RECIPE", required_unless_present = "command",
          add = ArgValueCompleter::new(candidates::selections))]
    pub what: Vec<OsString>,
    /// Setting of the kernel that B has, restored after each of its visits:
    /// 'sysctl vm.swappiness=10'
    #[arg(long, value_name = "SETTING")]
    pub between: Option<String>,
    /// Environment variable that B has; several times for several
    #[arg(long, value_name = "NAME=VALUE")]
    pub env: Vec<String>,
    /// Two pontage programs, one for each side
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub binary: Option<Vec<PathBuf>>,
    /// Two command lines: time each from start to end, by sh -c
    #[arg(long, num_args = 2, value_names = ["A", "B"],
          conflicts_with_all = ["what", "binary", "axis", "budget_ms", "cpu"])]
    pub command: Option<Vec<String>>,
    /// Restrict an axis: size=4k, size=64..1M (powers of two)
    #[arg(long, value_name = "AXIS=VALUES", add = ArgValueCompleter::new(candidates::axes))]
    pub axis: Vec<String>,
    /// Sampling time per point and visit: 200 (milliseconds), 200ms, 0.5s
    #[arg(long, value_name = "MS", default_value = "200",
          value_parser = whole::<u64>(Bare::Milliseconds, 1..=3_600_000))]
    pub budget_ms: u64,
    /// CPU to measure on (default: a quiet one)
    #[arg(long, value_name = "CPU")]
    pub cpu: Option<u32>,
    /// Longest time for each pair (point of A and the same of B): 60 (seconds), 60s, 2m
    #[arg(long, value_name = "TIME", default_value = "60",
          value_parser = whole::<u64>(Bare::Seconds, 1..=86_400))]
    pub time: u64,
    /// Differences below this many percent count as equal
    #[arg(long, value_name = "PERCENT", default_value = "2",
          value_parser = percent)]
    pub threshold: f64,
    /// Number that the orders of the blocks are drawn by (default: from the clock)
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Time commands that end with another status than 0 as well
    #[arg(long, requires = "command")]
    pub ignore_failure: bool,
    /// Folder that receives a folder with the runs of both sides and ab.json
    #[arg(long, short, value_name = "DIR", default_value = "runs")]
    pub out: PathBuf,
    /// Show the sides, the points and the longest time; measure nothing
    #[arg(long)]
    pub dry_run: bool,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}
