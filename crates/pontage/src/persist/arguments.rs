//! Arguments of `pontage persist`.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum PersistCommand {
    /// Write a log with checksums; print each record's number once it is persistent
    Log(Log),
    /// Check a log after a crash; exit 1 when an acknowledged record is missing
    Check(Check),
}

#[derive(Debug, Args)]
pub struct Log {
    /// A new file
    pub file: PathBuf,
    #[arg(long, value_name = "N", default_value = "1000",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub records: u64,
    /// What makes a record persistent before it is acknowledged
    #[arg(long, value_enum, default_value = "fdatasync")]
    pub sync: Way,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Way {
    /// Stores, a write-back of each line and a fence, on a mapping made with MAP_SYNC
    MapSync,
    /// The same on a mapping made without: may lose records
    Lines,
    /// Stores, then msync
    Msync,
    /// pwrite, then fdatasync
    Fdatasync,
    /// pwrite only: may lose records
    None,
}

#[derive(Debug, Args)]
pub struct Check {
    /// The log
    pub file: PathBuf,
    /// Last number that was printed before the crash
    #[arg(long, value_name = "N")]
    pub acknowledged: u64,
}
