//! Where the usable CPUs are: what each shares with which others.

use machine::{CpuList, Machine};
use record::CpuPlace;

/// The place of each CPU that this process may use.
pub fn of(machine: &Machine) -> Vec<CpuPlace> {
    let last_level = |cpu: u32| {
        let over = |c: &&machine::Cache| c.holds_data() && sharing(c, cpu).is_some();
        let cache = machine.caches.iter().filter(over).max_by_key(|c| c.level)?;
        sharing(cache, cpu)?.first()
    };
    let usable = machine.usable_cpus();
    let cpus = machine.topology.cpus.iter();
    cpus.filter(|c| usable.contains(c.cpu))
        .map(|c| CpuPlace {
            cpu: c.cpu,
            core: c.siblings.first().unwrap_or(c.cpu),
            last_level: last_level(c.cpu),
            socket: c.socket,
            node: c.node,
        })
        .collect()
}

/// The CPUs that share a cache's instance with `cpu`.
fn sharing(cache: &machine::Cache, cpu: u32) -> Option<&CpuList> {
    cache.instances.iter().find(|list| list.contains(cpu))
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::CacheKind;

    #[test]
    fn usable_cpus_are_placed_by_what_they_share() {
        let mut machine = Machine::default();
        let cpu = |cpu, siblings: &str, socket| machine::topology::LogicalCpu {
            cpu,
            socket,
            siblings: siblings.parse().unwrap(),
            node: Some(socket),
            ..machine::topology::LogicalCpu::default()
        };
        machine.topology.cpus = vec![cpu(0, "0,2", 0), cpu(1, "1", 1), cpu(2, "0,2", 0)];
        machine.process.allowed_cpus = Some("1-2".parse().unwrap());
        let cache = |level, kind, instances: [&str; 2]| machine::Cache {
            level,
            kind,
            size_bytes: None,
            line_bytes: None,
            ways: None,
            sets: None,
            instances: instances.map(|list| list.parse().unwrap()).to_vec(),
        };
        machine.caches = vec![
            cache(1, CacheKind::Instruction, ["0,2", "1"]),
            cache(3, CacheKind::Unified, ["0,2", "1"]),
        ];
        let place = |cpu, first, socket| CpuPlace {
            cpu,
            core: first,
            last_level: Some(first),
            socket,
            node: Some(socket),
        };
        assert_eq!(of(&machine), [place(1, 1, 1), place(2, 0, 0)]);
        machine.caches.clear();
        assert!(of(&machine).iter().all(|p| p.last_level.is_none()));
    }
}
