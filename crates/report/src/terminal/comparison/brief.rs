//! A comparison on one screen: the two runs, how much differs, the points that changed most, and
//! what to make of it.

mod heading;
mod points;
mod together;
mod verdict;

use crate::document::{Document, Text, Tone, terminal};
use crate::format::{counted, percent};
use analysis::{Comparison, Outcome, RunView};

/// Lines that it takes at most, in a window that is wide or is not.
const LINES: (usize, usize) = (30, 36);
/// From this width on a window is wide.
const WIDE: usize = 96;
/// Points that are shown of each side, where there is room.
const SHOWN: usize = 8;

/// `runs`: A and B, of which the comparison is.
pub fn document(c: &Comparison, runs: [&RunView; 2], width: usize) -> Document {
    let width = width.max(terminal::LEAST_WIDTH);
    let most = if width >= WIDE { LINES.0 } else { LINES.1 };
    let shown = |number: usize| whole(c, runs, number, width);
    let fits = |number: &usize| lines(&shown(*number), width) <= most;
    let number = (1..=SHOWN).rev().find(fits);
    shown(number.unwrap_or(0))
}

fn lines(document: &Document, width: usize) -> usize {
    terminal::write(document, width, false).lines().count()
}

fn whole(c: &Comparison, runs: [&RunView; 2], number: usize, width: usize) -> Document {
    Document::sections([
        heading::document(c, runs, width),
        how_many(c),
        points::document(c, runs, number, width),
        together::document(c, runs, number),
        verdict::document(c),
    ])
}

/// `6 of 1399 values differ by more than 5 % and noise: 2 worse, 4 better.`
fn how_many(c: &Comparison) -> Document {
    let count = |outcome| c.count(outcome);
    let (worse, better) = (count(Outcome::Worse), count(Outcome::Better));
    let judged = worse + better + count(Outcome::Same);
    if judged == 0 {
        return Document::new();
    }
    let differ = if worse + better == 1 {
        "differs"
    } else {
        "differ"
    };
    let sentence = format!(
        "{} of {} {differ} by more than {} and noise: {worse} worse, {better} better. Chance \
         alone: none in {} of 100 comparisons.",
        worse + better,
        counted(judged, "value", "values"),
        percent(c.threshold),
        (100.0 * (1.0 - c.gate.family_error)).round(),
    );
    let tone = if worse > 0 { Tone::Bad } else { Tone::Plain };
    Text::new(sentence).tone(tone).into()
}
