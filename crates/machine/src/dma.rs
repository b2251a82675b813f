//! DMA channels that the kernel's dmaengine offers.
//!
//! Source: Documentation/driver-api/dmaengine/, Documentation/ABI/testing/sysfs-class-dma
//! (`dma_chan` attributes in drivers/dma/dmaengine.c).

use crate::source::Source;
use serde::{Deserialize, Serialize};

const FOLDER: &str = "/sys/class/dma";

/// A channel of the kernel's dmaengine, as /sys/class/dma shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DmaChannel {
    /// `dma0chan1`.
    pub name: String,
    /// `0000:00:04.0`; unknown in a stored tree.
    #[serde(default)]
    pub device: Option<String>,
    /// `ioatdma`, `bcm2835-dma`; unknown where the device has no driver link.
    pub driver: Option<String>,
    /// Number of clients that hold it.
    pub in_use: Option<u32>,
    /// Over all CPUs since the channel was registered.
    pub bytes_transferred: Option<u64>,
    pub memcpy_count: Option<u64>,
    pub node: Option<u32>,
    /// What an I/OAT channel says it can do (`copy pq xor`).
    pub operations: Vec<String>,
}

impl DmaChannel {
    /// Whether it is known to copy memory to memory: by its own word, or
    /// because its driver registers every channel with DMA_MEMCPY.
    pub fn copies_memory(&self) -> Option<bool> {
        const COPIERS: [&str; 8] = [
            "ioatdma",
            "ptdma",
            "ae4dma",
            "ccp",
            "bcm2835-dma",
            "dma-pl330",
            "idxd",
            "mv_xor_v2",
        ];
        if !self.operations.is_empty() {
            return Some(self.operations.iter().any(|o| o == "copy"));
        }
        let driver = self.driver.as_deref()?;
        COPIERS.contains(&driver).then_some(true)
    }
}

/// All channels, in the order of their names.
pub fn read(source: &Source) -> Vec<DmaChannel> {
    let names = source.entries(FOLDER);
    names
        .into_iter()
        .map(|name| read_channel(source, name))
        .collect()
}

fn read_channel(source: &Source, name: String) -> DmaChannel {
    let file = |below: &str| format!("{FOLDER}/{name}/{below}");
    DmaChannel {
        device: source.device_name(&file("device")),
        driver: source.link_name(&file("device/driver")),
        in_use: source.number(&file("in_use")),
        bytes_transferred: source.number(&file("bytes_transferred")),
        memcpy_count: source.number(&file("memcpy_count")),
        node: source.node(&file("device/numa_node")),
        operations: source.words(&file("quickdata/cap")),
        name,
    }
}
