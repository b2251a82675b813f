//! Sockets, cores and hardware threads.
//!
//! Source: Documentation/admin-guide/cputopology.rst.

use crate::cpu_list::CpuList;
use crate::cpuinfo;
use crate::source::Source;
use crate::text::Unexpected;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

const FOLDER: &str = "/sys/devices/system/cpu";

/// CPUs, cores and sockets of the machine.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Topology {
    /// CPUs that run tasks now, ascending.
    pub cpus: Vec<LogicalCpu>,
    pub offline: CpuList,
    pub sockets: u32,
    /// Physical cores.
    pub cores: u32,
    /// Hardware threads of the widest core.
    pub threads_per_core: u32,
    /// `on`, `off`, `forceoff`, `notsupported`, `notimplemented`.
    pub smt_control: Option<String>,
    pub smt_active: Option<bool>,
    /// The file that the CPUs were read from; `inferred from ...` where there is none.
    #[serde(alias = "told_by")]
    pub source: Option<String>,
}

/// A CPU that runs tasks, and its place in the machine.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LogicalCpu {
    pub cpu: u32,
    /// Physical package; 0 where the firmware does not number them.
    pub socket: u32,
    pub core: Option<u32>,
    /// Hardware threads of its core, itself included.
    pub siblings: CpuList,
    /// What lies between a core and its socket, itself included: on x86 the
    /// CPUs that share the second-level cache, on Arm what firmware says. None
    /// before Linux 5.16.
    pub cluster: Option<CpuList>,
    pub node: Option<u32>,
    /// Relative to the fastest core of a mixed machine, which is 1024.
    pub capacity: Option<u32>,
}

impl Topology {
    /// Numbers of the CPUs that run tasks now.
    pub fn online(&self) -> CpuList {
        self.cpus.iter().map(|c| c.cpu).collect()
    }

    /// The CPU of that number, if it is online.
    pub fn cpu(&self, cpu: u32) -> Option<&LogicalCpu> {
        self.cpus.iter().find(|c| c.cpu == cpu)
    }
}

/// Reads /sys/devices/system/cpu; /proc/cpuinfo where that is missing.
pub fn read(source: &Source) -> Topology {
    let (online, online_source) = online(source);
    let cpus: Vec<LogicalCpu> = online.iter().map(|cpu| read_cpu(source, cpu)).collect();
    let sockets: BTreeSet<u32> = cpus.iter().map(|c| c.socket).collect();
    let cores: BTreeSet<&CpuList> = cpus.iter().map(|c| &c.siblings).collect();
    let widest = cores.iter().map(|c| c.len()).max().unwrap_or(0);
    Topology {
        sockets: count(sockets.len()),
        cores: count(cores.len()),
        threads_per_core: count(widest),
        offline: source
            .cpus(&format!("{FOLDER}/offline"))
            .unwrap_or_default(),
        smt_control: source.word(&format!("{FOLDER}/smt/control")),
        smt_active: source.switch(&format!("{FOLDER}/smt/active")),
        source: online_source,
        cpus,
    }
}

/// CPUs that the scheduler leaves alone (isolcpus=).
pub fn isolated(source: &Source) -> CpuList {
    let path = format!("{FOLDER}/isolated");
    source.cpus(&path).unwrap_or_default()
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The CPUs by the best witness that answers; in a container without `/sys`
/// that is `/proc/cpuinfo`, and at worst what this process may run on.
fn online(source: &Source) -> (CpuList, Option<String>) {
    let path = format!("{FOLDER}/online");
    if let Some(list) = source.cpus(&path).filter(|l| !l.is_empty()) {
        return (list, Some(path));
    }
    let listed = cpuinfo::read(source).processors;
    if !listed.is_empty() {
        let list = listed.iter().map(|p| p.number).collect();
        return (list, Some(cpuinfo::PATH.to_owned()));
    }
    match crate::process::read(source).allowed_cpus {
        Some(list) => (list, Some(crate::process::STATUS.to_owned())),
        None => (CpuList::default(), None),
    }
}

fn read_cpu(source: &Source, cpu: u32) -> LogicalCpu {
    let topology = format!("{FOLDER}/cpu{cpu}/topology");
    let siblings = ["core_cpus_list", "thread_siblings_list"]
        .iter()
        .find_map(|name| source.cpus(&format!("{topology}/{name}")))
        .filter(|list| list.contains(cpu));
    LogicalCpu {
        cpu,
        socket: source
            .parse(&format!("{topology}/physical_package_id"), identifier)
            .flatten()
            .unwrap_or(0),
        core: source
            .parse(&format!("{topology}/core_id"), identifier)
            .flatten(),
        cluster: source
            .cpus(&format!("{topology}/cluster_cpus_list"))
            .filter(|list| list.contains(cpu)),
        siblings: siblings.unwrap_or_else(|| CpuList::from_iter([cpu])),
        node: None,
        capacity: source.number(&format!("{FOLDER}/cpu{cpu}/cpu_capacity")),
    }
}

/// Identifiers are -1 where the platform has none.
fn identifier(text: &str) -> Result<Option<u32>, Unexpected> {
    match text.parse::<i64>() {
        Ok(number) => Ok(u32::try_from(number).ok()),
        Err(_) => Err(Unexpected::new("an identifier", text)),
    }
}
