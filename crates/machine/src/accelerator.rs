//! Intel data streaming (DSA) and analytics (IAA) accelerators and their work
//! queues.
//!
//! Source: Documentation/ABI/stable/sysfs-driver-dma-idxd.

use crate::source::Source;
use serde::{Deserialize, Serialize};

const FOLDER: &str = "/sys/bus/dsa/devices";

/// A device of the idxd driver (DSA or IAA), with its work queues.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Accelerator {
    /// `dsa0` or `iax1`.
    pub name: String,
    /// `enabled` or `disabled`.
    pub state: Option<String>,
    pub node: Option<u32>,
    pub version: Option<String>,
    pub max_work_queues: Option<u32>,
    pub max_engines: Option<u32>,
    pub max_transfer_bytes: Option<u64>,
    pub max_batch: Option<u32>,
    /// Whether user addresses can be given to it (shared virtual memory).
    pub pasid_enabled: Option<bool>,
    pub configurable: Option<bool>,
    pub queues: Vec<WorkQueue>,
}

/// A work queue of a device: who may submit to it, and how much fits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WorkQueue {
    /// `wq0.1`.
    pub name: String,
    pub state: Option<String>,
    /// `dedicated` or `shared`.
    pub mode: Option<String>,
    /// `kernel`, `user`, `none`.
    pub purpose: Option<String>,
    /// `dmaengine`, `user`.
    pub driver: Option<String>,
    pub label: Option<String>,
    pub entries: Option<u32>,
    pub priority: Option<u32>,
    pub clients: Option<u32>,
    pub max_transfer_bytes: Option<u64>,
    /// User-space portal, where there is one.
    pub device_node: Option<String>,
}

impl Accelerator {
    /// DSA moves data; IAA compresses and filters.
    pub fn moves_data(&self) -> bool {
        self.name.starts_with("dsa")
    }
}

impl WorkQueue {
    /// Whether its state is `enabled`.
    pub fn is_enabled(&self) -> bool {
        self.state.as_deref() == Some("enabled")
    }
}

/// All devices below /sys/bus/dsa/devices; empty without the driver.
pub fn read(source: &Source) -> Vec<Accelerator> {
    let names = source.entries(FOLDER);
    let devices = names
        .iter()
        .filter(|n| n.starts_with("dsa") || n.starts_with("iax"));
    devices
        .map(|name| read_device(source, name, &names))
        .collect()
}

fn read_device(source: &Source, name: &str, names: &[String]) -> Accelerator {
    let file = |below: &str| format!("{FOLDER}/{name}/{below}");
    let number = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let queue_start = format!("wq{number}.");
    Accelerator {
        name: name.to_owned(),
        state: source.word(&file("state")),
        node: source.node(&file("numa_node")),
        version: source.word(&file("version")),
        max_work_queues: source.number(&file("max_work_queues")),
        max_engines: source.number(&file("max_engines")),
        max_transfer_bytes: source.number(&file("max_transfer_size")),
        max_batch: source.number(&file("max_batch_size")),
        pasid_enabled: source.switch(&file("pasid_enabled")),
        configurable: source.switch(&file("configurable")),
        queues: names
            .iter()
            .filter(|n| n.starts_with(&queue_start))
            .map(|n| read_queue(source, n, name))
            .collect(),
    }
}

fn read_queue(source: &Source, name: &str, device: &str) -> WorkQueue {
    let file = |below: &str| format!("{FOLDER}/{name}/{below}");
    let kind = device.trim_end_matches(|c: char| c.is_ascii_digit());
    let node = format!("/dev/{kind}/{name}");
    WorkQueue {
        name: name.to_owned(),
        state: source.word(&file("state")),
        mode: source.word(&file("mode")),
        purpose: source.word(&file("type")),
        driver: source.word(&file("driver_name")),
        label: source.word(&file("name")),
        entries: source.number(&file("size")),
        priority: source.number(&file("priority")),
        clients: source.number(&file("clients")),
        max_transfer_bytes: source.number(&file("max_transfer_size")),
        device_node: source.exists(&node).then_some(node),
    }
}
