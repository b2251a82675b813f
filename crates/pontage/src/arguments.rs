//! What can be typed. Names are fixed; flags may grow.

use clap::builder::PossibleValue;
use clap::{Args, Parser, Subcommand, ValueEnum};
use harness::counters::SIMULATED;
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
    Data go to standard output, talk to standard error.")]
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
    /// What copies do to a program beside them, or to the caches
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    /// For an issue or a wiki
    Markdown,
    Json,
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

#[derive(Debug, Clone, Args)]
pub struct Run {
    /// Experiments (area/name), areas (mem), globs ('mem/l*'), lists of them with
    /// commas, or recipes (a name or a .toml file); everything by default
    #[arg(value_name = "ID|GLOB|RECIPE")]
    pub what: Vec<OsString>,
    /// About a minute for everything (default)
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// Every point, several processes: figures to publish
    #[arg(long)]
    pub full: bool,
    /// Values of an axis: size=64..1MiB, size=64..1MiB:x4, processes=2..35:+1,
    /// placement=same_cpu
    #[arg(long, value_name = "AXIS=VALUES")]
    pub axis: Vec<String>,
    /// Time for the samples of one point, in milliseconds
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub budget_ms: Option<u64>,
    /// Processes that repeat each point (1 for --quick, 3 for --full)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub processes: Option<u32>,
    /// Samples of each point and process at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub samples: Option<u32>,
    /// Load beside the measurement
    #[arg(long, value_enum, default_value = "light")]
    pub load: Load,
    /// CPU to measure on (default: a quiet one)
    #[arg(long, value_name = "CPU")]
    pub cpu: Option<u32>,
    /// Measure under SCHED_FIFO, with a watchdog that takes it away again
    #[arg(long)]
    pub fifo: bool,
    /// Lock the measuring process into memory
    #[arg(long)]
    pub mlock: bool,
    /// Set the frequency governor of the measured CPUs, put back afterwards
    #[arg(long, value_name = "GOVERNOR")]
    pub set_governor: Option<String>,
    /// Reserve this many huge pages of the default size, put back afterwards; of the
    /// memory that is available at most half
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub huge_pages: Option<u64>,
    /// Count events of the processor beside the time: each becomes a metric of
    /// every experiment. The kernel's own events come with every group
    #[arg(long, value_name = "GROUP", value_enum)]
    pub counters: Option<Counting>,
    /// Keep with each point what interrupted the machine while it was sampled:
    /// interrupts, softirqs, context switches
    #[arg(long)]
    pub interrupts: bool,
    /// Folder that receives the run's folder
    #[arg(long, value_name = "DIR", default_value = "runs")]
    pub out: PathBuf,
    /// Finish an incomplete run in its folder
    #[arg(long, value_name = "RUN", conflicts_with_all = ["what", "axis", "full", "quick",
          "budget_ms", "processes", "samples", "load", "counters", "interrupts"])]
    pub resume: Option<PathBuf>,
    /// Run the commands of a recipe file, or resume a record that was not begun here
    /// by you
    #[arg(long)]
    pub trust: bool,
    /// Show the plan and its time, measure nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Load {
    /// None of ours; how quiet the machine was is measured and recorded
    Light,
    /// stress-ng on the CPUs not under test
    Heavy,
    /// stress-ng on every CPU
    HeavyAll,
    /// Light, then heavy: two runs of the same plan, laid side by side
    Both,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Counters {
    /// Loads, stores, returns from exceptions and functions
    Arch,
    /// Data caches, first and second level
    Dcache,
    /// Instruction cache, branch prediction
    Instr,
    /// Translation, memory, bus
    Tlbmem,
    /// Page faults, context switches, migrations, CPU time: on every machine
    Software,
}

/// What a run counts: a group of events, or nothing here but in a guest's caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    Group(Counters),
    Simulated,
}

impl ValueEnum for Counting {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Counting::Group(Counters::Arch),
            Counting::Group(Counters::Dcache),
            Counting::Group(Counters::Instr),
            Counting::Group(Counters::Tlbmem),
            Counting::Group(Counters::Software),
            Counting::Simulated,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Counting::Group(group) => group.to_possible_value(),
            Counting::Simulated => Some(PossibleValue::new(SIMULATED).help(
                "Marks for the simulated caches of lab/plugins/cache; the table is on the host. \
                 Lines \"# region NUMBER POINT\" on standard error say which row is which",
            )),
        }
    }
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
    /// Lay this run, measured under load, beside RUN, and say which paths stay
    /// predictable
    #[arg(long, value_name = "HEAVY", requires = "run", conflicts_with_all = ["svg", "png"])]
    pub beside: Option<PathBuf>,
    /// json: summaries with intervals, findings and claims, as `pontage export` writes them
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

/// The words of `--placement`, as on the axis.
pub fn placements() -> impl Iterator<Item = PossibleValue> {
    let value = |p: record::Placement| PossibleValue::new(p.word()).help(p.text());
    record::Placement::ALL.into_iter().map(value)
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
    #[arg(long, value_enum, default_value = "threads")]
    pub between: Sides,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Run to take the figures from; the newest under runs/ by default
    pub run: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sides {
    Threads,
    Processes,
}

/// `5`, `5%`, `2.5 %`.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end();
    number
        .parse()
        .map_err(|_| "must be a percentage: 5, 5% or 2.5".to_owned())
}

/// A size as the axes spell it.
pub fn bytes(text: &str) -> Result<u64, String> {
    let size = catalogue::axis_text::parse_bytes(text)?;
    u64::try_from(size)
        .ok()
        .filter(|n| *n > 0)
        .ok_or_else(|| "must be at least 1".to_owned())
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
