//! Questions as data: which experiments, on which points, how long.

pub mod figure;

use crate::axis_text;
use crate::catalogue::Catalogue;
use crate::preset::Preset;
use figure::RecipeFigure;
use record::AxisValue;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// A recipe file. Unknown keys are errors: a misspelt axis must not vanish.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    pub title: String,
    /// The question it answers, a plain sentence.
    #[serde(default)]
    pub question: String,
    /// Preset for everything the entries leave open.
    #[serde(default)]
    pub preset: Preset,
    /// Processes that repeat each point; 5 for quick and 6 for full unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<u32>,
    /// Budgets of a point, and repetitions of what is timed one by one, that all its processes
    /// share; without, they share 2 budgets for quick and 3 for full, and each has the
    /// repetitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budgets: Option<u32>,
    /// Time for all of it, s: what does not fit is left out and said, further processes of the
    /// costliest experiments first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_s: Option<u64>,
    /// Group of counters in addition to the time, as `--counters` names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters: Option<String>,
    /// Samples of each point and process at most; those of the preset unless fewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u32>,
    #[serde(rename = "experiment")]
    pub experiments: Vec<Entry>,
    /// Figures in place of the experiments' own.
    #[serde(default, rename = "figure", skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<RecipeFigure>,
}

/// What a recipe asks of one experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// `area/name`, or a glob such as `mem/*`.
    pub id: String,
    /// Time for the samples of one point, ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_ms: Option<u64>,
    /// Axis values that replace those of the preset.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub axes: BTreeMap<String, AxisText>,
}

/// Values of an axis: the text form of `--axis`, or a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AxisText {
    Text(String),
    Int(i64),
    List(Vec<AxisText>),
}

impl AxisText {
    /// The same values in the text form of `--axis`.
    pub fn text(&self) -> String {
        match self {
            AxisText::Text(text) => text.clone(),
            AxisText::Int(value) => value.to_string(),
            AxisText::List(items) => {
                let texts: Vec<String> = items.iter().map(AxisText::text).collect();
                texts.join(",")
            }
        }
    }
}

/// Why a recipe cannot be taken: where, and what is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read recipe {name}: {cause}")]
pub struct RecipeError {
    pub name: String,
    pub cause: String,
}

/// Reads a recipe's text; `name` is for the message.
///
/// # Errors
/// Names the line and the key.
pub fn parse(name: &str, text: &str) -> Result<Recipe, RecipeError> {
    let fail = |cause| RecipeError {
        name: name.to_owned(),
        cause,
    };
    let recipe: Recipe =
        toml::from_str(text).map_err(|e| fail(e.to_string().trim().replace('\n', "\n  ")))?;
    match recipe.experiments.is_empty() {
        true => Err(fail("it lists no [[experiment]]".to_owned())),
        false => Ok(recipe),
    }
}

/// What begins a value of an axis of kinds of work that is a line for the shell.
pub const COMMAND: &str = "cmd:";

/// The commands that a recipe would run, each once: what follows `cmd:` on the
/// axes of its experiments. Values that cannot be read make no plan.
pub fn commands(catalogue: &Catalogue, recipe: &Recipe) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for entry in &recipe.experiments {
        let matched = catalogue.matching(&entry.id).unwrap_or_default();
        let axes = matched.iter().flat_map(|listed| listed.experiment.axes);
        for spec in axes {
            let Some(text) = entry.axes.get(spec.name) else {
                continue;
            };
            let values = axis_text::parse_values(spec, &text.text()).unwrap_or_default();
            let words = values.iter().filter_map(AxisValue::as_word);
            let commands = words.filter_map(|word| word.strip_prefix(COMMAND));
            found.extend(commands.map(|line| line.trim().to_owned()));
        }
    }
    let mut seen = HashSet::new();
    found.retain(|line| seen.insert(line.clone()));
    found
}

/// The text form of a recipe, as kept in the record.
///
/// # Panics
/// Never: every field of a recipe has a TOML form.
pub fn render(recipe: &Recipe) -> String {
    toml::to_string_pretty(recipe).expect("strings, numbers, lists and tables are TOML")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_key_is_an_error_with_its_line() {
        let error = parse("x", "title='t'\n[[experiment]]\nid='a/b'\naxis='1'\n").unwrap_err();
        assert!(error.cause.contains("line 4"), "{error}");
        assert!(error.cause.contains("axis"), "{error}");
        let error = parse("x", "title='t'\nexperiment=[]").unwrap_err();
        assert!(error.cause.contains("no [[experiment]]"), "{error}");
    }

    #[test]
    fn lists_and_text_mean_the_same() {
        let recipe = parse(
            "x",
            "title='t'\n[[experiment]]\nid='a/b'\naxes={size=[64,'4KiB'],other='64,4KiB'}",
        )
        .unwrap();
        let axes = &recipe.experiments[0].axes;
        assert_eq!(axes["size"].text(), axes["other"].text());
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "[a-z\\[\\]='\"\n.,0-9]{0,80}") {
            let _ = parse("fuzz", &text);
        }
    }
}
