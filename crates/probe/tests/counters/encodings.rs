//! The tables hold the published codes, for the cores they are for.

use machine::cpu::Cpu;
use probe::counters::{Event, EventKind, GroupName, Table};

fn table(vendor: &str, family: &str, model: &str) -> Table {
    Table::of(&Cpu {
        vendor: Some(vendor.to_owned()),
        family: Some(family.to_owned()),
        model_number: Some(model.to_owned()),
        ..Cpu::default()
    })
}

/// The codes behind an alias, in any group.
fn codes(table: &Table, alias: &str) -> Vec<u64> {
    let event = find(table, alias);
    event.codes.iter().map(|c| c.config).collect()
}

fn find(table: &Table, alias: &str) -> Event {
    let all = GroupName::ALL.into_iter().flat_map(|g| table.events(g));
    let mut found = all.filter(|e| e.alias == alias);
    found
        .next()
        .unwrap_or_else(|| panic!("{} lacks {alias}", table.core))
}

fn hold(table: &Table, expected: &[(&str, &[u64])]) {
    for (alias, config) in expected {
        assert_eq!(codes(table, alias), *config, "{} {alias}", table.core);
    }
}

/// ARM DDI 0487 (common events) and the Cortex-A72 manual, DDI 0595.
const ARM_COMMON: &[(&str, &[u64])] = &[
    ("INST_RETIRED", &[0x08]),
    ("CPU_CYCLES", &[0x11]),
    ("EXC_RETURN", &[0x0a]),
    ("L1D_CACHE", &[0x04]),
    ("L1D_CACHE_REFILL", &[0x03]),
    ("L2D_CACHE", &[0x16]),
    ("L2D_CACHE_REFILL", &[0x17]),
    ("L1I_CACHE", &[0x14]),
    ("L1I_CACHE_REFILL", &[0x01]),
    ("BR_MIS_PRED", &[0x10]),
    ("BR_PRED", &[0x12]),
    ("L1D_TLB_REFILL", &[0x05]),
    ("L1I_TLB_REFILL", &[0x02]),
    ("MEM_ACCESS", &[0x13]),
    ("BUS_ACCESS", &[0x19]),
];

#[test]
fn cortex_a72() {
    let table = table("0x41", "8", "0xd08");
    assert_eq!(table.core, "ARM Cortex-A72");
    hold(&table, ARM_COMMON);
    hold(
        &table,
        &[
            ("LD_SPEC", &[0x70]),
            ("ST_SPEC", &[0x71]),
            ("BR_RETURN_SPEC", &[0x79]),
        ],
    );
    assert!(!table.branches_include_mispredicted);
}

#[test]
fn cortex_a53_and_other_armv8_count_what_retired() {
    for (part, core) in [
        ("0xd03", "ARM Cortex-A53"),
        ("0xd49", "ARMv8 (common events)"),
    ] {
        let table = table("0x41", "8", part);
        assert_eq!(table.core, core);
        hold(&table, ARM_COMMON);
        hold(
            &table,
            &[
                ("LD_SPEC", &[0x06]),
                ("ST_SPEC", &[0x07]),
                ("BR_RETURN_SPEC", &[0x0e]),
            ],
        );
        assert!(find(&table, "LD_SPEC").note.starts_with("retired"));
    }
}

/// libpfm4 4.13 (amd64_fam19h_zen3/zen4), Linux pmu-events amdzen3 to amdzen5.
const ZEN: &[(&str, &[u64])] = &[
    ("INST_RETIRED", &[0xc0]),
    ("CPU_CYCLES", &[0x76]),
    ("LD_SPEC", &[0x0129]),
    ("ST_SPEC", &[0x0229]),
    ("EXC_RETURN", &[0xc6]),
    ("BR_RETURN_SPEC", &[0xc8]),
    ("L2D_CACHE", &[0xf960]),
    ("L2D_CACHE_REFILL", &[0x0964]),
    // Bits 8 to 11 of an event's number stand in bits 32 to 35.
    ("L1I_CACHE", &[0x1_0000_1f8e]),
    ("L1I_CACHE_REFILL", &[0x1_0000_188e]),
    ("BR_MIS_PRED", &[0xc3]),
    ("BR_PRED", &[0xc2]),
    ("L1D_TLB_REFILL", &[0xff45]),
    ("L1I_TLB_REFILL", &[0x84]),
    ("MEM_ACCESS", &[0x0729]),
    ("BUS_ACCESS", &[0x4844]),
];

