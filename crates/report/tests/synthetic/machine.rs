//! A machine that does not exist, with the caches of a current server.

use record::{Cache, CacheKind, MachineCard};

fn cache(level: u32, kind: CacheKind, size_bytes: u64, ways: u32, shared: u32) -> Cache {
    Cache {
        level,
        kind,
        size_bytes,
        line_bytes: Some(64),
        ways: Some(ways),
        shared_by: (0..shared).collect(),
        instances: 2 / shared,
    }
}

pub fn card() -> MachineCard {
    let line = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    MachineCard {
        host: "synthetic".to_owned(),
        cpu_model: "Example CPU 8592 (synthetic)".to_owned(),
        arch: "x86_64".to_owned(),
        sockets: 1,
        cores: 2,
        cpus: 2,
        numa_nodes: 1,
        caches: vec![
            cache(1, CacheKind::Data, 48 << 10, 12, 1),
            cache(1, CacheKind::Instruction, 32 << 10, 8, 1),
            cache(2, CacheKind::Unified, 2 << 20, 16, 1),
            cache(3, CacheKind::Unified, 260 << 20, 20, 2),
        ],
        memory_bytes: 8 << 30,
        page_bytes: 4096,
        features: [
            "erms",
            "fsrm",
            "avx2",
            "avx512f",
            "clflushopt",
            "clwb",
            "movdir64b",
        ]
        .map(str::to_owned)
        .to_vec(),
        kernel: "6.18.0".to_owned(),
        preemption: "voluntary".to_owned(),
        governor: None,
        clocksource: Some("tsc".to_owned()),
        hypervisor: Some("KVM".to_owned()),
        emulated: None,
        mitigations: vec!["spectre_v2: IBRS".to_owned()],
        transparent_hugepages: Some("madvise".to_owned()),
        lines: vec![
            line("processor", "Example CPU 8592 (synthetic), x86_64"),
            line("topology", "1 socket, 2 cores, 2 CPUs, 1 NUMA node"),
            line(
                "caches",
                "L1d 48 KiB/12 ways, L1i 32 KiB, L2 2 MiB/16 ways, L3 260 MiB/20 ways shared",
            ),
            line(
                "memory",
                "8 GiB, 4 KiB pages, transparent huge pages: madvise",
            ),
            line(
                "features",
                "erms fsrm avx2 avx512f clflushopt clwb movdir64b",
            ),
            line("kernel", "Linux 6.18.0, PREEMPT_VOLUNTARY, 250 Hz"),
            line(
                "mitigations",
                "spectre_v2: IBRS; spec_store_bypass: prctl; rest not affected",
            ),
            line("frequency", "no cpufreq driver"),
            line("clocksource", "tsc, invariant"),
            line("virtualised", "KVM"),
        ],
        places: Vec::new(),
        configured_hz: None,
    }
}
