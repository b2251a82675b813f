//! What the running system still reports when its files are missing, as in a
//! container without `/sys` or `/proc`. Only ever for the root folder `/`.

use crate::Machine;
use crate::cpu_list::CpuList;
use crate::kernel::Sourced;
use crate::topology::LogicalCpu;
#[cfg(target_arch = "x86_64")]
use crate::virtualisation::{TCG, Witness, witness};
use rustix::time::ClockId;

/// Fill what no file gave; nothing that a file gave is changed.
pub fn fill(machine: &mut Machine) {
    fill_kernel(machine);
    let page_bytes = rustix::param::page_size() as u64;
    machine.pages.base_bytes.get_or_insert(page_bytes);
    let system = rustix::system::sysinfo();
    let unit = u64::from(system.mem_unit.max(1));
    #[allow(clippy::useless_conversion, reason = "32 bits wide on 32-bit machines")]
    let total = u64::from(system.totalram);
    machine
        .memory
        .total_bytes
        .get_or_insert(total.saturating_mul(unit));
    if machine.process.allowed_cpus.is_none() {
        machine.process.allowed_cpus = affinity();
    }
    fill_topology(machine);
    #[cfg(target_arch = "x86_64")]
    if machine.virtualisation.emulated.is_none() && machine.cpu.hypervisor_flag {
        machine.virtualisation.emulated = by_cpuid();
    }
}

/// A processor model may be named like a real one; the CPUID leaf of
/// hypervisors names what runs it.
#[cfg(target_arch = "x86_64")]
fn by_cpuid() -> Option<Witness> {
    let leaf = std::arch::x86_64::__cpuid(0x4000_0000);
    let signature = [leaf.ebx, leaf.ecx, leaf.edx]
        .map(u32::to_le_bytes)
        .concat();
    (signature == b"TCGTCGTCGTCG").then(|| witness(TCG, "cpuid leaf 0x40000000"))
}

fn fill_kernel(machine: &mut Machine) {
    let name = rustix::system::uname();
    let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
    let kernel = &mut machine.kernel;
    kernel.host.get_or_insert_with(|| text(name.nodename()));
    kernel.arch.get_or_insert_with(|| text(name.machine()));
    kernel.release.get_or_insert_with(|| text(name.release()));
    kernel.version.get_or_insert_with(|| text(name.version()));
    if kernel.hz.is_none() {
        kernel.hz = tick_rate();
    }
}

/// The coarse clock moves once a tick, and says by how much.
fn tick_rate() -> Option<Sourced<u32>> {
    let tick = rustix::time::clock_getres(ClockId::MonotonicCoarse);
    let tick_ns = u32::try_from(tick.tv_nsec).ok().filter(|ns| *ns > 0)?;
    let hz = (1_000_000_000 + tick_ns / 2) / tick_ns;
    Some(Sourced::by(
        hz,
        "inferred from clock_getres(CLOCK_MONOTONIC_COARSE)",
    ))
}

fn affinity() -> Option<CpuList> {
    let set = rustix::thread::sched_getaffinity(None).ok()?;
    let numbers = (0..rustix::thread::CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu));
    Some(numbers.filter_map(|cpu| u32::try_from(cpu).ok()).collect())
}

fn fill_topology(machine: &mut Machine) {
    let topology = &mut machine.topology;
    let Some(allowed) = machine.process.allowed_cpus.as_ref() else {
        return;
    };
    if !topology.cpus.is_empty() {
        return;
    }
    topology.source = Some("inferred from sched_getaffinity".to_owned());
    topology.cpus = allowed
        .iter()
        .map(|cpu| LogicalCpu {
            cpu,
            siblings: CpuList::from_iter([cpu]),
            ..LogicalCpu::default()
        })
        .collect();
    topology.cores = u32::try_from(allowed.len()).unwrap_or(u32::MAX);
    topology.sockets = 1;
    topology.threads_per_core = 1;
}
