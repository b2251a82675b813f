//! `pontage list` and `pontage explain`: what there is, and what it means.

use crate::failure::{Failure, Outcome};
use crate::{arguments, conclusions, output};
use ::report::document::{Document, Text};
use catalogue::axis_text;
use catalogue::nearest;
use catalogue::recipe;
use experiments::all;
use experiments::built_in::BUILT_IN;
use record::{MachineCard, Unit};

/// Lists experiments and recipes.
///
/// # Errors
/// When standard output cannot be written.
pub fn list(arguments: &arguments::List) -> Outcome {
    output::study(arguments.format, table, facts)
}

fn facts() -> serde_json::Value {
    // What they have on no machine in particular.
    let card = MachineCard::default();
    let heads: Vec<_> = all().iter().map(|l| l.head(&card)).collect();
    let recipe = |(name, text): &(&str, &str)| {
        let recipe = recipe::parse(name, text).ok()?;
        let (title, question) = (recipe.title, recipe.question);
        Some(serde_json::json!({ "name": name, "title": title, "question": question }))
    };
    let recipes: Vec<_> = BUILT_IN.iter().filter_map(recipe).collect();
    serde_json::json!({ "experiments": heads, "recipes": recipes })
}

fn table() -> Document {
    let width = all().iter().map(|l| l.id.len()).max().unwrap_or(0) + 2;
    let (mut listed, mut recipes, mut hint) = (Document::new(), Document::new(), Document::new());
    listed.line("Experiments");
    for one in all().iter() {
        listed.text(Text::line(one.prose.title.as_str()).label(2, one.id, width));
    }
    recipes.line("Recipes");
    for (name, source) in BUILT_IN {
        let question = recipe::parse(name, source).map_or(String::new(), |r| r.question);
        recipes.text(Text::line(question).label(2, *name, width));
    }
    hint.line("pontage explain ID tells method and theory; pontage run ID measures it");
    Document::sections([listed, recipes, hint])
}

/// Explains one experiment, recipe or conclusion.
///
/// # Errors
/// When there is no such thing; the nearest names are given.
pub fn explain(arguments: &arguments::Explain) -> Outcome {
    if let Some(listed) = all().find(&arguments.id) {
        return output::document(&experiment_page(listed));
    }
    if let Some((name, text)) = BUILT_IN.iter().find(|(name, _)| *name == arguments.id) {
        return output::data(&format!("Recipe {name}\n\n{text}"));
    }
    let quantities = all().quantities().all;
    if let Some(quantity) = quantities.iter().find(|q| q.key == arguments.id) {
        return output::document(&conclusions::page(quantity));
    }
    let recipes = BUILT_IN.iter().map(|(name, _)| *name);
    let keys = quantities.iter().map(|q| q.key);
    let names = all().iter().map(|l| l.id).chain(recipes).chain(keys);
    let near = nearest::nearest(&arguments.id, names);
    Err(Failure::new(format!(
        "cannot explain {}: no such experiment, recipe or conclusion{}",
        arguments.id,
        nearest::hint(&near)
    ))
    .hint("pontage list shows them all"))
}

fn experiment_page(listed: &catalogue::Listed) -> Document {
    let (e, prose) = (listed.experiment, &listed.prose);
    let (mut head, mut foot) = (Document::new(), Document::new());
    head.line(format!("{} - {}", listed.id, prose.title));
    head.gap();
    prose.question.lines().for_each(|line| head.line(line));
    foot.line(format!("Measure it: pontage run {}", listed.id));
    let texts = [
        ("Counts", &prose.counts),
        ("Does not count", &prose.does_not_count),
        ("Origin", &prose.origin),
        ("Theory", &prose.theory),
    ];
    let texts = texts.map(|(title, text)| part(title, text.lines().map(str::to_owned)));
    let metrics = listed.head(&MachineCard::default()).metrics;
    let metric = |m: &record::MetricHead| format!("{} [{}]: {}", m.name, m.unit.symbol(), m.doc);
    let claims = e.claims.iter().map(|claim| claim.text.to_owned());
    let concluded = all().quantities().all.iter();
    let concluded = concluded.filter(|q| q.methods.iter().any(|m| m.experiment == listed.id));
    let concluded = concluded.map(|q| format!("{}: pontage explain {}", q.key, q.key));
    let lists = [
        part("Axes", e.axes.iter().map(axis).chain(spellings(e.axes))),
        part("Metrics", metrics.iter().map(metric)),
        part("Claims checked against each run", claims),
        part("Conclusions that it has a method of", concluded),
        foot,
    ];
    Document::sections(std::iter::once(head).chain(texts).chain(lists))
}

/// A title and lines under it; nothing where there are none.
fn part(title: &str, lines: impl Iterator<Item = String>) -> Document {
    let mut part = Document::new();
    for line in lines {
        if part.is_empty() {
            part.line(title);
        }
        match line.is_empty() {
            true => part.gap(),
            false => part.text(Text::line(line).lead("  ")),
        }
    }
    part
}

/// How sizes and times are typed, by the first axis of each.
fn spellings(axes: &[catalogue::AxisSpec]) -> impl Iterator<Item = String> {
    let first = |unit: Unit| axes.iter().find(|axis| axis.unit == unit);
    let found = [Unit::Bytes, Unit::Nanoseconds].map(first);
    found.into_iter().flatten().map(axis_text::grammar)
}

fn axis(axis: &catalogue::AxisSpec) -> String {
    let unit = axis.unit.symbol();
    let values = match (axis.words.is_empty(), unit.is_empty()) {
        (true, true) => "a count".to_owned(),
        (true, false) => format!("in {unit}"),
        (false, _) => axis.words.join(", "),
    };
    format!("{} ({values}): {}", axis.name, axis.doc)
}
