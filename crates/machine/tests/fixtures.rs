//! Each stored machine reads as what it is.

use machine::limits::Bound;
use machine::{Access, Cache, CacheKind, Machine};
use std::path::{Path, PathBuf};

const ALL: [&str; 8] = [
    "beaglebone-black",
    "epyc-container",
    "firecracker-vm",
    "malformed",
    "qemu-tcg-pc",
    "qemu-tcg-versal",
    "raspberry-pi-4",
    "xeon-two-socket",
];

fn root(name: &str) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.join("../../fixtures/machines").join(name).join("root")
}

fn read(name: &str) -> Machine {
    let machine = machine::read(&root(name));
    if name != "malformed" {
        assert_eq!(machine.problems, [], "{name}");
    }
    machine
}

/// (level, kind, KiB, ways, instances, CPUs of the first)
type Shape = (u32, CacheKind, u64, u32, usize, String);

fn shape(cache: &Cache) -> Shape {
    (
        cache.level,
        cache.kind,
        cache.size_bytes.unwrap_or(0) >> 10,
        cache.ways.unwrap_or(0),
        cache.instances.len(),
        cache.instances[0].to_string(),
    )
}

fn shapes(machine: &Machine) -> Vec<Shape> {
    machine.caches.iter().map(shape).collect()
}

/// Sockets, cores, CPUs, threads of a core, nodes.
fn counts(machine: &Machine) -> (u32, u32, usize, u32, usize) {
    let t = &machine.topology;
    let nodes = machine.numa.nodes.len();
    (t.sockets, t.cores, t.cpus.len(), t.threads_per_core, nodes)
}

fn told<T: Clone>(told: &Option<machine::kernel::Told<T>>) -> Option<(T, &str)> {
    told.as_ref().map(|t| (t.value.clone(), t.by.as_str()))
}

#[test]
fn every_tree_is_in_the_list() {
    let folder = root("malformed").join("../..");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ALL);
}

#[test]
fn every_tree_says_whether_it_is_written_or_captured() {
    for name in ALL {
        let text = std::fs::read_to_string(root(name).join("../README.md")).unwrap();
        let captured = text.contains("CAPTURED with");
        assert!(captured != text.contains("WRITTEN, NOT CAPTURED"), "{name}");
    }
}

#[test]
fn sizes_of_caches_are_their_ways_times_sets_times_lines() {
    for name in ALL.into_iter().filter(|n| *n != "malformed") {
        let caches = read(name).caches.into_iter();
        // An emulated board states no sizes.
        let stated = |c: &Cache| !name.starts_with("qemu-tcg") || c.size_bytes.is_some();
        for cache in caches.filter(stated) {
            let (ways, sets) = (cache.ways.unwrap(), cache.sets.unwrap());
            let product = u64::from(ways) * u64::from(sets) * u64::from(cache.line_bytes.unwrap());
            assert_eq!(cache.size_bytes, Some(product), "{name} {cache:?}");
        }
    }
}

#[test]
fn json_keeps_everything() {
    for name in ALL {
        let machine = read(name);
        let text = serde_json::to_string(&machine).unwrap();
        let back: Machine = serde_json::from_str(&text).unwrap();
        assert_eq!(back, machine, "{name}");
    }
}

mod firecracker {
    use super::*;

    #[test]
    fn processor() {
        let m = read("firecracker-vm");
        assert_eq!(counts(&m), (1, 2, 2, 1, 1));
        assert_eq!(
            shapes(&m),
            [
                (1, CacheKind::Data, 48, 12, 2, "0".into()),
                (1, CacheKind::Instruction, 32, 8, 2, "0".into()),
                (2, CacheKind::Unified, 2048, 16, 2, "0".into()),
                (3, CacheKind::Unified, 266_240, 20, 1, "0-1".into()),
            ]
        );
        let features = [
            "erms",
            "fsrm",
            "avx2",
            "avx512f",
            "clwb",
            "movdir64b",
            "serialize",
        ];
        assert!(features.iter().all(|feature| m.cpu.has(feature)));
        assert!(m.cpu.tsc.invariant() && m.cpu.tsc.known_frequency);
        assert_eq!(m.frequency.governor(), None);
    }

    #[test]
    fn kernel() {
        let m = read("firecracker-vm");
        let preemption = Some((
            "PREEMPT_DYNAMIC (none)".into(),
            "default of /proc/config.gz",
        ));
        assert_eq!(told(&m.kernel.preemption), preemption);
        assert_eq!(told(&m.kernel.hz), Some((250, "/proc/config.gz")));
        assert_eq!(m.kernel.modules, Some(false));
        assert!(m.kernel.config.is_left_out("KPROBES"));
        assert_eq!(m.kernel.host.as_deref(), Some("fixture"));
        assert_eq!(m.clocksource.available, ["tsc", "kvm-clock"]);
        assert_eq!(m.tracing.supported, Some(true));
        assert_eq!(m.tracing.mount, None);
    }

