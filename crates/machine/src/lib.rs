//! What is this computer: everything about the machine that bears on moving
//! data, read from files below a root folder.
//!
//! This crate is a leaf and never writes. A missing file is absence, a
//! malformed one is a [`Problem`] that names path and line; neither stops the
//! other readers. With a root other than `/` it describes a stored tree.
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]
// With 64 bits: on armv7 types of the C library are narrower than elsewhere.
#![cfg_attr(
    all(not(test), target_pointer_width = "64"),
    deny(clippy::cast_possible_truncation)
)]
#![forbid(unsafe_code)]

pub mod accelerator;
pub mod boot;
pub mod cache;
pub mod cgroup;
pub mod clock;
pub mod config;
pub mod cpu;
pub mod cpu_list;
pub mod cpuinfo;
pub mod dca;
pub mod dma;
pub mod frequency;
pub mod kernel;
pub mod limits;
mod live;
pub mod load;
pub mod medium;
pub mod memory;
pub mod mitigations;
pub mod mounts;
pub mod namespace;
pub mod numa;
pub mod pages;
pub mod persistent;
pub mod problem;
pub mod process;
pub mod resctrl;
pub mod security;
pub mod smaps;
pub mod source;
pub mod task;
pub mod text;
pub mod topology;
pub mod tracing;
pub mod tunable;
pub mod virtualisation;

pub use cache::{Cache, CacheKind};
pub use cpu_list::CpuList;
pub use problem::Problem;
pub use source::{Access, Source};

use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// The machine as its files describe it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Machine {
    pub kernel: kernel::Kernel,
    pub boot: boot::Boot,
    pub cpu: cpu::Cpu,
    pub topology: topology::Topology,
    pub caches: Vec<Cache>,
    pub numa: numa::Numa,
    pub memory: memory::Memory,
    pub pages: pages::Pages,
    pub frequency: frequency::Frequency,
    pub clocksource: clock::Clocksource,
    pub mitigations: Vec<mitigations::Vulnerability>,
    pub virtualisation: virtualisation::Virtualisation,
    pub security: security::Security,
    pub tracing: tracing::Tracing,
    #[serde(default)]
    pub resctrl: resctrl::Resctrl,
    /// Types of event sources that perf_event_open knows.
    pub event_sources: Vec<EventSource>,
    pub dma: Vec<dma::DmaChannel>,
    pub accelerators: Vec<accelerator::Accelerator>,
    pub persistent: persistent::Persistent,
    pub limits: limits::Limits,
    pub cgroup: cgroup::Cgroup,
    pub process: process::Process,
    pub load: load::Load,
    /// Files that are malformed or could not be read.
    pub problems: Vec<Problem>,
    /// Files that only a more privileged process may read.
    pub denied: Vec<String>,
}

/// A source of perf events and the number that names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventSource {
    /// `cpu`, `uprobe`, `power`.
    pub name: String,
    pub number: Option<u32>,
}

/// Whether `root` can be the root of a machine: `/`, or a stored tree.
///
/// # Errors
/// As stat(2); `InvalidInput` for a folder that holds neither proc nor sys.
pub fn check_root(root: &Path) -> io::Result<()> {
    if !root.metadata()?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let holds = |name: &str| root.join(name).is_dir();
    match root == Path::new("/") || holds("proc") || holds("sys") {
        true => Ok(()),
        false => {
            let cause = "it has neither proc nor sys";
            Err(io::Error::new(io::ErrorKind::InvalidInput, cause))
        }
    }
}

/// Read the machine below `root`; never fails and never writes.
pub fn read(root: &Path) -> Machine {
    read_from(&Source::new(root))
}

/// As [`read`], from a source that also lists which files were looked at.
pub fn read_from(source: &Source) -> Machine {
    let mounts = mounts::read(source);
    let boot = boot::read(source);
    let cpu = cpu::read(source);
    let clocksource = clock::read(source);
    let numa = numa::read(source);
    let mut topology = topology::read(source);
    numa::assign(&numa, &mut topology.cpus);
    let mut machine = Machine {
        kernel: kernel::read(source, &boot),
        caches: cache::read(source, &topology),
        memory: memory::read(source),
        pages: pages::read(source),
        frequency: frequency::read(source),
        mitigations: mitigations::read(source),
        virtualisation: virtualisation::read(source, &cpu, &clocksource, &boot),
        security: security::read(source, &mounts),
        tracing: tracing::read(source, &mounts),
        resctrl: resctrl::read(source, &mounts),
        event_sources: event_sources(source),
        dma: dma::read(source),
        accelerators: accelerator::read(source),
        persistent: persistent::read(source, &mounts),
        limits: limits::read(source),
        cgroup: cgroup::read(source, &mounts),
        process: process::read(source),
        load: load::read(source),
        problems: source.problems(),
        denied: source.denied(),
        boot,
        cpu,
        topology,
        numa,
        clocksource,
    };
    if source.is_live() {
        live::fill(&mut machine);
    }
    machine
}

/// Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-*.
fn event_sources(source: &Source) -> Vec<EventSource> {
    const FOLDER: &str = "/sys/bus/event_source/devices";
    let describe = |name: String| EventSource {
        number: source.number(&format!("{FOLDER}/{name}/type")),
        name,
    };
    source.entries(FOLDER).into_iter().map(describe).collect()
}

impl Machine {
    /// The type number of a source of perf events
    /// (`/sys/bus/event_source/devices/NAME/type`).
    pub fn event_source(&self, name: &str) -> Option<u32> {
        self.event_sources.iter().find(|s| s.name == name)?.number
    }

    /// CPUs that run tasks and that this process may use.
    pub fn usable_cpus(&self) -> CpuList {
        let online = self.topology.online();
        match &self.process.allowed_cpus {
            Some(allowed) => online.iter().filter(|cpu| allowed.contains(*cpu)).collect(),
            None => online,
        }
    }
}
