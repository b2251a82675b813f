//! A run as one HTML file: nothing is fetched when it is opened, everything
//! can be read without its script, and every text is escaped.

mod card;
mod colocation;
mod data;
mod experiment;
mod findings;
pub(crate) mod frame;
mod interruptions;
mod points;
mod toll_table;
pub mod under_load;

use crate::document::{Column, Phrase};
use crate::figure;
use crate::format::counted;
use crate::instrument::{Weight, remarks};
use crate::timeline::{self, kept::Kept};
use crate::toll::TollMap;
use analysis::RunView;
use frame::Frame;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use record::RunHead;

/// Bundled from `ui/`; its licences stand in its first lines.
const SCRIPT: &str = include_str!("../../../../ui/dist/report.js");
const STYLE: &str = include_str!("../../../../ui/dist/report.css");
/// Content security policy with the hashes of exactly these two files.
const POLICY: &str = include_str!("../../../../ui/dist/policy.txt");

/// The whole page of a run without traces.
pub fn render(view: &RunView) -> String {
    render_with(view, &[])
}

/// The whole page, with the traces that the run kept.
pub fn render_with(view: &RunView, traces: &[Kept]) -> String {
    let map = TollMap::of(view);
    let figures = figure::all(view);
    let drawn = traces.iter().any(Kept::is_drawn);
    let policy = match drawn {
        true => timeline::policy(POLICY),
        false => POLICY.trim().to_owned(),
    };
    let head = &view.head;
    let frame = Frame {
        policy: &policy,
        generator: Some(&head.tool_version),
        title: &format!("Pontage: {}, {}", head.machine.host, head.started_utc),
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (frame.head(html! { style { (PreEscaped(STYLE)) } @if drawn { (timeline::style()) } }))
            body {
                a.skip href="#toll" { "Skip to the toll map" }
                (masthead(head))
                div.columns {
                    (contents(view, &map))
                    main {
                        (card::render(view))
                        (toll_table::render(&map))
                        (findings::render(view))
                        (findings::absences(view))
                        (key())
                        @for table in &view.tables {
                            (experiment::render(head, table, &figures, traces))
                        }
                    }
                }
                (footer(head))
                script #figures type="application/json" { (data::json(&figures)) }
                script { (PreEscaped(SCRIPT)) }
                @if drawn { (timeline::script()) }
            }
        }
    };
    escape::page(&page.into_string()).into_owned()
}

fn masthead(head: &RunHead) -> Markup {
    let m = &head.machine;
    let found = remarks(head);
    let of = |weight: Weight| found.iter().filter(move |r| r.weight == weight);
    html! {
        header.masthead {
            div.title {
                p.brand { "Pontage" }
                h1 { "What moving data costs on " span.host { (m.host) } }
                p.sub {
                    (m.cpu_model) " · Linux " (m.kernel) " · " time datetime=(head.started_utc) { (when(&head.started_utc)) }
                    " · " (head.recipe.name)
                    @if !head.recipe.preset.is_empty() && head.recipe.preset != head.recipe.name {
                        " (" (head.recipe.preset) ")"
                    }
                    " · " (counted(head.points.len(), "point", "points"))
                }
            }
            button #theme.theme type="button" hidden { "Dark" }
            @for remark in of(Weight::Alarm) {
                p.alarm role="alert" { (remark.text) }
            }
            @for remark in of(Weight::Caution) {
                p.caution { (remark.text) }
            }
        }
    }
}

/// `2026-01-01 12:00 UTC` from RFC 3339; anything else as it is.
fn when(rfc3339: &str) -> String {
    let (day, minute) = (rfc3339.get(..10), rfc3339.get(11..16));
    match day.zip(minute).filter(|_| rfc3339.ends_with('Z')) {
        Some((day, minute)) => format!("{day} {minute} UTC"),
        None => rfc3339.to_owned(),
    }
}

fn contents(view: &RunView, map: &TollMap) -> Markup {
    html! {
        nav.contents aria-label="Contents" {
            ul {
                li { a href="#machine" { "Machine" } }
                @if !map.rows.is_empty() { li { a href="#toll" { "Toll map" } } }
                @if !view.head.findings.is_empty() { li { a href="#findings" { "Findings" } } }
                @if !crate::terminal::skips::absences(view).is_empty() {
                    li { a href="#absent" { "Not measured" } }
                }
                @for table in &view.tables {
                    li.id { a href={ "#" (anchor(&table.head.id)) } { (table.head.id) } }
                }
            }
        }
    }
}

/// Class of columns that hold words.
const WORD: &str = "word";

fn word_head(name: &str) -> Column {
    Column::words(Phrase::from(name).kind(WORD))
}

/// Anchor of an experiment's section.
fn anchor(id: &str) -> String {
    crate::svg::file_stem(&id.replace('/', "-"))
}

/// How to read every figure, once.
fn key() -> Markup {
    html! {
        section.key aria-label="How to read the figures" {
            p {
                "In the figures: " span.mark { "●" } " clean, " span.mark { "○" }
                " some samples disturbed but the median not shifted, " span.mark { "×" }
                " contaminated. Shaded: the interval of the median (95 % unless stated). "
                "Grey lines: what the machine says of itself. "
                span.knee { "Red lines" } ": what the measurement says, with its interval. "
                "Rates are in 10⁹ bytes per second, sizes in powers of two."
            }
        }
    }
}

fn footer(head: &RunHead) -> Markup {
    html! {
        footer {
            p {
                "Run " code { (head.id) } ", record format " (head.schema_version)
                ", measured by pontage " (head.tool_version) " with "
                code { (head.command_line.join(" ")) } "."
            }
            p {
                "Medians with their intervals; disturbed samples are flagged and counted, "
                "never dropped. Figures drawn with uPlot (MIT) and plotters (MIT)."
            }
        }
    }
}