#[test]
fn amd_zen_3_to_5() {
    let cases = [
        ("25", "1", "AMD Zen 3"),
        ("25", "33", "AMD Zen 3"),
        ("25", "17", "AMD Zen 4"),
        ("25", "97", "AMD Zen 4"),
        ("25", "160", "AMD Zen 4"),
        ("26", "2", "AMD Zen 5"),
        ("26", "68", "AMD Zen 5"),
    ];
    for (family, model, core) in cases {
        let table = table("AuthenticAMD", family, model);
        assert_eq!(table.core, core, "family {family} model {model}");
        hold(&table, ZEN);
        assert!(table.branches_include_mispredicted);
        let (accesses, fills) = match core {
            // The six sources of a fill, for want of a name for all of them.
            "AMD Zen 3" => (0x40, (0x01 | 0x02 | 0x04 | 0x08 | 0x10 | 0x40) << 8 | 0x44),
            _ => (0x0729, 0xff44),
        };
        hold(
            &table,
            &[("L1D_CACHE", &[accesses]), ("L1D_CACHE_REFILL", &[fills])],
        );
    }
}

/// libpfm4 4.13 (skx), Linux 6.1 pmu-events icelakex and sapphirerapids.
const XEON: &[(&str, &[u64])] = &[
    ("LD_SPEC", &[0x81d0]),
    ("ST_SPEC", &[0x82d0]),
    ("EXC_RETURN", &[0x40c4]),
    ("BR_RETURN_SPEC", &[0x08c4]),
    // An access is a hit or a miss.
    ("L1D_CACHE", &[0x01d1, 0x08d1]),
    ("L1D_CACHE_REFILL", &[0x08d1]),
    ("L2D_CACHE", &[0xff24]),
    ("L2D_CACHE_REFILL", &[0x3f24]),
    ("BR_MIS_PRED", &[0xc5]),
    ("BR_PRED", &[0xc4]),
    ("MEM_ACCESS", &[0x83d0]),
];

#[test]
fn intel_skylake_sp_to_sapphire_rapids() {
    for (model, core) in [
        ("85", "Intel Skylake-SP to Ice Lake-SP"),
        ("106", "Intel Skylake-SP to Ice Lake-SP"),
        ("143", "Intel Sapphire Rapids"),
        ("207", "Intel Sapphire Rapids"),
    ] {
        let table = table("GenuineIntel", "6", model);
        assert_eq!(table.core, core);
        hold(&table, XEON);
        for alias in ["INST_RETIRED", "CPU_CYCLES"] {
            assert_eq!(
                find(&table, alias).kind,
                EventKind::Hardware,
                "a fixed counter"
            );
        }
    }
    hold(
        &table("GenuineIntel", "6", "85"),
        &[
            ("L1I_CACHE", &[0x0183, 0x0283]),
            ("L1I_CACHE_REFILL", &[0x0283]),
            ("L1D_TLB_REFILL", &[0x0e08, 0x0e49]),
            ("L1I_TLB_REFILL", &[0x0e85]),
            ("BUS_ACCESS", &[0x80b0]),
        ],
    );
    let rapids = table("GenuineIntel", "6", "143");
    hold(
        &rapids,
        &[
            ("L1D_TLB_REFILL", &[0x0e12, 0x0e13]),
            ("L1I_TLB_REFILL", &[0x0e11]),
            ("BUS_ACCESS", &[0x8021]),
            ("L1I_CACHE_REFILL", &[0x01c6]),
        ],
    );
    // Without its register the code counts something else.
    assert_eq!(find(&rapids, "L1I_CACHE_REFILL").codes[0].config1, 0x12);
    assert!(find(&rapids, "L1I_CACHE").absent.is_some());
}

