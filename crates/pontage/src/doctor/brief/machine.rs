//! The machine in a few lines.

use super::LABEL;
use ::report::document::{Document, Text};
use machine::Machine;
use record::MachineCard;
use record::axis::human_bytes;

/// Between two facts of a line.
const GAP: usize = 3;

pub(super) fn document(machine: &Machine, width: usize) -> Document {
    let card = harness::card::card(machine);
    let mut document = Document::new();
    document.text(title(machine, &card).as_str());
    let line = |label: &str| {
        let found = card.lines.iter().find(|(name, _)| name == label);
        found.map(|(_, text)| text.clone()).unwrap_or_default()
    };
    let facts = [
        ("caches", caches(&card)),
        ("memory", line("memory")),
        ("kernel", line("kernel")),
        ("clock", line("clock")),
    ];
    let facts: Vec<_> = facts.into_iter().filter(|(_, f)| !f.is_empty()).collect();
    for pair in facts.chunks(2) {
        document.append(side_by_side(pair, width));
    }
    document
}

/// Two facts in a line where there is room, else each in its own.
fn side_by_side(pair: &[(&str, String)], width: usize) -> Document {
    let half = width / 2 + GAP;
    let mut document = Document::new();
    if let [(label, text), (second, more)] = pair {
        let room = half.saturating_sub(LABEL + GAP);
        let second_width = second.chars().count() + 2 + more.chars().count();
        if text.chars().count() <= room && half + second_width <= width {
            let blanks = half - LABEL;
            let line = format!("{text:<blanks$}{second}  {more}");
            document.text(Text::line(line).label(0, *label, LABEL));
            return document;
        }
    }
    for (label, text) in pair {
        document.text(Text::new(text.as_str()).label(0, *label, LABEL));
    }
    document
}

/// `AMD EPYC 7313, 4 cores, 8 CPUs, 1 NUMA node; docker container`.
fn title(machine: &Machine, card: &MachineCard) -> String {
    let many = |number: u32, word: &str| match number {
        1 => format!("1 {word}"),
        n => format!("{n} {word}s"),
    };
    let sockets = (card.sockets > 1).then(|| many(card.sockets, "socket"));
    let parts = [
        Some(card.cpu_model.clone()),
        sockets,
        Some(many(card.cores, "core")),
        Some(many(card.cpus, "CPU")),
        Some(many(card.numa_nodes, "NUMA node")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let guest = card.hypervisor.as_ref().map(|by| format!("{by} guest"));
    let emulated = card.emulated.as_ref().map(|_| "emulated".to_owned());
    let container = machine.virtualisation.container.as_ref();
    let container = container.map(|c| format!("{} container", c.name));
    let around: Vec<String> = [guest, emulated, container].into_iter().flatten().collect();
    let around = match around.is_empty() {
        true => String::new(),
        false => format!("; {}", around.join(", ")),
    };
    format!("{}{around}", parts.join(", "))
}

/// `L1d 4x 32 KiB, L2 4x 512 KiB, L3 32 MiB`.
fn caches(card: &MachineCard) -> String {
    let data = card.data_caches();
    let described = data.iter().map(|c| {
        let letter = if c.level == 1 { "d" } else { "" };
        let number = match c.instances {
            0 | 1 => String::new(),
            n => format!("{n}x "),
        };
        format!("L{}{letter} {number}{}", c.level, human_bytes(c.size_bytes))
    });
    described.collect::<Vec<_>>().join(", ")
}
