//! What can be typed behind the analyses of `pontage trace`.

use crate::arguments::TextOrJson;
use crate::trace::arguments::TraceFile;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Stats {
    #[command(flatten)]
    pub trace: TraceFile,
    /// Tasks to show, busiest first; of system calls, rows
    #[arg(long, value_name = "N", default_value = "20")]
    pub top: usize,
    /// Show system calls instead: by task and name how often and how long
    #[arg(long)]
    pub syscalls: bool,
    #[arg(long, value_enum, default_value = "text")]
    pub format: TextOrJson,
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
    /// Every slice as a line, partial ones marked, numbered by task: the plot of
    /// slice length over switches
    #[arg(long)]
    pub csv: bool,
    /// Histograms of slices and of CPU bursts (from waking to sleeping)
    #[arg(long, conflicts_with = "csv")]
    pub histogram: bool,
    #[arg(long, value_enum, default_value = "text", conflicts_with = "csv")]
    pub format: TextOrJson,
}

#[derive(Debug, Args)]
pub struct Timers {
    #[command(flatten)]
    pub trace: TraceFile,
    /// The life of the timer at this address, step by step
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub timer: Option<u64>,
    /// The life of the timers with this function, step by step
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    #[arg(long, value_enum, default_value = "text")]
    pub format: TextOrJson,
}

#[derive(Debug, Args)]
pub struct Profile {
    #[command(flatten)]
    pub trace: TraceFile,
    /// Functions to show, costly first
    #[arg(long, value_name = "N", default_value = "40")]
    pub top: usize,
    #[arg(long, value_enum, default_value = "text")]
    pub format: TextOrJson,
}

#[derive(Debug, Args)]
pub struct Callpath {
    #[command(flatten)]
    pub trace: TraceFile,
    /// Function to begin at: __x64_sys_msync, or an address (default: all)
    #[arg(long, value_name = "FN")]
    pub root: Option<String>,
    /// Leave out calls below this share of the root's time, in percent
    #[arg(long, value_name = "PERCENT", default_value = "0.5")]
    pub least: f64,
    #[arg(long, value_enum, default_value = "text")]
    pub format: TextOrJson,
}

#[derive(Debug, Args)]
pub struct Explain {
    #[command(flatten)]
    pub trace: TraceFile,
    #[arg(long, value_enum, default_value = "text")]
    pub format: TextOrJson,
}

#[derive(Debug, Args)]
pub struct Compare {
    /// A trace.dat
    pub a: PathBuf,
    /// The one that is held against it
    pub b: PathBuf,
    /// Of files with several recordings this one, in both
    #[arg(long, value_name = "NAME")]
    pub instance: Option<String>,
    #[arg(long, value_enum, default_value = "text")]
    pub format: TextOrJson,
}

/// As traces print addresses, in hexadecimal.
fn address(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    u64::from_str_radix(digits, 16)
        .map_err(|_| "it is no address in hexadecimal, as 0xffff8881".to_owned())
}
