//! What can be typed. Names are fixed; flags may grow.

use crate::flags::{Format, bytes, one_of};
use crate::run::flags::Run;
use clap::{Args, Parser, Subcommand, ValueEnum};
use engines::transport::advise::Between;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What it costs to move data through a Linux machine, and when not to believe
/// the number.
#[derive(Debug, Parser)]
#[command(
    name = "pontage",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
#[command(after_help = "Exit status: 0 done, 1 a comparison or claim failed, \
    2 usage or failure, 77 nothing could run here.\n\
    Data go to standard output, messages to standard error.")]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show what this machine can and cannot measure, and how to enable it
    Doctor(Doctor),
    /// List experiments and recipes
    List(List),
    /// Explain an experiment: method, theory, how to read its figures
    Explain(Explain),
    /// Measure, record, and show the result
    Run(Box<Run>),
    /// Show a recorded run
    Report(Report),
    /// Show what changed between two runs beyond noise; exit 1 on a regression
    Compare(Compare),
    /// Write a run in another format
    Export(Export),
    /// Say which measured transport hands a number of bytes over cheapest
    Advise(Advise),
    /// Bandwidth of one transport, with the flags of ipc-benchmark
    Ipc(crate::ipc::arguments::Ipc),
    /// What two kinds of work do to each other on CPUs that share something
    Colocate(Box<crate::colocate::arguments::Colocate>),
    /// What concurrent copies do to a program, or to the caches
    Pollute(Box<crate::pollute::arguments::Pollute>),
    /// Record the copies that the kernel makes: by size, caller and latency
    Copies(crate::copies::arguments::Copies),
    /// DMA channels of this machine, and the policy that gives copies to them
    Dma(crate::dma::arguments::Dma),
    /// Make a run of what another program measured
    Import(Import),
    /// Boot virtual machines for kernel work, from the data files under lab/
    #[command(subcommand)]
    Lab(LabCommand),
    /// What the kernel did: record, read, cut and convert traces
    #[command(subcommand)]
    Trace(crate::trace::arguments::TraceCommand),
    /// A log that must outlive a crash, and the check that it did
    #[command(subcommand)]
    Persist(crate::persist::arguments::PersistCommand),
    /// Put back whatever an interrupted run changed on the machine
    Restore(Restore),
    /// Print the completions of a shell
    Completions { shell: clap_complete::Shell },
    /// Print the manual page (troff)
    Man,
    /// Puts settings back when `run` is killed; started by `run` itself
    #[command(name = harness::journal::CARETAKER_ARGUMENT, hide = true)]
    Caretaker { journal: OsString },
    /// The measuring process; started by `run` itself
    #[command(name = harness::worker::WORKER_ARGUMENT, hide = true)]
    Worker,
}

#[derive(Debug, Args)]
pub struct Doctor {
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Read /proc and /sys below this folder instead (a captured tree)
    #[arg(long, value_name = "DIR", default_value = "/")]
    pub root: PathBuf,
}

#[derive(Debug, Args)]
pub struct List {
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Explain {
    /// Experiment (area/name) or recipe
    pub id: String,
}

#[derive(Debug, Args)]
pub struct Report {
    /// Run folder (default: the newest under runs/)
    pub run: Option<PathBuf>,
    /// Write the self-contained page here
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write each figure as SVG into this folder
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,
    /// Write each figure as PNG into this folder
    #[arg(long, value_name = "DIR")]
    pub png: Option<PathBuf>,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Compare this run, measured under load, with RUN, and say which paths stay
    /// predictable
    #[arg(long, value_name = "HEAVY", requires = "run", conflicts_with_all = ["svg", "png"])]
    pub under_load: Option<PathBuf>,
    /// json: summaries with intervals, findings and claims, as `pontage export` writes them
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Compare {
    /// The run to compare with
    pub a: PathBuf,
    /// The run that is judged
    pub b: PathBuf,
    /// Differences below this many percent are called the same
    #[arg(long, value_name = "PERCENT", default_value = "5", value_parser = percent)]
    pub threshold: f64,
    /// Judge although machines or conditions differ: an imported run and one of
    /// this machine, two kernels
    #[arg(long)]
    pub across_machines: bool,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Advise {
    /// Bytes of a message: 64KiB, 1500, 1MiB
    #[arg(long, value_parser = bytes)]
    pub bytes: u64,
    /// Messages of that size
    #[arg(long, value_name = "N", default_value = "1",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub copies: u32,
    /// Who the two sides are
    #[arg(long, default_value = "threads", value_parser = one_of([
        ("threads", "", Between::Threads), ("processes", "", Between::Processes)]))]
    pub between: Between,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Run to take the figures from; the newest under runs/ by default
    pub run: Option<PathBuf>,
}

/// `5`, `5%`, `2.5 %`.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end();
    number
        .parse()
        .map_err(|_| "must be a percentage: 5, 5% or 2.5".to_owned())
}

#[derive(Debug, Args)]
pub struct Import {
    #[arg(value_enum)]
    pub format: ImportFormat,
    /// Files of one machine, any number of them
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Folder that receives the run's folder
    #[arg(long, value_name = "DIR", default_value = "runs")]
    pub out: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ImportFormat {
    /// JSON of ipc-benchmark (Advanced Operating Systems, Lab 2), made with -j -v
    IpcBenchmark,
    /// The .dat files of I/OAT-CFTU: files, or folders with all of them. A folder
    /// named cpu, exclusive, shared or priority above a file says what copied
    Cftu,
}

#[derive(Debug, Args)]
pub struct Export {
    pub run: PathBuf,
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// Folder (needed for parquet and cftu); standard output by default
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    Csv,
    Json,
    Parquet,
    /// Bencher Metric Format
    Bmf,
    /// Text format of node_exporter's textfile collector
    Prometheus,
    /// The .dat files of I/OAT-CFTU: traced copies, latency, bandwidth
    Cftu,
}

#[derive(Debug, Args)]
pub struct Restore {
    /// Folder of the journals (default: where `run` writes them)
    #[arg(long, value_name = "DIR")]
    pub journal: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum LabCommand {
    /// Boot a scenario, run its tests, keep its logs
    Up {
        scenario: String,
        /// Folder that receives a folder of logs and results for the scenario
        #[arg(long, value_name = "DIR", default_value = "runs/lab")]
        out: PathBuf,
        #[arg(long, value_enum, default_value = "text")]
        format: Format,
    },
    /// Show kernels, machines and scenarios, and what is missing for them
    List {
        #[arg(long, value_enum, default_value = "text")]
        format: Format,
    },
    /// Boot a scenario with its modules, and a shell instead of its tests; the
    /// host's files are at /host (read-only), its results folder at /out
    Shell {
        scenario: String,
        /// Folder that receives a folder of logs and results for the scenario
        #[arg(long, value_name = "DIR", default_value = "runs/lab")]
        out: PathBuf,
    },
    /// Boot scenarios and judge them (default: all that are tests)
    Test {
        #[arg(conflicts_with = "group")]
        scenarios: Vec<String>,
        /// All scenarios of this group, which need not be everyday tests
        #[arg(long, value_name = "NAME")]
        group: Option<String>,
        /// Guests at once (default: as many as there are processors)
        #[arg(long, short, value_name = "N")]
        jobs: Option<NonZeroUsize>,
        /// Folder that receives a folder of logs and results for each scenario
        #[arg(long, value_name = "DIR", default_value = "runs/lab")]
        out: PathBuf,
        #[arg(long, value_enum, default_value = "text")]
        format: Format,
    },
}
