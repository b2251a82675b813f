//! The kernel's clocksource.
//!
//! Source: Documentation/timers/timekeeping.rst,
//! Documentation/ABI/testing/sysfs-devices-clocksource.

use crate::source::Source;
use serde::{Deserialize, Serialize};

const FOLDER: &str = "/sys/devices/system/clocksource/clocksource0";

/// The clocksource of the kernel and those that it could take.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Clocksource {
    pub current: Option<String>,
    pub available: Vec<String>,
}

impl Clocksource {
    /// Read in user space without entering the kernel (vDSO).
    pub fn is_fast(&self) -> Option<bool> {
        let current = self.current.as_deref()?;
        let fast = ["tsc", "kvm-clock", "arch_sys_counter"];
        Some(fast.contains(&current) || current.starts_with("hyperv_clocksource"))
    }
}

/// Reads /sys/devices/system/clocksource.
pub fn read(source: &Source) -> Clocksource {
    Clocksource {
        current: source.word(&format!("{FOLDER}/current_clocksource")),
        available: source.words(&format!("{FOLDER}/available_clocksource")),
    }
}
