//! The flags of `pontage pollute`.

use crate::amounts::{Bare, whole};
use crate::flags::placements;
use crate::run::flags::Study;
use clap::Args;
use clap::builder::PossibleValuesParser;
use experiments::pollute::{probe, victim};

/// What copies do to a program: without copies, with copies by CPU, with copies by DMA.
#[derive(Debug, Args)]
#[command(
    after_help = "KIND: a name of `pontage colocate --list`, or a command: anything with a \
    space or a slash, or after cmd:.\nWithout --victim: the share of a resident set that the copies \
    evict (pollute/probe)."
)]
pub struct Pollute {
    /// Program to measure; several: susan_e_large,qsort_small
    #[arg(long, value_name = "KIND|COMMAND")]
    pub victim: Vec<String>,
    /// copy_from_user, copy_to_user, or both one after the other
    #[arg(long, value_name = "WORD", value_delimiter = ',', default_value = "to_user",
          value_parser = PossibleValuesParser::new(victim::DIRECTIONS))]
    pub direction: Vec<String>,
    /// Bytes per copy: 16064, 4k, 16..16K (powers of two)
    #[arg(long, value_name = "BYTES", default_value = "16064")]
    pub size: String,
    /// Copy one block repeatedly, or adjacent blocks through memory
    #[arg(long, value_name = "WORD", value_delimiter = ',', default_value = "walking",
          value_parser = PossibleValuesParser::new(probe::BUFFERS))]
    pub buffer: Vec<String>,
    /// CPU of the copies relative to the program (default: the nearest CPU; the
    /// same one for a probe)
    #[arg(long, value_name = "WORD", value_delimiter = ',',
          value_parser = PossibleValuesParser::new(placements()))]
    pub placement: Vec<String>,
    /// Bytes copied before each run on the same CPU, and before each probe
    #[arg(long, value_name = "BYTES")]
    pub total: Option<String>,
    /// Longest time that one run of a command may take: 60 (seconds), 60s, 5m
    #[arg(long, value_name = "TIME", value_parser = whole::<i64>(Bare::Seconds, 1..=86_400))]
    pub deadline: Option<i64>,
    #[command(flatten)]
    pub study: Study,
}
