//! Head of the run: conditions, instrument, findings, claims.

use record::{
    ClaimOutcome, ClaimState, Conditions, Confidence, Finding, Instrument, RecipeHead, RunHead,
    RunState, Unit, Verdict,
};

pub fn head() -> RunHead {
    RunHead {
        schema_version: record::SCHEMA_VERSION,
        id: "20260101T120000Z-synthetic".to_owned(),
        started_utc: "2026-01-01T12:00:00Z".to_owned(),
        ended_utc: Some("2026-01-01T12:01:04Z".to_owned()),
        tool_version: "0.1.0".to_owned(),
        command_line: ["pontage", "run", "--quick"].map(str::to_owned).to_vec(),
        recipe: RecipeHead {
            name: "quick (synthetic data, not measured)".to_owned(),
            preset: "quick".to_owned(),
            processes: 1,
            budget_ns: 60_000_000_000,
            text: "preset = \"quick\"\n".to_owned(),
        },
        state: RunState::Complete,
        labels: record::Labels::default(),
        machine: record::MachineCard::default(),
        machine_full: serde_json::Value::Null,
        conditions: Conditions {
            load_busy: None,
            load: "light".to_owned(),
            load_detail: Vec::new(),
            loadavg_before: Some(0.12),
            loadavg_after: Some(0.97),
            busy_before: Some(0.013),
            steal_share: Some(0.0004),
            test_cpu: 1,
            partner_cpu: Some(0),
            scheduling: "SCHED_OTHER".to_owned(),
            memory_locked: true,
            notes: vec!["SCHED_FIFO not set: needs CAP_SYS_NICE".to_owned()],
            counters: None,
            interrupts: false,
        },
        instrument: Instrument {
            clock: "rdtscp".to_owned(),
            clock_hz: 2.1e9,
            resolution_ns: 0.95,
            read_cost_ns: 21.4,
            empty_loop_ns: 0.41,
            drift_ppm: 1.8,
            invariant: true,
            notes: Vec::new(),
            yardstick: None,
            self_test: None,
        },
        experiments: Vec::new(),
        points: Vec::new(),
        findings: findings(),
        claims: claims(),
    }
}

