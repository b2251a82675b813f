//! The flags of `pontage copies`.

use crate::flags::Format;
use clap::Args;
use machine::CpuList;
use std::path::PathBuf;

/// Live profile of the copies between user and kernel memory that this kernel
/// makes, by the recorder of module cftu.
#[derive(Debug, Args)]
pub struct Copies {
    /// How long to record; Ctrl-C ends it before
    #[arg(long, value_name = "N", default_value = "10",
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub seconds: u64,
    /// Only copies that start on these CPUs: 0-3,8
    #[arg(long, value_name = "LIST")]
    pub cpu: Option<CpuList>,
    /// Only copies of at least this many bytes
    #[arg(long, value_name = "BYTES", value_parser = crate::flags::bytes)]
    pub min_size: Option<u64>,
    /// Only copies of at most this many bytes
    #[arg(long, value_name = "BYTES", value_parser = crate::flags::bytes)]
    pub max_size: Option<u64>,
    /// Take every copy out of the rings instead of counting in the kernel;
    /// shows which were lost
    #[arg(long)]
    pub records: bool,
    /// Keep every copy in a new run in this folder; sums alone have no place in
    /// a run, so it needs --records
    #[arg(long, value_name = "DIR", requires = "records")]
    pub out: Option<PathBuf>,
    /// How many callers to show
    #[arg(long, value_name = "N", default_value = "10",
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub callers: u32,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Read /proc and /sys below this folder instead (a captured tree); no
    /// module is spoken to
    #[arg(long, value_name = "DIR", default_value = "/")]
    pub root: PathBuf,
}
