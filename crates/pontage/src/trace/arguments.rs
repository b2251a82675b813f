//! What can be typed behind `pontage trace`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum TraceCommand {
    /// Draw a trace: who ran, who waited, who woke whom
    Timeline(Timeline),
}

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
