//! A machine next to reference machines, in words and as a table.

use crate::document::{Cell, Column, Document, Span, Table, Text, Tone};
use crate::format::{significant, time_ns};
use crate::sheet::Sheet;
use analysis::numbers::{counted, quantity};
use gallery::{Entry, Next, Placed, Row, Side, Value, ValueUnit};
use record::Unit;

/// Values by which a first look is taken: of the machine itself, and of these ways (the begin of
/// their ids) at these sizes.
const OF_MACHINE: [&str; 7] = ["core/", "L1d/", "L2/", "L3/", "L4/", "memory/", "TLB/"];
const SIZES: [&str; 2] = ["/64", "/65536"];

/// The machine, as many others as fit, and the values that both have: those of a first look with
/// these ways, or all.
pub fn document(placed: &Placed, width: usize, ways: Option<&[String]>) -> Document {
    let tables = (1..=placed.next.len()).rev();
    let mut tables = tables.map(|shown| (shown, table(placed, shown, ways)));
    let fits = |(shown, table): &(usize, Table)| *shown == 1 || table.width() <= width;
    let Some((shown, table)) = tables.find(fits) else {
        return Document::new();
    };
    let mut document = Document::new();
    document.text(machine(&placed.here, "here  ").tone(Tone::Strong));
    for (at, next) in placed.next.iter().take(shown).enumerate() {
        document.text(machine(&next.entry, &format!("{:<6}", letter(at))));
        document.text(Text::new(nearness(next)).lead("      ").tone(Tone::Soft));
    }
    document.gap();
    document.table(table);
    document.gap();
    document.text(legend(placed, shown, ways.is_none()));
    document
}

/// Each value of this machine with those of all others.
pub fn sheet(placed: &Placed) -> Sheet {
    let mut sheet = Sheet::new([
        "id", "unit", "here", "low", "high", "machine", "there", "ratio", "standing",
    ]);
    for row in placed.rows(placed.next.len()) {
        for (next, other) in placed.next.iter().zip(&row.others) {
            let Some((there, side)) = other else { continue };
            let end = |end: Option<f64>| end.map_or_else(String::new, |x| x.to_string());
            let ratio = row.here.value / there.value;
            sheet.row([
                row.here.id.clone(),
                unit_word(row.here.unit).to_owned(),
                row.here.value.to_string(),
                end(row.here.low),
                end(row.here.high),
                next.entry.name.clone(),
                there.value.to_string(),
                significant(ratio, 4),
                standing(*side).to_owned(),
            ]);
        }
    }
    sheet
}

fn standing(side: Side) -> &'static str {
    match side {
        Side::Ahead(_) => "ahead",
        Side::Behind(_) => "behind",
        Side::Level(_) => "overlap",
        Side::NotJudged => "not_judged",
    }
}

fn unit_word(unit: ValueUnit) -> &'static str {
    match unit {
        ValueUnit::Ns => "ns",
        ValueUnit::Cycles => "cycles",
        ValueUnit::Bytes => "bytes",
        ValueUnit::GbPerS => "GB/s",
        ValueUnit::Ghz => "GHz",
    }
}

/// `epyc-zen5-guest: AMD EPYC, 2 CPUs, guest of KVM, Linux 6.18 (2026-11-29, standard, trust B)`.
fn machine(entry: &Entry, lead: &str) -> Text {
    let m = &entry.machine;
    let mut facts = vec![m.cpu_model.clone(), counted(m.cpus as usize, "CPU", "CPUs")];
    if !m.hypervisor.is_empty() {
        facts.push(format!("guest of {}", m.hypervisor));
    }
    if m.emulated {
        facts.push("emulated: its times mean nothing elsewhere".to_owned());
    }
    if !m.kernel.is_empty() {
        facts.push(format!("Linux {}", m.kernel));
    }
    let how = &entry.measured;
    let trust = match how.grade.as_str() {
        "" => String::new(),
        letter => format!(", trust {letter}"),
    };
    let words = format!(
        "{}: {} ({}, {}{trust})",
        entry.name,
        facts.join(", "),
        how.date,
        how.recipe
    );
    Text::new(words).lead(lead.to_owned())
}

