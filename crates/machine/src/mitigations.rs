//! What the kernel does about processor vulnerabilities.
//!
//! Source: Documentation/admin-guide/hw-vuln/.

use crate::source::Source;
use serde::{Deserialize, Serialize};

/// A hardware vulnerability and what the kernel does about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vulnerability {
    /// `spectre_v2`.
    pub name: String,
    /// The kernel's own sentence.
    pub state: String,
}

impl Vulnerability {
    /// Costs time: the kernel works around it.
    pub fn is_mitigated(&self) -> bool {
        self.state.contains("Mitigation")
    }

    /// Whether the kernel calls the machine vulnerable.
    pub fn is_open(&self) -> bool {
        self.state.starts_with("Vulnerable")
    }
}

/// By name.
pub fn read(source: &Source) -> Vec<Vulnerability> {
    const FOLDER: &str = "/sys/devices/system/cpu/vulnerabilities";
    let vulnerability = |name: String| {
        let state = source.word(&format!("{FOLDER}/{name}"))?;
        Some(Vulnerability { name, state })
    };
    source
        .entries(FOLDER)
        .into_iter()
        .filter_map(vulnerability)
        .collect()
}
