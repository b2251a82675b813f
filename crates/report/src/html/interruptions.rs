//! What interrupted the machine while the points of an experiment were
//! sampled, as a table that opens.

use super::{WORD, word_head};
use crate::document::{self, Cell, Column, Table};
use crate::interruptions::{Interruptions, Kind, rate, spoken};
use analysis::ExperimentTable;
use maud::{Markup, html};
use record::InterruptsHead;

/// What interrupted the machine during each point.
pub fn render(table: &ExperimentTable) -> Markup {
    let Some(met) = Interruptions::of(table) else {
        return html! {};
    };
    let label = format!("Interrupts of {}, scrollable", table.head.id);
    let shared = met.points.iter().any(|(_, met)| met.points > 1);
    let recorded = met.points.iter().any(|(_, met)| met.with_setup);
    html! {
        details.theory {
            summary { "Interrupts while the points were sampled" }
            p {
                "A second: on the CPU that measured / on all CPUs. Softirqs and context switches are "
                "no interrupts of their own; the kernel tells switches of the whole machine only."
                @if shared { " Points that are sampled in alternation share their counts." }
                @if recorded { " Recordings are counted with their set-up, in which they are made." }
            }
            (document::html::table(&rates(&met, label)))
        }
    }
}

fn rates(met: &Interruptions<'_>, name: String) -> Table {
    let kinds = met.kinds.iter();
    let kinds = kinds.map(|kind| Column::number(spoken(kind.name)).doc(kind.description));
    let heads = [word_head("point"), Column::number("counted, ms")];
    let mut table = Table::new(heads.into_iter().chain(kinds)).on_page("points", name);
    for (point, met_by) in &met.points {
        let ms = format!("{:.1}", met_by.over_ns as f64 / 1e6);
        let cells = met.kinds.iter().map(|kind| Cell::from(cell(met_by, kind)));
        let before = [Cell::from(point.head.in_words()).kind(WORD), Cell::from(ms)];
        table.row(before.into_iter().chain(cells));
    }
    table
}

fn cell(met: &InterruptsHead, kind: &Kind<'_>) -> String {
    let Some(row) = met.rows.iter().find(|row| row.name == kind.name) else {
        return "0".to_owned();
    };
    let total = rate(met.rate(row.total));
    match row.here {
        Some(here) => format!("{} / {total}", rate(met.rate(here))),
        None => total,
    }
}
