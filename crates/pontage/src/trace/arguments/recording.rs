//! `pontage trace record` and `interrupts`: what needs the live machine.

use super::wishes::Wishes;
use crate::amounts::{duration, kibibytes};
use crate::flags::Format;
use clap::Args;
use harness::tracing::FunctionWish;
use machine::CpuList;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Interrupts {
    /// Count for this long: 2, 500ms, 1m (default: while CMD runs, or 1 s)
    #[arg(long, value_name = "TIME", value_parser = duration)]
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
    /// Ring buffer of each CPU: 8192 (KiB), 8M, 512K (default: 8192, less on a machine with little memory)
    #[arg(long, value_name = "KIB", value_parser = kibibytes(8..=1 << 24))]
    pub buffer_kib: Option<u64>,
    /// Stop after this time: 2, 500ms, 1m; CMD runs on
    #[arg(long, value_name = "TIME", value_parser = duration)]
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
