//! The machine card of a record, from the full reading of the machine.
//!
//! `machine` and `record` do not know each other; this is where they meet.

mod lines;
mod places;

use machine::{CacheKind, Machine};
use record::MachineCard;

/// What may be taken of memory, bytes: MemAvailable, else what sysinfo(2) calls free,
/// which /proc is not needed for.
pub fn memory_available_bytes(machine: &Machine) -> u64 {
    machine.memory.available_bytes.unwrap_or_else(|| {
        let system = rustix::system::sysinfo();
        let units = u64::from(system.mem_unit.max(1));
        #[allow(clippy::useless_conversion, reason = "a long is of 32 bits elsewhere")]
        let free = u64::from(system.freeram) + u64::from(system.bufferram);
        free.saturating_mul(units)
    })
}

/// The few facts that reports and comparisons need, with lines for people.
pub fn card(machine: &Machine) -> MachineCard {
    let kernel = &machine.kernel;
    let topology = &machine.topology;
    let thp = machine.pages.transparent.enabled.as_ref();
    let hypervisor = machine.virtualisation.hypervisor.as_ref();
    MachineCard {
        host: known(kernel.host.as_deref()),
        cpu_model: known(machine.cpu.model.as_deref()),
        arch: known(kernel.arch.as_deref()),
        sockets: topology.sockets,
        cores: topology.cores,
        cpus: count(topology.cpus.len()),
        numa_nodes: count(machine.numa.nodes.len()).max(1),
        caches: machine.caches.iter().filter_map(cache).collect(),
        memory_bytes: machine.memory.total_bytes.unwrap_or(0),
        page_bytes: machine.pages.base_bytes.unwrap_or(0),
        features: machine.cpu.features.clone(),
        kernel: known(kernel.release.as_deref()),
        // Not what the coarse clock states: that is a method of its own.
        configured_hz: kernel.config.number("HZ"),
        preemption: known(kernel.preemption.as_ref().map(|p| p.value.as_str())),
        governor: machine.frequency.governor(),
        clocksource: machine.clocksource.current.clone(),
        hypervisor: hypervisor.map(|h| h.name.clone()),
        emulated: emulated(machine),
        mitigations: mitigations(machine),
        transparent_hugepages: thp.map(|t| t.chosen.clone()),
        lines: lines::of(machine),
        places: places::of(machine),
    }
}

fn known(text: Option<&str>) -> String {
    text.unwrap_or("unknown").to_owned()
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// `None` for a cache whose size firmware does not state: the card has no
/// place for an unknown size, its line does.
fn cache(cache: &machine::Cache) -> Option<record::Cache> {
    let first = cache.instances.first()?;
    Some(record::Cache {
        level: cache.level,
        kind: match cache.kind {
            CacheKind::Data => record::CacheKind::Data,
            CacheKind::Instruction => record::CacheKind::Instruction,
            CacheKind::Unified => record::CacheKind::Unified,
        },
        size_bytes: cache.size_bytes?,
        line_bytes: cache.line_bytes,
        ways: cache.ways,
        shared_by: first.numbers().to_vec(),
        instances: count(cache.instances.len()),
    })
}

/// Those that cost time or are left open; what does not apply is not listed.
fn mitigations(machine: &Machine) -> Vec<String> {
    let felt = machine
        .mitigations
        .iter()
        .filter(|v| v.is_mitigated() || v.is_open());
    felt.map(|v| format!("{}: {}", v.name, v.state)).collect()
}

fn emulated(machine: &Machine) -> Option<String> {
    let witness = machine.virtualisation.emulated.as_ref()?;
    Some(format!("{} (by {})", witness.name, witness.evidence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_machine_still_has_a_card() {
        let card = card(&Machine::default());
        assert_eq!(card.cpu_model, "unknown");
        assert_eq!(card.numa_nodes, 1);
        assert!(card.lines.iter().any(|(label, _)| label == "kernel"));
    }

    #[test]
    fn a_cache_without_a_size_is_in_the_lines_only() {
        let mut machine = Machine::default();
        machine.caches.push(machine::Cache {
            level: 1,
            kind: CacheKind::Data,
            size_bytes: None,
            line_bytes: None,
            ways: None,
            sets: None,
            instances: vec!["0-3".parse().unwrap()],
        });
        let card = card(&machine);
        assert!(card.caches.is_empty());
        let line = card
            .lines
            .iter()
            .find(|(label, _)| label == "caches")
            .unwrap();
        assert_eq!(line.1, "L1d size not stated");
    }
}
