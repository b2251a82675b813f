//! Figures that a recipe asks for: those of the study it repeats, by their
//! numbers. They take the place of the experiment's own.

use crate::experiment::Listed;
use harness::counters::L2_MISSES;
use record::{AxisValue, ExperimentHead, FigureHead, FigureKind, PointHead, Setting};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecipeFigure {
    /// The experiment whose points it shows.
    pub experiment: String,
    pub title: Title,
    /// `lines`, or `sequence` and `distribution` of single samples.
    #[serde(default, skip_serializing_if = "is_lines")]
    pub kind: FigureKind,
    /// Axis along x (for single samples: what their number counts), and the metric along y or `bandwidth`.
    pub x: String,
    pub y: String,
    /// Axes whose values make separate lines.
    pub series: Vec<String>,
    /// From zero along y, where the values are shares.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub linear: bool,
    /// Only points with these settings; with any of them, where an axis has a list.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub only: BTreeMap<String, Wanted>,
    /// Sentence under the figure.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reading: String,
}

fn is_lines(kind: &FigureKind) -> bool {
    *kind == FigureKind::Lines
}

/// A value of an axis, or several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Wanted {
    Any(Vec<AxisValue>),
    One(AxisValue),
}

impl Wanted {
    fn values(&self) -> &[AxisValue] {
        match self {
            Wanted::Any(values) => values,
            Wanted::One(value) => std::slice::from_ref(value),
        }
    }
}

/// One title, or one for each load where a study has a figure of each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Title {
    Always(String),
    ByLoad { light: String, heavy: String },
}

impl Title {
    /// `load` is the word of `--load`.
    fn under(&self, load: &str) -> &str {
        match self {
            Title::Always(title) => title,
            Title::ByLoad { light, .. } if load == "light" => light,
            Title::ByLoad { heavy, .. } => heavy,
        }
    }
}

impl RecipeFigure {
    fn head(&self, load: &str) -> FigureHead {
        let only = self.only.iter().flat_map(|(axis, wanted)| {
            wanted.values().iter().map(|value| Setting {
                axis: axis.clone(),
                value: value.clone(),
            })
        });
        FigureHead {
            title: self.title.under(load).to_owned(),
            x: self.x.clone(),
            x_log2: !self.kind.draws_samples(),
            y: self.y.clone(),
            y_log: !self.kind.draws_samples() && !self.linear,
            kind: self.kind,
            series: self.series.clone(),
            only: only.collect(),
            reading: self.reading.clone(),
            ..FigureHead::default()
        }
    }

    /// Whether it has a place for the point.
    #[must_use]
    pub fn shows(&self, point: &PointHead) -> bool {
        let is = |(axis, wanted): (&String, &Wanted)| {
            point
                .value(axis)
                .is_some_and(|v| wanted.values().contains(v))
        };
        point.experiment == self.experiment && self.only.iter().all(is)
    }

    /// What it names that the experiment does not have; None where all is there.
    #[must_use]
    pub fn unknown(&self, listed: &[Listed]) -> Option<String> {
        let Some(found) = listed.iter().find(|l| l.experiment.id == self.experiment) else {
            return Some(format!("experiment {}", self.experiment));
        };
        let e = found.experiment;
        let is_axis = |name: &str| e.axes.iter().any(|a| a.name == name);
        let is_metric = |name: &str| {
            name == "bandwidth"
                // Of the run's counters: absent where the machine has none.
                || name == L2_MISSES
                || e.parts.iter().any(|(part, _)| *part == name)
                || e.tallies.iter().any(|t| t.name == name)
                || (name == "net" && e.parts.len() == 2)
        };
        let x = (!self.kind.draws_samples()).then_some(&self.x);
        let axes = x.into_iter().chain(&self.series).chain(self.only.keys());
        let axis = axes.into_iter().find(|name| !is_axis(name));
        axis.map(|name| format!("axis {name} of {}", self.experiment))
            .or_else(|| {
                (!is_metric(&self.y)).then(|| format!("metric {} of {}", self.y, self.experiment))
            })
    }
}

