//! Figures that a recipe asks for: those of the study it repeats, by their
//! numbers. They take the place of the experiment's own.

use crate::catalogue::Catalogue;
use crate::grid::setting;
use harness::counters::L2_MISSES;
use record::{AxisValue, ExperimentHead, FigureHead, FigureKind, PointHead};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A figure that a recipe asks for.
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
    /// Its head for points measured under this load.
    pub fn head(&self, load: &str) -> FigureHead {
        let only = self.only.iter().flat_map(|(axis, wanted)| {
            let values = wanted.values().iter();
            values.map(|value| setting(axis, value.clone()))
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
    pub fn shows(&self, point: &PointHead) -> bool {
        let is = |(axis, wanted): (&String, &Wanted)| {
            let value = point.value(axis);
            value.is_some_and(|v| wanted.values().contains(v))
        };
        point.experiment == self.experiment && self.only.iter().all(is)
    }

    /// What it names that the experiment does not have; None where all is there.
    pub fn unknown(&self, catalogue: &Catalogue) -> Option<String> {
        let Some(found) = catalogue.find(&self.experiment) else {
            return Some(format!("experiment {}", self.experiment));
        };
        let e = found.experiment;
        let is_axis = |name: &str| e.axes.iter().any(|a| a.name == name);
        // Of the run's counters: absent where the machine has none.
        let is_metric = ["bandwidth", L2_MISSES].contains(&self.y.as_str())
            || e.metrics().iter().any(|m| m.name == self.y);
        let x = (!self.kind.draws_samples()).then_some(&self.x);
        let mut axes = x.into_iter().chain(&self.series).chain(self.only.keys());
        match axes.find(|name| !is_axis(name)) {
            Some(name) => Some(format!("axis {name} of {}", self.experiment)),
            None if is_metric => None,
            None => Some(format!("metric {} of {}", self.y, self.experiment)),
        }
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
