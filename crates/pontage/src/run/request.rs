//! What was asked for, as a recipe.

use super::axes;
use super::flags;
use super::trust;
use crate::failure::Failure;
use catalogue::Preset;
use catalogue::recipe::{self, Entry, Recipe};
use experiments::built_in::BUILT_IN;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// No recipe is longer.
const MOST_RECIPE_BYTES: u64 = 1 << 20;

/// A recipe with the name it goes by: `quick`, `full`, a file, or `custom`.
pub struct Request {
    pub name: String,
    pub recipe: Recipe,
}

/// Reads the arguments of `pontage run`.
///
/// # Errors
/// A recipe that cannot be read, a malformed `--axis`.
pub fn from_arguments(arguments: &flags::Run) -> Result<Request, Failure> {
    let preset = match arguments.full {
        true => Preset::Full,
        false => Preset::Quick,
    };
    let everything = match arguments.standard {
        true => STANDARD,
        false => preset.name(),
    };
    let mut request = match arguments.what.as_slice() {
        [] => named(OsStr::new(everything), arguments.trust)?,
        [one] if is_recipe(one) => named(one, arguments.trust)?,
        several => Request {
            name: "custom".to_owned(),
            recipe: gathered(several, preset, arguments.trust)?,
        },
    };
    let recipe = &mut request.recipe;
    recipe.counters = arguments.counters.clone().or(recipe.counters.take());
    if arguments.full || arguments.quick {
        recipe.preset = preset;
    }
    if arguments.standard {
        standard(recipe)?;
    }
    recipe.processes = arguments.processes.or(recipe.processes);
    recipe.within_s = arguments.within.or(recipe.within_s);
    recipe.samples = arguments.samples.or(recipe.samples);
    axes::set(&mut recipe.experiments, &axes::read(&arguments.axis)?)?;
    for entry in &mut recipe.experiments {
        entry.budget_ms = arguments.budget_ms.or(entry.budget_ms);
    }
    Ok(request)
}

/// The recipe between quick and full.
const STANDARD: &str = "standard";

/// What the recipe of that name asks for, of other experiments.
fn standard(recipe: &mut Recipe) -> Result<(), Failure> {
    let asked = named(OsStr::new(STANDARD), false)?.recipe;
    recipe.preset = asked.preset;
    recipe.processes = asked.processes;
    recipe.budgets = asked.budgets;
    recipe.within_s = asked.within_s;
    Ok(())
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
    word.as_encoded_bytes().ends_with(b".toml") || is_ours(word)
}

fn is_ours(word: &OsStr) -> bool {
    BUILT_IN.iter().any(|(name, _)| *name == word)
}

/// A recipe of ours, or a file, whose name may be any bytes.
fn named(file: &OsStr, trusted: bool) -> Result<Request, Failure> {
    let word = &*file.to_string_lossy();
    let text = match BUILT_IN.iter().find(|(name, _)| *name == file) {
        Some((_, text)) => (*text).to_owned(),
        None => files::input::text(Path::new(file), MOST_RECIPE_BYTES).map_err(|e| {
            Failure::new(format!("cannot read recipe {word}: {e}"))
                .hint("pontage list shows the recipes that come with the program")
        })?,
    };
    let recipe = recipe::parse(word, &text).map_err(|e| {
        Failure::new(e).hint("recipes/quick.toml is the shortest example; pontage explain quick")
    })?;
    if !is_ours(file) {
        trust::check_recipe(word, &recipe, trusted)?;
    }
    Ok(Request {
        name: word.to_owned(),
        recipe,
    })
}

/// Ids, areas, globs and recipes together.
fn gathered(words: &[OsString], preset: Preset, trusted: bool) -> Result<Recipe, Failure> {
    let (mut experiments, mut figures) = (Vec::new(), Vec::new());
    let mut counters = None;
    for word in words.iter().flat_map(|word| pieces(word)) {
        if is_recipe(&word) {
            let recipe = named(&word, trusted)?.recipe;
            experiments.extend(recipe.experiments);
            figures.extend(recipe.figures);
            counters = counters.or(recipe.counters);
        } else {
            // What is no text names no experiment; the plan says so.
            let id = word.to_string_lossy().into_owned();
            if id.trim().is_empty() {
                return Err(Failure::new("cannot measure: a name is empty").hint("pontage list"));
            }
            if experiments::all().matching(&id).is_err() {
                no_file(Path::new(&word))?;
            }
            let entry = Entry {
                id,
                budget_ms: None,
                axes: BTreeMap::new(),
            };
            // Named twice, it is measured once.
            if !experiments.contains(&entry) {
                experiments.push(entry);
            }
        }
    }
    if experiments.is_empty() {
        return Err(Failure::new("cannot measure: no experiment is named").hint("pontage list"));
    }
    Ok(Recipe {
        title: words.join(OsStr::new(" ")).to_string_lossy().into_owned(),
        question: String::new(),
        preset,
        processes: None,
        budgets: None,
        within_s: None,
        counters,
        samples: None,
        experiments,
        figures,
    })
}

/// Between commas, where the whole is no file.
fn pieces(word: &OsStr) -> Vec<OsString> {
    match word.to_str().filter(|text| text.contains(',')) {
        Some(text) if !Path::new(word).exists() => {
            let pieces = text.split(',').map(str::trim);
            let pieces = pieces.filter(|piece| !piece.is_empty());
            pieces.map(OsString::from).collect()
        }
        _ => vec![word.to_owned()],
    }
}

/// # Errors
/// Where the word names a file or a folder: what it is, and what to type instead.
fn no_file(path: &Path) -> Result<(), Failure> {
    let name = path.display();
    if path.join("run.json").exists() || path.is_file() && path.ends_with("run.json") {
        return Err(
            Failure::new(format!("cannot measure {name}: it is a recorded run")).hint(format!(
                "show it with: pontage report {name}; finish it with: pontage run --resume {name}"
            )),
        );
    }
    if path.is_file() {
        return Err(Failure::new(format!(
            "cannot read recipe {name}: the name of a recipe ends in .toml"
        ))
        .hint("recipes/quick.toml is the shortest example; pontage explain quick"));
    }
    Ok(())
}
