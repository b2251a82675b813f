//! What can be typed behind `pontage runs`.

use crate::candidates;
use crate::flags::Format;
use crate::run::flags::label;
use clap::{Args, Subcommand, ValueEnum};
use clap_complete::ArgValueCompleter;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "RUN: a folder, latest, previous, @NAME, @TAG, @baseline or an id; a beginning or the \
    last six characters of an id are enough. The list is of the folder runs/."
)]
pub struct Runs {
    #[command(subcommand)]
    pub change: Option<Change>,
    #[arg(long, value_enum, default_value = "text")]
    pub format: ListFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    Text,
    /// For an issue or a wiki
    Markdown,
    Json,
    Csv,
}

impl ListFormat {
    /// As other commands know it; None: comma-separated values.
    pub fn common(self) -> Option<Format> {
        match self {
            ListFormat::Text => Some(Format::Text),
            ListFormat::Markdown => Some(Format::Markdown),
            ListFormat::Json => Some(Format::Json),
            ListFormat::Csv => None,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum Change {
    /// Give a run a name, in place of the one it has
    Rename {
        #[arg(add = ArgValueCompleter::new(candidates::runs))]
        run: PathBuf,
        #[arg(value_parser = label)]
        name: String,
    },
    /// Add tags to a run
    Tag {
        #[arg(add = ArgValueCompleter::new(candidates::runs))]
        run: PathBuf,
        #[arg(required = true, value_name = "WORD", value_parser = label)]
        words: Vec<String>,
    },
    /// Remove tags from a run
    Untag {
        #[arg(add = ArgValueCompleter::new(candidates::runs))]
        run: PathBuf,
        #[arg(required = true, value_name = "WORD")]
        words: Vec<String>,
    },
    /// Mark a run as the baseline of its machine, recipe and load, in place of the one before
    Baseline {
        #[arg(add = ArgValueCompleter::new(candidates::runs))]
        run: PathBuf,
        /// Remove the mark
        #[arg(long)]
        remove: bool,
    },
    /// Delete the folders of runs, after asking
    Delete {
        #[arg(required = true, value_name = "RUN",
              add = ArgValueCompleter::new(candidates::runs))]
        runs: Vec<PathBuf>,
        /// Delete without asking
        #[arg(long)]
        yes: bool,
        /// Delete a baseline, too
        #[arg(long)]
        force: bool,
    },
}
