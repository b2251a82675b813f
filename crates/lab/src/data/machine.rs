//! Computers as QEMU makes them.

use super::Architecture;
use super::Invalid;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `lab/machines/*.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    pub about: String,
    pub architecture: Architecture,
    /// Program of QEMU, and the Debian package that has it.
    pub qemu: String,
    pub package: String,
    /// `-machine`; QEMU's own choice without it.
    pub machine: Option<String>,
    pub cpu: Option<String>,
    pub smp: Option<u32>,
    #[serde(default)]
    pub threads: Threads,
    pub memory_mib: u32,
    /// Further words for QEMU.
    #[serde(default)]
    pub options: Vec<String>,
    /// Terminal of the kernel's log, as `console=` names it.
    pub console: String,
    /// A second serial port, on which tests speak so that nothing of the log
    /// comes between their lines.
    pub tests_port: Option<String>,
    /// What stands on every kernel command line of this machine.
    pub append: String,
    /// How devices for shared folders are attached.
    pub bus: Bus,
    pub ends: Ends,
    /// What the kernel says before its init where the emulation is at fault: then
    /// the guest is booted once more.
    #[serde(default)]
    pub retry_before_init: Vec<String>,
    /// Lines of the kernel behind init that faults of the emulation leave, and why: the
    /// scenario then has to pass twice in a row.
    #[serde(default)]
    pub suspects: Vec<Suspect>,
    /// Plugins of QEMU, folders of `lab/plugins`, with their arguments.
    #[serde(default)]
    pub plugins: BTreeMap<String, BTreeMap<String, u64>>,
}

/// A line of the console that the emulation may have caused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suspect {
    /// Part of the line.
    pub line: String,
    /// What is known of it.
    pub reason: String,
}

impl Machine {
    /// The first suspect whose line stands in the kernel's log.
    pub fn suspect(&self, console: &str) -> Option<&Suspect> {
        let in_it = |suspect: &&Suspect| console.contains(&suspect.line);
        self.suspects.iter().find(in_it)
    }

    /// Names of QEMU's plugins, in order.
    pub fn plugin_names(&self) -> Vec<&str> {
        self.plugins.keys().map(String::as_str).collect()
    }

    /// What is wrong with it taken by itself.
    ///
    /// # Errors
    /// The first thing found.
    pub fn check(&self) -> Result<(), Invalid> {
        let word = |text: &str| {
            !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        let mut words = self.plugins.iter().flat_map(|(name, arguments)| {
            let keys = arguments.keys().map(String::as_str);
            keys.chain([name.as_str()])
        });
        if let Some(bad) = words.find(|text| !word(text)) {
            return Err(Invalid::PluginName(bad.to_owned()));
        }
        if !self.plugins.is_empty() && self.threads != Threads::Single {
            return Err(Invalid::PluginThreads);
        }
        Ok(())
    }
}

/// Whether QEMU plays the guest's processors at the same time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Threads {
    #[default]
    Multi,
    /// In turn, in one thread: slower, but kernel text that is rewritten while
    /// other processors run it (probes) is seen anew by all of them.
    Single,
}

impl Threads {
    /// QEMU's `-accel`.
    pub fn accelerator(self) -> &'static str {
        match self {
            Threads::Multi => "tcg,thread=multi",
            Threads::Single => "tcg,thread=single",
        }
    }
}

/// How virtio devices are attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bus {
    Pci,
    Mmio,
}

impl Bus {
    /// QEMU's devices on this bus for a shared folder, `virtio-9p`, and for a disk,
    /// `virtio-blk`.
    pub fn device(self, kind: &str) -> String {
        match self {
            Bus::Pci => format!("{kind}-pci"),
            Bus::Mmio => format!("{kind}-device"),
        }
    }

    /// Modules of the stock kernel for shared folders, each after what it needs
    /// apart from what `modules.dep` lists.
    pub fn share_modules(self) -> [&'static str; 3] {
        match self {
            Bus::Pci => ["9p", "9pnet_virtio", "virtio_pci"],
            Bus::Mmio => ["9p", "9pnet_virtio", "virtio_mmio"],
        }
    }
}

/// How a guest that is done goes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ends {
    /// `poweroff` ends QEMU.
    Poweroff,
    /// It cannot power off: QEMU is ended at the END marker.
    Marker,
}
