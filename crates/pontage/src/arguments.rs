//! What can be typed. Names are fixed; flags may grow.

use crate::amounts::{bytes, percent};
use crate::candidates;
use crate::flags::{Format, TableFormat, one_of};
use crate::run::flags::Run;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::ArgValueCompleter;
use engines::transport::advise::Between;
use engines::transport::semantics::Promise;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What it costs to move data through a Linux machine, and when not to believe
/// the number.
#[derive(Debug, Parser)]
#[command(
    name = "pontage",
    version = pontage::VERSION,
    max_term_width = 100,
    arg_required_else_help = true
)]
#[command(after_help = "Exit status: 0 done, 1 a comparison or check failed, \
    2 usage or failure, 77 nothing could run here.\n\
    Data go to standard output, messages to standard error. What a command writes goes to --out (-o); \
    `report` names the kind of file instead (--html, --svg, --png), `persist log` takes the log as FILE.")]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show what this machine can and cannot measure, and how to enable it
    Doctor(Doctor),
    /// Plant costs, modes, drift and clock faults of known size, and show which of them are found
    Selftest(Selftest),
    /// List experiments and recipes
    List(List),
    /// Explain experiments: method, theory, how to read its figures
    Explain(Explain),
    /// Measure, record, and show the result
    Run(Box<Run>),
    /// Show a recorded run
    Report(Report),
    /// List runs; name, tag and delete them, and mark baselines
    Runs(crate::runs::arguments::Runs),
    /// Write a run as a card: one picture (PNG, SVG) and one block of Markdown
    Card(Card),
    /// Show what changed between two runs beyond noise; exit 1 on a regression, 77 where the
    /// runs cannot tell
    Compare(Compare),
    /// Measure A and B in turn: two binaries, settings, environments or commands; exit 1 where B
    /// is worse
    Ab(Box<crate::ab::arguments::Ab>),
    /// Write a run in another format
    Export(Export),
    /// Choose the cheapest measured transport for a message size
    Advise(Advise),
    /// Measure the bandwidth of one transport, with the flags of ipc-benchmark
    Ipc(crate::ipc::arguments::Ipc),
    /// Measure how much two workloads slow each other down on CPUs that share resources
    Colocate(Box<crate::colocate::arguments::Colocate>),
    /// Measure what concurrent copies do to a program, or to the caches
    Pollute(Box<crate::pollute::arguments::Pollute>),
    /// Record the copies that the kernel makes: by size, caller and latency
    Copies(crate::copies::arguments::Copies),
    /// List DMA channels; start, stop or show the policy that offloads copies to them
    Dma(crate::dma::arguments::Dma),
    /// Convert the results of another program into a run
    Import(Import),
    /// Boot virtual machines for kernel work, from the data files under lab/
    #[command(subcommand)]
    Lab(LabCommand),
    /// Record, read, cut and convert traces of the kernel
    #[command(subcommand)]
    Trace(crate::trace::arguments::TraceCommand),
    /// Write a log that must survive a crash, or check that it did
    #[command(subcommand)]
    Persist(crate::persist::arguments::PersistCommand),
    /// Restore whatever an interrupted run changed on the machine
    Restore(Restore),
    /// Print the completion script of a shell: it asks pontage for experiments, axes and runs
    Completions { shell: clap_complete::Shell },
    /// Print the manual page (troff), or write the pages of all commands
    Man {
        /// Folder that receives a page for each command: pontage.1, pontage-run.1, ...
        #[arg(long, short, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Restores settings when `run` is killed; started by `run` itself
    #[command(name = harness::journal::CARETAKER_ARGUMENT, hide = true)]
    Caretaker { journal: OsString },
    /// The measuring process; started by `run` itself
    #[command(name = harness::worker::WORKER_ARGUMENT, hide = true)]
    Worker,
}

#[derive(Debug, Args)]
pub struct Doctor {
    #[arg(long, value_enum, default_value = "text")]
    pub format: TableFormat,
    /// Show every capability with its purpose, what was found, and the command that helps
    #[arg(long)]
    pub all: bool,
    /// Read /proc and /sys below this folder instead (a captured tree)
    #[arg(long, value_name = "DIR", default_value = "/")]
    pub root: PathBuf,
}

