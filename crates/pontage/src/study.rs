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
                experiments,
                figures: Vec::new(),
                counters: self.counters.clone(),
                samples: None,
            },
        }
    }
}

/// One experiment on these values of its axes.
pub fn entry(id: &str, axes: BTreeMap<String, AxisText>) -> Entry {
    Entry {
        id: id.to_owned(),
        budget_ms: None,
        axes,
    }
}
