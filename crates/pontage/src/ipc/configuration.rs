//! The configuration blocks of `ipc-benchmark`, under the keys that FreeBSD
//! gives them, filled with what Linux has in their place. What has no
//! counterpart is null, and `unavailable` says why.

use super::Request;
use machine::Machine;
use machine::tunable::{self, Tunable};
use serde_json::{Map, Value, json};
use std::path::Path;

/// The blocks, in their order.
pub fn read(request: &Request<'_>) -> Value {
    let machine = machine::read(Path::new("/"));
    json!({
        "hardware_configuration": hardware(&machine),
        "os_configuration": os(&machine),
        "network_ipc_configuration": network(),
        "benchmark_configuration": benchmark(request),
    })
}

fn hardware(machine: &Machine) -> Value {
    let huge = machine.pages.hugetlb.iter().map(|pool| pool.page_bytes);
    let sizes = machine.pages.base_bytes.into_iter().chain(huge);
    let sizes = sizes.map(|bytes| json!({ "pagesize": bytes }));
    let freq_hz = tunable::CPU0_KHZ.value::<u64>().map(|khz| khz * 1000);
    let mut unavailable = Map::new();
    if freq_hz.is_none() {
        let why = "this machine has no cpufreq driver; pontage run cpu/clock measures the rate";
        unavailable.insert("hw.cpufreq.arm_freq".to_owned(), json!(why));
    }
    json!({
        "hw.machine": machine.kernel.arch,
        "hw.model": machine.cpu.model,
        "hw.ncpu": machine.topology.cpus.len(),
        // Bytes.
        "hw.physmem": machine.memory.total_bytes,
        "hw.pagesizes": sizes.collect::<Vec<_>>(),
        // Hz, as FreeBSD counts it.
        "hw.cpufreq.arm_freq": freq_hz,
        "unavailable": unavailable,
    })
}

fn os(machine: &Machine) -> Value {
    json!({
        "kern.ostype": "Linux",
        "kern.osrelease": machine.kernel.release,
        "kern.ident": machine.kernel.version,
        "kern.hostname": machine.kernel.host,
    })
}

fn network() -> Value {
    let words = |file: Tunable| {
        let text = file.word()?;
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let (wmem_max, rmem_max) = (tunable::WMEM_MAX.value(), tunable::RMEM_MAX.value());
    let largest: Option<u64> = wmem_max.max(rmem_max);
    let no_isr =
        "Linux has no netisr; packets of lo are handled by the softirq of the CPU that sends";
    json!({
        "kern.ipc.pipe_mindirect": null,
        // Bytes: the larger of net.core.wmem_max and rmem_max.
        "kern.ipc.maxsockbuf": largest,
        "ifnet.name": "lo",
        "ifnet.mtu": tunable::LOOPBACK_MTU.value::<u64>(),
        "net.inet.tcp.cc.algorithm": tunable::TCP_CONGESTION_CONTROL.word(),
        "net.isr.bindthreads": null,
        "net.isr.defaultqlimit": null,
        "fs.pipe-max-size": tunable::PIPE_MAX_SIZE.value::<u64>(),
        "net.core.wmem_max": wmem_max,
        "net.core.rmem_max": rmem_max,
        "net.ipv4.tcp_wmem": words(tunable::TCP_WMEM),
        "net.ipv4.tcp_rmem": words(tunable::TCP_RMEM),
        "unavailable": {
            "kern.ipc.pipe_mindirect":
                "Linux pipes always copy twice; the relevant setting is the capacity \
                 (F_GETPIPE_SZ)",
            "net.isr.bindthreads": no_isr,
            "net.isr.defaultqlimit": no_isr,
        },
    })
}

fn benchmark(request: &Request<'_>) -> Value {
    let a = request.arguments;
    json!({
        "buffer_size": a.buffer_size,
        "total_size": a.total_size,
        "msgcount": request.messages,
        "mode": a.mode.name(),
        "ipctype": a.transport,
        "pmctype": a.counters.map_or("none", |group| group.name()),
        "iterations": a.iterations,
        // Ours: where the other side ran.
        "placement": a.placement,
    })
}