/// Gives the experiments that `figures` are of those figures, titled as under
/// this load (`light`, `heavy`, `heavy-all`).
pub fn replace(figures: &[RecipeFigure], load: &str, heads: &mut [ExperimentHead]) {
    for head in heads {
        let own = figures.iter().filter(|f| f.experiment == head.id);
        let own: Vec<FigureHead> = own.map(|figure| figure.head(load)).collect();
        if !own.is_empty() {
            head.figures = own;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RecipeFigure, Wanted, replace};
    use crate::plan::plan;
    use crate::recipe::{BUILT_IN, parse};
    use crate::table;
    use record::MachineCard;

    const TEXT: &str = "title = 't'\n[[experiment]]\nid = 'copy/memcpy'\n[[figure]]\nexperiment = \
        'copy/memcpy'\ntitle = { light = 'one', heavy = 'two' }\nx = 'size'\ny = 'bandwidth'\n\
        series = ['cache']\nonly = { cache = 'hot' }\n";

    fn figure() -> RecipeFigure {
        parse("t", TEXT).expect("well formed").figures.remove(0)
    }

    #[test]
    fn a_title_follows_the_load_and_other_experiments_keep_their_figures() {
        let titles = |load| {
            let ids = ["copy/memcpy", "copy/to_user"];
            let mut heads = ids.map(|id| {
                let listed = table::find(id).expect("it is listed");
                listed.head(&MachineCard::default())
            });
            let others = heads[1].figures.clone();
            replace(&[figure()], load, &mut heads);
            assert_eq!(heads[1].figures, others);
            assert_eq!(heads[0].figures.len(), 1);
            heads[0].figures[0].title.clone()
        };
        assert_eq!(titles("light"), "one");
        assert_eq!(titles("heavy"), "two");
        assert_eq!(titles("heavy-all"), "two");
    }

    #[test]
    fn what_the_experiment_does_not_have_is_named() {
        let all = table::all();
        assert_eq!(figure().unknown(&all), None);
        let mut odd = figure();
        let red = Wanted::One("red".into());
        odd.only.insert("colour".to_owned(), red);
        let named = odd.unknown(&all);
        assert_eq!(named.as_deref(), Some("axis colour of copy/memcpy"));
        let mut odd = figure();
        odd.y = "beauty".to_owned();
        let named = odd.unknown(&all);
        assert_eq!(named.as_deref(), Some("metric beauty of copy/memcpy"));
    }

    #[test]
    fn the_recipe_of_cache_pollution_holds_its_figures_by_number() {
        let built_in = BUILT_IN.iter().find(|(name, _)| *name == "pollution");
        let (name, text) = built_in.expect("it comes with the program");
        let recipe = parse(name, text).expect("well formed");
        let heads: Vec<_> = recipe.figures.iter().map(|f| f.head("light")).collect();
        assert_eq!(heads.len(), 24);
        for (number, head) in (27..).zip(&heads) {
            let wanted = format!("I/OAT-CFTU figure 2.{number}: ");
            assert!(head.title.starts_with(&wanted), "{}", head.title);
            let of_misses = number <= 38;
            assert_eq!(of_misses, head.y == "l2d_cache_miss_rate", "{}", head.title);
            assert_eq!(of_misses, !head.y_log);
            let victims = head.only.iter().filter(|s| s.axis == "victim").count();
            assert_eq!(
                victims,
                if number % 2 == 1 { 4 } else { 7 },
                "{}",
                head.title
            );
        }
    }

    /// Every point of the study is in one figure of misses and in one of times.
    #[test]
    fn the_recipe_of_cache_pollution_measures_what_its_figures_show() {
        let built_in = BUILT_IN.iter().find(|(name, _)| *name == "pollution");
        let (name, text) = built_in.expect("it comes with the program");
        let recipe = parse(name, text).expect("well formed");
        let plan = plan(&recipe, &MachineCard::default()).expect("a plan");
        let points = plan.point_heads();
        assert_eq!(points.len(), 11 * 6 * 3);
        for point in points {
            let shown = recipe.figures.iter().filter(|f| f.shows(&point)).count();
            assert_eq!(shown, 2, "{point:?}");
        }
    }

    /// The figures of the study's list, each once under each load.
    #[test]
    fn the_recipes_of_the_study_hold_its_figures_by_number() {
        for (recipe, light, heavy) in [
            ("offload-latency", 1..=4, 5..=8),
            ("offload-bandwidth", 9..=11, 12..=14),
            ("offload-priority", 15..=17, 18..=20),
        ] {
            let built_in = BUILT_IN.iter().find(|(name, _)| *name == recipe);
            let (name, text) = built_in.expect("it comes with the program");
            let recipe = parse(name, text).expect("well formed");
            for (load, numbers) in [("light", light), ("heavy", heavy)] {
                let heads = recipe.figures.iter().map(|f| f.head(load).title);
                let wanted = numbers.map(|n| format!("I/OAT-CFTU figure 2.{n}: "));
                let (heads, wanted): (Vec<_>, Vec<_>) = (heads.collect(), wanted.collect());
                assert_eq!(heads.len(), wanted.len());
                for (head, wanted) in heads.iter().zip(&wanted) {
                    assert!(head.starts_with(wanted), "{head}");
                }
            }
        }
    }
}
