//! The grade, what it is good for, and what lowered it.

use crate::document::{Document, Phrase, Span, Text, Tone};
use summary::{Grade, Letter};

pub(super) fn document(grade: &Grade) -> Document {
    let tone = match grade.letter {
        Letter::A | Letter::B => Tone::Good,
        Letter::C => Tone::Caution,
        Letter::D => Tone::Bad,
    };
    let lead = Span::new(format!("Trust {}: ", grade.letter.name())).tone(tone);
    let text = Text::new(sentence(grade)).lead(Phrase::from(lead)).hang(2);
    text.into()
}

/// `good for ratios above 1.5. Lowered by: 2 processes (5 for A). Clock and load are good.`
pub fn sentence(grade: &Grade) -> String {
    let lowered = grade.lowered_by();
    let lowered: Vec<&str> = lowered.iter().map(|check| check.found.as_str()).collect();
    let lowered = match lowered.as_slice() {
        [] => String::new(),
        _ => format!(" Lowered by: {}.", lowered.join(", ")),
    };
    let good = grade.good();
    let good = match good.as_slice() {
        [] => String::new(),
        [one] => format!(" Good: {one}."),
        [some @ .., last] => format!(" Good: {} and {last}.", some.join(", ")),
    };
    format!("{}.{lowered}{good}", grade.good_for())
}
