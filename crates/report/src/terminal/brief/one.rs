//! One experiment: its values as hyperfine prints them, or a table where there are many.

use super::{lines, machine, missing, next, point, quiet, trust};
use crate::document::{Column, Document, Phrase, Span, Table, Text, Tone};
use crate::format::{percent, relative_half_width, significant, time_ns};
use crate::label::{label, varying};
use crate::terminal::{Weight, colocation, remarks_of, summary};
use ::summary::RunSummary;
use analysis::view::ContaminationLevel;
use analysis::{ExperimentTable, PointView, RunView};
use record::{AxisHead, Finding, Verdict};

/// Up to so many points are shown each by itself.
const EACH: usize = 2;
/// Rows of the table of more.
const ROWS: usize = 8;
/// Findings that are shown, where there is room.
const FINDINGS: usize = 4;
/// Lines that one experiment takes at most.
const LINES: usize = 25;

pub(super) fn document(
    view: &RunView,
    table: &ExperimentTable,
    summary: &RunSummary,
    width: usize,
    page: Option<&str>,
) -> Document {
    let shown = |findings: usize| whole(view, table, summary, findings, width, page);
    let fits = |findings: &usize| lines(&shown(*findings), width) <= LINES;
    let findings = (1..=FINDINGS).rev().find(fits).unwrap_or(1);
    shown(findings)
}

fn whole(
    view: &RunView,
    table: &ExperimentTable,
    summary: &RunSummary,
    most_findings: usize,
    width: usize,
    page: Option<&str>,
) -> Document {
    let measured: Vec<&PointView> = table
        .points
        .iter()
        .filter(|p| p.primary().is_some())
        .collect();
    let axes = varying(table, &measured);
    let own = own_tables(view, table, width);
    let portrait = machine::portrait(&summary.portrait, width);
    let values = match measured.len() {
        _ if !own.is_empty() => own,
        // They are the answer that the points were measured for.
        _ if !portrait.is_empty() => Text::new(quiet::said(table)).into(),
        0 => Document::new(),
        few if few <= EACH => measured
            .iter()
            .map(|p| point::document(p, &label(p, &axes), &view.head, width))
            .fold(Document::new(), |mut all, one| {
                all.append(one);
                all
            }),
        _ => points(table, &measured, &axes),
    };
    let mut end = findings(view, table, most_findings);
    end.append(trust::document(&summary.grade));
    end.append(next::document(view, summary, &[], page));
    Document::sections([
        remarks_of(view, Weight::Alarm),
        title(view, table, width),
        portrait,
        values,
        summary::besides(table, &view.head),
        notes(view),
        missing::document(&summary.absent, width),
        end,
    ])
}

/// Pairs and matrices have tables of their own.
pub(super) fn own_tables(view: &RunView, table: &ExperimentTable, width: usize) -> Document {
    let mut document = colocation::document(table, &view.head, width);
    for figure in summary::matrices(table, &view.head) {
        document.figure(figure);
    }
    document
}

/// What could not be had, and why: never silent.
fn notes(view: &RunView) -> Document {
    let notes = view.head.conditions.notes.iter();
    notes
        .map(|note| Text::new(note.as_str()).lead("note: ").tone(Tone::Soft))
        .collect()
}

fn title(view: &RunView, table: &ExperimentTable, width: usize) -> Document {
    let mut document = machine::title(&view.head, width);
    let title = Span::new(format!("   {}", table.head.title));
    let id = Span::new(table.head.id.as_str()).tone(Tone::Strong);
    document.line(Phrase::of([id, title]));
    document
}

/// What contradicts first.
fn findings(view: &RunView, table: &ExperimentTable, most: usize) -> Document {
    let of_it = view
        .head
        .findings
        .iter()
        .filter(|f| f.experiment == table.head.id);
    let mut of_it: Vec<&Finding> = of_it.collect();
    of_it.sort_by_key(|f| f.verdict != Verdict::Disagree);
    sentences(&of_it, most, &table.head.id)
}

/// What findings say, as many as there is room for; `section` names where the others are.
pub(super) fn sentences(findings: &[&Finding], most: usize, section: &str) -> Document {
    let mut document = Document::new();
    for finding in findings.iter().take(most) {
        let text = finding.brief.as_deref().unwrap_or(&finding.sentence);
        document.text(Text::new(text).lead("- "));
    }
    let more = findings.len().saturating_sub(most);
    if more > 0 {
        let command = format!("{more} more findings: pontage report --section {section}");
        document.text(Text::new(command).lead("  ").tone(Tone::Soft));
    }
    document
}

/// Points spread evenly over the plan, the first and the last among them.
fn points(table: &ExperimentTable, measured: &[&PointView], axes: &[&AxisHead]) -> Document {
    let mut document = Document::from(rows(&picked(measured), axes));
    if picked(measured).len() < measured.len() {
        let text = format!(
            "{} of {} points; all: pontage report --section {}",
            picked(measured).len(),
            measured.len(),
            table.head.id
        );
        document.text(Text::new(text).tone(Tone::Soft));
    }
    document
}

fn picked<'a>(measured: &[&'a PointView]) -> Vec<&'a PointView> {
    // To say that one is left out takes as many lines as the one.
    if measured.len() <= ROWS + 1 {
        return measured.to_vec();
    }
    let last = measured.len() - 1;
    (0..ROWS)
        .map(|at| measured[at * last / (ROWS - 1)])
        .collect()
}

/// A row for each point: time, interval, range, rate, and what is to be known of it.
pub fn rows(points: &[&PointView], axes: &[&AxisHead]) -> Table {
    let rated = points.iter().any(|p| p.bandwidth_gb_per_s().is_some());
    let heads = ["median", "95 % interval", "range"].map(Column::number);
    let rate = rated.then(|| Column::number("rate"));
    let columns = std::iter::once(Column::words("point"))
        .chain(heads)
        .chain(rate);
    let mut table = Table::new(columns.chain([Column::words("")]));
    table.head_tone = Tone::Soft;
    for point in points {
        let Some(s) = point.primary() else { continue };
        let time = |ns: f64| time_ns(ns, 3);
        let mut row = vec![
            label(point, axes),
            time(s.median.center),
            relative_half_width(&s.median)
                .filter(|_| ::summary::has_interval(s))
                .map_or_else(|| "none".to_owned(), |share| format!("±{}", percent(share))),
            format!("{} .. {}", time(s.min), time(s.max)),
        ];
        if rated {
            let rate = point.bandwidth_gb_per_s();
            row.push(rate.map_or_else(String::new, |r| format!("{} GB/s", significant(r, 3))));
        }
        row.push(remark(point));
        table.row(row);
    }
    table.fitting()
}

fn remark(point: &PointView) -> String {
    let bad = point.contamination.as_ref();
    let bad = bad.is_some_and(|c| c.level == ContaminationLevel::Contaminated);
    let modes = point.primary().map_or(0, |s| s.modes.len());
    match (bad, modes) {
        (true, _) => "disturbed".to_owned(),
        (false, 0 | 1) => String::new(),
        (false, n) => format!("{n} speeds"),
    }
}
