//! A run in the terminal: what `pontage run` ends with and `pontage report`
//! prints.

pub mod beside;
pub mod card;
mod colocation;
mod comparison;
mod counters;
pub mod findings;
pub(crate) mod matrix;
pub mod skips;
mod summary;
mod toll_table;

use crate::document::{Document, Text, Tone, terminal};
use crate::instrument::{Weight, remarks};
use crate::toll::TollMap;
use analysis::RunView;
pub use comparison::document as comparison;

/// The whole report as text, `width` columns wide, with ANSI colours when
/// `colour` is set. Ends with a line feed.
pub fn render(view: &RunView, width: usize, colour: bool) -> String {
    terminal::write(&document(view, width), width, colour)
}

/// The whole report, laid out for `width` columns.
pub fn document(view: &RunView, width: usize) -> Document {
    let width = width.max(terminal::LEAST_WIDTH);
    let map = TollMap::of(view);
    Document::sections([
        remarks_of(view, Weight::Alarm),
        card::document(view),
        remarks_of(view, Weight::Caution),
        toll_table::document(&map, width),
        findings::document(view),
        summary::document(view, width),
        skips::document(view),
    ])
}

fn remarks_of(view: &RunView, weight: Weight) -> Document {
    let mut document = Document::new();
    let (mark, tone) = match weight {
        Weight::Alarm => ("!! ", Tone::Bad),
        _ => ("!  ", Tone::Caution),
    };
    for remark in remarks(&view.head).iter().filter(|r| r.weight == weight) {
        document.text(Text::new(remark.text.as_str()).lead(mark).tone(tone));
    }
    document
}

/// The command that enables something, on one line however long: it is there
/// to be copied. Nothing where nothing helps.
fn remedy(command: &str, indent: usize) -> Document {
    let mut document = Document::new();
    if !command.is_empty() {
        document.line(format!("{:indent$}enable: {command}", ""));
    }
    document
}
