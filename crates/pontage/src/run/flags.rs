//! What can be typed behind `pontage run`, and behind the front doors of single studies.

use crate::amounts::{Bare, whole};
use crate::candidates;
use crate::flags::{TableFormat, counting};
use clap::{Args, ValueEnum};
use clap_complete::ArgValueCompleter;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Clone, Default, Args)]
pub struct Run {
    /// Experiments (area/name), areas (mem), globs ('mem/l*'), comma-separated lists of
    /// them, or recipes (a name or a .toml file); default: everything
    #[arg(value_name = "ID|GLOB|RECIPE", add = ArgValueCompleter::new(candidates::selections))]
    pub what: Vec<OsString>,
    /// About a minute for everything (default)
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// The points of --quick in ten processes with five times the samples, about ten minutes for
    /// everything: for a trust grade of A or B
    #[arg(long, conflicts_with_all = ["quick", "full"])]
    pub standard: bool,
    /// Every point, in several processes: for figures to publish; takes hours for everything,
    /// --dry-run says how many
    #[arg(long)]
    pub full: bool,
    /// Restrict an axis: size=4k, size=64..1M, size=64..1M:x4 (powers of two),
    /// processes=2..35:+1, placement=same_cpu
    #[arg(long, value_name = "AXIS=VALUES", add = ArgValueCompleter::new(candidates::axes))]
    pub axis: Vec<String>,
    /// Sampling time per point and process: 20 (milliseconds), 20ms, 0.5s
    #[arg(long, value_name = "MS", value_parser = whole::<u64>(Bare::Milliseconds, 1..=3_600_000))]
    pub budget_ms: Option<u64>,
    /// Processes that repeat each point (default: 5 with --quick, 6 with --full)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub processes: Option<u32>,
    /// Time for the whole run, set-up included: 70 (seconds), 70s, 2m, 1h30m; what does not
    /// fit is left out and said, further processes of the costliest experiments first
    #[arg(long, value_name = "TIME", value_parser = whole::<u64>(Bare::Seconds, 5..=1_000_000))]
    pub within: Option<u64>,
    /// Most samples per point and process
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub samples: Option<u32>,
    /// Load during the measurement
    #[arg(long, value_enum, default_value = "light")]
    pub load: Load,
    /// CPU to measure on (default: a quiet one)
    #[arg(long, value_name = "CPU")]
    pub cpu: Option<u32>,
    /// Measure under SCHED_FIFO; a watchdog demotes the process if it runs too long
    #[arg(long)]
    pub fifo: bool,
    /// Lock the measuring process into memory
    #[arg(long)]
    pub mlock: bool,
    /// Set the frequency governor of the measured CPUs, and restore it afterwards
    #[arg(long, value_name = "GOVERNOR")]
    pub set_governor: Option<String>,
    /// Reserve this many huge pages of the default size, at most half of the available
    /// memory, and release them afterwards
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub huge_pages: Option<u64>,
    /// Also count events of the processor: each becomes a metric of every experiment.
    /// Events of the kernel come with every group. Passes without and with counters
    /// alternate: times are of those without
    #[arg(long, value_name = "GROUP", value_parser = counting())]
    pub counters: Option<String>,
    /// Record what interrupted each point while it was sampled: interrupts, softirqs,
    /// context switches
    #[arg(long)]
    pub interrupts: bool,
    #[command(flatten)]
    pub labels: Labels,
    /// Folder that receives the run's folder
    #[arg(long, short, value_name = "DIR", default_value = "runs")]
    pub out: PathBuf,
    /// Finish this incomplete run: a folder, latest, previous, @NAME, @TAG, @baseline or an id
    #[arg(long, value_name = "RUN", add = ArgValueCompleter::new(candidates::runs),
          conflicts_with_all = ["what", "axis", "full", "quick", "standard", "budget_ms", "processes",
          "within", "samples", "load", "counters", "interrupts", "name", "tag"])]
    pub resume: Option<PathBuf>,
    /// Trust a recipe file that runs commands, or resume a run that another user or
    /// machine started
    #[arg(long)]
    pub trust: bool,
    /// Print one line for each experiment when the run ends
    #[arg(long, short, conflicts_with = "format")]
    pub quiet: bool,
    /// How to print the result: markdown as `pontage report`, json and csv as `pontage export`
    #[arg(long, value_enum, default_value = "text", conflicts_with = "dry_run")]
    pub format: TableFormat,
    /// Show the plan and its estimated time; measure nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// How a study is measured.
#[derive(Debug, Args)]
pub struct Study {
    /// Measure under SCHED_FIFO; a watchdog demotes the process if it runs too long
    #[arg(long)]
    pub fifo: bool,
    /// CPU to measure on (default: a quiet one)
    #[arg(long, value_name = "CPU")]
    pub cpu: Option<u32>,
    /// Load during the measurement
    #[arg(long, value_enum, default_value = "light")]
    pub load: Load,
    /// Also count events of the processor
    #[arg(long, value_name = "GROUP", value_parser = counting())]
    pub counters: Option<String>,
    /// Processes that repeat each point (default: 5 that share the time of one; 3 for a probe
    /// of `pollute`, which prepares for longer than it measures)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub processes: Option<u32>,
    #[command(flatten)]
    pub labels: Labels,
    /// Folder that receives the run's folder
    #[arg(long, short, value_name = "DIR", default_value = "runs")]
    pub out: PathBuf,
}

/// What the run is to be called.
#[derive(Debug, Clone, Default, Args)]
pub struct Labels {
    /// Name of the run, unique in its folder of runs: commands take it as @NAME
    #[arg(long, value_name = "NAME", value_parser = label)]
    pub name: Option<String>,
    /// Tag of the run; repeat for several: commands take the newest run of a tag as @WORD
    #[arg(long, value_name = "WORD", value_parser = label)]
    pub tag: Vec<String>,
}

/// A name or a tag.
pub fn label(text: &str) -> Result<String, String> {
    record::labels::check(text).map(|()| text.to_owned())
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Load {
    /// No added load; the load of the machine is measured and recorded
    #[default]
    Light,
    /// stress-ng on the CPUs not under test
    Heavy,
    /// stress-ng on every CPU
    HeavyAll,
    /// Light, then heavy: two runs of the same plan, compared side by side
    Both,
}