#[derive(Debug, Args)]
pub struct Selftest {
    /// Trials of each row; results of fewer than 20 are not kept for doctor and reports
    #[arg(long, value_name = "N", default_value_t = engines::selftest::TRIALS,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub trials: u32,
    /// CPU to measure on (default: as runs choose it)
    #[arg(long, value_name = "N")]
    pub cpu: Option<u32>,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct List {
    /// Only these: experiments (area/name), areas (mem), globs ('mem/l*') or recipes (default: all)
    #[arg(value_name = "ID|GLOB|RECIPE", add = ArgValueCompleter::new(candidates::explained))]
    pub what: Vec<String>,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Explain {
    /// Experiments (area/name), areas (mem), globs ('mem/l*'), recipes or conclusions
    #[arg(required = true, value_name = "ID|GLOB|RECIPE",
          add = ArgValueCompleter::new(candidates::explained))]
    pub what: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Report {
    /// Run: a folder, latest, previous, @NAME, @TAG, @baseline or an id (default: latest)
    #[arg(add = ArgValueCompleter::new(candidates::runs))]
    pub run: Option<PathBuf>,
    /// Print everything: each experiment, every finding, what is missing
    #[arg(long, conflicts_with = "section")]
    pub all: bool,
    /// Print one part: summary, machine, map, findings, experiments, missing, an experiment
    /// (area/name) or an area
    #[arg(long, value_name = "NAME")]
    pub section: Option<String>,
    /// Print one line for each experiment
    #[arg(long, short, conflicts_with_all = ["all", "section"])]
    pub quiet: bool,
    /// Write the self-contained HTML page to this file
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
    /// Compare RUN with this run, measured under load, and show which paths stay
    /// predictable
    #[arg(long, value_name = "HEAVY", requires = "run", conflicts_with_all = ["svg", "png"],
          add = ArgValueCompleter::new(candidates::runs))]
    pub under_load: Option<PathBuf>,
    /// Place the machine next to reference machines: `gallery` for those that are built in, a
    /// file of `pontage export --format gallery`, or a folder of them
    #[arg(long, value_name = "GALLERY",
          conflicts_with_all = ["under_load", "section", "quiet", "html", "svg", "png", "open"])]
    pub against: Option<PathBuf>,
    /// json: summaries with intervals, findings and claims; csv: a row for each metric of each
    /// point; both as `pontage export` writes them
    #[arg(long, value_enum, default_value = "text")]
    pub format: TableFormat,
}

#[derive(Debug, Args)]
pub struct Card {
    /// Run: a folder, latest, previous, @NAME, @TAG, @baseline or an id (default: latest)
    #[arg(add = ArgValueCompleter::new(candidates::runs))]
    pub run: Option<PathBuf>,
    /// Folder that receives card.png, card.svg and card.md (default: that of the run)
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Compare {
    /// The run to compare with: a folder, latest, previous, @NAME, @TAG, @baseline or an id
    /// (default: previous)
    #[arg(add = ArgValueCompleter::new(candidates::runs))]
    pub a: Option<PathBuf>,
    /// The run to judge (default: latest)
    #[arg(add = ArgValueCompleter::new(candidates::runs))]
    pub b: Option<PathBuf>,
    /// Compare with a baseline instead of A: the one of the machine, recipe and load of the
    /// run to judge, or the one of this name; a single RUN is then the one to judge
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true,
          conflicts_with = "b", add = ArgValueCompleter::new(candidates::baselines))]
    pub baseline: Option<Option<String>>,
    /// Differences below this many percent count as equal
    #[arg(long, value_name = "PERCENT", default_value = "5", value_parser = percent)]
    pub threshold: f64,
    /// Judge even if machines or conditions differ: an imported run against one of
    /// this machine, two kernels
    #[arg(long)]
    pub across_machines: bool,
    /// Show every change, what could not be compared and why, and every experiment
    #[arg(long)]
    pub all: bool,
    /// Folder with other runs of the same recipe on this machine: they show how far runs
    /// differ without a change (default: the folders that A and B are in)
    #[arg(long, value_name = "DIR")]
    pub history: Option<PathBuf>,
    #[arg(long, value_enum, default_value = "text")]
    pub format: TableFormat,
}

