//! What can be typed behind the analyses of `pontage trace`.

use crate::amounts::duration;
use crate::flags::{Format, one_of};
use crate::trace::arguments::files::TraceFile;
use crate::trace::arguments::recording::Functions;
use clap::Args;
use harness::tracing::Method;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Stats {
    #[command(flatten)]
    pub trace: TraceFile,
    /// Tasks to show, busiest first; with --syscalls, rows
    #[arg(long, value_name = "N", default_value = "20")]
    pub top: usize,
    /// Show system calls instead: count and duration by task and name
    #[arg(long)]
    pub syscalls: bool,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Slices {
    #[command(flatten)]
    pub trace: TraceFile,
    /// Only this task: a PID or a name
    #[arg(long, value_name = "NAME|PID")]
    pub task: Vec<String>,
    /// Only on this CPU
    #[arg(long, value_name = "N")]
    pub cpu: Option<u32>,
    /// Print every slice as a line, numbered by task, partial ones marked: data for a
    /// plot of slice length over switches
    #[arg(long)]
    pub csv: bool,
    /// Show histograms of slices and of CPU bursts (from waking to sleeping)
    #[arg(long, conflicts_with = "csv")]
    pub histogram: bool,
    #[arg(long, value_enum, default_value = "text", conflicts_with = "csv")]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Timers {
    #[command(flatten)]
    pub trace: TraceFile,
    /// Show every step of the timer at this address
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub timer: Option<u64>,
    /// Show every step of the timers with this function
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// How the running kernel is profiled.
const METHODS: [(&str, &str, Method); 3] = [
    (
        "profile",
        "The kernel's own profile (function_profile_enabled)",
        Method::Profile,
    ),
    (
        "graph",
        "Entries and exits, recorded and added up (function_graph)",
        Method::Graph,
    ),
    (
        "kprobes",
        "Probes at 64 functions at most, with histograms in the kernel",
        Method::Probes,
    ),
];

#[derive(Debug, Args)]
#[command(
    after_help = "Without FILE the running kernel is profiled, by the first of --by that it \
    has: name the functions. Exit status: that of CMD, 77 where nothing can be profiled."
)]
pub struct Profile {
    /// A trace.dat with functions
    #[arg(conflicts_with_all = ["graph", "functions", "depth", "by", "pid", "seconds", "command"])]
    pub file: Option<PathBuf>,
    /// Recording to read, if the file holds several
    #[arg(long, value_name = "NAME", requires = "file")]
    pub instance: Option<String>,
    #[command(flatten)]
    pub functions: Functions,
    /// How to profile the running kernel (default: the first one available)
    #[arg(long, value_parser = one_of(METHODS))]
    pub by: Option<Method>,
    /// Only this task and the children it starts later (function_graph)
    #[arg(long, value_name = "PID")]
    pub pid: Vec<u32>,
    /// Stop after this time: 2, 500ms, 1m; CMD runs on
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub seconds: Option<Duration>,
    /// Functions to show, costly first
    #[arg(long, value_name = "N", default_value = "40")]
    pub top: usize,
    /// Print one line for each CPU that called a function
    #[arg(long)]
    pub by_cpu: bool,
    /// Command to run while profiling
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<OsString>,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Callpath {
    #[command(flatten)]
    pub trace: TraceFile,
    /// Function to begin at: __x64_sys_msync, or an address (default: all)
    #[arg(long, value_name = "FN")]
    pub root: Option<String>,
    /// Omit calls below this share of the root's time, in percent
    #[arg(long, value_name = "PERCENT", default_value = "0.5", value_parser = percent)]
    pub least: f64,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Explain {
    #[command(flatten)]
    pub trace: TraceFile,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Compare {
    /// A trace.dat
    pub a: PathBuf,
    /// The trace.dat to compare it with
    pub b: PathBuf,
    /// Recording to read in both files, if they hold several
    #[arg(long, value_name = "NAME")]
    pub instance: Option<String>,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// As traces print addresses, in hexadecimal.
fn address(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    u64::from_str_radix(digits, 16)
        .map_err(|_| "it is not a hexadecimal address such as 0xffff8881".to_owned())
}

fn percent(text: &str) -> Result<f64, String> {
    let percent = crate::amounts::percent(text)?;
    match (0.0..=100.0).contains(&percent) {
        true => Ok(percent),
        false => Err("0 to 100 are shares of a time".to_owned()),
    }
}
