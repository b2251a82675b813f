//! The flags of `pontage copies`.

use crate::amounts::{Bare, bytes, whole};
use crate::flags::Format;
use clap::Args;
use machine::CpuList;
use std::path::PathBuf;

/// Live profile of the copies between user and kernel memory that this kernel
/// makes, by the recorder of module cftu.
#[derive(Debug, Args)]
pub struct Copies {
    /// How long to record: 10, 10s, 2m; Ctrl-C ends it earlier
    #[arg(long, value_name = "TIME", default_value = "10",
          value_parser = whole::<u64>(Bare::Seconds, 1..=86_400))]
    pub seconds: u64,
    /// Only copies that start on these CPUs: 0-3,8
    #[arg(long, value_name = "LIST")]
    pub cpu: Option<CpuList>,
    /// Only copies of at least this many bytes: 4096, 4k (powers of two)
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub min_size: Option<u64>,
    /// Only copies of at most this many bytes
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub max_size: Option<u64>,
    /// Read every copy from the ring buffers instead of counting in the kernel;
    /// shows which were lost
    #[arg(long)]
    pub records: bool,
    /// Store every copy as a new run in this folder; needs --records, because a run
    /// cannot hold sums alone
    #[arg(long, short, value_name = "DIR", requires = "records")]
    pub out: Option<PathBuf>,
    /// How many callers to show
    #[arg(long, value_name = "N", default_value = "10",
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub callers: u32,
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Read /proc and /sys below this folder instead (a captured tree); no
    /// module is used
    #[arg(long, value_name = "DIR", default_value = "/")]
    pub root: PathBuf,
}
