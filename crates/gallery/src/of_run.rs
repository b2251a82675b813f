//! What a run says of its machine, as an entry.

use crate::entry::{Entry, FORMAT, Machine, Measured, Value, ValueUnit};
use analysis::RunView;
use analysis::view::ContaminationLevel;
use record::axis::human_bytes;
use record::{MachineCard, Verdict};
use summary::toll::{COLUMNS_BYTES, TollRow};
use summary::{Bounds, CapacityStand, Level, RunSummary};

/// Digits of a number that are kept behind its first.
const DIGITS: usize = 4;

impl Entry {
    /// The entry of a run, by its summary.
    pub fn of(view: &RunView, summary: &RunSummary, name: &str, about: &str) -> Entry {
        let head = &view.head;
        let mut values = Vec::new();
        clock(view, &mut values);
        for level in &summary.portrait.levels {
            of_level(level, &mut values);
        }
        for (key, id, label, unit) in FACTS {
            of_finding(view, (key, id, label, unit), &mut values);
        }
        for row in &summary.toll.rows {
            of_row(row, &summary.toll.partners, &mut values);
        }
        values.retain(|v| v.value.is_finite() && v.value > 0.0);
        values.iter_mut().for_each(round);
        Entry {
            format: FORMAT.to_owned(),
            name: name.to_owned(),
            about: about.to_owned(),
            machine: machine(&head.machine),
            measured: Measured {
                date: head.started_utc.chars().take(10).collect(),
                pontage: head.tool_version.clone(),
                recipe: head.recipe.name.clone(),
                grade: summary.grade.letter.name().to_owned(),
                parts_from: summary.grade.parts_from,
            },
            values,
        }
    }
}

/// Other findings that are quantities of the machine: key, id, label, unit.
const FACTS: [(&str, &str, &str, ValueUnit); 5] = [
    (
        "tlb_l1_reach",
        "TLB/first",
        "first TLB reaches",
        ValueUnit::Bytes,
    ),
    (
        "tlb_l2_reach",
        "TLB/second",
        "second TLB reaches",
        ValueUnit::Bytes,
    ),
    ("page_walk", "TLB/walk", "page walk", ValueUnit::Ns),
    (
        "nearest_pair",
        "core/core",
        "line to the nearest core and back",
        ValueUnit::Ns,
    ),
    ("line_size", "core/line", "cache line", ValueUnit::Bytes),
];

fn machine(card: &MachineCard) -> Machine {
    Machine {
        cpu_model: card.cpu_model.clone(),
        arch: card.arch.clone(),
        cpus: card.cpus,
        cores: card.cores,
        sockets: card.sockets,
        memory_bytes: card.memory_bytes,
        kernel: card.kernel.clone(),
        hypervisor: card.hypervisor.clone().unwrap_or_default(),
        mitigations: card.mitigations.clone(),
        emulated: card.is_emulated(),
    }
}

fn clock(view: &RunView, values: &mut Vec<Value>) {
    let Some(finding) = view.head.findings.iter().find(|f| f.key == "clock_rate") else {
        return;
    };
    let Some(mhz) = finding.value else { return };
    values.push(Value {
        low: finding.low.map(|x| x / 1e3),
        high: finding.high.map(|x| x / 1e3),
        doubtful: finding.verdict == Verdict::Undecided,
        ..plain("core/clock", "core clock", ValueUnit::Ghz, mhz / 1e3)
    });
}

fn of_finding(
    view: &RunView,
    (key, id, label, unit): (&str, &str, &str, ValueUnit),
    values: &mut Vec<Value>,
) {
    let Some(finding) = view.head.findings.iter().find(|f| f.key == key) else {
        return;
    };
    values.extend(finding.value.map(|value| Value {
        low: finding.low,
        high: finding.high,
        doubtful: finding.verdict == Verdict::Undecided,
        ..plain(id, label, unit, value)
    }));
}

fn of_level(level: &Level, values: &mut Vec<Value>) {
    let name = &level.name;
    let value = |what: &str, unit, value: f64| {
        plain(
            &format!("{name}/{what}"),
            &format!("{name} {what}"),
            unit,
            value,
        )
    };
    let between = |value: Value, bounds: &Bounds| Value {
        low: Some(bounds.low),
        high: Some(bounds.high),
        ..value
    };
    values.extend(level.capacity.as_ref().map(|capacity| {
        let size = value("capacity", ValueUnit::Bytes, capacity.bytes.center);
        Value {
            doubtful: capacity.stand == CapacityStand::Open,
            ..between(size, &capacity.bytes)
        }
    }));
    let latency = level.latency.as_ref();
    values.extend(latency.map(|b| between(value("latency", ValueUnit::Ns, b.center), b)));
    let cycles = level.latency_cycles;
    values.extend(cycles.map(|cycles| value("latency in cycles", ValueUnit::Cycles, cycles)));
    let rate = level.read_gb_per_s;
    values.extend(rate.map(|rate| value("read by one CPU", ValueUnit::GbPerS, rate)));
}

fn of_row(row: &TollRow, partners: &[String], values: &mut Vec<Value>) {
    let sizes = COLUMNS_BYTES
        .iter()
        .map(|bytes| (bytes.to_string(), human_bytes(*bytes)));
    let trips = partners.iter().map(|name| {
        let id = format!("round trip/{name}");
        (id, format!("64 B and back, partner {name}"))
    });
    for (cell, (id, size)) in row.all_cells().zip(sizes.chain(trips)) {
        let Some(toll) = cell.toll() else { continue };
        let id = format!("{}/{}/{id}", row.experiment, row.label);
        let label = format!("{}, {size}", row.label);
        values.push(Value {
            low: Some(toll.ns.low),
            high: Some(toll.ns.high),
            doubtful: toll.flag == ContaminationLevel::Contaminated,
            ..plain(&id, &label, ValueUnit::Ns, toll.ns.center)
        });
    }
}

fn plain(id: &str, label: &str, unit: ValueUnit, value: f64) -> Value {
    Value {
        id: id.to_owned(),
        label: label.to_owned(),
        unit,
        value,
        low: None,
        high: None,
        doubtful: false,
    }
}

/// Five digits are more than any interval earns.
fn round(value: &mut Value) {
    let short = |x: f64| format!("{x:.DIGITS$e}").parse().unwrap_or(x);
    value.value = short(value.value);
    // Ends that a rounded value would leave outside.
    value.low = value.low.map(|low| short(low).min(value.value));
    value.high = value.high.map(|high| short(high).max(value.value));
}