#[derive(Debug, Args)]
pub struct Advise {
    /// Bytes of a message: 1500, 64K, 64KiB, 1M (powers of two)
    #[arg(long, value_parser = bytes)]
    pub bytes: u64,
    /// Number of messages of that size
    #[arg(long, value_name = "N", default_value = "1",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub copies: u32,
    /// Whether the two sides are threads or processes
    #[arg(long, default_value = "threads", value_parser = one_of([
        ("threads", "", Between::Threads), ("processes", "", Between::Processes)]))]
    pub between: Between,
    /// Recommend only ways that keep this promise; may be repeated, or a comma-separated list
    #[arg(long, value_name = "PROMISE", value_delimiter = ',',
          value_parser = one_of(Promise::ALL.map(|p| (p.word(), p.doc(), p))))]
    pub keep: Vec<Promise>,
    /// csv: a row for each way
    #[arg(long, value_enum, default_value = "text")]
    pub format: TableFormat,
    /// Run to take the figures from: a folder, latest, previous, @NAME, @TAG, @baseline or an id
    /// (default: latest)
    #[arg(add = ArgValueCompleter::new(candidates::runs))]
    pub run: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Import {
    #[arg(value_enum)]
    pub format: ImportFormat,
    /// Result files of one machine, any number of them
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Folder that receives the run's folder
    #[arg(long, short, value_name = "DIR", default_value = "runs")]
    pub out: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ImportFormat {
    /// JSON of ipc-benchmark (Advanced Operating Systems, Lab 2), written with -j -v
    IpcBenchmark,
    /// The .dat files of I/OAT-CFTU: files, or folders with all of them. A folder
    /// named cpu, exclusive, shared or priority names the policy of the files in it
    Cftu,
}

#[derive(Debug, Args)]
#[command(after_help = "Units stand in a column or in the names. \
    Without --experiment and --metric everything is exported; prometheus then writes the medians \
    of the toll map and of experiments with one point.")]
pub struct Export {
    /// Run: a folder, latest, previous, @NAME, @TAG, @baseline or an id (default: latest)
    #[arg(add = ArgValueCompleter::new(candidates::runs))]
    pub run: Option<PathBuf>,
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// Folder; required for parquet and cftu (default: standard output)
    #[arg(long, short, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// Only these experiments of the run: ids (mem/latency), areas (mem), globs ('mem/l*'), or
    /// comma-separated lists of them; may be repeated
    #[arg(long, value_name = "SEL", value_delimiter = ',')]
    pub experiment: Vec<String>,
    /// Only this metric (default: every metric that is a result; markdown: the first of each
    /// experiment); may be repeated
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub metric: Vec<String>,
    /// csv: every sample instead of a summary
    #[arg(long)]
    pub samples: bool,
    /// prometheus: every metric of every point, with intervals
    #[arg(long, conflicts_with_all = ["experiment", "metric"])]
    pub all: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// A row for each metric of each point: median, interval, range, quantiles
    Csv,
    /// A table for a wiki: a row for each point
    Markdown,
    /// Summaries, findings, claims, the machine
    Json,
    /// Every sample, one file for each experiment
    Parquet,
    /// Bencher Metric Format
    Bmf,
    /// Text format of node_exporter's textfile collector
    Prometheus,
    /// The .dat files of I/OAT-CFTU: traced copies, latency, bandwidth
    Cftu,
    /// The entry of a reference machine, for `pontage report --against`
    Gallery,
}

impl ExportFormat {
    /// As it is typed.
    pub fn word(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |v| v.get_name().to_owned())
    }
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
        #[arg(long, short, value_name = "DIR", default_value = "runs/lab")]
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
        #[arg(long, short, value_name = "DIR", default_value = "runs/lab")]
        out: PathBuf,
    },
    /// Boot scenarios and judge them (default: all tests)
    Test {
        #[arg(conflicts_with = "group")]
        scenarios: Vec<String>,
        /// All scenarios of this group, everyday tests or not
        #[arg(long, value_name = "NAME")]
        group: Option<String>,
        /// Guests to run at once (default: one per CPU)
        #[arg(long, short, value_name = "N")]
        jobs: Option<NonZeroUsize>,
        /// Folder that receives a folder of logs and results for each scenario
        #[arg(long, short, value_name = "DIR", default_value = "runs/lab")]
        out: PathBuf,
        #[arg(long, value_enum, default_value = "text")]
        format: Format,
    },
}

#[cfg(test)]
mod tests {
    use super::Arguments;
    use clap::{Command, CommandFactory};

    /// Paths that are read, or that say what kind of file is written.
    const OTHERS: [&str; 12] = [
        "root", "journal", "history", "html", "svg", "png", "recover", "file", "files", "a", "b",
        "binary",
    ];

    fn check(command: &Command, wrong: &mut Vec<String>) {
        for one in command.get_arguments() {
            let id = one.get_id().as_str();
            let names = one.get_value_names().unwrap_or_default();
            let is_path = names
                .iter()
                .any(|name| ["DIR", "FILE", "FOLDER", "PATH"].contains(&name.as_str()));
            let is_out = id == "out" && one.get_long() == Some("out");
            let fine = match is_out {
                true => one.get_short() == Some('o'),
                false => !is_path || OTHERS.contains(&id),
            };
            if !fine {
                wrong.push(format!("{} {id}", command.get_name()));
            }
        }
        let commands = command.get_subcommands();
        commands.for_each(|inner| check(inner, wrong));
    }

    #[test]
    fn what_is_written_goes_to_out_or_o() {
        let mut wrong = Vec::new();
        check(&Arguments::command(), &mut wrong);
        assert_eq!(wrong, [""; 0]);
    }
}
