//! `pontage trace record` and `interrupts`: what needs the live machine.

use crate::arguments::TextOrJson;
use clap::Args;
use harness::tracing::FunctionWish;
use machine::CpuList;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Interrupts {
    /// Count this long (default: as long as CMD runs, or 1)
    #[arg(long, value_name = "N", value_parser = seconds)]
    pub seconds: Option<Duration>,
    /// Only these CPUs: 0,2-3
    #[arg(long, value_name = "LIST")]
    pub cpu: Option<CpuList>,
    #[arg(long, value_enum, default_value = "text")]
    pub format: TextOrJson,
    /// Command to run meanwhile
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// Which functions of the kernel are traced: never all of them by accident.
#[derive(Debug, Clone, Args)]
pub struct Functions {
    /// Trace these functions and all that they call, with times (function_graph)
    #[arg(long, value_name = "FN|GLOB,...", value_delimiter = ',')]
    pub graph: Vec<String>,
    /// Trace only these functions: names, globs, or 'all'
    #[arg(long, value_name = "FN|GLOB,...", value_delimiter = ',')]
    pub functions: Vec<String>,
    /// Levels below --graph; 0: all
    #[arg(long, value_name = "N", default_value = "16", requires = "graph")]
    pub depth: u32,
}

impl Functions {
    /// None where no functions are asked for.
    #[must_use]
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
    after_help = "Sets for -e: default (sched, irq, timer expiries), sched, irq, timer. \
    Of another system all events are taken; of these three with sched:*, irq:*, timer:*.\n\
    Exit status: that of CMD (128 + N after signal N), 77 where nothing can be recorded."
)]
pub struct Record {
    /// What to record: a set, a system, SYSTEM:EVENT, a glob. 'E if FILTER' takes
    /// only what the filter lets through, 'E trigger T' sets a trigger (default:
    /// default; with functions: sched_switch)
    #[arg(long, short, value_name = "EVENTS")]
    pub event: Vec<String>,
    #[command(flatten)]
    pub functions: Functions,
    /// Filter for every event that has none of its own: 'prev_pid == 17'
    #[arg(long, short, value_name = "FILTER")]
    pub filter: Option<String>,
    /// Only what this task and its later children do
    #[arg(long, value_name = "PID")]
    pub pid: Vec<u32>,
    /// Ring of each CPU (default: 8192, less on a machine with little memory)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(8..=1 << 24))]
    pub buffer_kib: Option<u64>,
    /// Stop after this time; CMD runs on
    #[arg(long, value_name = "N", value_parser = seconds)]
    pub seconds: Option<Duration>,
    /// The kernel's clock for the stamps; mono is CLOCK_MONOTONIC
    #[arg(long, value_name = "CLOCK", default_value = "mono")]
    pub clock: String,
    /// Where a ring is full lose the newest events, not the oldest. The kernel
    /// then tells how many, and not where
    #[arg(long)]
    pub drop_newest: bool,
    /// The file to write
    #[arg(long, short, value_name = "FILE", default_value = "trace.dat")]
    pub out: PathBuf,
    /// Complete a recording that was killed, from its folder (trace.dat.spool)
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["event", "graph", "functions",
          "depth", "filter", "pid", "buffer_kib", "seconds", "clock", "drop_newest", "out", "command"])]
    pub recover: Option<PathBuf>,
    /// Command to run meanwhile
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// 2, 0.5
pub fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number".to_owned())?;
    match number > 0.0 && number <= 1e6 {
        true => Ok(Duration::from_secs_f64(number)),
        false => Err("must be above 0 and at most a million".to_owned()),
    }
}
