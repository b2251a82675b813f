//! The experiments that the files are of.

use experiments::all;
use record::{MachineCard, moment};
use std::sync::LazyLock;

pub(super) const LATENCY: &str = "offload/latency";
pub(super) const BANDWIDTH: &str = "offload/bandwidth";
pub(super) const VICTIM: &str = "pollute/victim";

/// Where the two parts of a sample's start stand among the metrics.
pub(super) static LATENCY_START: LazyLock<[u16; 2]> = LazyLock::new(|| start_of(LATENCY));
pub(super) static BANDWIDTH_START: LazyLock<[u16; 2]> = LazyLock::new(|| start_of(BANDWIDTH));
pub(super) static VICTIM_START: LazyLock<[u16; 2]> = LazyLock::new(|| start_of(VICTIM));

fn start_of(id: &str) -> [u16; 2] {
    let metrics = match all().find(id) {
        Some(listed) => listed.head(&MachineCard::default()).metrics,
        None => Vec::new(),
    };
    [moment::START_SECONDS, moment::START_NANOSECONDS].map(|name| {
        let place = metrics.iter().position(|m| m.name == name);
        place
            .and_then(|p| u16::try_from(p).ok())
            .unwrap_or(u16::MAX)
    })
}
