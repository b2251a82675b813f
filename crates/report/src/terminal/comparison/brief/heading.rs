//! Which two runs, how far each is to be trusted, and what is not the same around them.

use crate::document::{Cell, Column, Document, Table, Text, Tone};
use analysis::compare::{Difference, machines_differ};
use analysis::{Comparison, RunView};
use summary::{Grade, Letter};

/// Differences that are named; the others are counted.
const NAMED: usize = 3;
/// A value of many words, such as all features, is not shown.
const SHORT: usize = 40;

pub(super) fn document(c: &Comparison, runs: [&RunView; 2], width: usize) -> Document {
    let mut document = Document::new();
    document.table(sides(runs, width));
    document.extend(same(c, runs).map(Text::new));
    document.extend(differs(&c.differences));
    document
}

/// A line for each run. Of what has no room the recipe is left out first, then the date.
fn sides([a, b]: [&RunView; 2], width: usize) -> Table {
    let with = |optional: usize| {
        let rows = [row("A", a, optional), row("B", b, optional)];
        let mut table = Table::new(rows[0].iter().map(|_| Column::words("")));
        rows.into_iter().for_each(|row| table.row(row));
        table
    };
    let fits = |table: &Table| table.width() <= width;
    let tables = (0..=2).rev().map(with);
    let table = tables.into_iter().find(fits);
    table.unwrap_or_else(|| with(0)).fitting()
}

fn row(side: &str, run: &RunView, optional: usize) -> Vec<Cell> {
    let head = &run.head;
    let letter = Grade::of(run).letter;
    let tone = match letter {
        Letter::A | Letter::B => Tone::Good,
        Letter::C => Tone::Caution,
        Letter::D => Tone::Bad,
    };
    let name = head.labels.name.as_ref();
    let name = name.map_or_else(|| head.id.clone(), |name| format!("@{name}"));
    let about = [minute(&head.started_utc), head.recipe.name.clone()];
    let mut cells = vec![Cell::toned(side, Tone::Strong), Cell::from(name)];
    cells.extend(about.into_iter().take(optional).map(Cell::from));
    cells.push(Cell::toned(format!("trust {}", letter.name()), tone));
    cells
}

/// `2026-11-29 09:48 UTC` of RFC 3339.
fn minute(utc: &str) -> String {
    match utc.get(..16) {
        Some(minute) => format!("{} UTC", minute.replace('T', " ")),
        None => utc.to_owned(),
    }
}

/// `Same machine, kernel, version and recipe.`
fn same(c: &Comparison, [a, b]: [&RunView; 2]) -> Option<String> {
    let machines = machines_differ(&a.head.machine, &b.head.machine);
    let recipe = |run: &RunView| (run.head.recipe.name.clone(), run.head.recipe.preset.clone());
    let differs = |field: &str| c.differences.iter().any(|d| d.field == field);
    let parts = [
        ("machine", machines.iter().all(|d| d.field == "kernel")),
        ("kernel", !differs("kernel")),
        ("version", !differs("version")),
        ("recipe", recipe(a) == recipe(b)),
    ];
    let same: Vec<&str> = parts.iter().filter(|p| p.1).map(|p| p.0).collect();
    match same.as_slice() {
        [] => None,
        [one] => Some(format!("Same {one}.")),
        [some @ .., last] => Some(format!("Same {} and {last}.", some.join(", "))),
    }
}

/// Those that matter first.
fn differs(differences: &[Difference]) -> Option<Text> {
    let mut sorted: Vec<&Difference> = differences.iter().collect();
    sorted.sort_by_key(|d| !d.matters);
    let named: Vec<String> = sorted.iter().take(NAMED).map(|d| difference(d)).collect();
    let more = match sorted.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("; {more} more: --all"),
    };
    let tone = match sorted.first()?.matters {
        true => Tone::Caution,
        false => Tone::Soft,
    };
    let text = Text::new(format!("Differs: {}{more}.", named.join("; ")));
    Some(text.tone(tone))
}

fn difference(d: &Difference) -> String {
    let is_long = [&d.a, &d.b].iter().any(|v| v.chars().count() > SHORT);
    let side = |value: &str| match value {
        "" => "nothing stated".to_owned(),
        value => value.to_owned(),
    };
    match is_long {
        true => d.field.clone(),
        false => format!("{} ({} in A, {} in B)", d.field, side(&d.a), side(&d.b)),
    }
}
