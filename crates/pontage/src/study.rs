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
            processes: self.processes,
            load: self.load,
            cpu: self.cpu,
            fifo: self.fifo,
            counters: self.counters.clone(),
            labels: self.labels.clone(),
            out: self.out.clone(),
            ..Run::default()
        }
    }

    /// What is asked for, as a recipe of its own. Unless their number is asked for, so many
    /// processes share the time of one, each with a set-up of its own: so it is known how they differ.
    pub fn request(&self, name: &str, title: &str, experiments: Vec<Entry>, usual: u32) -> Request {
        Request {
            name: name.to_owned(),
            recipe: Recipe {
                title: title.to_owned(),
                question: String::new(),
                preset: Preset::Full,
                processes: self.processes.or(Some(usual)),
                budgets: self.processes.is_none().then_some(1),
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

#[cfg(test)]
mod tests {
    use crate::run::flags::Study;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Typed {
        #[command(flatten)]
        study: Study,
    }

    #[test]
    fn several_processes_share_the_time_of_one_unless_their_number_is_asked_for() {
        let of = |words: &[&str]| {
            let words = ["pontage"].iter().chain(words);
            let typed = Typed::try_parse_from(words).expect("flags");
            let recipe = typed.study.request("x", "t", Vec::new(), 5).recipe;
            (recipe.processes, recipe.budgets)
        };
        assert_eq!(of(&[]), (Some(5), Some(1)));
        assert_eq!(of(&["--processes", "2"]), (Some(2), None));
    }
}
