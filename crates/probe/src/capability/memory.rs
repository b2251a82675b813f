//! Huge pages, locking and memory that survives.

use super::{Area, Capability, Question, counted, in_container_or};
use crate::absence::{needs_boot, needs_kernel, on_command_line};
use machine::Machine;
use machine::limits::Bound;
use machine::pages::HugetlbPool;
use machine::process::Right;
use machine::text::binary_size;

/// Locked memory, huge pages, reading other processes, persistent memory and write-back.
pub fn list(machine: &Machine) -> Vec<Capability> {
    vec![
        lock(machine),
        transparent(machine),
        hugetlb(machine),
        peer_memory(machine),
        persistent(machine),
        dax(machine),
        cache_writeback(machine),
    ]
}

/// Enough for the largest buffers of a quick run.
const WANTED_LOCK_BYTES: u64 = 256 << 20;

fn lock(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Memory,
        "mlock",
        "buffers without page faults in the timed part",
    );
    if machine.process.has(Right::IpcLock) {
        return q.available("CAP_IPC_LOCK");
    }
    let Some(limit) = machine.limits.locked_memory_bytes else {
        return q.limited("no file shows the limit", "sudo mount -t proc proc /proc");
    };
    let raise = match limit.hard.allows(WANTED_LOCK_BYTES) {
        true => format!("ulimit -l {}", WANTED_LOCK_BYTES >> 10),
        false => in_container_or(
            machine,
            "--ulimit memlock=-1",
            "sudo prlimit --pid $$ --memlock=unlimited:unlimited",
        ),
    };
    match limit.soft {
        Bound::Unlimited => q.available("no limit"),
        soft if soft.allows(WANTED_LOCK_BYTES) => q.available(limit_text(soft)),
        Bound::At(0) => q.absent("the limit is 0", raise),
        soft => q.limited(limit_text(soft), raise),
    }
}

fn limit_text(bound: Bound) -> String {
    match bound {
        Bound::Unlimited => "no limit".to_owned(),
        Bound::At(bytes) => format!("up to {}", binary_size(bytes)),
    }
}

fn transparent(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Memory,
        "transparent huge pages",
        "large working sets without page walks",
    );
    let command = "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled";
    let thp = &machine.pages.transparent;
    let Some(enabled) = &thp.enabled else {
        return q.absent(
            "the kernel has none",
            needs_kernel("CONFIG_TRANSPARENT_HUGEPAGE"),
        );
    };
    let defrag = thp.defrag.as_ref().map_or("unknown", |d| d.chosen.as_str());
    let detail = format!("{}, defrag {defrag}", enabled.chosen);
    match enabled.chosen.as_str() {
        "never" => q.absent(detail, command).short("never"),
        "always" => q
            .limited(
                format!("{detail}: small pages cannot be had for comparison without madvise"),
                command,
            )
            .short("always"),
        _ => q.available(detail),
    }
}

fn hugetlb(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Memory,
        "hugetlb pages",
        "buffers of known physical pages for TLB studies",
    );
    let pools = &machine.pages.hugetlb;
    let Some(pool) = default_pool(machine) else {
        return q.absent("the kernel has none", needs_kernel("CONFIG_HUGETLBFS"));
    };
    let free: Vec<String> = pools
        .iter()
        .map(|p| {
            let (size, free) = (binary_size(p.page_bytes), p.free.unwrap_or(0));
            format!("{size}: {free} free of {}", p.pages.unwrap_or(0))
        })
        .collect();
    let any = pools.iter().any(|p| p.free.unwrap_or(0) > 0);
    match any {
        true => q.available(free.join(", ")),
        false => q
            .absent(free.join(", "), fill(machine, pool))
            .short("none free"),
    }
}

/// The command that puts pages into a pool.
fn fill(machine: &Machine, pool: &HugetlbPool) -> String {
    match machine.memory.default_huge_page_bytes == Some(pool.page_bytes) {
        true => "sudo sysctl vm.nr_hugepages=64".to_owned(),
        false => {
            let kib = pool.page_bytes >> 10;
            format!("echo 64 | sudo tee /sys/kernel/mm/hugepages/hugepages-{kib}kB/nr_hugepages")
        }
    }
}

fn default_pool(machine: &Machine) -> Option<&HugetlbPool> {
    let usual = machine.memory.default_huge_page_bytes;
    usual
        .and_then(|bytes| machine.pages.pool(bytes))
        .or_else(|| machine.pages.hugetlb.first())
}

fn peer_memory(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Memory,
        "process_vm_readv",
        "copies between two processes in one call",
    );
    match machine.security.ptrace_scope {
        None | Some(0) => q.available("own processes"),
        Some(1) => q.available("own children (ptrace_scope 1)"),
        Some(scope) => q
            .absent(
                format!("ptrace_scope is {scope}, needed is 1 or less"),
                match scope {
                    2 => "sudo sysctl kernel.yama.ptrace_scope=1".to_owned(),
                    _ => needs_boot("with kernel.yama.ptrace_scope=1: 3 stays until then"),
                },
            )
            .short(format!("ptrace_scope {scope}")),
    }
}

fn persistent(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Memory,
        "persistent memory",
        "flushes to memory that survives a power cut",
    );
    let pmem = &machine.persistent;
    let devices: Vec<&str> = pmem
        .block_devices
        .iter()
        .map(String::as_str)
        .chain(mapped_devices(machine))
        .collect();
    if !devices.is_empty() {
        return q.available(devices.join(" "));
    }
    let x86 = machine.kernel.arch.as_deref() == Some("x86_64");
    match (pmem.regions.len(), x86) {
        (0, true) => q.absent(
            "no region",
            on_command_line("memmap=1G!4G (emulates it in ordinary memory)"),
        ),
        (0, false) => q.absent("no region", "none: needs persistent memory"),
        (regions, _) => q.limited(
            format!("{} without a namespace", counted(regions, "region")),
            "sudo ndctl create-namespace --mode=fsdax",
        ),
    }
}

/// DAX devices that programs may map; the others are given to the kernel.
fn mapped_devices(machine: &Machine) -> impl Iterator<Item = &str> {
    let devices = machine.persistent.dax_devices.iter();
    devices
        .filter(|d| d.driver.as_deref() == Some("device_dax"))
        .map(|d| d.name.as_str())
}

fn dax(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Memory,
        "dax mapping",
        "loads and stores straight to persistent memory",
    );
    let pmem = &machine.persistent;
    let mapped: Vec<&str> = mapped_devices(machine)
        .chain(pmem.dax_mounts.iter().map(String::as_str))
        .collect();
    match (mapped.is_empty(), pmem.block_devices.first()) {
        (false, _) => q.available(mapped.join(" ")),
        (true, Some(block)) => q
            .absent(
                format!("{block} is not mounted with dax"),
                format!("sudo mount -o dax=always /dev/{block} /mnt"),
            )
            .short("not mounted with dax"),
        (true, None) => q.absent("no device", "none: needs persistent memory first"),
    }
}

fn cache_writeback(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Memory,
        "cache write-back",
        "cold buffers, and flushes to persistence",
    );
    let known = ["clwb", "clflushopt", "clflush", "dcpodp", "dcpop"];
    let found: Vec<&str> = known.into_iter().filter(|f| machine.cpu.has(f)).collect();
    if !found.is_empty() {
        return q.available(found.join(" "));
    }
    match machine.kernel.arch.as_deref() {
        Some("aarch64") => q.available("dc civac"),
        _ => q.limited(
            "no instruction for it in user space; caches are evicted by reading",
            "none: the processor has no such instruction",
        ),
    }
}
