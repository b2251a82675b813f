//! What a capability belongs to.

use serde::{Deserialize, Serialize};

/// The part of measuring that depends on it, in the order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Area {
    Time,
    Cpus,
    Memory,
    Counters,
    Tracing,
    Offload,
    /// Programs of others.
    Peers,
}

impl Area {
    /// All, in the order in which they are shown.
    pub const ALL: [Area; 7] = [
        Area::Time,
        Area::Cpus,
        Area::Memory,
        Area::Counters,
        Area::Tracing,
        Area::Offload,
        Area::Peers,
    ];

    /// As a heading of its line.
    pub fn word(self) -> &'static str {
        match self {
            Area::Time => "time",
            Area::Cpus => "CPUs",
            Area::Memory => "memory",
            Area::Counters => "counters",
            Area::Tracing => "tracing",
            Area::Offload => "offload",
            Area::Peers => "peers",
        }
    }
}
