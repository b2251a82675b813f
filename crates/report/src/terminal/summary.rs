//! One line for each experiment, or for each point where there are few.

use super::counters::counters_text;
use crate::counted::{alarmed, remarks};
use crate::document::{Document, Phrase, Span, Text, Tone};
use crate::figure::{self, Figure};
use crate::format::{
    counted, modes, percent, plus_minus, quantity, significant, time_ns, too_dependent,
    within_batches,
};
use crate::instrument::EMULATED;
use crate::interruptions::{Interruptions, rate, spoken};
use analysis::at_best::NEAR;
use analysis::singles;
use analysis::view::ContaminationLevel;
use analysis::{ExperimentTable, PointView, RunView, Summary};
use record::{FigureKind, InterruptsHead, PointState, RunHead, Unit};

/// Experiments with at most this many measured points show each of them.
const EACH_POINT: usize = 4;
/// Coverage that a full interval has; too few samples give less. A little
/// under 95 %, because the exact coverage falls on steps.
const NOMINAL_LEVEL: f64 = 0.945;
/// Kinds of interrupts that a line names.
const KINDS: usize = 8;
const ID_COLUMNS: usize = 21;

pub(super) fn document(view: &RunView, width: usize) -> Document {
    let mut document = Document::new();
    if view.tables.is_empty() {
        return document;
    }
    let emulated = match view.head.machine.is_emulated() {
        true => format!("  emulated: {EMULATED}"),
        false => String::new(),
    };
    document.heading(
        2,
        Phrase::of([
            Span::new("Experiments"),
            Span::new(emulated).tone(Tone::Bad),
            Span::new(intervals(view)).tone(Tone::Soft),
        ]),
    );
    for table in &view.tables {
        document.append(experiment(table, &view.head));
        document.append(super::colocation::document(table, &view.head, width));
        for figure in matrices(table, &view.head) {
            document.figure(figure);
        }
    }
    document
}

/// What stands behind the medians.
fn intervals(view: &RunView) -> &'static str {
    let mut points = view.tables.iter().flat_map(|table| &table.points);
    let of_one = |p: &PointView| p.primary().is_some_and(|s| s.median.is_of_one_process());
    match points.any(of_one) {
        true => "  medians with their intervals; one process: how others differ is assumed",
        false => "  medians with their 95 % intervals",
    }
}

/// Figures that a terminal can show.
pub(super) fn matrices(table: &ExperimentTable, run: &RunHead) -> Vec<Figure> {
    let heads = table.head.figures.iter().enumerate();
    let matrices = heads.filter(|(_, head)| head.kind == FigureKind::Matrix);
    matrices
        .flat_map(|(i, _)| figure::figures(run, table, i))
        .collect()
}

fn experiment(table: &ExperimentTable, run: &RunHead) -> Document {
    let all = table.points.iter();
    let measured: Vec<&PointView> = all.filter(|p| p.head.state == PointState::Done).collect();
    let in_pairs = !crate::colocation::blocks(table).is_empty();
    if measured.is_empty() || measured.len() > EACH_POINT || in_pairs {
        let met = Interruptions::of(table).map(|met| met.together());
        let mut document = Document::from(line(&table.head.id, overview(table, &measured)));
        document.extend(alarms(table, measured.iter().copied()));
        document.extend(interrupted(met.as_ref()).map(|text| line("", text)));
        return document;
    }
    let mut document = Document::new();
    measured
        .iter()
        .for_each(|point| document.append(each(table, point, run)));
    document
}

/// What is to be known of an experiment beyond its times: what was counted, alarms, what
/// interrupted it.
pub(super) fn besides(table: &ExperimentTable, run: &RunHead) -> Document {
    let all = table.points.iter();
    let measured: Vec<&PointView> = all.filter(|p| p.head.state == PointState::Done).collect();
    let mut document = Document::new();
    if measured.len() <= EACH_POINT {
        let counted = measured.iter().filter_map(|p| counters_text(table, p, run));
        document.extend(counted.map(Text::new));
    }
    document.extend(alarms(table, measured.iter().copied()));
    let met = Interruptions::of(table).map(|met| met.together());
    document.extend(interrupted(met.as_ref()).map(Text::new));
    document
}

