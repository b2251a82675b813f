//! The toll map in a dozen lines: of each group the ways that are cheapest somewhere, and those that
//! programs use without having chosen them.

use super::WIDE;
use crate::document::{Cell, Column, Document, Phrase, Span, Table, Text, Tone};
use crate::toll::{self, BAD, COLUMNS_BYTES, Standing, TollCell, TollMap, TollRow, mark};
use record::TollGroup;
use record::axis::human_bytes;

/// Rows that are shown at most.
const ROWS: usize = 11;
/// From this width on every size has a column.
const ROOMY: usize = 76;

pub(super) fn document(map: &TollMap, width: usize) -> Document {
    let mut document = Document::new();
    let rows = map.short(ROWS);
    if rows.is_empty() {
        return document;
    }
    let wide = width >= WIDE;
    let has_trips = rows.iter().any(|row| !row.round_trips.is_empty());
    let most = if has_trips { map.partners.len() } else { 0 };
    let sizes: &[usize] = match width >= ROOMY {
        true => &[0, 1, 2, 3, 4],
        false => &[0, 2, 4],
    };
    let tables = (0..=most)
        .rev()
        .map(|n| (n, table(map, &rows, wide, sizes, n)));
    let narrow = |(partners, table): &(usize, Table)| *partners == 0 || table.width() <= width;
    let Some((partners, table)) = tables.into_iter().find(narrow) else {
        return document;
    };
    document.line(heading(map, table.width(), partners));
    document.table(table);
    document.text(Text::new(legend(map, &rows)).tone(Tone::Soft));
    document
}

/// `Cost of one operation            64 B and back, partner`.
fn heading(map: &TollMap, width: usize, partners: usize) -> Phrase {
    let title = match map.emulated {
        true => "Cost of one operation (emulated)",
        false => "Cost of one operation",
    };
    let aside = match partners {
        0 => "",
        1 | 2 => "64 B and back",
        _ => "64 B and back, partner",
    };
    if aside.is_empty() {
        return Phrase::toned(title, Tone::Strong);
    }
    let blanks = width.saturating_sub(title.chars().count() + aside.chars().count() + 1);
    Phrase::of([
        Span::new(title).tone(Tone::Strong),
        Span::new(format!("{:blanks$}{aside}", "")).tone(Tone::Soft),
    ])
}

/// One word in front of its rows.
fn group_word(group: Option<TollGroup>) -> &'static str {
    match group {
        Some(TollGroup::Process) => "process",
        Some(TollGroup::Read) => "read",
        Some(TollGroup::Write) => "write",
        Some(TollGroup::Tasks) => "2 tasks",
        Some(TollGroup::Line) => "core",
        Some(TollGroup::Persistence) => "memory",
        Some(TollGroup::Engine) => "engine",
        None => "",
    }
}

fn table(map: &TollMap, rows: &[&TollRow], wide: bool, sizes: &[usize], partners: usize) -> Table {
    let names: Vec<Column> = match wide {
        true => vec![Column::words(""), Column::words("")],
        false => vec![Column::words("")],
    };
    // Each cell ends in the place of its mark.
    let head = |text: &str| Column::number(format!("{text} ")).gap(1);
    let bytes = sizes
        .iter()
        .map(|at| head(&human_bytes(COLUMNS_BYTES[*at])));
    let partner = map.partners.iter().take(partners).map(|name| head(name));
    let mut table = Table::new(names.into_iter().chain(bytes).chain(partner));
    table.head_tone = Tone::Soft;
    let mut before = None;
    for row in rows {
        let group = group_word(row.group);
        let first = before.replace(group) != Some(group);
        let way = row.way.as_str();
        let names = match (wide, group) {
            (true, _) => vec![
                Cell::toned(if first { group } else { "" }, Tone::Soft),
                Cell::from(way),
            ],
            (false, "" | "process") => vec![Cell::from(way)],
            (false, "2 tasks") => vec![Cell::from(format!("tasks: {way}"))],
            (false, group) => vec![Cell::from(format!("{group}: {way}"))],
        };
        let trips = (0..partners).map(|at| row.round_trips.get(at));
        let cells = sizes.iter().map(|at| row.cells.get(*at)).chain(trips);
        table.row(names.into_iter().chain(cells.map(cell)));
    }
    table
}

fn cell(cell: Option<&TollCell>) -> Cell {
    match cell {
        // The way has no partner.
        None => Cell::from(""),
        Some(TollCell::Missing | TollCell::Absent { .. }) => Cell::toned("- ", Tone::Soft),
        Some(TollCell::Measured(toll)) => {
            let tone = match (mark(toll), toll.standing) {
                (BAD, _) => Tone::Caution,
                (_, Standing::Cheapest) => Tone::Good,
                _ => Tone::Plain,
            };
            Cell::toned(format!("{}{}", toll::time(toll), mark(toll)), tone)
        }
    }
}

/// What the marks in it mean, and how much is left out.
fn legend(map: &TollMap, rows: &[&TollRow]) -> String {
    let tolls = || {
        rows.iter()
            .flat_map(|row| row.all_cells())
            .filter_map(TollCell::toll)
    };
    let when = |sign: char, text: &str| {
        let is_there = tolls().any(|toll| mark(toll) == sign);
        is_there.then(|| format!("{sign} {text}"))
    };
    let all = map.rows.iter().filter(|row| row.is_measured()).count();
    let more = (all > rows.len()).then(|| format!("all {all} rows: pontage report --section map"));
    let parts = [
        when('*', "cheapest of its group"),
        when('~', "intervals overlap"),
        when(BAD, "disturbed"),
        more,
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join("; ")
}