/// include/uapi/linux/perf_event.h: level | operation << 8 | result << 16.
#[test]
fn an_unknown_core_is_asked_by_the_kernels_own_names() {
    for (vendor, family, model) in [("GenuineIntel", "6", "23"), ("AuthenticAMD", "23", "1")] {
        let table = table(vendor, family, model);
        assert!(table.core.starts_with("unknown"), "{}", table.core);
    }
    let table = Table::of(&Cpu::default());
    hold(
        &table,
        &[
            ("INST_RETIRED", &[1]),
            ("CPU_CYCLES", &[0]),
            ("LD_SPEC", &[0]),
            ("ST_SPEC", &[1 << 8]),
            ("L1D_CACHE_REFILL", &[1 << 16]),
            ("L1I_CACHE", &[1]),
            ("L1I_CACHE_REFILL", &[1 | 1 << 16]),
            ("L1D_TLB_REFILL", &[3 | 1 << 16]),
            ("L1I_TLB_REFILL", &[4 | 1 << 16]),
            ("BR_PRED", &[4]),
            ("BR_MIS_PRED", &[5]),
        ],
    );
    assert_eq!(find(&table, "L1D_CACHE").kind, EventKind::Cache);
    assert_eq!(find(&table, "BR_PRED").kind, EventKind::Hardware);
}

#[test]
fn every_core_has_every_group_with_the_same_names() {
    let cpus = [
        ("0x41", "8", "0xd08"),
        ("0x41", "8", "0xd03"),
        ("0x48", "8", "0xd01"),
        ("AuthenticAMD", "25", "1"),
        ("AuthenticAMD", "25", "17"),
        ("AuthenticAMD", "26", "2"),
        ("GenuineIntel", "6", "85"),
        ("GenuineIntel", "6", "143"),
        ("", "", ""),
    ];
    let mut seen = Vec::new();
    for (vendor, family, model) in cpus {
        let table = table(vendor, family, model);
        for group in GroupName::ALL {
            if group == GroupName::Software {
                continue;
            }
            let names: Vec<String> = table.events(group).into_iter().map(|e| e.alias).collect();
            assert_eq!(names.len(), 6, "{} {}", table.core, group.name());
            assert_eq!(names[..2], ["INST_RETIRED", "CPU_CYCLES"]);
            let a72 = crate::encodings::table("0x41", "8", "0xd08");
            let expected: Vec<String> = a72.events(group).into_iter().map(|e| e.alias).collect();
            assert_eq!(names, expected, "{}", table.core);
        }
        assert!(!seen.contains(&table.core), "{} twice", table.core);
        seen.push(table.core);
    }
}

#[test]
fn the_kernels_own_events() {
    let table = Table::software();
    hold(
        &table,
        &[
            ("page_faults", &[2]),
            ("context_switches", &[3]),
            ("cpu_migrations", &[4]),
            ("task_clock", &[1]),
        ],
    );
}

#[test]
fn the_real_name_stands_with_the_alias() {
    let zen = table("AuthenticAMD", "26", "2");
    assert_eq!(
        find(&zen, "LD_SPEC").real(),
        "ls_dispatch.ld_dispatch (r129)"
    );
    let xeon = table("GenuineIntel", "6", "85");
    assert_eq!(
        find(&xeon, "L1D_CACHE").real(),
        "mem_load_retired.l1_hit (r1d1) + mem_load_retired.l1_miss (r8d1)"
    );
    assert_eq!(find(&xeon, "CPU_CYCLES").real(), "cpu-cycles");
}
