//! What could not be measured, why, and the command that would change that.

use super::remedy;
use crate::document::{Document, Text};
use crate::format::counted;
use analysis::RunView;
use record::PointState;

/// Where the words begin.
const INDENT: usize = 7;

/// Points of one experiment that are absent for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absence {
    pub experiment: String,
    /// `SKIP` or `FAIL`.
    pub word: &'static str,
    pub points: usize,
    pub reason: String,
    /// Empty when nothing would help.
    pub remedy: String,
}

/// Every absence of a run, in the order of its tables.
pub fn absences(view: &RunView) -> Vec<Absence> {
    let mut found: Vec<Absence> = Vec::new();
    for point in view.tables.iter().flat_map(|t| &t.points) {
        let (word, reason, remedy) = match &point.head.state {
            PointState::Skipped { reason, remedy } => ("SKIP", reason.as_str(), remedy.as_str()),
            PointState::Failed { reason } => ("FAIL", reason.as_str(), ""),
            _ => continue,
        };
        let same = found.iter_mut().find(|a| {
            a.experiment == point.head.experiment
                && a.word == word
                && a.reason == reason
                && a.remedy == remedy
        });
        match same {
            Some(absence) => absence.points += 1,
            None => found.push(Absence {
                experiment: point.head.experiment.clone(),
                word,
                points: 1,
                reason: reason.to_owned(),
                remedy: remedy.to_owned(),
            }),
        }
    }
    found
}

pub(super) fn document(view: &RunView) -> Document {
    let mut document = Document::new();
    for a in absences(view) {
        let points = counted(a.points, "point", "points");
        let sentence = format!("{} ({points}): {}", a.experiment, a.reason);
        let lead = format!("  {} ", a.word);
        document.text(Text::new(sentence).lead(lead).hang(INDENT));
        document.extend(remedy(&a.remedy, INDENT));
    }
    document.headed("Not measured here")
}
