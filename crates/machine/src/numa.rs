//! NUMA nodes: which CPUs and how much memory are near each other.
//!
//! Source: Documentation/ABI/stable/sysfs-devices-node.

use crate::cpu_list::CpuList;
use crate::problem::Flaw;
use crate::source::Source;
use crate::text::{Unexpected, amount_of};
use crate::topology::LogicalCpu;
use serde::{Deserialize, Serialize};

const FOLDER: &str = "/sys/devices/system/node";

/// The NUMA nodes of the machine.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Numa {
    /// Empty on kernels without NUMA, which then have one memory.
    pub nodes: Vec<Node>,
    /// Whether the kernel moves pages after the tasks that use them.
    pub balancing: Option<String>,
}

/// A NUMA node: its CPUs, memory and distances.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Node {
    pub node: u32,
    /// Empty for memory without CPUs, such as CXL or persistent memory.
    pub cpus: CpuList,
    /// To each node in order; 10 is local.
    pub distances: Vec<u32>,
    pub memory_bytes: Option<u64>,
}

/// Reads /sys/devices/system/node.
pub fn read(source: &Source) -> Numa {
    let nodes = source
        .entries(FOLDER)
        .iter()
        .filter_map(|name| name.strip_prefix("node")?.parse().ok())
        .map(|node| read_node(source, node))
        .collect();
    Numa {
        nodes,
        balancing: source.word("/proc/sys/kernel/numa_balancing"),
    }
}

/// Write into each CPU the node it belongs to.
pub fn assign(numa: &Numa, cpus: &mut [LogicalCpu]) {
    for cpu in cpus {
        let home = numa.nodes.iter().find(|n| n.cpus.contains(cpu.cpu));
        cpu.node = home.map(|n| n.node);
    }
}

fn read_node(source: &Source, node: u32) -> Node {
    let file = |name: &str| format!("{FOLDER}/node{node}/{name}");
    Node {
        node,
        cpus: source.cpus(&file("cpulist")).unwrap_or_default(),
        distances: source
            .parse(&file("distance"), distances)
            .unwrap_or_default(),
        memory_bytes: source.lines(&file("meminfo"), mem_total).flatten(),
    }
}

fn distances(text: &str) -> Result<Vec<u32>, Unexpected> {
    text.split_whitespace()
        .map(|word| word.parse())
        .collect::<Result<_, _>>()
        .map_err(|_| Unexpected::new("distances", text))
}

/// `Node 0 MemTotal:  24684092 kB`
fn mem_total(text: &str) -> (Option<u64>, Vec<Flaw>) {
    match amount_of(text, "MemTotal:") {
        Some(Ok(bytes)) => (Some(bytes), Vec::new()),
        Some(Err(flaw)) => (None, vec![flaw]),
        None => (None, vec![Flaw::at(1, "no MemTotal in it")]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn memory_of_a_node_is_in_bytes() {
        let text = "Node 0 MemTotal:       2048 kB\nNode 0 MemFree: 1 kB\n";
        assert_eq!(mem_total(text), (Some(2 << 20), vec![]));
        assert_eq!(mem_total("Node 0 MemTotal: lots\n").1[0].line, 1);
        assert_eq!(distances("10 21"), Ok(vec![10, 21]));
        assert!(distances("10 far").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(?s).*") {
            mem_total(&text);
            let _ = distances(&text);
        }
    }
}
