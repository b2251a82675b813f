//! The lines of a card: one fact each, for people.

use super::{count, emulated, known};
use machine::text::binary_size;
use machine::{CacheKind, Machine};

/// What is known, each with its label, in the order that people read.
pub fn of(machine: &Machine) -> Vec<(String, String)> {
    let lines = [
        ("processor", processor(machine)),
        ("board", machine.cpu.board.clone()),
        ("topology", Some(topology(machine))),
        ("caches", caches(machine)),
        ("features", features(machine)),
        ("memory", memory(machine)),
        ("pages", Some(pages(machine))),
        ("kernel", Some(kernel(machine))),
        ("clock", clock(machine)),
        ("clock rate", Some(clock_rate(machine))),
        ("mitigations", mitigated(machine)),
        ("guest of", hypervisor(machine)),
        ("emulated by", emulated(machine)),
        ("container", container(machine)),
        ("offload", offload(machine)),
        ("persistent", persistent(machine)),
        ("unreadable", unreadable(machine)),
    ];
    lines
        .into_iter()
        .filter_map(|(label, value)| Some((label.to_owned(), value?)))
        .collect()
}

fn processor(machine: &Machine) -> Option<String> {
    let model = machine.cpu.model.as_deref()?;
    let arch = machine.kernel.arch.as_deref();
    Some(format!(
        "{model}, {}",
        arch.unwrap_or("unknown architecture")
    ))
}

fn topology(machine: &Machine) -> String {
    let topology = &machine.topology;
    let mut parts = vec![
        plural(topology.sockets, "socket"),
        plural(topology.cores, "core"),
        plural(count(topology.cpus.len()), "CPU"),
        plural(count(machine.numa.nodes.len()).max(1), "NUMA node"),
    ];
    let usable = machine.usable_cpus();
    if usable.len() < topology.cpus.len() {
        parts.push(format!("usable here: {usable}"));
    }
    parts.join(", ")
}

fn plural(number: u32, word: &str) -> String {
    match number {
        1 => format!("1 {word}"),
        _ => format!("{number} {word}s"),
    }
}

/// `L1d 48 KiB, 12 ways, 64 B lines, 2 instances`, one level after the other.
fn caches(machine: &Machine) -> Option<String> {
    let described: Vec<String> = machine.caches.iter().map(describe_cache).collect();
    (!described.is_empty()).then(|| described.join("; "))
}

fn describe_cache(cache: &machine::Cache) -> String {
    let letter = match cache.kind {
        CacheKind::Data => "d",
        CacheKind::Instruction => "i",
        CacheKind::Unified => "",
    };
    let size = cache
        .size_bytes
        .map_or("size not stated".to_owned(), binary_size);
    let ways = cache.ways.map_or(String::new(), |w| format!(", {w} ways"));
    let instances = match cache.instances.len() {
        1 => String::new(),
        number => format!(", x{number}"),
    };
    format!("L{}{letter} {size}{ways}{instances}", cache.level)
}

/// Of the copying features the ones that choose a method; the full list is in
/// the card's `features`.
fn features(machine: &Machine) -> Option<String> {
    const CHOOSING: [&str; 16] = [
        "erms",
        "fsrm",
        "avx2",
        "avx512f",
        "avx512bw",
        "avx512vl",
        "clflushopt",
        "clwb",
        "movdiri",
        "movdir64b",
        "enqcmd",
        "serialize",
        "neon",
        "asimd",
        "sve",
        "mops",
    ];
    let present: Vec<&str> = CHOOSING
        .into_iter()
        .filter(|f| machine.cpu.has(f))
        .collect();
    (!present.is_empty()).then(|| present.join(" "))
}

fn memory(machine: &Machine) -> Option<String> {
    let total = binary_size(machine.memory.total_bytes?);
    Some(match machine.memory.available_bytes {
        Some(available) => format!("{total}, {} available", binary_size(available)),
        None => total,
    })
}

fn pages(machine: &Machine) -> String {
    let pages = &machine.pages;
    let base = pages.base_bytes.map_or("unknown".to_owned(), binary_size);
    let thp = match &pages.transparent.enabled {
        Some(thp) => format!("transparent huge pages {}", thp.chosen),
        None => "no transparent huge pages".to_owned(),
    };
    let pools: Vec<String> = pages
        .hugetlb
        .iter()
        .filter(|p| p.pages.unwrap_or(0) > 0)
        .map(|p| format!("{} x {}", p.pages.unwrap_or(0), binary_size(p.page_bytes)))
        .collect();
    let reserved = match pools.is_empty() {
        true => "none reserved".to_owned(),
        false => format!("reserved {}", pools.join(" and ")),
    };
    format!("{base}; {thp}; {reserved}")
}

