//! The configuration blocks of `ipc-benchmark`, under the keys that FreeBSD
//! gives them, filled with what Linux has in their place. What has no
//! counterpart is null, and `unavailable` says why.

use super::Request;
use machine::Machine;
use machine::tunable::{self, Tunable};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

type Reasons = BTreeMap<&'static str, &'static str>;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Configuration {
    pub hardware_configuration: Hardware,
    pub os_configuration: Os,
    pub network_ipc_configuration: Network,
    pub benchmark_configuration: Benchmark,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hardware {
    #[serde(rename = "hw.machine")]
    pub machine: Option<String>,
    #[serde(rename = "hw.model")]
    pub model: Option<String>,
    #[serde(rename = "hw.ncpu")]
    pub ncpu: u64,
    /// Bytes.
    #[serde(rename = "hw.physmem")]
    pub physmem: Option<u64>,
    #[serde(rename = "hw.pagesizes")]
    pub pagesizes: Vec<PageSize>,
    /// Hz, as FreeBSD counts it.
    #[serde(rename = "hw.cpufreq.arm_freq")]
    pub freq_hz: Option<u64>,
    pub unavailable: Reasons,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PageSize {
    /// Bytes.
    pub pagesize: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Os {
    #[serde(rename = "kern.ostype")]
    pub ostype: &'static str,
    #[serde(rename = "kern.osrelease")]
    pub osrelease: Option<String>,
    #[serde(rename = "kern.ident")]
    pub ident: Option<String>,
    #[serde(rename = "kern.hostname")]
    pub hostname: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Network {
    #[serde(rename = "kern.ipc.pipe_mindirect")]
    pub pipe_mindirect: Option<u64>,
    /// Bytes: the larger of net.core.wmem_max and rmem_max.
    #[serde(rename = "kern.ipc.maxsockbuf")]
    pub maxsockbuf: Option<u64>,
    #[serde(rename = "ifnet.name")]
    pub interface: &'static str,
    #[serde(rename = "ifnet.mtu")]
    pub mtu: Option<u64>,
    #[serde(rename = "net.inet.tcp.cc.algorithm")]
    pub congestion_control: Option<String>,
    #[serde(rename = "net.isr.bindthreads")]
    pub bindthreads: Option<u64>,
    #[serde(rename = "net.isr.defaultqlimit")]
    pub defaultqlimit: Option<u64>,
    #[serde(rename = "fs.pipe-max-size")]
    pub pipe_max_size: Option<u64>,
    #[serde(rename = "net.core.wmem_max")]
    pub wmem_max: Option<u64>,
    #[serde(rename = "net.core.rmem_max")]
    pub rmem_max: Option<u64>,
    #[serde(rename = "net.ipv4.tcp_wmem")]
    pub tcp_wmem: Option<String>,
    #[serde(rename = "net.ipv4.tcp_rmem")]
    pub tcp_rmem: Option<String>,
    pub unavailable: Reasons,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Benchmark {
    pub buffer_size: u64,
    pub total_size: u64,
    pub msgcount: u64,
    pub mode: &'static str,
    pub ipctype: String,
    pub pmctype: &'static str,
    pub iterations: u32,
    /// Ours: where the other side ran.
    pub placement: String,
}

impl Configuration {
    pub fn read(request: &Request<'_>) -> Configuration {
        let machine = machine::read(Path::new("/"));
        Configuration {
            hardware_configuration: hardware(&machine),
            os_configuration: os(&machine),
            network_ipc_configuration: network(),
            benchmark_configuration: benchmark(request),
        }
    }
}

fn hardware(machine: &Machine) -> Hardware {
    let huge = machine.pages.hugetlb.iter().map(|pool| pool.page_bytes);
    let freq_hz = tunable::CPU0_KHZ.value::<u64>().map(|khz| khz * 1000);
    let mut unavailable = Reasons::new();
    if freq_hz.is_none() {
        unavailable.insert(
            "hw.cpufreq.arm_freq",
            "this machine has no cpufreq driver; pontage run cpu/clock measures the rate",
        );
    }
    Hardware {
        machine: machine.kernel.arch.clone(),
        model: machine.cpu.model.clone(),
        ncpu: machine.topology.cpus.len() as u64,
        physmem: machine.memory.total_bytes,
        pagesizes: machine
            .pages
            .base_bytes
            .into_iter()
            .chain(huge)
            .map(|pagesize| PageSize { pagesize })
            .collect(),
        freq_hz,
        unavailable,
    }
}

fn os(machine: &Machine) -> Os {
    Os {
        ostype: "Linux",
        osrelease: machine.kernel.release.clone(),
        ident: machine.kernel.version.clone(),
        hostname: machine.kernel.host.clone(),
    }
}

fn network() -> Network {
    let words = |file: Tunable| {
        file.word()
            .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let (wmem_max, rmem_max) = (tunable::WMEM_MAX.value(), tunable::RMEM_MAX.value());
    let no_isr =
        "Linux has no netisr; packets of lo are handled by the softirq of the CPU that sends";
    Network {
        pipe_mindirect: None,
        maxsockbuf: wmem_max.max(rmem_max),
        interface: "lo",
        mtu: tunable::LOOPBACK_MTU.value(),
        congestion_control: tunable::TCP_CONGESTION_CONTROL.word(),
        bindthreads: None,
        defaultqlimit: None,
        pipe_max_size: tunable::PIPE_MAX_SIZE.value(),
        wmem_max,
        rmem_max,
        tcp_wmem: words(tunable::TCP_WMEM),
        tcp_rmem: words(tunable::TCP_RMEM),
        unavailable: Reasons::from([
            (
                "kern.ipc.pipe_mindirect",
                "Linux pipes always copy twice; what counts here is the capacity (F_GETPIPE_SZ)",
            ),
            ("net.isr.bindthreads", no_isr),
            ("net.isr.defaultqlimit", no_isr),
        ]),
    }
}

fn benchmark(request: &Request<'_>) -> Benchmark {
    let a = request.arguments;
    Benchmark {
        buffer_size: a.buffer_size,
        total_size: a.total_size,
        msgcount: request.messages,
        mode: a.mode.name(),
        ipctype: a.transport.clone(),
        pmctype: a.counters.map_or("none", |group| {
            probe::counters::GroupName::from(group).name()
        }),
        iterations: a.iterations,
        placement: a.placement.clone(),
    }
}
