//! Which experiments and metrics of a record are named. A record may hold experiments that this
//! program does not know, so its own names count.

use crate::failure::Failure;
use analysis::RunView;
use catalogue::{nearest, selection};
use report::export::Selection;
use std::collections::BTreeSet;

/// More names than this are shown by area.
const MOST_NAMES: usize = 12;

/// The selection by these words of experiments and metrics.
///
/// # Errors
/// A word that the run has nothing for: it names what is there.
pub(super) fn of(
    view: &RunView,
    experiments: &[String],
    metrics: &[String],
) -> Result<Selection, Failure> {
    let experiments = match experiments {
        [] => None,
        words => Some(named_experiments(view, words)?),
    };
    let metrics = match metrics {
        [] => None,
        words => Some(named_metrics(view, experiments.as_ref(), words)?),
    };
    Ok(Selection {
        experiments,
        metrics,
    })
}

fn named_experiments(view: &RunView, words: &[String]) -> Result<BTreeSet<String>, Failure> {
    let ids = || view.tables.iter().map(|t| t.head.id.as_str());
    let mut named = BTreeSet::new();
    for word in words {
        let found = selection::matching(word.trim(), ids()).map_err(|unknown| {
            let cannot = format!(
                "cannot find experiment {word} in run {}: no such id, area or glob{}",
                view.head.id,
                nearest::hint(&unknown.near)
            );
            Failure::new(cannot).hint(format!("the run has: {}", listed(ids().collect())))
        })?;
        named.extend(found.into_iter().map(str::to_owned));
    }
    Ok(named)
}

/// All names, or how many there are of each area.
fn listed(ids: Vec<&str>) -> String {
    if ids.len() <= MOST_NAMES {
        return ids.join(", ");
    }
    let area = |id: &&str| id.split('/').next().unwrap_or_default().to_owned();
    let mut areas: Vec<(String, usize)> = Vec::new();
    for area in ids.iter().map(area) {
        match areas.iter_mut().find(|(known, _)| *known == area) {
            Some((_, count)) => *count += 1,
            None => areas.push((area, 1)),
        }
    }
    let areas: Vec<String> = areas
        .into_iter()
        .map(|(area, count)| format!("{area} ({count})"))
        .collect();
    areas.join(", ")
}

fn named_metrics(
    view: &RunView,
    experiments: Option<&BTreeSet<String>>,
    words: &[String],
) -> Result<BTreeSet<String>, Failure> {
    let wanted = |id: &String| experiments.is_none_or(|named| named.contains(id));
    let tables = view.tables.iter().filter(|t| wanted(&t.head.id));
    let known: BTreeSet<&str> = tables
        .flat_map(|t| &t.head.metrics)
        .map(|m| m.name.as_str())
        .collect();
    let mut named = BTreeSet::new();
    for word in words {
        let word = word.trim();
        if !known.contains(word) {
            let near = nearest::nearest(word, known.iter().copied());
            let names: Vec<&str> = known.iter().copied().collect();
            let cannot = format!(
                "cannot find metric {word} in run {}{}",
                view.head.id,
                nearest::hint(&near)
            );
            return Err(Failure::new(cannot).hint(format!("it has there: {}", names.join(", "))));
        }
        named.insert(word.to_owned());
    }
    Ok(named)
}
