//! Pictures of traces.

use super::TraceFile;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Timeline {
    #[command(flatten)]
    pub trace: TraceFile,
    /// The self-contained page to write (default: FILE.html)
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
}