fn kernel(machine: &Machine) -> String {
    let kernel = &machine.kernel;
    let mut parts = vec![known(kernel.release.as_deref())];
    parts.extend(kernel.preemption.as_ref().map(|p| p.value.clone()));
    parts.extend(kernel.hz.as_ref().map(|hz| {
        let inferred = if hz.by.starts_with("inferred") {
            " (inferred)"
        } else {
            ""
        };
        format!("HZ {}{inferred}", hz.value)
    }));
    parts.join(", ")
}

fn clock(machine: &Machine) -> Option<String> {
    let current = machine.clocksource.current.as_deref()?;
    let tsc = match (machine.cpu.has("sse2"), machine.cpu.tsc.invariant()) {
        (true, true) => ", TSC invariant",
        (true, false) => ", TSC not guaranteed invariant",
        (false, _) => "",
    };
    Some(format!("{current}{tsc}"))
}

fn clock_rate(machine: &Machine) -> String {
    let frequency = &machine.frequency;
    let Some(policy) = frequency.policies.first() else {
        return "not visible (no cpufreq)".to_owned();
    };
    let governor = frequency
        .governor()
        .unwrap_or_else(|| "no governor".to_owned());
    let driver = policy.driver.as_deref().unwrap_or("unknown driver");
    let range = match (policy.allowed_min_khz, policy.allowed_max_khz) {
        (Some(min), Some(max)) => format!(", {} to {} MHz", min / 1000, max / 1000),
        _ => String::new(),
    };
    let boost = match frequency.boost {
        Some(true) => ", boost on",
        Some(false) => ", boost off",
        None => "",
    };
    format!("{governor} ({driver}){range}{boost}")
}

fn mitigated(machine: &Machine) -> Option<String> {
    let names = |wanted: fn(&machine::mitigations::Vulnerability) -> bool| {
        let found = machine.mitigations.iter().filter(|v| wanted(v));
        found.map(|v| v.name.as_str()).collect::<Vec<_>>()
    };
    let mitigated = names(machine::mitigations::Vulnerability::is_mitigated);
    let open = names(machine::mitigations::Vulnerability::is_open);
    let parts = [("mitigated", mitigated), ("vulnerable", open)];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(word, names)| format!("{word}: {}", names.join(" ")))
        .collect();
    match (parts.is_empty(), machine.mitigations.is_empty()) {
        (_, true) => None,
        (true, _) => Some("none needed".to_owned()),
        (false, _) => Some(parts.join("; ")),
    }
}

fn hypervisor(machine: &Machine) -> Option<String> {
    let witness = machine.virtualisation.hypervisor.as_ref()?;
    let stolen = machine.virtualisation.steal.map_or(String::new(), |s| {
        format!(", {:.2} % stolen since boot", s.share() * 100.0)
    });
    Some(format!(
        "{} (by {}){stolen}",
        witness.name, witness.evidence
    ))
}

fn container(machine: &Machine) -> Option<String> {
    let witness = machine.virtualisation.container.as_ref()?;
    let quota = machine.cgroup.quota.as_ref();
    let quota = quota.map_or(String::new(), |q| format!(", quota {:.2} CPUs", q.cpus()));
    Some(format!("{} (by {}){quota}", witness.name, witness.evidence))
}

fn offload(machine: &Machine) -> Option<String> {
    let mut parts = Vec::new();
    if !machine.dma.is_empty() {
        let mut drivers: Vec<&str> = machine
            .dma
            .iter()
            .filter_map(|c| c.driver.as_deref())
            .collect();
        drivers.sort_unstable();
        drivers.dedup();
        let channels = plural(count(machine.dma.len()), "DMA channel");
        parts.push(format!("{channels} ({})", drivers.join(" ")));
    }
    for device in &machine.accelerators {
        let enabled = device.queues.iter().filter(|q| q.is_enabled()).count();
        parts.push(format!(
            "{} with {}",
            device.name,
            plural(count(enabled), "enabled queue")
        ));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn persistent(machine: &Machine) -> Option<String> {
    let pmem = &machine.persistent;
    let regions = pmem.regions.iter().map(|r| {
        let size = r.size_bytes.map_or("unknown size".to_owned(), binary_size);
        let domain = r.persistence_domain.as_deref().unwrap_or("unknown domain");
        format!("{} {size}, {domain}", r.name)
    });
    let text = regions.collect::<Vec<_>>().join("; ");
    (!text.is_empty()).then_some(text)
}

fn unreadable(machine: &Machine) -> Option<String> {
    let number = machine.problems.len();
    (number > 0).then(|| format!("{} (see the full reading)", plural(count(number), "file")))
}
