//! The machine card: the few facts about the measured computer that a report
//! or a comparison needs. The full reading is kept with it as JSON.

use serde::{Deserialize, Serialize};

/// The measured computer in short. Facts that could not be read are empty or 0.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MachineCard {
    pub host: String,
    pub cpu_model: String,
    /// `x86_64`, `aarch64`, `armv7l`.
    pub arch: String,
    pub sockets: u32,
    pub cores: u32,
    pub cpus: u32,
    pub numa_nodes: u32,
    pub caches: Vec<Cache>,
    pub memory_bytes: u64,
    pub page_bytes: u64,
    /// Names of CPU features that matter for copying.
    pub features: Vec<String>,
    pub kernel: String,
    /// CONFIG_HZ, where the kernel's configuration is to be had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configured_hz: Option<u32>,
    pub preemption: String,
    pub governor: Option<String>,
    pub clocksource: Option<String>,
    pub hypervisor: Option<String>,
    /// What makes the processor where it is no real one, and how that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emulated: Option<String>,
    pub mitigations: Vec<String>,
    pub transparent_hugepages: Option<String>,
    /// Lines for people, in display order: (label, value).
    pub lines: Vec<(String, String)>,
    /// Where the CPUs are that the measuring process might use, in the order of
    /// their numbers. Empty in records from before it was kept.
    #[serde(default)]
    pub places: Vec<CpuPlace>,
}

/// Where one CPU is, as the kernel says. What it shares is named by the lowest
/// number among the CPUs that share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuPlace {
    pub cpu: u32,
    /// The core, by its first hardware thread.
    pub core: u32,
    /// What is larger than a core and smaller than what the last-level cache
    /// serves, by its first CPU. None where there is nothing in between, and in
    /// records from before it was kept.
    #[serde(default)]
    pub cluster: Option<u32>,
    /// The last-level cache, by the first CPU under it.
    pub last_level: Option<u32>,
    pub socket: u32,
    pub node: Option<u32>,
}

/// One cache of the hierarchy; `instances` of them are alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cache {
    pub level: u32,
    pub kind: CacheKind,
    pub size_bytes: u64,
    pub line_bytes: Option<u32>,
    pub ways: Option<u32>,
    /// CPUs that share one instance.
    pub shared_by: Vec<u32>,
    /// Instances in the machine.
    pub instances: u32,
}

/// What a cache holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheKind {
    Data,
    Instruction,
    Unified,
}

impl MachineCard {
    /// Whether a program plays the processor: times then mean nothing outside
    /// the guest. Records from before it was kept have it in the hypervisor's
    /// name.
    pub fn is_emulated(&self) -> bool {
        let by_name = |name: &String| {
            let name = name.to_lowercase();
            name.contains("tcg") || name.contains("emul")
        };
        self.emulated.is_some() || self.hypervisor.as_ref().is_some_and(by_name)
    }

    /// Capacities of the caches that hold data, nearest first.
    pub fn data_caches(&self) -> Vec<&Cache> {
        let mut found: Vec<&Cache> = self
            .caches
            .iter()
            .filter(|c| c.kind != CacheKind::Instruction)
            .collect();
        found.sort_by_key(|c| c.level);
        found
    }

    /// The data or unified cache of the highest level.
    pub fn last_level(&self) -> Option<&Cache> {
        self.data_caches().into_iter().last()
    }
}