    #[test]
    fn guest() {
        let m = read("firecracker-vm");
        let right = |right| m.process.has(right);
        assert!(right(machine::process::Right::SysNice));
        assert!(!right(machine::process::Right::SysResource));
        assert_eq!(m.virtualisation.hypervisor.unwrap().name, "KVM");
        assert!(m.virtualisation.steal.unwrap().share() > 0.0);
        assert_eq!(m.virtualisation.container.unwrap().name, "docker");
        assert_eq!(m.cgroup.quota, None);
        assert_eq!(m.pages.transparent.enabled.unwrap().chosen, "madvise");
        assert!(m.dma.is_empty() && m.accelerators.is_empty() && m.persistent.is_absent());
    }
}

mod emulated {
    use super::*;

    fn evidence(name: &str) -> Option<String> {
        read(name).virtualisation.emulated.map(|w| w.evidence)
    }

    #[test]
    fn by_the_processors_name_or_the_board() {
        let m = read("qemu-tcg-pc");
        assert_eq!(counts(&m), (1, 2, 2, 1, 1));
        assert_eq!(m.virtualisation.hypervisor.unwrap().name, "QEMU");
        assert_eq!(evidence("qemu-tcg-pc").as_deref(), Some("/proc/cpuinfo"));
        assert_eq!(read("qemu-tcg-versal").topology.cpus.len(), 2);
        let board = evidence("qemu-tcg-versal");
        assert_eq!(board.as_deref(), Some("/proc/device-tree/model"));
    }

    #[test]
    fn nothing_else_is() {
        for name in ALL.iter().filter(|name| !name.starts_with("qemu-tcg")) {
            assert_eq!(evidence(name), None, "{name}");
        }
    }
}

mod xeon {
    use super::*;

    #[test]
    fn processor() {
        let m = read("xeon-two-socket");
        assert_eq!(counts(&m), (2, 4, 8, 2, 3));
        assert_eq!(
            shapes(&m),
            [
                (1, CacheKind::Data, 48, 12, 4, "0,4".into()),
                (1, CacheKind::Instruction, 32, 8, 4, "0,4".into()),
                (2, CacheKind::Unified, 2048, 16, 4, "0,4".into()),
                (3, CacheKind::Unified, 61_440, 15, 2, "0-1,4-5".into()),
            ]
        );
        let cpu = m.topology.cpu(6).unwrap();
        assert_eq!((cpu.socket, cpu.node), (1, Some(1)));
        assert_eq!(cpu.siblings.to_string(), "2,6");
        assert_eq!(cpu.cluster.as_ref().unwrap().to_string(), "2,6");
        assert_eq!(m.topology.smt_active, Some(true));
        assert!(m.cpu.has("enqcmd") && m.cpu.has("fsrm"));
        assert_eq!(m.virtualisation.hypervisor, None);
    }

    #[test]
    fn memory() {
        let m = read("xeon-two-socket");
        let last = &m.numa.nodes[2];
        assert!(last.cpus.is_empty());
        assert_eq!(last.distances, [17, 28, 10]);
        assert_eq!(last.memory_bytes, Some(126_000_000 << 10));
        assert_eq!(m.pages.pool(2 << 20).unwrap().free, Some(512));
        let pmem = &m.persistent;
        let domain = pmem.regions[1].persistence_domain.as_deref();
        assert_eq!(domain, Some("cpu_cache"));
        // The seed namespace0.1, of no size, is not one.
        let names: Vec<&str> = pmem.namespaces.iter().map(|n| n.name.as_str()).collect();
        assert_eq!(names, ["namespace0.0", "namespace1.0"]);
        assert_eq!(pmem.dax_devices[0].driver.as_deref(), Some("device_dax"));
        assert_eq!(pmem.dax_devices[1].driver.as_deref(), Some("kmem"));
        assert_eq!(pmem.block_devices, ["pmem0"]);
        assert_eq!(pmem.dax_mounts, ["/mnt/pmem0"]);
    }

    #[test]
    fn offload() {
        let m = read("xeon-two-socket");
        let used = |i: usize| (m.dma[i].name.as_str(), m.dma[i].in_use, m.dma[i].node);
        assert_eq!(used(1), ("dma1chan0", Some(1), Some(0)));
        assert_eq!(used(2), ("dma2chan0", Some(0), Some(1)));
        assert!(m.dma.iter().all(|c| c.driver.as_deref() == Some("ioatdma")));
        assert!(m.dma.iter().all(|c| c.copies_memory() == Some(true)));
        let devices = m
            .accelerators
            .iter()
            .map(|a| (a.name.as_str(), a.moves_data()));
        let devices: Vec<_> = devices.collect();
        assert_eq!(devices, [("dsa0", true), ("dsa2", true), ("iax1", false)]);
        let queues = &m.accelerators[0].queues;
        assert_eq!(queues[0].purpose.as_deref(), Some("kernel"));
        assert_eq!(queues[1].mode.as_deref(), Some("shared"));
        assert_eq!(queues[1].device_node.as_deref(), Some("/dev/dsa/wq0.1"));
        assert!(!m.accelerators[1].queues[0].is_enabled());
    }

