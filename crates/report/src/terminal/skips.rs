//! What could not be measured, why, and the command that would change that.

use super::remedy;
use crate::document::{Document, Text};
use crate::format::counted;
use crate::grouped::tallied;
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
    let points = view.tables.iter().flat_map(|t| &t.points);
    let absent = points.filter_map(|point| {
        let (word, reason, remedy) = match &point.head.state {
            PointState::Skipped { reason, remedy } => ("SKIP", reason.as_str(), remedy.as_str()),
            PointState::Failed { reason } => ("FAIL", reason.as_str(), ""),
            _ => return None,
        };
        Some((point.head.experiment.as_str(), word, reason, remedy))
    });
    let absences = tallied(absent).into_iter();
    let absence = |((experiment, word, reason, remedy), points): (_, usize)| Absence {
        experiment: str::to_owned(experiment),
        word,
        points,
        reason: str::to_owned(reason),
        remedy: str::to_owned(remedy),
    };
    absences.map(absence).collect()
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
