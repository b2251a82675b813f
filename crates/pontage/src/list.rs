//! `pontage list` and `pontage explain`: what there is, and what it means.

use crate::failure::{DONE, Outcome};
use crate::selection::{self, Selected};
use crate::{arguments, conclusions, output};
use ::report::document::{Document, Text};
use catalogue::axis_text;
use catalogue::recipe;
use experiments::all;
use experiments::built_in::BUILT_IN;
use record::{MachineCard, Unit};

/// Lists experiments and recipes.
///
/// # Errors
/// When a word selects nothing, or standard output cannot be written.
pub fn list(arguments: &arguments::List) -> Outcome {
    let selected = match arguments.what.is_empty() {
        true => everything(),
        false => selection::of(&arguments.what, "list")?,
    };
    output::study(arguments.format, || table(&selected), || facts(&selected))
}

fn everything() -> Vec<Selected> {
    let recipes = BUILT_IN
        .iter()
        .map(|(name, text)| Selected::Recipe(name, text));
    let experiments = all().iter().map(Selected::Experiment);
    experiments.chain(recipes).collect()
}

fn facts(selected: &[Selected]) -> serde_json::Value {
    // What they have on no machine in particular.
    let card = MachineCard::default();
    let (mut heads, mut recipes, mut conclusions) = (Vec::new(), Vec::new(), Vec::new());
    for one in selected {
        match one {
            Selected::Experiment(listed) => heads.push(listed.head(&card)),
            Selected::Recipe(name, text) => {
                recipes.extend(recipe::parse(name, text).map(|recipe| {
                    let (title, question) = (recipe.title, recipe.question);
                    serde_json::json!({ "name": name, "title": title, "question": question })
                }))
            }
            Selected::Conclusion(quantity) => conclusions.push(quantity.key),
        }
    }
    let mut facts = serde_json::json!({ "experiments": heads, "recipes": recipes });
    if !conclusions.is_empty() {
        facts["conclusions"] = conclusions.into();
    }
    facts
}

fn table(selected: &[Selected]) -> Document {
    let width = all().iter().map(|l| l.id.len()).max().unwrap_or(0) + 2;
    let (mut listed, mut recipes, mut conclusions) =
        (Document::new(), Document::new(), Document::new());
    let mut hint = Document::new();
    let row = |part: &mut Document, title: &str, name: &str, text: String| {
        if part.is_empty() {
            part.line(title);
        }
        part.text(Text::line(text).label(2, name, width));
    };
    for one in selected {
        match one {
            Selected::Experiment(one) => {
                row(&mut listed, "Experiments", one.id, one.prose.title.clone());
            }
            Selected::Recipe(name, source) => {
                let question = recipe::parse(name, source).map_or(String::new(), |r| r.question);
                row(&mut recipes, "Recipes", name, question);
            }
            Selected::Conclusion(quantity) => {
                let text = "a conclusion about the machine".to_owned();
                row(&mut conclusions, "Conclusions", quantity.key, text);
            }
        }
    }
    hint.line("pontage explain ID tells method and theory; pontage run ID measures it");
    Document::sections([listed, recipes, conclusions, hint])
}

/// Explains experiments, recipes and conclusions, one after the other.
///
/// # Errors
/// When a word selects nothing; the nearest names are given.
pub fn explain(arguments: &arguments::Explain) -> Outcome {
    for (at, one) in selection::of(&arguments.what, "explain")?
        .into_iter()
        .enumerate()
    {
        if at > 0 {
            output::data("\n\n")?;
        }
        match one {
            Selected::Experiment(listed) => output::document(&experiment_page(listed)),
            Selected::Recipe(name, text) => output::data(&format!("Recipe {name}\n\n{text}")),
            Selected::Conclusion(quantity) => output::document(&conclusions::page(quantity)),
        }?;
    }
    Ok(DONE)
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
