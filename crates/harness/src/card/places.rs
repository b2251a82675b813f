//! Where the usable CPUs are: what each shares with which others.

use machine::topology::LogicalCpu;
use machine::{CpuList, Machine};
use record::CpuPlace;

/// The place of each CPU that this process may use.
pub fn of(machine: &Machine) -> Vec<CpuPlace> {
    let usable = machine.usable_cpus();
    let cpus = machine.topology.cpus.iter();
    cpus.filter(|c| usable.contains(c.cpu))
        .map(|c| CpuPlace {
            cpu: c.cpu,
            core: c.siblings.first().unwrap_or(c.cpu),
            cluster: cluster(machine, c),
            last_level: last_level(machine, c.cpu).and_then(CpuList::first),
            socket: c.socket,
            node: c.node,
        })
        .collect()
}

/// The CPUs under the last-level cache of `cpu`.
fn last_level(machine: &Machine, cpu: u32) -> Option<&CpuList> {
    let caches = machine.caches.iter().filter(|c| c.holds_data());
    let over = caches.filter_map(|c| Some((c.level, sharing(c, cpu)?)));
    over.max_by_key(|(level, _)| *level).map(|(_, cpus)| cpus)
}

/// The first CPU of the smallest group around `cpu` that is more than its core
/// and less than its last-level cache serves (less than its socket, where no
/// cache is listed): the cores of a module that share a second-level cache, or
/// what the kernel calls a cluster.
fn cluster(machine: &Machine, cpu: &LogicalCpu) -> Option<u32> {
    let socket = || {
        let all = machine.topology.cpus.iter();
        all.filter(|c| c.socket == cpu.socket).count()
    };
    let around = last_level(machine, cpu.cpu).map_or_else(socket, CpuList::len);
    let caches = machine.caches.iter().filter(|c| c.holds_data());
    let shared = caches.filter_map(|c| sharing(c, cpu.cpu));
    shared
        .chain(&cpu.cluster)
        .filter(|group| group.len() > cpu.siblings.len() && group.len() < around)
        .min_by_key(|group| group.len())?
        .first()
}

/// The CPUs that share a cache's instance with `cpu`.
fn sharing(cache: &machine::Cache, cpu: u32) -> Option<&CpuList> {
    cache.instances.iter().find(|list| list.contains(cpu))
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::CacheKind;

    fn cpu(cpu: u32, siblings: &str, socket: u32) -> LogicalCpu {
        LogicalCpu {
            cpu,
            socket,
            siblings: siblings.parse().unwrap(),
            node: Some(socket),
            ..LogicalCpu::default()
        }
    }

    fn cache(level: u32, kind: CacheKind, instances: &[&str]) -> machine::Cache {
        machine::Cache {
            level,
            kind,
            size_bytes: None,
            line_bytes: None,
            ways: None,
            sets: None,
            instances: instances.iter().map(|list| list.parse().unwrap()).collect(),
        }
    }

    fn clusters(machine: &Machine) -> Vec<Option<u32>> {
        of(machine).iter().map(|p| p.cluster).collect()
    }

    #[test]
    fn a_cache_between_core_and_last_level_makes_a_cluster() {
        // A core of two threads and two modules of two cores, as in a mixed
        // machine of Intel's: no cluster where the second level is the core's.
        let mut machine = Machine::default();
        machine.topology.cpus = vec![cpu(0, "0-1", 0), cpu(1, "0-1", 0)];
        for number in 2..6 {
            let single = cpu(number, &number.to_string(), 0);
            machine.topology.cpus.push(single);
        }
        let second = cache(2, CacheKind::Unified, &["0-1", "2-3", "4-5"]);
        machine.caches = vec![second, cache(3, CacheKind::Unified, &["0-5"])];
        let two_modules = [None, None, Some(2), Some(2), Some(4), Some(4)];
        assert_eq!(clusters(&machine), two_modules);
        // Without a third level the modules are under caches of their own.
        machine.caches.pop();
        assert_eq!(clusters(&machine), [None; 6]);
    }

    #[test]
    fn what_the_kernel_calls_a_cluster_is_one_where_it_is_smaller() {
        let mut machine = Machine::default();
        let group = |number: u32| LogicalCpu {
            cluster: Some(["0-1", "2-3"][number as usize / 2].parse().unwrap()),
            ..cpu(number, &number.to_string(), 0)
        };
        machine.topology.cpus = (0..4).map(group).collect();
        let expected = [Some(0), Some(0), Some(2), Some(2)];
        assert_eq!(clusters(&machine), expected);
        machine.caches = vec![cache(3, CacheKind::Unified, &["0-3"])];
        assert_eq!(clusters(&machine), expected);
        machine.caches = vec![cache(3, CacheKind::Unified, &["0-1", "2-3"])];
        assert_eq!(clusters(&machine), [None; 4]);
    }

    #[test]
    fn usable_cpus_are_placed_by_what_they_share() {
        let mut machine = Machine::default();
        machine.topology.cpus = vec![cpu(0, "0,2", 0), cpu(1, "1", 1), cpu(2, "0,2", 0)];
        machine.process.allowed_cpus = Some("1-2".parse().unwrap());
        machine.caches = vec![
            cache(1, CacheKind::Instruction, &["0,2", "1"]),
            cache(3, CacheKind::Unified, &["0,2", "1"]),
        ];
        let place = |cpu, first, socket| CpuPlace {
            cpu,
            core: first,
            cluster: None,
            last_level: Some(first),
            socket,
            node: Some(socket),
        };
        assert_eq!(of(&machine), [place(1, 1, 1), place(2, 0, 0)]);
        machine.caches.clear();
        assert!(of(&machine).iter().all(|p| p.last_level.is_none()));
    }
}
