//! Which machine and which run, and what the machine is: stated next to measured.

use super::WIDE;
use crate::document::{Cell, Column, Document, Phrase, Table, Text, Tone};
use crate::format::{significant, time_ns};
use analysis::RunView;
use record::RunHead;
use summary::{CapacityStand, Fact, Level, Portrait, RunSummary};

/// From this width on cycles and bandwidth have columns.
const ROOMY: usize = 76;

pub(super) fn document(view: &RunView, summary: &RunSummary, width: usize) -> Document {
    Document::sections([title(&view.head, width), portrait(&summary.portrait, width)])
}

/// `AMD EPYC, 2 CPUs, KVM guest   Linux 6.18   quick, 74 s   2026-11-29 09:48 UTC`.
pub(super) fn title(head: &RunHead, width: usize) -> Document {
    let machine = &head.machine;
    let cpus = match machine.cpus {
        0 => None,
        1 => Some("1 CPU".to_owned()),
        n => Some(format!("{n} CPUs")),
    };
    let guest = machine.hypervisor.as_ref().map(|by| format!("{by} guest"));
    let who = [Some(machine.cpu_model.clone()), cpus, guest];
    let who: Vec<String> = who
        .into_iter()
        .flatten()
        .filter(|w| !w.is_empty())
        .collect();
    let took = head.took_s().map(|s| format!(", {} s", significant(s, 3)));
    let mut parts = vec![
        who.join(", "),
        format!("Linux {}", machine.kernel),
        format!("{}{}", head.recipe.name, took.unwrap_or_default()),
        moment(&head.started_utc),
    ];
    parts.retain(|part| !part.is_empty());
    // What does not fit is in the full report: the kernel's suffix goes first.
    while parts.len() > 2 && parts.join("   ").chars().count() > width {
        parts.remove(1);
    }
    let line = parts.join("   ");
    match line.chars().count() <= width {
        true => Document::lines([Phrase::toned(line, Tone::Strong)]),
        false => Text::new(parts.join(", ")).tone(Tone::Strong).into(),
    }
}

/// `2026-11-29 09:48 UTC` of RFC 3339.
fn moment(utc: &str) -> String {
    match utc.get(..16) {
        Some(minute) => format!("{} UTC", minute.replace('T', " ")),
        None => utc.to_owned(),
    }
}

pub(super) fn portrait(portrait: &Portrait, width: usize) -> Document {
    let mut document = Document::new();
    if portrait.levels.is_empty() {
        return document;
    }
    document.table(levels(&portrait.levels, width));
    let facts: Vec<String> = portrait.facts.iter().map(fact).collect();
    if !facts.is_empty() {
        document.text(facts.join("; ").as_str());
    }
    document
}

fn fact(fact: &Fact) -> String {
    format!("{} {}", fact.name, fact.text)
}

fn levels(levels: &[Level], width: usize) -> Table {
    let wide = width >= WIDE;
    let interval = wide.then(|| Column::number("95 % interval"));
    let heads = ["stated", "measured", "latency"].map(Column::number);
    let rest = ["cycles", "read, 1 CPU"].map(Column::number);
    let rest = rest.into_iter().filter(|_| width >= ROOMY);
    let columns = std::iter::once(Column::words("Machine"));
    let mut table = Table::new(columns.chain(heads).chain(interval).chain(rest));
    table.head_tone = Tone::Soft;
    for level in levels {
        let mut cells = cells(level, wide);
        cells.truncate(table.columns.len());
        table.row(cells);
    }
    table
}

fn cells(level: &Level, wide: bool) -> Vec<Cell> {
    let none = || "-".to_owned();
    let time = |ns: f64| time_ns(ns, 3);
    let latency = level.latency;
    let between = latency.map(|l| match l.low < l.high {
        true => format!("{} to {}", significant(l.low, 3), significant(l.high, 3)),
        false => none(),
    });
    let contradicts = level.capacity.as_ref();
    let contradicts = contradicts.is_some_and(|c| c.stand == CapacityStand::Contradicts);
    let tone = if contradicts {
        Tone::Caution
    } else {
        Tone::Plain
    };
    let mut cells = vec![
        Cell::from(level.name.as_str()),
        Cell::from(level.stated()),
        Cell::toned(level.measured(), tone),
        Cell::from(latency.map_or_else(none, |l| time(l.center))),
    ];
    if wide {
        cells.push(Cell::from(between.unwrap_or_else(none)));
    }
    let cycles = level.latency_cycles;
    let rate = level.read_gb_per_s;
    cells.extend([
        Cell::from(cycles.map_or_else(none, |c| format!("{c:.0}"))),
        Cell::from(rate.map_or_else(none, |r| format!("{} GB/s", significant(r, 3)))),
    ]);
    cells
}
