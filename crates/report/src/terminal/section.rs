//! One part of a report by its name.

use super::{brief, card, findings, remarks_of, skips, summary, toll_table};
use crate::document::{Document, Phrase, Tone, terminal};
use crate::instrument::Weight;
use crate::label::varying;
use crate::toll::TollMap;
use analysis::{ExperimentTable, PointView, RunView};

/// Parts that every report has, with what they hold.
pub const SECTIONS: [(&str, &str); 6] = [
    ("summary", "the answer on one screen"),
    ("machine", "machine, conditions, instrument"),
    ("map", "the toll map with every row and every interval"),
    ("findings", "all findings and claims"),
    ("experiments", "a line for each experiment or point"),
    ("missing", "what was not measured, and what would help"),
];

/// The part of this name: one of [`SECTIONS`], an experiment, or an area with all of its
/// experiments. None where the run has no such part.
pub fn document(view: &RunView, name: &str, width: usize) -> Option<Document> {
    let width = width.max(terminal::LEAST_WIDTH);
    Some(match name {
        "summary" => brief::document(view, width, None),
        "machine" => Document::sections([remarks_of(view, Weight::Alarm), card::document(view)]),
        "map" => toll_table::document(&TollMap::of(view), width),
        "findings" => findings::document(view),
        "experiments" => summary::document(view, width),
        "missing" => skips::document(view),
        id => {
            let of_it = view.tables.iter().filter(|t| is_named(t, id));
            let parts: Vec<Document> = of_it.map(|t| experiment(view, t, width)).collect();
            if parts.is_empty() {
                return None;
            }
            Document::sections(parts)
        }
    })
}

/// Names that `document` takes for this run.
pub fn names(view: &RunView) -> Vec<String> {
    let parts = SECTIONS.iter().map(|(name, _)| (*name).to_owned());
    parts
        .chain(view.tables.iter().map(|t| t.head.id.clone()))
        .collect()
}

fn is_named(table: &ExperimentTable, name: &str) -> bool {
    let area = table.head.id.split('/').next();
    table.head.id == name || area == Some(name.trim_end_matches('/'))
}

/// Every point of an experiment, its findings and its claims.
fn experiment(view: &RunView, table: &ExperimentTable, width: usize) -> Document {
    let measured: Vec<&PointView> = table
        .points
        .iter()
        .filter(|p| p.primary().is_some())
        .collect();
    let title = format!("{}   {}", table.head.id, table.head.title);
    let mut values = Document::lines([Phrase::toned(title, Tone::Strong)]);
    if !measured.is_empty() {
        values.table(brief::rows(&measured, &varying(table, &measured)));
    }
    let mut only = view.clone();
    only.head.findings.retain(|f| f.experiment == table.head.id);
    only.head.claims.retain(|c| c.experiment == table.head.id);
    only.tables.retain(|t| t.head.id == table.head.id);
    Document::sections([
        values,
        super::colocation::document(table, &view.head, width),
        findings::document(&only),
        skips::document(&only),
    ])
}