    #[test]
    fn rights_and_settings() {
        let m = read("xeon-two-socket");
        assert_eq!(m.process.uid, Some(1000));
        assert_eq!(m.usable_cpus().to_string(), "0-2,4-6");
        assert_eq!(m.boot.isolated.to_string(), "3,7");
        assert_eq!(m.boot.nohz_full.to_string(), "3,7");
        assert_eq!(m.boot.value("rcu_nocbs"), Some("3,7"));
        assert!(!m.boot.has("root"));
        assert_eq!(
            m.limits.locked_memory_bytes.unwrap().soft,
            Bound::At(8 << 20)
        );
        assert_eq!(m.cgroup.quota, None);
        assert_eq!(m.cgroup.weight, Some(100));
        assert_eq!(m.security.lockdown.unwrap().chosen, "none");
        assert_eq!(m.security.perf_event_paranoid, Some(3));
    }

    #[test]
    fn kernel() {
        let m = read("xeon-two-socket");
        assert_eq!(m.tracing.access, Access::Readable);
        assert_eq!(m.tracing.event_groups, ["kmem", "sched", "syscalls"]);
        assert_eq!(m.tracing.sched_switch_id, Some(315));
        assert_eq!(m.frequency.boost, Some(true));
        assert_eq!(m.frequency.policies.len(), 8);
        assert_eq!(m.frequency.policies[0].base_khz, Some(2_100_000));
        assert_eq!(m.frequency.idle.states[3].exit_latency_us, Some(290));
        let by = "default of /boot/config-6.12.0-example";
        let preemption = Some(("PREEMPT_DYNAMIC (voluntary)".into(), by));
        assert_eq!(told(&m.kernel.preemption), preemption);
    }
}

mod epyc {
    use super::*;

    #[test]
    fn two_last_level_caches_in_one_socket() {
        let m = read("epyc-container");
        assert_eq!(counts(&m), (1, 4, 8, 2, 1));
        let l3 = m.caches.last().unwrap();
        let groups: Vec<String> = l3.instances.iter().map(ToString::to_string).collect();
        assert_eq!(groups, ["0-1,4-5", "2-3,6-7"]);
        assert!(!m.cpu.has("avx512f") && m.cpu.has("clzero"));
    }

    #[test]
    fn bounds_of_the_container() {
        let m = read("epyc-container");
        let quota = m.cgroup.quota.as_ref().unwrap();
        assert!((quota.cpus() - 4.0).abs() < 1e-12);
        assert_eq!(quota.path, "/sys/fs/cgroup/cpu.max");
        assert_eq!(m.cgroup.memory_limit_bytes, Some(8 << 30));
        assert_eq!(m.cgroup.cpus.as_ref().unwrap().to_string(), "0-3");
        assert_eq!(m.usable_cpus().to_string(), "0-3");
        assert_eq!(m.virtualisation.container.unwrap().name, "docker");
        assert_eq!(m.virtualisation.hypervisor, None);
        assert_eq!(m.security.lockdown.unwrap().chosen, "integrity");
        assert_eq!(m.security.ptrace_scope, Some(2));
    }

    #[test]
    fn engines_and_clock_rate() {
        let m = read("epyc-container");
        let drivers: Vec<_> = m.dma.iter().map(|c| c.driver.as_deref().unwrap()).collect();
        assert_eq!(drivers, ["ptdma", "ccp", "ccp"]);
        assert_eq!((m.dma[0].node, m.dma[1].node), (Some(0), None));
        assert_eq!(m.frequency.governor().as_deref(), Some("performance"));
        assert_eq!(m.frequency.pstate_mode.as_deref(), Some("active"));
        assert_eq!(m.frequency.idle.states[2].disabled, Some(true));
        // No configuration in the container: neither is guessed.
        assert_eq!(
            told(&m.kernel.preemption),
            Some(("PREEMPT_DYNAMIC".into(), "uname -v"))
        );
        assert_eq!(m.kernel.hz, None);
    }
}

mod boards {
    use super::*;

