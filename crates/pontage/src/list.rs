//! `pontage list` and `pontage explain`: what there is, and what it means.

use crate::failure::{Failure, Outcome};
use crate::{arguments, output};
use catalogue::nearest;
use catalogue::recipe;
use experiments::all;
use experiments::built_in::BUILT_IN;
use record::MachineCard;
use std::fmt::Write;

/// Lists experiments and recipes.
///
/// # Errors
/// When standard output cannot be written.
pub fn list(arguments: &arguments::List) -> Outcome {
    if arguments.format == arguments::TextOrJson::Json {
        // What they have on no machine in particular.
        let card = MachineCard::default();
        let heads: Vec<_> = all().iter().map(|l| l.head(&card)).collect();
        let recipes: Vec<_> = BUILT_IN
            .iter()
            .filter_map(|(name, text)| {
                let recipe = recipe::parse(name, text).ok()?;
                Some(serde_json::json!({
                    "name": name, "title": recipe.title, "question": recipe.question,
                }))
            })
            .collect();
        return output::json(&serde_json::json!({ "experiments": heads, "recipes": recipes }));
    }
    let mut text = String::from("Experiments\n");
    let width = all().iter().map(|l| l.id.len()).max().unwrap_or(0);
    for listed in all().iter() {
        let _ = writeln!(text, "  {:width$}  {}", listed.id, listed.prose.title);
    }
    text.push_str("\nRecipes\n");
    for (name, source) in BUILT_IN {
        let question = recipe::parse(name, source).map_or(String::new(), |r| r.question);
        let _ = writeln!(text, "  {name:width$}  {question}");
    }
    text.push_str("\npontage explain ID tells method and theory; pontage run ID measures it\n");
    output::data(&text)
}

/// Explains one experiment or recipe.
///
/// # Errors
/// When there is no such thing; the nearest names are given.
pub fn explain(arguments: &arguments::Explain) -> Outcome {
    if let Some(listed) = all().find(&arguments.id) {
        return output::data(&experiment_page(listed));
    }
    if let Some((name, text)) = BUILT_IN.iter().find(|(name, _)| *name == arguments.id) {
        return output::data(&format!("Recipe {name}\n\n{text}"));
    }
    let names = all()
        .iter()
        .map(|l| l.id)
        .chain(BUILT_IN.iter().map(|(name, _)| *name));
    let near = nearest::nearest(&arguments.id, names);
    Err(Failure::new(format!(
        "cannot explain {}: no such experiment or recipe{}",
        arguments.id,
        nearest::hint(&near)
    ))
    .hint("pontage list shows them all"))
}

fn experiment_page(listed: &catalogue::Listed) -> String {
    let (e, prose) = (listed.experiment, &listed.prose);
    let mut page = format!("{} - {}\n\n{}\n", listed.id, prose.title, prose.question);
    for (title, text) in [
        ("Counts", &prose.counts),
        ("Does not count", &prose.does_not_count),
        ("Origin", &prose.origin),
        ("Theory", &prose.theory),
    ] {
        let _ = write!(page, "\n{title}\n{}\n", indented(text));
    }
    if !e.axes.is_empty() {
        page.push_str("\nAxes\n");
    }
    for axis in e.axes {
        let unit = axis.unit.symbol();
        let values = if axis.words.is_empty() {
            if unit.is_empty() {
                "a count".to_owned()
            } else {
                format!("in {unit}")
            }
        } else {
            axis.words.join(", ")
        };
        let _ = writeln!(page, "  {} ({values}): {}", axis.name, axis.doc);
    }
    page.push_str("\nMetrics\n");
    for metric in listed.head(&MachineCard::default()).metrics {
        let _ = writeln!(
            page,
            "  {} [{}]: {}",
            metric.name,
            metric.unit.symbol(),
            metric.doc
        );
    }
    if !e.claims.is_empty() {
        page.push_str("\nClaims checked against each run\n");
    }
    for claim in e.claims {
        let _ = writeln!(page, "  {}", claim.text);
    }
    let _ = writeln!(page, "\nMeasure it: pontage run {}", listed.id);
    page
}

fn indented(text: &str) -> String {
    text.lines()
        .map(|l| {
            if l.is_empty() {
                String::new()
            } else {
                format!("  {l}")
            }
        })
        .fold(String::new(), |mut all, line| {
            if !all.is_empty() {
                all.push('\n');
            }
            all.push_str(&line);
            all
        })
}
