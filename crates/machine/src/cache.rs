//! Caches as the kernel describes them.
//!
//! Source: Documentation/ABI/testing/sysfs-devices-system-cpu, "cache/index".

use crate::cpu_list::CpuList;
use crate::source::Source;
use crate::text::{Unexpected, size_bytes};
use crate::topology::Topology;
use serde::{Deserialize, Serialize};

/// All caches of one level, kind and shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    pub level: u32,
    pub kind: CacheKind,
    /// Of one instance; ARM firmware may leave it out.
    pub size_bytes: Option<u64>,
    pub line_bytes: Option<u32>,
    pub ways: Option<u32>,
    pub sets: Option<u32>,
    /// CPUs that share each instance, one list for each.
    pub instances: Vec<CpuList>,
}

/// What a cache holds, as sysfs names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheKind {
    Data,
    Instruction,
    Unified,
}

impl Cache {
    /// Whether it holds the data that copies move.
    pub fn holds_data(&self) -> bool {
        self.kind != CacheKind::Instruction
    }

    fn same_shape(&self, other: &Cache) -> bool {
        let shape = |c: &Cache| (c.level, c.kind, c.size_bytes, c.line_bytes, c.ways, c.sets);
        shape(self) == shape(other)
    }
}

/// Nearest first. Empty where the kernel exports none, as 32-bit ARM did not
/// for long.
pub fn read(source: &Source, topology: &Topology) -> Vec<Cache> {
    let mut caches: Vec<Cache> = Vec::new();
    for cpu in topology.cpus.iter().map(|c| c.cpu) {
        let folder = format!("/sys/devices/system/cpu/cpu{cpu}/cache");
        for index in source.entries(&folder) {
            if !index.starts_with("index") {
                continue;
            }
            if let Some(found) = read_index(source, &format!("{folder}/{index}"), cpu) {
                add(&mut caches, found);
            }
        }
    }
    caches.sort_by_key(|c| (c.level, c.kind, std::cmp::Reverse(c.size_bytes)));
    caches
}

fn add(caches: &mut Vec<Cache>, found: Cache) {
    match caches.iter_mut().find(|c| c.same_shape(&found)) {
        Some(known) => {
            for instance in found.instances {
                if !known.instances.contains(&instance) {
                    known.instances.push(instance);
                }
            }
        }
        None => caches.push(found),
    }
}

fn read_index(source: &Source, folder: &str, cpu: u32) -> Option<Cache> {
    let file = |name: &str| format!("{folder}/{name}");
    let shared = source
        .cpus(&file("shared_cpu_list"))
        .filter(|list| list.contains(cpu))
        .unwrap_or_else(|| CpuList::from_iter([cpu]));
    Some(Cache {
        level: source.number(&file("level"))?,
        kind: source.parse(&file("type"), kind)?,
        size_bytes: source.parse(&file("size"), size_bytes).filter(|s| *s > 0),
        line_bytes: positive(source.number(&file("coherency_line_size"))),
        ways: positive(source.number(&file("ways_of_associativity"))),
        sets: positive(source.number(&file("number_of_sets"))),
        instances: vec![shared],
    })
}

/// The kernel writes 0 for what it does not know.
fn positive(number: Option<u32>) -> Option<u32> {
    number.filter(|n| *n > 0)
}

fn kind(text: &str) -> Result<CacheKind, Unexpected> {
    match text {
        "Data" => Ok(CacheKind::Data),
        "Instruction" => Ok(CacheKind::Instruction),
        "Unified" => Ok(CacheKind::Unified),
        _ => Err(Unexpected::new("Data, Instruction or Unified", text)),
    }
}
