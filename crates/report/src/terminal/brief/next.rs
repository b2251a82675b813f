//! What to type next.

use crate::document::{Document, Text, Tone};
use analysis::RunView;
use record::RunState;
use summary::{Class, Letter, Ranked, RunSummary};

/// Runs of more processes than the recipe that is advised.
const LONG: [&str; 2] = ["standard", "full"];

/// What the marks mean, and what to type next; `page` is where the run's page lies.
pub(super) fn document(
    view: &RunView,
    summary: &RunSummary,
    shown: &[Ranked],
    page: Option<&str>,
) -> Document {
    let classes = [Class::Contradicts, Class::Choice, Class::Figure];
    let is_shown = |class: &&Class| shown.iter().any(|f| f.class == **class);
    let marks = classes.iter().filter(is_shown);
    let marks = marks.map(|class| format!("{} {}", class.mark(), class.name()));
    let all = match summary.recorded_findings {
        0 => "everything: pontage report --all".to_owned(),
        n => format!("all {n}: pontage report --all"),
    };
    let mut document = Document::new();
    let line = |parts: Vec<String>| Text::new(parts.join("; ")).hang(2).tone(Tone::Soft);
    document.text(line(marks.chain([all]).collect()));
    let why = shown
        .first()
        .map(|f| format!("why: pontage explain {}", f.experiment));
    let more = match (&view.head.state, summary.grade.letter) {
        (RunState::Complete, Letter::A) => None,
        (RunState::Complete, _) if LONG.contains(&view.head.recipe.name.as_str()) => None,
        (RunState::Complete, _) => Some("surer: pontage run --standard".to_owned()),
        _ => Some(format!("finish: pontage run --resume {}", view.head.id)),
    };
    let page = page.map(|page| format!("page: {page}"));
    let parts: Vec<String> = [why, more, page].into_iter().flatten().collect();
    document.text(line(parts));
    document
}
