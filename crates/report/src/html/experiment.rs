//! One experiment: question, figures, findings, claims, table, method.

use super::{anchor, colocation, findings, interruptions, points};
use crate::document::{self, Document};
use crate::figure::Figure;
use crate::format::{modes, within_batches};
use crate::label::{label, varying};
use crate::terminal::brief;
use crate::timeline::kept::Kept;
use analysis::{ExperimentTable, PointView};
use maud::{Markup, html};
use record::{ClaimOutcome, Finding, RunHead, Unit};

/// An experiment, closed until it is asked for; of its points `most_rows` at most.
pub fn render(
    run: &RunHead,
    table: &ExperimentTable,
    figures: &[Figure],
    traces: &[Kept],
    most_rows: usize,
) -> Markup {
    let head = &table.head;
    let id = &head.id;
    html! {
        details.exp {
            summary {
                code { (id) } " " span.name { (head.title) }
                span.said { (brief::said(table)) }
            }
            // What is linked to is inside, so that the way to it opens it.
            div.experiment id=(anchor(id)) { (body(run, table, figures, traces, most_rows)) }
        }
    }
}

fn body(
    run: &RunHead,
    table: &ExperimentTable,
    figures: &[Figure],
    traces: &[Kept],
    most_rows: usize,
) -> Markup {
    let head = &table.head;
    let id = &head.id;
    let findings = run.findings.iter().filter(|f| f.experiment == *id);
    let found: Vec<&Finding> = findings.collect();
    let claims: Vec<&ClaimOutcome> = run.claims.iter().filter(|c| c.experiment == *id).collect();
    let mut drawn = Document::new();
    let of_experiment = figures.iter().filter(|f| f.experiment == *id);
    let there = of_experiment.filter(|figure| !figure.is_empty());
    there.for_each(|figure| drawn.figure(figure.clone()));
    let method = [
        ("Counts", prose(&head.counts)),
        ("Does not count", prose(&head.does_not_count)),
        ("Origin", prose(&head.origin)),
        ("Instrument", instrument(run, table)),
        ("Reproduce", html! { code { (command(run, id)) } }),
    ];
    html! {
        p.question { (prose(&head.question)) }
        @if !found.is_empty() { (findings::list(&found, false)) }
        (colocation::render(table, run))
        (document::html::write(&drawn))
        @for kept in traces.iter().filter(|t| t.experiment == *id) { (kept.markup()) }
        (several_modes(table))
        @if !claims.is_empty() { (findings::claims(&claims)) }
        (points::render(table, most_rows))
        (interruptions::render(table))
        dl.method {
            @for (name, text) in &method { div { dt { (name) } dd { (text) } } }
        }
        @if !head.theory.is_empty() {
            details.theory {
                summary { "Theory and method" }
                (prose(&head.theory))
            }
        }
    }
}

/// Points listed by name where their distribution has several modes; more are
/// counted, and named in the table.
const MODES_LISTED: usize = 6;

/// One median between two modes is a number that was never measured.
fn several_modes(table: &ExperimentTable) -> Markup {
    let all: Vec<&PointView> = table.points.iter().collect();
    let axes = varying(table, &all);
    let sentences = |p: &PointView| {
        let batches = p.primary().and_then(|s| modes(s, Unit::Nanoseconds));
        let all = batches.into_iter().chain(within_batches(table, p));
        let label = label(p, &axes);
        all.map(move |sentence| (label.clone(), sentence))
    };
    let found: Vec<(String, String)> = table.points.iter().flat_map(sentences).collect();
    html! {
        @for (label, sentence) in found.iter().take(MODES_LISTED) {
            p.modes { @if !label.is_empty() { (label) ": " } (sentence) }
        }
        @if found.len() > MODES_LISTED {
            p.modes { "and " (found.len() - MODES_LISTED) " more points with several modes, in the table" }
        }
    }
}

/// What the numbers of this experiment owe to the instrument.
fn instrument(run: &RunHead, table: &ExperimentTable) -> Markup {
    let medians = table.points.iter().filter_map(PointView::median_ns);
    let least = medians
        .filter(|v| v.is_finite() && *v > 0.0)
        .reduce(f64::min);
    let i = &run.instrument;
    if i.clock_hz == 0.0 {
        return html! { (i.clock) };
    }
    let time = |ns: f64| crate::format::time_ns(ns, 2);
    html! {
        "one reading of the clock " (time(i.read_cost_ns)) " a batch, empty loop "
        (time(i.empty_loop_ns)) " an operation"
        @if let Some(least) = least {
            ": the loop is at most " (crate::format::percent(i.empty_loop_ns / least))
            " of the smallest median, " (time(least))
        }
    }
}

/// The command that measures this experiment again as in this run.
fn command(run: &RunHead, id: &str) -> String {
    if run.recipe.preset == "custom" && run.recipe.text.is_empty() {
        // No recipe made it: copies that were recorded, files that were imported.
        return run.command_line.join(" ");
    }
    let preset = match run.recipe.preset.as_str() {
        "full" => "--full",
        _ => "--quick",
    };
    let load = run.conditions.load.as_str();
    let load = match load {
        "" | "light" => String::new(),
        load => format!(" --load {load}"),
    };
    format!("pontage run {id} {preset}{load}")
}

/// Paragraphs and `code` of the written half; anything else stays text.
fn prose(text: &str) -> Markup {
    let paragraphs = text.split("\n\n").map(str::trim);
    let paragraphs: Vec<&str> = paragraphs.filter(|p| !p.is_empty()).collect();
    match paragraphs.as_slice() {
        [] => html! { "–" },
        [one] => inline(one),
        many => html! { @for p in many { p { (inline(p)) } } },
    }
}

fn inline(text: &str) -> Markup {
    html! {
        @for (i, part) in text.split('`').enumerate() {
            @if i % 2 == 1 { code { (part) } } @else { (emphasised(part)) }
        }
    }
}

/// `*word*` stands out. A star alone, or one next to a blank on its inner side, is a star.
fn emphasised(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('*').collect();
    let is_word = |at: usize| {
        let part = parts[at];
        at % 2 == 1 && at + 1 < parts.len() && !part.is_empty() && part.trim() == part
    };
    html! {
        @for (i, part) in parts.iter().enumerate() {
            @if is_word(i) { em { (part) } }
            @else {
                @if i > 0 && !is_word(i - 1) { "*" }
                (part)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::inline;

    #[test]
    fn words_between_stars_stand_out_and_stars_alone_are_stars() {
        let of = |text: &str| inline(text).into_string();
        assert_eq!(of("a *b* c"), "a <em>b</em> c");
        assert_eq!(of("2 * 3 = 6"), "2 * 3 = 6");
        assert_eq!(of("2 * 3 * 4"), "2 * 3 * 4");
        assert_eq!(of("`a*b` *c*"), "<code>a*b</code> <em>c</em>");
        assert_eq!(of("*<b>*"), "<em>&lt;b&gt;</em>");
    }
}
