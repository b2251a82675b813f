//! A run as one HTML file: nothing is fetched when it is opened, everything
//! can be read without its script, and every text is escaped.

mod card;
mod colocation;
mod cost_curves;
mod data;
mod experiment;
mod findings;
mod first;
pub(crate) mod frame;
mod interruptions;
mod points;
mod portrait;
mod toll_table;
pub mod under_load;

use crate::document::{Column, Phrase};
use crate::figure;
use crate::format::counted;
use crate::timeline::{self, kept::Kept};
use analysis::RunView;
use frame::Frame;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use record::RunHead;
use summary::{Absent, RunSummary};

/// Bundled from `ui/`; its licences stand in its first lines.
const SCRIPT: &str = include_str!("../../ui/report.js");
const STYLE: &str = include_str!("../../ui/report.css");
/// Content security policy with the hashes of exactly these two files.
const POLICY: &str = include_str!("../../ui/policy.txt");

/// The whole page of a run without traces.
pub fn render(view: &RunView) -> String {
    render_with(view, &[])
}

/// The whole page, with the traces that the run kept.
pub fn render_with(view: &RunView, traces: &[Kept]) -> String {
    let summary = RunSummary::of(view);
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
                (first::masthead(head, &summary))
                main {
                    div.top {
                        (portrait::render(&summary.portrait, &head.machine))
                        (first::findings(&summary))
                    }
                    (toll_table::render(&summary.toll))
                    (cost_curves::render(&summary.toll))
                    (not_measured(&summary.absent))
                    (more(view, &figures, traces))
                }
                (footer(head))
                script #figures type="text/plain" { (data::of(&figures)) }
                script { (PreEscaped(SCRIPT)) }
                @if drawn { (timeline::script()) }
            }
        }
    };
    escape::page(&page.into_string()).into_owned()
}

/// `2026-01-01 12:00 UTC` from RFC 3339; anything else as it is.
fn when(rfc3339: &str) -> String {
    let (day, minute) = (rfc3339.get(..10), rfc3339.get(11..16));
    match day.zip(minute).filter(|_| rfc3339.ends_with('Z')) {
        Some((day, minute)) => format!("{day} {minute} UTC"),
        None => rfc3339.to_owned(),
    }
}

/// One sentence: what is missing, by cause.
fn not_measured(absent: &Absent) -> Markup {
    html! {
        @if absent.absent > 0 {
            p.missing {
                b { "Not measured: " (absent.absent) " of " (absent.planned) " points. " }
                @for (at, cause) in absent.causes.iter().enumerate() {
                    @if at > 0 { "; " }
                    @if cause.failed { "FAILED: " }
                    (cause.text) " " (cause.points)
                }
                "."
            }
        }
    }
}

/// All the rest, closed until it is asked for.
fn more(view: &RunView, figures: &[figure::Figure], traces: &[Kept]) -> Markup {
    let head = &view.head;
    let most_rows = most_rows(view);
    let findings = head.findings.len();
    html! {
        section.more #more {
            h2 { "Every experiment" small { "findings, figures, tables and method" } }
            @for table in &view.tables {
                (experiment::render(head, table, figures, traces, most_rows))
            }
            @if findings > 0 {
                (disclosed("All findings and claims", &counted(findings, "finding", "findings"), findings::render(view)))
            }
            @if !crate::terminal::skips::absences(view).is_empty() {
                (disclosed("Not measured", "causes and what would help", findings::absences(view)))
            }
            (disclosed("Machine, conditions, instrument", "", card::render(view)))
            (disclosed("How to read the figures", "", key()))
        }
    }
}

/// Rows of all tables together.
const MOST_ROWS: usize = 4000;
/// Of one experiment, however many share the page.
const LEAST_ROWS: usize = 40;

/// Rows of an experiment's table at most.
fn most_rows(view: &RunView) -> usize {
    match view.head.points.len() <= MOST_ROWS {
        true => MOST_ROWS,
        false => (MOST_ROWS / view.tables.len().max(1)).max(LEAST_ROWS),
    }
}

fn disclosed(title: &str, aside: &str, body: Markup) -> Markup {
    html! {
        details.exp {
            summary { b { (title) } " " span.said { (aside) } }
            div.experiment { (body) }
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
