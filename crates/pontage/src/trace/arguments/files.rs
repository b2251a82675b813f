//! `pontage trace report`, `export`, `cut` and `timeline`: what goes from file to file.

use crate::flags::one_of;
use ::trace::Moment;
use ::trace::text::Style;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The trace that a command reads.
#[derive(Debug, Clone, Args)]
pub struct TraceFile {
    /// A trace.dat
    pub file: PathBuf,
    /// Recording to read, if the file holds several (trace-cmd record -B NAME);
    /// top is the top-level one
    #[arg(long, value_name = "NAME")]
    pub instance: Option<String>,
}

/// A range of time, for every command that takes one.
#[derive(Debug, Clone, Args)]
pub struct Range {
    /// Start of the range: 12.5 as printed, or relative to the start of the trace: +1.5s, 250ms
    #[arg(long, value_name = "TIME")]
    pub from: Option<Moment>,
    /// End of the range (exclusive)
    #[arg(long, value_name = "TIME")]
    pub to: Option<Moment>,
}

#[derive(Debug, Args)]
pub struct Cut {
    #[command(flatten)]
    pub trace: TraceFile,
    #[command(flatten)]
    pub range: Range,
    /// Only these CPUs: 0,2-3
    #[arg(long, value_name = "LIST")]
    pub cpu: Option<String>,
    /// The trace.dat to write
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TraceFormat {
    /// Perfetto's protobuf: ui.perfetto.dev, trace_processor
    Perfetto,
    /// JSON of chrome://tracing: slices by CPU and by task, instants
    Chrome,
    /// One JSON object per event and line
    Json,
    Csv,
    /// trace-cmd's and KernelShark's file, version 6
    TraceDat,
}

#[derive(Debug, Args)]
pub struct Export {
    #[command(flatten)]
    pub trace: TraceFile,
    #[arg(long, value_enum)]
    pub format: TraceFormat,
    #[command(flatten)]
    pub range: Range,
    /// Only these CPUs: 0,2-3
    #[arg(long, value_name = "LIST")]
    pub cpu: Option<String>,
    /// The file to write (json and csv default to standard output)
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

const STYLES: [(&str, &str, Style); 3] = [
    ("text", "", Style::Text),
    ("json", "One JSON object a line and event", Style::Json),
    ("csv", "", Style::Csv),
];

#[derive(Debug, Args)]
pub struct Report {
    #[command(flatten)]
    pub trace: TraceFile,
    /// Only these CPUs: 0,2-3
    #[arg(long, value_name = "LIST")]
    pub cpu: Option<String>,
    /// Only these events: sched_switch, 'irq:*', 'sched_*'
    #[arg(long, short, value_name = "GLOB")]
    pub event: Vec<String>,
    /// Only while this task ran: a PID or a name
    #[arg(long, value_name = "PID|NAME")]
    pub task: Vec<String>,
    #[command(flatten)]
    pub range: Range,
    /// Print raw fields instead of the kernel's format
    #[arg(long)]
    pub raw: bool,
    #[arg(long, default_value = "text", value_parser = one_of(STYLES))]
    pub format: Style,
}

#[derive(Debug, Args)]
pub struct Timeline {
    #[command(flatten)]
    pub trace: TraceFile,
    /// The self-contained HTML page to write (default: FILE.html)
    #[arg(long, short, visible_alias = "html", value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
}
