//! Pairs of kinds of work as tables: gains, and what interrupted both CPUs.

use crate::colocation::{Block, EVIDENCE, Member, NOT_COUNTED, Pair, blocks};
use analysis::ExperimentTable;
use maud::{Markup, html};
use record::RunHead;

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
            div.scroll tabindex="0" role="region" aria-label={ "Gains, " (block.title) } {
                table.points {
                    thead {
                        tr {
                            @for of in ["A", "B"] {
                                th.word scope="col" { (of) }
                                th scope="col" { "gain" }
                                th scope="col" { "interval" }
                                th scope="col" { "before → after" }
                            }
                        }
                    }
                    tbody {
                        @for pair in &block.pairs {
                            tr { @for member in &pair.members { (cells(member)) } }
                        }
                    }
                }
            }
            p.reading {
                "Before: beside its own kind; after: beside the other. Gain: of times (before − "
                "after) / before, of rates (after − before) / before, with its interval; grey "
                "where that holds 0. The gain is the median of ratios of windows that follow each "
                "other, so it need not be that of the two medians."
            }
        }
    }
}

fn cells(member: &Member<'_>) -> Markup {
    let told = member.speed.said();
    html! {
        td.word title=(told) { (member.kind) }
        @match &member.gain {
            Ok(gain) => {
                td.median[gain.is_clear()].soft[!gain.is_clear()] { (gain.text()) }
                td.soft { (gain.interval()) }
                td title=(told) { (member.change(gain, "→")) }
            }
            Err(why) => td.absent colspan="3" { (why) },
        }
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
            @for pair in &block.pairs { (companies(table, pair)) }
        }
    }
}

fn companies(table: &ExperimentTable, pair: &Pair<'_>) -> Markup {
    let label = format!("Interrupts, {}", pair.companies[1].label());
    html! {
        div.scroll tabindex="0" role="region" aria-label=(label) {
            table.points {
                thead {
                    tr {
                        th.word scope="col" { "a second" }
                        @for company in &pair.companies { th scope="col" { (company.label()) } }
                    }
                }
                tbody {
                    @for row in &EVIDENCE {
                        tr {
                            th.word scope="row" { (row.0) }
                            @for company in &pair.companies { td { (company.cell(table, row)) } }
                        }
                    }
                }
            }
        }
    }
}
