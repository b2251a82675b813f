//! The flags of `pontage dma`.

use crate::amounts::{bytes, bytes_or_none, with_unit_ns};
use crate::flags::{Format, one_of};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use uapi::{Chooser, PolicyKind};

#[derive(Debug, Args)]
pub struct Dma {
    #[command(subcommand)]
    pub command: DmaCommand,
    /// Read /proc and /sys below this folder instead (a captured tree); no
    /// module is used
    #[arg(long, value_name = "DIR", default_value = "/", global = true)]
    pub root: PathBuf,
    #[arg(long, value_enum, default_value = "text", global = true)]
    pub format: Format,
}

#[derive(Debug, Subcommand)]
pub enum DmaCommand {
    /// List DMA channels with owner, capabilities and counters
    Channels,
    /// Start, stop or show the policy by which module cftu offloads copies to channels
    #[command(subcommand)]
    Policy(PolicyCommand),
}

#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// Start a policy; it stays until it is stopped or the module is unloaded
    Start(Box<Start>),
    /// Stop the policy and restore what starting it changed
    Stop,
    /// Show the policy, its channels and windows, and why copies stayed on the CPU
    Show,
}

#[derive(Debug, Args)]
pub struct Start {
    #[arg(value_parser = one_of(KINDS))]
    pub kind: PolicyKind,
    /// Channels to take (default: all, at most one per CPU)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=uapi::abi::CHANNELS_MAX as i64))]
    pub channels: Option<u32>,
    /// priority: how many of them are high-priority (default: 1)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=uapi::abi::CHANNELS_MAX as i64))]
    pub high: Option<u32>,
    /// priority: share of each window reserved for high-priority channels (default: 30us)
    #[arg(long, value_name = "TIME", value_parser = with_unit_ns)]
    pub quantum: Option<u64>,
    /// priority: length of a window (default: 90us)
    #[arg(long, value_name = "TIME", value_parser = with_unit_ns)]
    pub window: Option<u64>,
    /// Bytes pinned and submitted at a time (default: the module's)
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub chunk: Option<u64>,
    /// The CPU does smaller copies; 0: none (default: the module's)
    #[arg(long, value_name = "BYTES", value_parser = bytes_or_none)]
    pub threshold: Option<u64>,
    /// How long a channel may take for one chunk (default: the module's)
    #[arg(long, value_name = "TIME", value_parser = with_unit_ns)]
    pub timeout: Option<u64>,
    /// Only channels of this NUMA node
    #[arg(long, value_name = "NODE")]
    pub node: Option<u32>,
    /// Only channels of this driver
    #[arg(long, value_name = "NAME")]
    pub driver: Option<String>,
    /// Only this channel
    #[arg(long, value_name = "NAME")]
    pub channel: Option<String>,
    /// Which of several channels takes a copy
    #[arg(long, default_value = "round-robin", value_parser = one_of(CHOOSERS))]
    pub chooser: Chooser,
    /// exclusive: CPUs may share a channel when there are too few
    #[arg(long)]
    pub fold: bool,
    /// priority: pause low-priority channels in hardware too, not only at the gate before them
    #[arg(long)]
    pub hardware_pause: bool,
    /// Replace a policy that is already running
    #[arg(long)]
    pub replace: bool,
}

const KINDS: [(&str, &str, PolicyKind); 3] = [
    ("exclusive", "One channel per CPU", PolicyKind::Exclusive),
    ("shared", "Any channel for any CPU", PolicyKind::Shared),
    (
        "priority",
        "A quantum of each window is reserved for high-priority channels",
        PolicyKind::Priority,
    ),
];
const CHOOSERS: [(&str, &str, Chooser); 2] = [
    ("round-robin", "", Chooser::RoundRobin),
    ("least-outstanding", "", Chooser::LeastOutstanding),
];
