//! A run in the terminal: what `pontage run` ends with and `pontage report`
//! prints.

pub mod brief;
pub mod card;
mod colocation;
mod comparison;
mod counters;
pub mod findings;
pub(crate) mod matrix;
mod paired;
pub mod section;
pub mod skips;
mod summary;
mod toll_table;
pub mod under_load;

use crate::document::{Document, Text, Tone, terminal};
use crate::instrument::{Remark, Weight, remarks};
use crate::toll::TollMap;
use analysis::RunView;
pub use comparison::brief::document as comparison_brief;
pub use comparison::document as comparison;
pub use paired::document as paired;

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
    let (mark, tone) = match weight {
        Weight::Alarm => ("!! ", Tone::Bad),
        _ => ("!  ", Tone::Caution),
    };
    let of_weight = remarks(&view.head)
        .into_iter()
        .filter(|r| r.weight == weight);
    let remark = |r: Remark| Text::new(r.text).lead(mark).tone(tone);
    of_weight.map(remark).collect()
}

/// The command that enables something, on one line however long: it is there
/// to be copied. Nothing where nothing helps.
fn remedy(command: &str, indent: usize) -> Option<Text> {
    let line = || Text::line(format!("{:indent$}enable: {command}", ""));
    (!command.is_empty()).then(line)
}
