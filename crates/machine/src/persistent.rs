//! Persistent memory and memory that is mapped as a device (DAX).
//!
//! Source: Documentation/driver-api/nvdimm/nvdimm.rst,
//! Documentation/ABI/testing/sysfs-bus-nvdimm, sysfs-bus-dax.

use crate::mounts::Mount;
use crate::source::Source;
use crate::text::maybe_hex;
use serde::{Deserialize, Serialize};

/// Persistent memory: regions, namespaces, and DAX devices and mounts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Persistent {
    pub regions: Vec<Region>,
    pub namespaces: Vec<Namespace>,
    pub dax_devices: Vec<DaxDevice>,
    /// Block devices over persistent memory: `pmem0`.
    pub block_devices: Vec<String>,
    /// Where file systems are mounted with DAX.
    pub dax_mounts: Vec<String>,
}

/// A region of libnvdimm.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Region {
    pub name: String,
    pub size_bytes: Option<u64>,
    /// What survives a power failure: `memory_controller`, `cpu_cache`.
    pub persistence_domain: Option<String>,
    pub node: Option<u32>,
}

/// A namespace of a region, which a driver makes a block or DAX device of.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Namespace {
    /// `namespace0.0`.
    pub name: String,
    /// `raw`, `sector`, `fsdax` or `memory`, `devdax` or `dax`.
    pub mode: Option<String>,
    pub size_bytes: Option<u64>,
}

/// A device that maps persistent memory without a file system (/dev/daxX.Y).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DaxDevice {
    /// `dax0.0`.
    pub name: String,
    pub size_bytes: Option<u64>,
    pub align_bytes: Option<u64>,
    pub target_node: Option<u32>,
    /// `device_dax` (mapped by programs) or `kmem` (given to the kernel).
    pub driver: Option<String>,
}

/// Reads /sys/bus/nd, /sys/bus/dax and the DAX mounts.
pub fn read(source: &Source, mounts: &[Mount]) -> Persistent {
    let dimms = source.entries("/sys/bus/nd/devices");
    let starting = |start: &'static str| dimms.iter().filter(move |n| n.starts_with(start));
    let dax = source.entries("/sys/bus/dax/devices");
    let mut blocks = source.entries_starting("/sys/class/block", "pmem");
    blocks.retain(|name| !is_partition(name));
    Persistent {
        regions: starting("region").map(|n| region(source, n)).collect(),
        namespaces: starting("namespace")
            .filter_map(|n| namespace(source, n))
            .collect(),
        dax_devices: dax.iter().filter_map(|n| dax_device(source, n)).collect(),
        block_devices: blocks,
        dax_mounts: dax_mounts(mounts),
    }
}

/// `pmem0p1`, as opposed to `pmem0` and `pmem0.1s`.
fn is_partition(name: &str) -> bool {
    name.trim_start_matches("pmem").contains('p')
}

fn region(source: &Source, name: &str) -> Region {
    let file = |below: &str| format!("/sys/bus/nd/devices/{name}/{below}");
    Region {
        name: name.to_owned(),
        size_bytes: source.number(&file("size")),
        persistence_domain: source.word(&file("persistence_domain")),
        node: source.node(&file("numa_node")),
    }
}

/// Seeds, namespaces of no size waiting to be configured, are left out.
fn namespace(source: &Source, name: &str) -> Option<Namespace> {
    let file = |below: &str| format!("/sys/bus/nd/devices/{name}/{below}");
    let size_bytes = source.parse(&file("size"), maybe_hex);
    (size_bytes != Some(0)).then(|| Namespace {
        name: name.to_owned(),
        mode: source.word(&file("mode")),
        size_bytes,
    })
}

fn dax_device(source: &Source, name: &str) -> Option<DaxDevice> {
    let file = |below: &str| format!("/sys/bus/dax/devices/{name}/{below}");
    let size_bytes = source.number(&file("size"));
    (size_bytes != Some(0)).then(|| DaxDevice {
        name: name.to_owned(),
        size_bytes,
        align_bytes: source.number(&file("align")),
        target_node: source.node(&file("target_node")),
        driver: source.link_name(&file("driver")),
    })
}

fn dax_mounts(mounts: &[Mount]) -> Vec<String> {
    mounts
        .iter()
        .filter(|m| m.has("dax") || m.has("dax=always") || m.has("dax=inode"))
        .map(|m| m.point.clone())
        .collect()
}
