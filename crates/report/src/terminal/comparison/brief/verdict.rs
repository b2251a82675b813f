//! What to make of it: the verdict, what it rests on, and what to do.

use super::together::{listed, moved, shift};
use crate::document::{Document, Phrase, Span, Text, Tone};
use crate::format::{counted, percent};
use analysis::compare::{ASSUMED_RUN_SD, Shift, ShiftOutcome, Verdict};
use analysis::{Comparison, Outcome};

pub(super) fn document(c: &Comparison) -> Document {
    let (word, tone, sentences) = match c.gate.verdict {
        Verdict::Passed => ("No regression shown:", Tone::Good, passed(c)),
        Verdict::Failed => ("Worse:", Tone::Bad, failed(c)),
        Verdict::Unknown => ("No verdict:", Tone::Caution, unknown(c)),
    };
    let lead = Phrase::of([Span::new(word).tone(tone), Span::new(" ")]);
    let mut document = Document::new();
    document.text(Text::new(sentences).lead(lead).hang(2));
    document.text(Text::new(rest(c)).tone(Tone::Soft));
    document
}

fn passed(c: &Comparison) -> String {
    let better = match c.count(Outcome::Better) {
        0 => String::new(),
        n => format!("{} became better, and ", counted(n, "value", "values")),
    };
    format!(
        "{better}nothing became worse by more than runs differ{}.",
        known(c)
    )
}

/// What other runs say of how far runs differ.
fn known(c: &Comparison) -> String {
    match c.gate.history {
        0 => format!(
            " ({} is assumed: no other run of this recipe is known)",
            percent(ASSUMED_RUN_SD)
        ),
        runs => format!(" (known from {})", counted(runs, "run", "runs")),
    }
}

fn failed(c: &Comparison) -> String {
    let worse = names(c, ShiftOutcome::Worse);
    let what = match worse.is_empty() {
        false => format!("{} as a whole", listed(worse)),
        true => counted(c.count(Outcome::Worse), "value", "values"),
    };
    let turn = in_turn(c);
    let meaning = match c.differences.as_slice() {
        [] => format!(
            "Nothing recorded of the runs differs: if you changed nothing else, that is the \
             machine. Run both again, or measure in turn: {turn}"
        ),
        [first, ..] => format!(
            "A regression if it comes from what differs ({}); measured in turn it is sure: {turn}",
            first.field
        ),
    };
    format!("{what}, by more than runs differ{}. {meaning}.", known(c))
}

fn unknown(c: &Comparison) -> String {
    let shifts = &c.gate.shifts;
    let is_shift = |reason: &&String| shifts.iter().any(|s| s.sentence() == **reason);
    let reasons = c.gate.reasons.iter().filter(|r| !is_shift(r));
    let mut said: Vec<String> = reasons.cloned().collect();
    let open = names(c, ShiftOutcome::Unknown);
    if !open.is_empty() && c.obstacle.is_none() {
        let open = listed(open);
        said.insert(
            0,
            format!("{open} as a whole, and no other run says whether this machine does that"),
        );
    }
    let advice = match (&c.obstacle, c.gate.judged, c.gate.history) {
        (Some(_), ..) => "To judge anyway: --across-machines".to_owned(),
        (None, 0, _) => "Measure the same experiments in both".to_owned(),
        (None, _, 0) => format!("Repeat A's run twice, or measure in turn: {}", in_turn(c)),
        (None, ..) => format!("Measure in turn: {}", in_turn(c)),
    };
    format!("{}. {advice}.", said.join("; "))
}

/// Experiments that moved as a whole with this outcome.
fn names(c: &Comparison, outcome: ShiftOutcome) -> Vec<String> {
    let moved = moved(c)
        .into_iter()
        .filter(|s: &&Shift| s.outcome == outcome);
    moved.map(shift).collect()
}

/// The experiment that moved as a whole, or that has the worst point.
fn in_turn(c: &Comparison) -> String {
    let open = moved(c)
        .into_iter()
        .filter(|s| s.outcome != ShiftOutcome::Usual && s.grew_worse() && !s.experiment.is_empty());
    let size = |s: &Shift| s.ratio.center.ln().abs();
    let decides = |s: &Shift| s.outcome == ShiftOutcome::Worse;
    let shift = open.max_by(|a, b| {
        let by_size = size(a).total_cmp(&size(b));
        decides(a).cmp(&decides(b)).then(by_size)
    });
    let worst = c.gate.worst.first().and_then(|at| c.points.get(*at));
    let experiment = shift.map(|s| s.experiment.as_str());
    let experiment = experiment.or(worst.map(|p| p.experiment.as_str()));
    experiment.map_or("pontage ab".to_owned(), |e| format!("pontage ab {e}"))
}

/// What is not on this screen.
fn rest(c: &Comparison) -> String {
    let not = match c.count(Outcome::NotComparable) {
        0 => String::new(),
        n => format!("{} could not be compared. ", counted(n, "value", "values")),
    };
    let worse = c.count(Outcome::Worse) + c.count(Outcome::Better);
    let all = match worse {
        0 => "Every experiment".to_owned(),
        n => format!(
            "All {}, and every experiment",
            counted(n, "change", "changes")
        ),
    };
    format!("{not}{all}: --all")
}
