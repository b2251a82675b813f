//! The toll map, grouped by the boundary that is crossed: one number a cell, all else in one line
//! under it.

use super::anchor;
use crate::format::{counted, time_range};
use crate::toll::{self, COLUMNS_BYTES, Standing, Toll, TollCell, TollMap, TollRow};
use analysis::view::ContaminationLevel;
use maud::{Markup, html};
use record::TollGroup;
use record::axis::human_bytes;

/// The toll map.
pub fn render(map: &TollMap) -> Markup {
    if map.rows.is_empty() {
        return html! {};
    }
    let groups = map.groups();
    let (right, left): (Vec<_>, Vec<_>) = groups
        .into_iter()
        .partition(|group| *group == Some(TollGroup::Tasks));
    let (left_runs, right_runs) = (runs(map, &left), runs(map, &right));
    let class = if left_runs && right_runs {
        "two"
    } else {
        "single"
    };
    html! {
        section.map #toll {
            div.maphead {
                h2 { "What it costs" @if map.emulated { " (emulated)" } small { "one operation, by bytes moved" } }
                p.key {
                    span { em { "1.23" } " cheapest of its group" }
                    span { u { "1.23" } " interval overlaps the cheapest" }
                    span { s { "1.23" } " shifted by surroundings" }
                }
            }
            div class=(class) {
                @if left_runs { (block(map, &left)) }
                @if right_runs { (block(map, &right)) }
            }
            @for group in left.iter().chain(&right) { (absent(map, *group)) }
            p.say #say aria-live="polite" {
                "Point at a number, or move with the arrow keys, for its interval, bandwidth and samples."
            }
        }
    }
}

fn runs(map: &TollMap, groups: &[Option<TollGroup>]) -> bool {
    let mut rows = map.rows.iter();
    rows.any(|row| groups.contains(&row.group) && row.is_measured())
}

/// A table of some groups.
fn block(map: &TollMap, groups: &[Option<TollGroup>]) -> Markup {
    let rows = map.rows.iter().filter(|row| groups.contains(&row.group));
    let trips = rows
        .into_iter()
        .any(|row| row.round_trips.iter().any(|c| c.toll().is_some()));
    let partners = if trips { map.partners.len() } else { 0 };
    html! {
        table.toll {
            thead { tr {
                th {}
                @for bytes in COLUMNS_BYTES { th { (human_bytes(bytes)) } }
                @for partner in map.partners.iter().take(partners) { th.trip { (partner) } }
            } }
            @for group in groups {
                @let measured = toll::in_order(map, *group);
                @if measured.is_empty() {
                } @else if *group == Some(TollGroup::Line) {
                    tbody { (head(*group, partners)) (in_a_line(&measured, partners)) }
                } @else {
                    tbody {
                        (head(*group, partners))
                        @for row in measured { (line(row, partners)) }
                    }
                }
            }
        }
    }
}

fn head(group: Option<TollGroup>, partners: usize) -> Markup {
    let (title, aside) = toll::title(group);
    html! {
        tr.g {
            th scope="colgroup" colspan=(1 + COLUMNS_BYTES.len()) { (title) small { (aside) } }
            @if partners > 0 { th.trip colspan=(partners) { "64 B and back" small { "by partner" } } }
        }
    }
}

fn line(row: &TollRow, partners: usize) -> Markup {
    let class = if row.condition.is_empty() { "" } else { "fl" };
    html! {
        tr class=(class) {
            th scope="row" title=(row.label) { a href={ "#" (anchor(&row.experiment)) } { (row.way) } }
            @for (bytes, cell_of) in COLUMNS_BYTES.iter().zip(&row.cells) {
                (cell(row, &human_bytes(*bytes), cell_of))
            }
            @for at in 0..partners {
                @match row.round_trips.get(at) {
                    Some(trip) => (cell(row, "64 B and back", trip)),
                    None => td {},
                }
            }
        }
    }
}

/// Ways that move one line have one figure each.
fn in_a_line(rows: &[&TollRow], partners: usize) -> Markup {
    html! {
        tr.one {
            td colspan=(1 + COLUMNS_BYTES.len() + partners) {
                @for row in rows {
                    @if let Some(toll) = row.cells.iter().find_map(TollCell::toll) {
                        span title=(said(row, "a line", toll)) {
                            (row.way) " " b { (toll::time(toll)) }
                        }
                    }
                }
            }
        }
    }
}

fn cell(row: &TollRow, column: &str, cell: &TollCell) -> Markup {
    match cell {
        TollCell::Missing => html! { td.no {} },
        TollCell::Absent { .. } => html! { td.no { "–" } },
        TollCell::Measured(t) => {
            let text = toll::time(t);
            let (number, unit) = text.split_once(' ').unwrap_or((&text, ""));
            html! {
                td class=(class(t)) title=(said(row, column, t)) { span { (number) i { (unit) } } }
            }
        }
    }
}

fn class(t: &Toll) -> &'static str {
    match (t.flag, t.standing) {
        (ContaminationLevel::Contaminated, _) => "x",
        (_, Standing::Cheapest) => "b",
        (_, Standing::Tied) => "t",
        _ => "",
    }
}

/// All that is known of a cell, in a line.
fn said(row: &TollRow, column: &str, t: &Toll) -> String {
    let interval = match t.ns.is_none() {
        true => "no interval".to_owned(),
        false => format!("95 % {}", time_range(t.ns.low, t.ns.high, 3)),
    };
    let rate = t.gb_per_s.map(|_| toll::rate(t));
    let ratio = t.ratio.filter(|r| *r > 1.0);
    let ratio = ratio.map(|r| format!("{}x the cheapest", crate::format::significant(r, 2)));
    let counts = format!(
        "{} of {}",
        counted(t.samples, "sample", "samples"),
        counted(t.processes, "process", "processes")
    );
    let modes = t.modes_ns.iter().map(|ns| crate::format::time_ns(*ns, 3));
    let modes = modes.collect::<Vec<_>>();
    let modes = (!modes.is_empty()).then(|| format!("speeds {}", modes.join(" and ")));
    let flag = match t.flag {
        ContaminationLevel::Clean => None,
        ContaminationLevel::Disturbed => Some("some samples disturbed".to_owned()),
        ContaminationLevel::Contaminated => Some("shifted by surroundings, not ranked".to_owned()),
    };
    let parts = [Some(interval), rate, ratio, Some(counts), modes, flag];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    format!(
        "{}, {column}: {}; {}",
        row.label,
        toll::time(t),
        parts.join("; ")
    )
}

/// Rows of a group that cannot run here, as one line with the cause.
fn absent(map: &TollMap, group: Option<TollGroup>) -> Markup {
    let rows: Vec<&TollRow> = map
        .of_group(group)
        .filter(|row| !row.is_measured())
        .collect();
    let note = rows
        .iter()
        .flat_map(|row| row.all_cells())
        .find_map(|cell| match cell {
            TollCell::Absent { note } => map.notes.get(*note),
            _ => None,
        });
    let (heading, _) = toll::title(group);
    html! {
        @if let Some(note) = note {
            p.fold {
                b { (heading) } " "
                (counted(rows.len(), "way", "ways")) " not measured: "
                span title=(note.remedy) { (note.reason) }
            }
        }
    }
}
