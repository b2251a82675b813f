//! The toll map.

use super::anchor;
use crate::format::significant;
use crate::toll::{COLUMNS_BYTES, Standing, Toll, TollCell, TollMap, TollNote, legend};
use analysis::view::ContaminationLevel;
use maud::{Markup, html};
use record::axis::human_bytes;

pub fn render(map: &TollMap) -> Markup {
    if map.rows.is_empty() {
        return html! {};
    }
    html! {
        section #toll {
            h2 { "Toll map" @if map.emulated { " (emulated)" } }
            p.lead {
                "What one operation costs by bytes moved: median time, its interval, and the rate. "
                "The deeper the shade, the further from the cheapest way of the column."
            }
            div.scroll tabindex="0" role="region" aria-label="Toll map, scrollable" {
                table.toll {
                    thead {
                        tr {
                            th scope="col" { "way" }
                            @for bytes in COLUMNS_BYTES {
                                th scope="col" { (human_bytes(bytes)) }
                            }
                        }
                    }
                    tbody {
                        @for row in &map.rows {
                            tr {
                                th scope="row" {
                                    a href={ "#" (anchor(&row.experiment)) } { (row.label) }
                                }
                                @for cell in &row.cells { (cell_markup(cell, &map.notes)) }
                            }
                        }
                    }
                }
            }
            (below(map))
        }
    }
}

fn cell_markup(cell: &TollCell, notes: &[TollNote]) -> Markup {
    match cell {
        TollCell::Missing => html! { td.none { "–" } },
        TollCell::Absent { note } => html! {
            td.none {
                a href={ "#toll-note-" (note + 1) } title=(notes[*note].reason) {
                    (notes[*note].word) sup { (note + 1) }
                }
            }
        },
        TollCell::Measured(t) => measured(t),
    }
}

fn measured(t: &Toll) -> Markup {
    let shade = t.ratio.map_or("", shade_class);
    let best = matches!(t.standing, Standing::Cheapest);
    html! {
        td class=(shade) {
            span.time {
                @if best { span.best title="cheapest of its column" { "★" } " " }
                @if t.standing == Standing::Tied {
                    span.tied title="not distinguishable from the cheapest" { "≈" } " "
                }
                (t.time()) " " span.pm { (t.uncertainty()) }
                @match t.flag {
                    ContaminationLevel::Clean => {}
                    ContaminationLevel::Disturbed => {
                        " " span.flag title="some samples disturbed" { "○" }
                    }
                    ContaminationLevel::Contaminated => {
                        " " span.flag.bad title="contaminated" { "×" }
                    }
                }
                @if t.several_modes {
                    " " span.flag title="more than one mode" { "m" }
                }
            }
            span.detail {
                @if t.gb_per_s.is_some() { (t.rate()) }
                @if let Some(ratio) = t.ratio.filter(|r| *r > 1.0) {
                    " · " (significant(ratio, 2)) "×"
                }
            }
        }
    }
}

/// One shade for each doubling over the cheapest, up to five.
fn shade_class(ratio: f64) -> &'static str {
    const SHADES: [&str; 6] = ["h0", "h1", "h2", "h3", "h4", "h5"];
    let doublings = ratio.max(1.0).log2();
    SHADES[(doublings.round() as usize).min(5)]
}

fn below(map: &TollMap) -> Markup {
    html! {
        ul.legend {
            @for (mark, meaning) in legend(map) {
                li { span.mark { (page_mark(mark)) } " " (meaning) }
            }
        }
        @if !map.notes.is_empty() {
            ol.notes {
                @for (i, note) in map.notes.iter().enumerate() {
                    li id={ "toll-note-" (i + 1) } {
                        b { (note.word) } " " (note.reason)
                        @if !note.remedy.is_empty() { " " code { (note.remedy) } }
                    }
                }
            }
        }
    }
}

/// The page has more signs to choose from than a terminal.
fn page_mark(mark: &str) -> &str {
    match mark {
        "*" => "★",
        "~" => "≈",
        "'" => "○",
        "!" => "×",
        "-" => "–",
        other => other,
    }
}
