//! The answer on one screen: machine, map, what is missing, trust, findings. What decides stands
//! last, next to the prompt.

mod findings;
mod machine;
mod map;
mod missing;
mod next;
mod one;
mod point;
mod quiet;
mod trust;

pub(super) use one::rows;
pub use quiet::{document as quiet, said};

use super::{Weight, remarks_of};
use crate::document::{Document, terminal};
use analysis::RunView;
use summary::{MOST, RunSummary};

/// Lines that a run of several experiments takes at most, where it is wide enough.
const LINES: usize = 40;
/// Findings that are shown, however little room there is.
const FEWEST: usize = 3;
/// Sentences of a run without a map.
const FOUND: usize = 8;
/// From this width on there is a column for the group and for every partner.
const WIDE: usize = 96;

/// A run on one screen of `width` columns; where there is one experiment, its values. `page` is
/// where its page lies.
pub fn document(view: &RunView, width: usize, page: Option<&str>) -> Document {
    let width = width.max(terminal::LEAST_WIDTH);
    let summary = RunSummary::of(view);
    if let [table] = view.tables.as_slice() {
        return one::document(view, table, &summary, width, page);
    }
    let shown = |number: usize| whole(view, &summary, number, width, page);
    let fits = |number: &usize| lines(&shown(*number), width) <= LINES;
    let number = (FEWEST..=MOST).rev().find(fits).unwrap_or(FEWEST);
    shown(number)
}

fn lines(document: &Document, width: usize) -> usize {
    terminal::write(document, width, false).lines().count()
}

fn whole(
    view: &RunView,
    summary: &RunSummary,
    number: usize,
    width: usize,
    page: Option<&str>,
) -> Document {
    let shown = &summary.findings[..number.min(summary.findings.len())];
    let mut end = trust::document(&summary.grade);
    end.append(findings::document(shown, width));
    if summary.toll.rows.is_empty() {
        // A study of its own: what it found is short.
        let all: Vec<&record::Finding> = view.head.findings.iter().collect();
        end.append(one::sentences(&all, FOUND, "findings"));
    }
    end.append(next::document(view, summary, shown, page));
    Document::sections([
        remarks_of(view, Weight::Alarm),
        machine::document(view, summary, width),
        map_or_lines(view, summary, width),
        missing::document(&summary.absent, width),
        end,
    ])
}

/// The map; of a run without one a line for each experiment, and their own tables.
fn map_or_lines(view: &RunView, summary: &RunSummary, width: usize) -> Document {
    let map = map::document(&summary.toll, width);
    if !map.is_empty() {
        return map;
    }
    let own = view
        .tables
        .iter()
        .map(|table| one::own_tables(view, table, width));
    Document::sections(std::iter::once(quiet(view)).chain(own))
}
