//! The experiments that the files are of, and places among their metrics.

use experiments::all;
use harness::counters::L2_MISSES;
use record::{MachineCard, MetricHead, Unit, moment};
use std::sync::LazyLock;

pub(super) const LATENCY: &str = "offload/latency";
pub(super) const BANDWIDTH: &str = "offload/bandwidth";
pub(super) const VICTIM: &str = "pollute/victim";

/// Where the two parts of a sample's start stand among the metrics.
pub(super) static LATENCY_START: LazyLock<[u16; 2]> = LazyLock::new(|| start_of(LATENCY));
pub(super) static BANDWIDTH_START: LazyLock<[u16; 2]> = LazyLock::new(|| start_of(BANDWIDTH));
pub(super) static VICTIM_START: LazyLock<[u16; 2]> = LazyLock::new(|| start_of(VICTIM));

/// What the study counted, in the names of our counters: they stand behind the
/// experiment's own metrics.
pub(super) const COUNTED: [(&str, Unit, &str); 3] = [
    ("L2D_CACHE", Unit::Count, "cache references of one run"),
    ("L2D_CACHE_REFILL", Unit::Count, "cache misses of one run"),
    (L2_MISSES, Unit::Ratio, "misses / references"),
];
pub(super) static VICTIM_COUNTS: LazyLock<[u16; 3]> = LazyLock::new(|| {
    let first = u16::try_from(metrics(VICTIM).len()).unwrap_or(u16::MAX - 3);
    [first, first + 1, first + 2]
});

fn start_of(id: &str) -> [u16; 2] {
    let metrics = metrics(id);
    [moment::START_SECONDS, moment::START_NANOSECONDS].map(|name| {
        let place = metrics.iter().position(|m| m.name == name);
        let place = place.and_then(|p| u16::try_from(p).ok());
        place.unwrap_or(u16::MAX)
    })
}

fn metrics(id: &str) -> Vec<MetricHead> {
    let listed = all().find(id);
    listed.map_or_else(Vec::new, |l| l.head(&MachineCard::default()).metrics)
}
