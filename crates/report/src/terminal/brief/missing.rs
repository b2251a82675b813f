//! What was not measured, in one sentence over all causes.

use crate::document::{Document, Phrase, Span, Text, Tone, terminal};
use crate::format::counted;
use summary::{Absent, Cause};

/// Lines that the sentence takes at most.
const LINES: usize = 2;

/// As many causes as there is room for; the others are counted.
pub(super) fn document(absent: &Absent, width: usize) -> Document {
    if absent.absent == 0 {
        return Document::new();
    }
    let with = |causes: usize| Document::from(sentence(absent, causes));
    let lines = |document: &Document| terminal::write(document, width, false).lines().count();
    let fits = |causes: &usize| lines(&with(*causes)) <= LINES;
    let most = (1..=absent.causes.len()).rev().find(fits);
    with(most.unwrap_or(1))
}

fn sentence(absent: &Absent, causes: usize) -> Text {
    let named: Vec<String> = absent.causes.iter().take(causes).map(cause).collect();
    let left: usize = absent.causes.iter().skip(causes).map(|c| c.points).sum();
    let rest = match absent.causes.len() - causes {
        0 => String::new(),
        more => format!("; {} {left}", counted(more, "other cause", "other causes")),
    };
    let head = format!(
        "Not measured, {} of {} points: ",
        absent.absent, absent.planned
    );
    let lead = Phrase::from(Span::new(head).tone(Tone::Strong));
    let text = Text::new(format!("{}{rest}", named.join("; ")));
    text.lead(lead).hang(2)
}

fn cause(cause: &Cause) -> String {
    let failed = if cause.failed { "FAILED: " } else { "" };
    format!("{failed}{} {}", cause.text, cause.points)
}
