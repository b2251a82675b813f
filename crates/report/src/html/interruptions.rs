//! What interrupted the machine while the points of an experiment were
//! sampled, as a table that opens.

use crate::interruptions::{Interruptions, Kind, rate, told};
use analysis::ExperimentTable;
use maud::{Markup, html};
use record::InterruptsHead;

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
            div.scroll tabindex="0" role="region" aria-label=(label) {
                table.points {
                    thead {
                        tr {
                            th.word scope="col" { "point" }
                            th scope="col" { "counted, ms" }
                            @for kind in &met.kinds {
                                th scope="col" title=(kind.description) { (told(kind.name)) }
                            }
                        }
                    }
                    tbody {
                        @for (point, met_by) in &met.points {
                            tr {
                                td.word { (point.head.label()) }
                                td { (format!("{:.1}", met_by.over_ns as f64 / 1e6)) }
                                @for kind in &met.kinds { td { (cell(met_by, kind)) } }
                            }
                        }
                    }
                }
            }
        }
    }
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
