//! Pairs of kinds of work as tables: gains, and what interrupted both CPUs.

use super::{WORD, word_head};
use crate::colocation::{Block, EVIDENCE, Member, NOT_COUNTED, Pair, blocks};
use crate::document::{self, Cell, Column, Table};
use analysis::ExperimentTable;
use maud::{Markup, html};
use record::RunHead;

/// Pairs of tasks, next to their own kind and mixed.
pub fn render(table: &ExperimentTable, run: &RunHead) -> Markup {
    html! {
        @for block in blocks(table) {
            (gains(&block))
            (evidence(table, &block, run))
        }
    }
}

fn gains(block: &Block<'_>) -> Markup {
    html! {
        figure {
            figcaption { b { "Gain by mixing: " (block.title) } }
            (document::html::table(&pairs(block)))
            p.reading {
                "Before: neighbour of the same kind; after: of the other kind. Gain: of times (before − "
                "after) / before, of rates (after − before) / before, with its interval; grey "
                "where that contains 0. The gain is the median of ratios of windows that follow each "
                "other, so it need not be that of the two medians."
            }
        }
    }
}

fn pairs(block: &Block<'_>) -> Table {
    let heads = ["A", "B"].into_iter().flat_map(|of| {
        let numbers = ["gain", "interval", "before → after"].map(Column::number);
        std::iter::once(word_head(of)).chain(numbers)
    });
    let name = format!("Gains, {}", block.title);
    let mut table = Table::new(heads).on_page("points", name);
    for pair in &block.pairs {
        table.row(pair.members.iter().flat_map(cells));
    }
    table
}

fn cells(member: &Member<'_>) -> Vec<Cell> {
    let speed = member.speed.said();
    let kind = Cell::from(member.kind).kind(WORD).title(speed.as_str());
    match &member.gain {
        Ok(gain) => {
            let clear = if gain.is_clear() { "median" } else { "soft" };
            vec![
                kind,
                Cell::from(gain.text()).kind(clear),
                Cell::from(gain.interval()).kind("soft"),
                Cell::from(member.change(gain, "→")).title(speed),
            ]
        }
        Err(why) => vec![kind, Cell::from(why.as_str()).kind("absent").span(3)],
    }
}

fn evidence(table: &ExperimentTable, block: &Block<'_>, run: &RunHead) -> Markup {
    html! {
        details.theory {
            summary { "What interrupted them: " (block.title) }
            p {
                "A second, on the measured CPU / on its neighbour's: timer (LOC), rescheduling (RES), "
                "function calls (CAL), shoot-downs of translations (TLB). Context switches are those "
                "of the whole machine, switches and page faults those of the measured task. The "
                "measured one is named first."
            }
            @if run.conditions.counters.is_none() { p { (NOT_COUNTED) "." } }
            @for pair in &block.pairs { (document::html::table(&coruns(table, pair))) }
        }
    }
}

fn coruns(table: &ExperimentTable, pair: &Pair<'_>) -> Table {
    let labels = pair.coruns.iter().map(|c| Column::number(c.label()));
    let name = format!("Interrupts, {}", pair.coruns[1].label());
    let heads = std::iter::once(word_head("a second")).chain(labels);
    let mut causes = Table::new(heads).on_page("points", name);
    for row in &EVIDENCE {
        let cells = pair.coruns.iter();
        let cells = cells.map(|corun| Cell::from(corun.cell(table, row)));
        let head = Cell::from(row.0).kind(WORD).names_row();
        causes.row(std::iter::once(head).chain(cells));
    }
    causes
}
