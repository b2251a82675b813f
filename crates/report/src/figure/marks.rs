//! Vertical lines: what the machine says of itself, and what was measured.

use super::{Axis, Mark, MarkRole, Scale, alone};
use crate::format::quantity;
use analysis::Interval;
use record::axis::human_bytes;
use record::{CacheKind, FigureHead, Finding, MachineCard, MarkKind, RunHead, Unit};

/// Marks inside the axis, and a note on those beyond it.
pub fn collect(
    run: &RunHead,
    experiment: &str,
    head: &FigureHead,
    x: &Axis,
) -> (Vec<Mark>, Option<String>) {
    if matches!(x.scale, Scale::Categories(_)) {
        return (Vec::new(), None);
    }
    let all: Vec<Mark> = head
        .marks
        .iter()
        .flat_map(|kind| of_kind(*kind, run, experiment, x.unit))
        .filter(|m| m.x.center.is_finite() && (m.x.center > 0.0 || !x.scale.is_log()))
        .collect();
    let (mut inside, outside): (Vec<Mark>, Vec<Mark>) = all
        .into_iter()
        .partition(|m| m.x.center >= x.range.0 && m.x.center <= x.range.1);
    inside.sort_by(|a, b| a.x.center.total_cmp(&b.x.center));
    let names: Vec<String> = outside.into_iter().map(|m| m.label).collect();
    let note = (!names.is_empty()).then(|| format!("beyond the axis: {}", names.join(", ")));
    (inside, note)
}

fn of_kind(kind: MarkKind, run: &RunHead, experiment: &str, unit: Unit) -> Vec<Mark> {
    match kind {
        MarkKind::Knees => knees(&run.findings, experiment, unit),
        _ if unit != Unit::Bytes => Vec::new(),
        MarkKind::CacheSizes => caches(&run.machine),
        MarkKind::PageSize => match run.machine.page_bytes {
            0 => Vec::new(),
            page => vec![reference(page, format!("page {}", human_bytes(page)))],
        },
        MarkKind::LineSize => run
            .machine
            .data_caches()
            .first()
            .and_then(|c| c.line_bytes)
            .map(|line| reference(line.into(), format!("line {line} B")))
            .into_iter()
            .collect(),
    }
}

fn reference(bytes: u64, label: String) -> Mark {
    let x = bytes as f64;
    Mark {
        x: alone(x),
        label,
        role: MarkRole::Reference,
    }
}

fn caches(card: &MachineCard) -> Vec<Mark> {
    let caches = card.data_caches().into_iter();
    let cache = caches.map(|c| {
        let (name, size) = (cache_name(c.level, c.kind), human_bytes(c.size_bytes));
        reference(c.size_bytes, format!("{name} {size}"))
    });
    cache.collect()
}

/// `L1d`, `L2`.
pub fn cache_name(level: u32, kind: CacheKind) -> String {
    match kind {
        CacheKind::Data => format!("L{level}d"),
        CacheKind::Instruction => format!("L{level}i"),
        CacheKind::Unified => format!("L{level}"),
    }
}

/// Findings of this experiment that are a place on this axis.
fn knees(findings: &[Finding], experiment: &str, unit: Unit) -> Vec<Mark> {
    let mut found: Vec<Mark> = Vec::new();
    for f in findings
        .iter()
        .filter(|f| f.experiment == experiment && f.unit == unit)
    {
        let Some(x) = f.value.filter(|v| v.is_finite()) else {
            continue;
        };
        let mark = Mark {
            x: Interval::resampled(x, f.low.unwrap_or(x), f.high.unwrap_or(x)),
            label: format!("{} {}", f.key.replace('_', " "), quantity(x, unit, 3)),
            role: MarkRole::Knee,
        };
        found.push(mark);
    }
    found
}
