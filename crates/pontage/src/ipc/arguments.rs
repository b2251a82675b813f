//! The flags of `ipc-benchmark`, and ours behind them.

use crate::amounts::bytes;
use crate::candidates;
use crate::flags::{GROUPS, TableFormat, one_of};
use clap::{Args, ValueEnum};
use clap_complete::ArgValueCompleter;
use probe::counters::GroupName;

/// The original's default for -p.
pub const DEFAULT_TCP_PORT: u16 = 10141;

/// Compatible with `ipc-benchmark` of Advanced Operating Systems, Lab 2.
#[derive(Debug, Args)]
#[command(
    after_help = "Placement: like the original, both sides run on one CPU unless \
    --placement says otherwise.\nTransports beyond pipe, local and tcp: the names behind \
    ipc/ in `pontage list`."
)]
pub struct Ipc {
    /// 1thread, 2thread, 2proc, or describe (print the configuration only)
    #[arg(value_enum, default_value = "1thread")]
    pub mode: Mode,
    /// Skip the sync and the pause before each iteration
    #[arg(short = 'B')]
    pub bare: bool,
    /// Buffer size in bytes: 131072, 128K, 128KiB (powers of two)
    #[arg(short = 'b', allow_negative_numbers = true, value_name = "BUFFERSIZE", default_value = "131072",
          value_parser = bytes)]
    pub buffer_size: u64,
    /// Collect getrusage(2): CPU time, messages, context switches
    #[arg(short = 'g')]
    pub rusage: bool,
    /// Transport: pipe, local, tcp, or any ipc/ experiment
    #[arg(short = 'i', value_name = "pipe|local|tcp|...", default_value = "pipe",
          add = ArgValueCompleter::new(candidates::transports))]
    pub transport: String,
    /// JSON instead of text
    #[arg(short = 'j', conflicts_with = "format")]
    pub json: bool,
    /// json: as -j; csv: a row for each iteration
    #[arg(long, value_enum, default_value = "text")]
    pub format: TableFormat,
    /// Number of iterations; two or more end in a summary: median, interval, range (text only)
    #[arg(short = 'n', allow_negative_numbers = true, value_name = "ITERATIONS", default_value = "1",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub iterations: u32,
    /// Port on which the sending side of -i tcp listens
    #[arg(short = 'p', allow_negative_numbers = true, value_name = "TCP_PORT", default_value_t = DEFAULT_TCP_PORT,
          value_parser = clap::value_parser!(u16).range(1..))]
    pub tcp_port: u16,
    /// Group of hardware counters; missing ones are named on standard error. An iteration
    /// is then two exchanges: one without counters, which is timed, and one with them
    #[arg(short = 'P', value_parser = one_of(GROUPS), value_name = "GROUP")]
    pub counters: Option<GroupName>,
    /// Run, print nothing
    #[arg(short = 'q')]
    pub quiet: bool,
    /// Set the socket buffers to the buffer size
    #[arg(short = 's')]
    pub socket_buffers: bool,
    /// Bytes of one iteration; a multiple of the buffer size: 16777216, 16M
    #[arg(short = 't', allow_negative_numbers = true, value_name = "TOTALSIZE", default_value = "16777216",
          value_parser = bytes)]
    pub total_size: u64,
    /// Also print the hardware, OS and benchmark configuration
    #[arg(short = 'v')]
    pub verbose: bool,
    /// Where the other side runs
    #[arg(long, value_name = "WORD", default_value = "same_cpu",
          value_parser = clap::builder::PossibleValuesParser::new(crate::flags::placements()))]
    pub placement: String,
    /// CPU of the sending side (default: the first one allowed)
    #[arg(long, value_name = "CPU")]
    pub cpu: Option<u32>,
}

impl Ipc {
    /// By either flag.
    pub fn format(&self) -> TableFormat {
        match self.json {
            true => TableFormat::Json,
            false => self.format,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    #[value(name = "1thread")]
    OneThread,
    #[value(name = "2thread")]
    TwoThreads,
    #[value(name = "2proc")]
    TwoProcesses,
    #[value(name = "describe")]
    Describe,
}

impl Mode {
    /// As the command line and the JSON spell it.
    pub fn name(self) -> &'static str {
        match self {
            Mode::OneThread => "1thread",
            Mode::TwoThreads => "2thread",
            Mode::TwoProcesses => "2proc",
            Mode::Describe => "describe",
        }
    }

    /// The word of our axis `mode`.
    pub fn axis_word(self) -> &'static str {
        match self {
            Mode::TwoThreads => "2threads",
            Mode::TwoProcesses => "2processes",
            Mode::OneThread | Mode::Describe => "1thread",
        }
    }
}

/// What `-b` and `-t` take at most.
pub const LARGEST_BYTES: u64 = i64::MAX as u64;
