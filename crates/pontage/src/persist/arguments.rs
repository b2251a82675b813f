//! Arguments of `pontage persist`.

use crate::flags::one_of;
use clap::{Args, Subcommand};
use engines::persistence::log::Way;
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
    /// Log to create
    pub file: PathBuf,
    #[arg(long, value_name = "N", default_value = "1000",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub records: u64,
    /// What makes a record persistent before it is acknowledged
    #[arg(long, default_value = "fdatasync", value_parser = one_of(WAYS))]
    pub sync: Way,
}

const WAYS: [(&str, &str, Way); 5] = [
    (
        "map_sync",
        "Stores, a write-back of each line and a fence, on a mapping made with MAP_SYNC",
        Way::MapSync,
    ),
    (
        "lines",
        "The same on a mapping made without: may lose records",
        Way::Lines,
    ),
    ("msync", "Stores, then msync", Way::Msync),
    ("fdatasync", "pwrite, then fdatasync", Way::Fdatasync),
    ("none", "pwrite only: may lose records", Way::None),
];

#[derive(Debug, Args)]
pub struct Check {
    /// Log to check
    pub file: PathBuf,
    /// Last number printed before the crash
    #[arg(long, value_name = "N")]
    pub acknowledged: u64,
}
