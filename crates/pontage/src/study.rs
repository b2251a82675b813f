//! The run that the front door of a single study makes.

use crate::run::Request;
use crate::run::flags::{Run, Study};
use catalogue::Preset;
use catalogue::recipe::{AxisText, Entry, Recipe};
use std::collections::BTreeMap;

impl Study {
    /// The flags that every run has.
    pub fn run(&self) -> Run {
        Run {
            full: true,
            processes: Some(self.processes),
            load: self.load,
            cpu: self.cpu,
            fifo: self.fifo,
            counters: self.counters.clone(),
            out: self.out.clone(),
            ..Run::default()
        }
    }

    /// What is asked for, as a recipe of its own.
    pub fn request(&self, name: &str, title: &str, experiments: Vec<Entry>) -> Request {
        Request {
            name: name.to_owned(),
            recipe: Recipe {
                title: title.to_owned(),
                question: String::new(),
                preset: Preset::Full,
                processes: Some(self.processes),
                within_s: None,
                experiments,
                figures: Vec::new(),
                counters: self.counters.clone(),
                samples: None,
            },
        }
    }
}

/// Values of an experiment's axes.
#[derive(Clone, Default)]
pub struct Axes(BTreeMap<String, AxisText>);

impl Axes {
    /// An axis at this value.
    pub fn at(mut self, axis: &str, value: AxisText) -> Axes {
        self.0.insert(axis.to_owned(), value);
        self
    }

    /// An axis at this value, where there is one.
    pub fn at_any(self, axis: &str, value: Option<AxisText>) -> Axes {
        match value {
            Some(value) => self.at(axis, value),
            None => self,
        }
    }

    /// One experiment on these values.
    pub fn of(self, id: &str) -> Entry {
        Entry {
            id: id.to_owned(),
            budget_ms: None,
            axes: self.0,
        }
    }
}

/// A word of an axis, or values in their text form.
pub fn word(text: impl Into<String>) -> AxisText {
    AxisText::Text(text.into())
}

/// Several words of an axis.
pub fn words<W: Into<String>>(all: impl IntoIterator<Item = W>) -> AxisText {
    AxisText::List(all.into_iter().map(word).collect())
}
