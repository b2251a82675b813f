//! What was asked for, as a recipe.

use crate::arguments;
use crate::failure::Failure;
use experiments::Preset;
use experiments::recipe::{self, AxisText, BUILT_IN, Entry, Recipe};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// A recipe with the name it goes by: `quick`, `full`, a file, or `custom`.
pub struct Request {
    pub name: String,
    pub recipe: Recipe,
}

/// Reads the arguments of `pontage run`.
///
/// # Errors
/// A recipe that cannot be read, a malformed `--axis`.
pub fn from_arguments(arguments: &arguments::Run) -> Result<Request, Failure> {
    let preset = if arguments.full {
        Preset::Full
    } else {
        Preset::Quick
    };
    let mut request = match arguments.what.as_slice() {
        [] => named(OsStr::new(preset.name()))?,
        [one] if is_recipe(one) => named(one)?,
        several => Request {
            name: "custom".to_owned(),
            recipe: gathered(several, preset)?,
        },
    };
    let recipe = &mut request.recipe;
    if let Some(asked) = arguments.counters {
        recipe.counters = Some(asked.name().to_owned());
    }
    if arguments.full || arguments.quick {
        recipe.preset = preset;
    }
    recipe.processes = arguments.processes.or(recipe.processes);
    recipe.samples = arguments.samples.or(recipe.samples);
    let axes = axes(&arguments.axis)?;
    for entry in &mut recipe.experiments {
        entry.axes.extend(axes.clone());
        entry.budget_ms = arguments.budget_ms.or(entry.budget_ms);
    }
    Ok(request)
}

/// The request that a recorded run was made by.
///
/// # Errors
/// When its text is not a recipe of this version.
pub fn from_record(head: &record::RunHead) -> Result<Request, Failure> {
    let recipe = recipe::parse(&head.recipe.name, &head.recipe.text)
        .map_err(|e| Failure::new(format!("cannot resume {}: {e}", head.id)))?;
    Ok(Request {
        name: head.recipe.name.clone(),
        recipe,
    })
}

fn is_recipe(word: &OsStr) -> bool {
    word.as_encoded_bytes().ends_with(b".toml") || BUILT_IN.iter().any(|(name, _)| *name == word)
}

/// A recipe of ours, or a file, whose name may be any bytes.
fn named(file: &OsStr) -> Result<Request, Failure> {
    let word = &*file.to_string_lossy();
    let text = match BUILT_IN.iter().find(|(name, _)| *name == file) {
        Some((_, text)) => (*text).to_owned(),
        None => std::fs::read_to_string(file).map_err(|e| {
            Failure::new(format!("cannot read recipe {word}: {e}"))
                .hint("pontage list shows the recipes that come with the program")
        })?,
    };
    let recipe = recipe::parse(word, &text).map_err(|e| {
        Failure::new(e).hint("recipes/quick.toml is the shortest example; pontage explain quick")
    })?;
    Ok(Request {
        name: word.to_owned(),
        recipe,
    })
}

/// Ids, globs and recipes together.
fn gathered(words: &[OsString], preset: Preset) -> Result<Recipe, Failure> {
    let (mut experiments, mut figures) = (Vec::new(), Vec::new());
    let mut counters = None;
    for word in words {
        if is_recipe(word) {
            let recipe = named(word)?.recipe;
            experiments.extend(recipe.experiments);
            figures.extend(recipe.figures);
            counters = counters.or(recipe.counters);
        } else {
            experiments.push(Entry {
                // What is no text names no experiment; the plan says so.
                id: word.to_string_lossy().into_owned(),
                budget_ms: None,
                axes: BTreeMap::new(),
            });
        }
    }
    Ok(Recipe {
        title: words.join(OsStr::new(" ")).to_string_lossy().into_owned(),
        question: String::new(),
        preset,
        processes: None,
        counters,
        samples: None,
        experiments,
        figures,
    })
}

fn axes(texts: &[String]) -> Result<BTreeMap<String, AxisText>, Failure> {
    texts
        .iter()
        .map(|text| match text.split_once('=') {
            Some((axis, values)) if !axis.is_empty() => {
                Ok((axis.to_owned(), AxisText::Text(values.to_owned())))
            }
            _ => Err(
                Failure::new(format!("cannot read --axis {text}: no AXIS=VALUES"))
                    .hint("for example: --axis size=64..1MiB"),
            ),
        })
        .collect()
}
