//! Pictures of traces.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Timeline {
    /// A trace.dat
    pub file: PathBuf,
    /// The self-contained page to write (default: FILE.html)
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
}