/// One point: its time, what was counted, what interrupted it.
fn each(table: &ExperimentTable, point: &PointView, run: &RunHead) -> Document {
    let label = point.head.label();
    let name = match label.is_empty() {
        true => String::new(),
        false => format!("{label}  "),
    };
    let text = format!("{name}{}", point_text(point, run));
    let mut document = Document::from(line(&table.head.id, text));
    document.extend(within_batches(table, point).map(|text| line("", text)));
    document.extend(counters_text(table, point, run).map(|text| line("", text)));
    document.extend(alarms(table, std::iter::once(point)));
    let remarks = remarks(point).map(|note| line("", format!("counters: {note}")));
    document.extend(remarks);
    let interrupted = interrupted(point.head.interrupts.as_deref());
    document.extend(interrupted.map(|text| line("", text)));
    document
}

/// Counts that are not to be taken as they stand.
fn alarms<'a>(table: &ExperimentTable, points: impl Iterator<Item = &'a PointView>) -> Vec<Text> {
    let said = alarmed(table, points).into_iter();
    said.map(|alarm| line("", alarm).tone(Tone::Bad)).collect()
}

/// `interrupts a second on CPU 1: LOC 251, RES 12; machine: context switches 90`.
fn interrupted(met: Option<&InterruptsHead>) -> Option<String> {
    let met = met?;
    let counted_here = met.rows.iter();
    let counted_here =
        counted_here.filter_map(|row| Some((row.here.filter(|n| *n > 0)?, row.name.as_str())));
    let mut here: Vec<(u64, &str)> = counted_here.collect();
    here.sort_by(|a, b| b.cmp(a));
    let named =
        |(count, name): &(u64, &str)| format!("{} {}", spoken(name), rate(met.rate(*count)));
    let kinds: Vec<String> = here.iter().take(KINDS).map(named).collect();
    let kinds = match kinds.is_empty() {
        true => "none".to_owned(),
        false => kinds.join(", "),
    };
    let more = match here.len().saturating_sub(KINDS) {
        0 => String::new(),
        more => format!(" and {}", counted(more, "more kind", "more kinds")),
    };
    let of_machine = met.rows.iter().filter(|row| row.here.is_none());
    let machine: Vec<String> = of_machine
        .map(|row| named(&(row.total, &row.name)))
        .collect();
    let machine = match machine.is_empty() {
        true => String::new(),
        false => format!("; machine: {}", machine.join(", ")),
    };
    let cpu = met.cpu;
    Some(format!(
        "interrupts per second on CPU {cpu}: {kinds}{more}{machine}"
    ))
}

fn line(id: &str, text: String) -> Text {
    Text::new(text).label(2, id, ID_COLUMNS)
}

/// `117.1 ns ±0.6 %  (clock 21 ns, loop 0.4 ns, 3 of 120 samples disturbed)`.
fn point_text(point: &PointView, run: &RunHead) -> String {
    let Some(s) = point.primary() else {
        return "no samples".to_owned();
    };
    let mut text = format!(
        "{} {}{} ({}, {})",
        time_ns(s.median.center, 4),
        plus_minus(&s.median),
        in_cycles(point),
        instrument(run),
        disturbance(point, s),
    );
    if let Some(why) = too_dependent(s) {
        text.push_str(&format!(", {why}"));
    } else if s.median.level < NOMINAL_LEVEL {
        text.push_str(&format!(", interval only at {}", percent(s.median.level)));
    }
    text.extend(at_best(s));
    if let Some(sentence) = modes(s, Unit::Nanoseconds) {
        text.push_str(&format!(", {sentence}"));
    }
    text
}