    #[test]
    fn raspberry_pi() {
        let m = read("raspberry-pi-4");
        assert_eq!(counts(&m), (1, 4, 4, 1, 0));
        assert_eq!(m.cpu.model.as_deref(), Some("Cortex-A72"));
        assert_eq!(
            m.cpu.board.as_deref(),
            Some("Raspberry Pi 4 Model B Rev 1.2")
        );
        assert_eq!(m.kernel.arch.as_deref(), Some("aarch64"));
        assert_eq!(
            shapes(&m),
            [
                (1, CacheKind::Data, 32, 2, 4, "0".into()),
                (1, CacheKind::Instruction, 48, 3, 4, "0".into()),
                (2, CacheKind::Unified, 1024, 16, 1, "0-3".into()),
            ]
        );
        assert_eq!(m.cpu.features, ["asimd", "evtstrm"]);
        assert_eq!(m.frequency.policies[0].cpus.to_string(), "0-3");
        assert_eq!(m.clocksource.is_fast(), Some(true));
        assert_eq!(m.dma.len(), 4);
        assert_eq!(m.dma[3].copies_memory(), Some(true));
    }

    #[test]
    fn raspberry_pi_kernel() {
        let m = read("raspberry-pi-4");
        assert_eq!(
            told(&m.kernel.preemption),
            Some(("PREEMPT".into(), "uname -v"))
        );
        assert_eq!(m.kernel.hz, None);
        assert_eq!(m.kernel.modules, Some(true));
        let sizes: Vec<u64> = m.pages.hugetlb.iter().map(|p| p.page_bytes >> 10).collect();
        assert_eq!(sizes, [64, 2048, 32_768, 1_048_576]);
        let limit = m.limits.realtime_priority.unwrap();
        assert_eq!((limit.soft, limit.hard), (Bound::At(0), Bound::At(95)));
    }

    #[test]
    fn beaglebone() {
        let m = read("beaglebone-black");
        // Its physical_package_id is -1.
        assert_eq!(counts(&m), (1, 1, 1, 1, 0));
        assert_eq!(m.cpu.model.as_deref(), Some("Cortex-A8"));
        assert_eq!(m.kernel.arch.as_deref(), Some("armv7l"));
        assert!(m.caches.is_empty() && m.mitigations.is_empty());
        assert_eq!(m.cpu.features, ["neon", "vfpv3"]);
        assert_eq!(m.clocksource.is_fast(), Some(false));
        assert_eq!(
            told(&m.kernel.hz),
            Some((250, "/boot/config-5.10.168-example"))
        );
        assert_eq!(m.dma[0].copies_memory(), None);
        assert_eq!(m.pages.transparent.enabled, None);
        assert_eq!(m.cgroup.quota, None);
        assert_eq!(m.cgroup.weight, Some(1024));
        assert_eq!(m.load.cpu_pressure_percent, None);
    }
}

mod malformed {
    use super::*;

    #[test]
    fn every_damaged_file_is_named() {
        let m = read("malformed");
        let told: Vec<String> = m.problems.iter().map(ToString::to_string).collect();
        for (path, rest) in [
            (
                "/proc/cpuinfo",
                "line 1: expected a processor number, found \"zero\"",
            ),
            (
                "/proc/meminfo",
                "line 2: expected an amount in kB, found \"many kB\"",
            ),
            ("/proc/config.gz", "line 1: not gzip: invalid gzip header"),
            ("/proc/self/mounts", "line 4: expected device, point, type"),
            ("/proc/sys/kernel/version", "line 1: not UTF-8 text"),
            ("/proc/self/cgroup", "line 1: expected id:controllers:path"),
            ("/proc/self/limits", "line 2: expected two limits"),
            (
                "/sys/devices/system/cpu/cpu0/cache/index0/size",
                "line 1: expected a size",
            ),
            (
                "/sys/class/dma/dma0chan0/in_use",
                "line 1: expected a number, found \"-1\"",
            ),
            (
                "/sys/fs/cgroup/cpu.max",
                "line 1: expected a quota and a period",
            ),
            ("/proc/sys/kernel/hostname", ""),
        ] {
            let start = format!("cannot read {path}: {rest}");
            assert!(told.iter().any(|t| t.starts_with(&start)), "{start}");
        }
    }

    #[test]
    fn damage_stops_nobody() {
        let m = read("malformed");
        assert_eq!(m.topology.cpus.len(), 2);
        assert_eq!(m.cpu.model.as_deref(), Some("Damaged"));
        assert_eq!(m.memory.total_bytes, Some(4 << 30));
        // config.gz is damaged; the one in /boot answers.
        assert_eq!(
            told(&m.kernel.hz),
            Some((1000, "/boot/config-6.0.0-malformed"))
        );
        assert_eq!(m.frequency.governor().as_deref(), Some("performance"));
        assert_eq!(m.accelerators[0].state.as_deref(), Some("enabled"));
        assert_eq!(m.caches[0].size_bytes, None);
    }

    /// Damage that goes unnoticed would be a hole in a parser.
    #[test]
    fn most_of_the_tree_is_noticed() {
        assert!(read("malformed").problems.len() >= 60);
    }
}