/// Its column's head: `A`.
fn letter(at: usize) -> String {
    ('A'..='Z')
        .nth(at)
        .map_or_else(|| at.to_string(), String::from)
}

/// `61 shared values; times here over times there: 1.32 (middle half 1.02 to 1.45)`.
fn nearness(next: &Next) -> String {
    let shared = counted(next.shared, "shared value", "shared values");
    match (next.time_ratio, next.time_ratio_low, next.time_ratio_high) {
        (Some(ratio), Some(low), Some(high)) => format!(
            "{shared}; times here over times there: {} (middle half {} to {})",
            significant(ratio, 3),
            significant(low, 3),
            significant(high, 3)
        ),
        _ => format!("{shared}, no time among them"),
    }
}

fn is_for_first_look(id: &str, ways: &[String]) -> bool {
    let of_machine = OF_MACHINE.iter().any(|first| id.starts_with(first));
    let of_way = || ways.iter().any(|way| id.starts_with(way.as_str()));
    let of_size = || SIZES.iter().any(|size| id.ends_with(size));
    of_machine && !id.ends_with("in cycles") || of_way() && of_size()
}

fn table(placed: &Placed, shown: usize, ways: Option<&[String]>) -> Table {
    let heads = (0..shown).flat_map(|at| {
        let name = Column::number(letter(at));
        [name, Column::number("ratio").gap(1)]
    });
    let first = [Column::words(""), Column::number("here")];
    let mut table = Table::new(first.into_iter().chain(heads));
    table.head_tone = Tone::Soft;
    let is_shown = |row: &&Row| ways.is_none_or(|ways| is_for_first_look(&row.here.id, ways));
    for row in placed.rows(shown).iter().filter(is_shown) {
        let mut cells = vec![
            Cell::from(row.here.label.clone()),
            Cell::from(value(row.here)),
        ];
        for other in &row.others {
            let (there, ratio) = match other {
                None => (Cell::from("-"), Cell::from("")),
                Some((there, side)) => (Cell::from(value(there)), ratio(*side)),
            };
            cells.extend([there, ratio]);
        }
        table.row(cells);
    }
    table
}

fn value(value: &Value) -> String {
    let text = match value.unit {
        ValueUnit::Ns => time_ns(value.value, 3),
        ValueUnit::Cycles => format!("{} cycles", significant(value.value, 3)),
        ValueUnit::Bytes => quantity(value.value, Unit::Bytes, 3),
        ValueUnit::GbPerS => format!("{} GB/s", significant(value.value, 3)),
        ValueUnit::Ghz => format!("{} GHz", significant(value.value, 3)),
    };
    match value.doubtful {
        true => format!("? {text}"),
        false => text,
    }
}

fn ratio(side: Side) -> Cell {
    let times = |ratio: f64| format!("{}x", significant(ratio, 3));
    match side {
        Side::Ahead(r) => Cell::toned(times(r), Tone::Good),
        Side::Behind(r) => Cell::toned(times(r), Tone::Caution),
        Side::Level(r) => Cell::toned(format!("~{}", times(r)), Tone::Soft),
        Side::NotJudged => Cell::from(""),
    }
}

fn legend(placed: &Placed, shown: usize, all: bool) -> Text {
    let mut words = String::from(
        "Ratio: here over there; ~ intervals overlap or are not known; ? disturbed or undecided, not \
         compared. Whole systems are compared: processor, kernel, mitigations, hypervisor.",
    );
    let hidden: Vec<&str> = placed.next[shown.min(placed.next.len())..]
        .iter()
        .map(|next| next.entry.name.as_str())
        .collect();
    if !hidden.is_empty() {
        words.push_str(&format!(" Further away: {}.", hidden.join(", ")));
    }
    if !all {
        words.push_str(" Every value: --all.");
    }
    Text::new(Span::new(words).tone(Tone::Soft))
}