/// `, at best 168 ns: 35 % of the samples are within 3 % of it`; None where the median is.
fn at_best(s: &Summary) -> Option<String> {
    let best = s.at_best?;
    (best.times(s.median.center) > 1.0 + NEAR).then(|| {
        format!(
            ", at best {}: {} of the samples are within 3 % of it",
            time_ns(best.value, 3),
            percent(best.share)
        )
    })
}

/// `, 635 cycles`.
fn in_cycles(point: &PointView) -> String {
    let cycles = point.cycles.as_ref();
    cycles.map_or_else(String::new, |cycles| {
        format!(", {} cycles", significant(cycles.center, 3))
    })
}

fn instrument(run: &RunHead) -> String {
    let i = &run.instrument;
    format!(
        "clock {}, loop {}",
        time_ns(i.read_cost_ns, 2),
        time_ns(i.empty_loop_ns, 1)
    )
}

fn disturbance(point: &PointView, s: &Summary) -> String {
    match &point.contamination {
        None => format!(
            "{}, not watched",
            counted(s.samples as usize, "sample", "samples")
        ),
        Some(c) => {
            let word = match c.level {
                ContaminationLevel::Contaminated => "samples disturbed, CONTAMINATED",
                _ => "samples disturbed",
            };
            format!("{} of {} {word}", c.disturbed, c.samples)
        }
    }
}

/// `198 points, 1.61 ns .. 118 ns, widest interval ±2.1 %, 9 disturbed ...`.
fn overview(table: &ExperimentTable, measured: &[&PointView]) -> String {
    let mut parts = vec![counted(measured.len(), "point", "points")];
    let medians = measured.iter().filter_map(|p| p.median_ns());
    let medians = medians.filter(|v| v.is_finite());
    let (least, most) = (medians.clone().reduce(f64::min), medians.reduce(f64::max));
    if let (Some(least), Some(most)) = (least, most) {
        let ns = |value| quantity(value, Unit::Nanoseconds, 3);
        parts.push(format!("{} .. {}", ns(least), ns(most)));
    }
    if let Some(share) = typical_half_width(measured) {
        parts.push(format!("interval typically ±{}", percent(share)));
    }
    parts.extend(counts(table));
    parts.join(", ")
}

/// Median over the points of the relative half-width.
fn typical_half_width(measured: &[&PointView]) -> Option<f64> {
    let mut widths: Vec<f64> = measured
        .iter()
        .filter_map(|p| p.primary())
        // One sample has no interval.
        .filter(|s| s.samples > 1)
        .filter_map(|s| crate::format::relative_half_width(&s.median))
        .collect();
    widths.sort_by(f64::total_cmp);
    widths.get(widths.len() / 2).copied()
}

fn counts(table: &ExperimentTable) -> Vec<String> {
    let points = |has: &dyn Fn(&PointView) -> bool| table.points.iter().filter(|p| has(p)).count();
    let level = |want: ContaminationLevel| {
        points(&|p| p.contamination.as_ref().is_some_and(|c| c.level == want))
    };
    let state = |want: fn(&PointState) -> bool| points(&|p| want(&p.head.state));
    let several = points(&|p| p.primary().is_some_and(|s| s.modes.len() > 1));
    let averaged = points(&|p| singles::kinds(table, p).is_some());
    let skipped = state(|s| matches!(s, PointState::Skipped { .. }));
    let counts = [
        (level(ContaminationLevel::Disturbed), "disturbed"),
        (level(ContaminationLevel::Contaminated), "CONTAMINATED"),
        (several, "with several modes"),
        (averaged, "with several modes of single operations"),
        (skipped, "skipped"),
        (state(|s| matches!(s, PointState::Failed { .. })), "FAILED"),
        (state(|s| matches!(s, PointState::Pending)), "not measured"),
    ];
    let there = counts.into_iter().filter(|(n, _)| *n > 0);
    there.map(|(n, word)| format!("{n} {word}")).collect()
}