struct F(
    &'static str,
    &'static str,
    &'static str,
    [f64; 3],
    Unit,
    f64,
    Option<(f64, &'static str)>,
    Verdict,
);

fn findings() -> Vec<Finding> {
    let kib = 1024.0;
    let mib = kib * kib;
    [
        F("mem/latency", "cache_levels", "Three levels of cache are visible to dependent loads.",
            [3.0, 3.0, 3.0], Unit::Count, 0.98, Some((3.0, "sysfs cache/index*")), Verdict::Agree),
        F("mem/latency", "l1d_capacity", "The first level holds 46 KiB (44 KiB to 50 KiB) and answers in 1.61 ns.",
            [46.0 * kib, 44.0 * kib, 50.0 * kib], Unit::Bytes, 0.99, Some((48.0 * kib, "sysfs cache/index0/size")), Verdict::Agree),
        F("mem/latency", "l2_capacity", "The second level holds 1.9 MiB (1.7 MiB to 2.1 MiB) and answers in 5.2 ns.",
            [1.9 * mib, 1.7 * mib, 2.1 * mib], Unit::Bytes, 0.94, Some((2.0 * mib, "sysfs cache/index2/size")), Verdict::Agree),
        F("mem/latency", "l3_capacity", "Loads leave the speed of the third level at 38 MiB (30 MiB to 46 MiB), long before the 260 MiB that sysfs reports: the cache is shared with other guests.",
            [38.0 * mib, 30.0 * mib, 46.0 * mib], Unit::Bytes, 0.71, Some((260.0 * mib, "sysfs cache/index3/size")), Verdict::Disagree),
        F("mem/latency", "dram_latency", "A dependent load from memory takes 118 ns.",
            [118.0, 114.0, 123.0], Unit::Nanoseconds, 0.9, None, Verdict::Stated),
        F("mem/latency", "tlb_reach", "The reach of the second-level TLB cannot be separated from the capacity of L2 with 4 KiB pages.",
            [f64::NAN, f64::NAN, f64::NAN], Unit::Bytes, 0.3, None, Verdict::Undecided),
        F("mem/line", "line_size", "The cache line is 64 B.",
            [64.0, 64.0, 64.0], Unit::Bytes, 1.0, Some((64.0, "sysfs cache/index0/coherency_line_size")), Verdict::Agree),
        F("mem/associativity", "l1d_ways", "The first level has 12 ways.",
            [12.0, 12.0, 12.0], Unit::Count, 0.97, Some((12.0, "sysfs cache/index0/ways_of_associativity")), Verdict::Agree),
        F("mem/bandwidth", "non_temporal_pays", "Non-temporal stores begin to pay at 24 MiB (16 MiB to 32 MiB).",
            [24.0 * mib, 16.0 * mib, 32.0 * mib], Unit::Bytes, 0.82, None, Verdict::Stated),
        F("switch/context", "footprint_knee", "The price of a switch jumps at a total footprint of 1.8 MiB (1.5 MiB to 2.2 MiB): the second level.",
            [1.8 * mib, 1.5 * mib, 2.2 * mib], Unit::Bytes, 0.88, Some((2.0 * mib, "sysfs cache/index2/size")), Verdict::Agree),
        F("cpu/clock", "clock_rate", "The core runs at 2 994 MHz while it measures.",
            [2994.0, 2990.0, 2997.0], Unit::Megahertz, 0.99, Some((2100.0, "cpuid leaf 0x16, base")), Verdict::Disagree),
    ]
    .into_iter()
    .map(|f| {
        let some = |v: f64| v.is_finite().then_some(v);
        Finding {
            experiment: f.0.to_owned(),
            key: f.1.to_owned(),
            sentence: f.2.to_owned(),
            value: some(f.3[0]),
            low: some(f.3[1]),
            high: some(f.3[2]),
            unit: f.4,
            confidence: Confidence { share: f.5 },
            reference: f.6.map(|r| r.0),
            reference_source: f.6.map(|r| r.1.to_owned()),
            verdict: f.7,
            regions: Vec::new(),
            methods: Vec::new(),
            pattern: None,
            class: None,
            family: None,
            brief: None,
        }
    })
    .collect()
}

fn claims() -> Vec<ClaimOutcome> {
    [
        (
            "mem/latency",
            "latency does not fall as the working set grows",
            ClaimState::Held,
            "largest fall 0.8 % at 3 MiB, inside the interval",
        ),
        (
            "copy/memcpy",
            "a cold copy is never cheaper than a hot one",
            ClaimState::Held,
            "smallest ratio 1.02 at 32 MiB",
        ),
        (
            "mem/bandwidth",
            "rep movsb reaches the best method from 4 KiB on",
            ClaimState::Broken,
            "0.81 of the best at 4 KiB, 0.97 at 64 KiB",
        ),
        (
            "switch/context",
            "waking an idle partner costs more than passing on one CPU",
            ClaimState::Held,
            "9.6 times at 2 processes",
        ),
        (
            "copy/memcpy",
            "the time per byte of a hot copy falls from 64 B to 4 KiB",
            ClaimState::Unclear,
            "4 KiB 0.0312 ns per byte (0.0301 to 0.0340), 64 B 0.0325 ns per byte (0.0310 to \
             0.0339); the intervals overlap",
        ),
        (
            "copy/to_user",
            "huge pages make copies of 16 MiB cheaper",
            ClaimState::NotTested,
            "the points with huge pages were skipped",
        ),
    ]
    .into_iter()
    .map(|(experiment, claim, state, evidence)| ClaimOutcome {
        experiment: experiment.to_owned(),
        claim: claim.to_owned(),
        held: match state {
            ClaimState::Held => Some(true),
            ClaimState::Broken => Some(false),
            ClaimState::Unclear | ClaimState::NotTested => None,
        },
        unclear: state == ClaimState::Unclear,
        evidence: evidence.to_owned(),
    })
    .collect()
}
