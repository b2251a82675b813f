//! Direct cache access: whether an I/OAT engine offers cache injection.
//!
//! Source: drivers/dca/dca-sysfs.c (class `dca`, one entry a provider),
//! drivers/dma/ioat/init.c (`ioat_dca_enabled`).

use crate::source::Source;
use serde::{Deserialize, Serialize};

/// Switch of the driver. It is read when the driver binds to a device, so that
/// providers that are registered stay.
pub const IOAT_SWITCH: &str = "/sys/module/ioatdma/parameters/ioat_dca_enabled";
const FOLDER: &str = "/sys/class/dca";

/// Direct cache access (I/OAT): providers and the driver's setting.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Dca {
    /// Whether ioatdma offers it to the next device; `None` without the driver.
    pub ioat_enabled: Option<bool>,
    pub providers: Vec<Provider>,
}

/// An engine that has registered to inject into caches.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Provider {
    /// `dca0`.
    pub name: String,
    /// `0000:00:04.0`, where sysfs links it.
    pub device: Option<String>,
}

/// Reads /sys/class/dca and the parameter of ioatdma.
pub fn read(source: &Source) -> Dca {
    // Requesters are listed among their providers, as requester0.
    let providers = source.entries_starting(FOLDER, "dca").into_iter();
    Dca {
        ioat_enabled: source.switch(IOAT_SWITCH),
        providers: providers
            .map(|name| Provider {
                device: source.device_name(&format!("{FOLDER}/{name}/device")),
                name,
            })
            .collect(),
    }
}
