//! `pontage colocate`: two kinds of work, pairs of one kind or mixed, as a
//! run of `colocate/pair`, or every pair of kinds, as one of `colocate/matrix`.

pub mod arguments;
mod placement;

use crate::failure::{Failure, Outcome};
use crate::flags::Format;
use crate::kinds;
use crate::output;
use crate::run::{self, Refused, Request, close};
use crate::study::{Axes, word, words};
use analysis::RunView;
use arguments::{AUTO, Colocate, Tasks};
use catalogue::recipe::{AxisText, Entry};
use engines::crew::body::Host;
use harness::{Context, SetupError};
use record::Placement;
use std::path::Path;

const TITLE: &str = "How much do two workloads slow each other down?";
const PAIR: &str = "colocate/pair";
const MATRIX: &str = "colocate/matrix";
/// Three windows each of the fifteen.
const PROCESSES: u32 = 5;
const MILLISECOND: i64 = 1_000_000;
const SECOND: i64 = 1_000_000_000;
/// Pairs of work that show what two CPUs share: a core, a cache.
const TELLING: [(&str, &str); 2] = [("alu", "alu"), ("chase_llc", "memcpy")];
/// What else shows it, without work: additions to one word and to two, a line that one CPU
/// brings and the other loads, and loads from memory to hold them against.
const LINE: &str = "mem/line";
const METHODS: [&str; 3] = ["coherence", "bring", "handed"];
const STEPS: [i64; 2] = [8, 512];
/// From so many CPUs on there are two tasks of each kind.
const ROOM: usize = 4;

/// # Errors
/// Kinds that there are not, and whatever a run may meet.
pub fn run(arguments: &Colocate) -> Outcome {
    if arguments.list {
        return kinds::list(arguments.format);
    }
    let asked = Asked {
        arguments,
        a: kinds::values("a", &arguments.a)?,
        b: kinds::values("b", &arguments.b)?,
    };
    let show = match arguments.format {
        Format::Text => close::show,
        Format::Markdown => close::show_markdown,
        Format::Json => show_json,
    };
    let request = |context: &Context| asked.request(context);
    run::of(&arguments.study.run(), request, show)
}

fn show_json(view: &RunView, folder: &Path) -> Outcome {
    output::json(&report::colocation::json(view))?;
    close::page_written(view, folder)
}

struct Asked<'a> {
    arguments: &'a Colocate,
    a: AxisText,
    b: AxisText,
}

impl Asked<'_> {
    fn request(&self, context: &Context) -> Result<Request, Refused> {
        self.seated(context)?;
        let entries = match self.arguments.matrix {
            true => vec![self.matrix(context)],
            false => {
                let tasks = self.tasks(context);
                let shared = self.shared(&tasks, context);
                let pairs = tasks.into_iter().map(|tasks| self.pair(tasks, context));
                pairs.chain(shared).collect()
            }
        };
        let study = &self.arguments.study;
        Ok(study.request("colocate", TITLE, entries, PROCESSES))
    }

    /// Whether the fewest tasks that were asked for find seats in any placement.
    fn seated(&self, context: &Context) -> Result<(), Refused> {
        let fewest = match self.arguments.matrix {
            true => 2,
            false => {
                let tasks = self.tasks(context);
                tasks.iter().map(Tasks::all).min().unwrap_or(2)
            }
        };
        let placements = self.placements(fewest, context);
        match placement::any(&placements, fewest, self.host().1, context) {
            Ok(()) => Ok(()),
            Err(SetupError::Skip { reason, remedy }) => Err(Refused::Skip(
                Failure::new(format!("SKIP: cannot measure pairs: {reason}")).hint(remedy),
            )),
            Err(SetupError::Fail(cause)) => Err(Refused::Failed(Failure::new(cause))),
        }
    }

    fn tasks(&self, context: &Context) -> Vec<Tasks> {
        let each = if context.cpus.len() < ROOM { 1 } else { 2 };
        match self.arguments.tasks.as_slice() {
            [] => vec![Tasks { a: each, b: each }],
            asked => asked.to_vec(),
        }
    }

    /// What the CPUs of the pairs share, as they behave; tasks on one CPU share it.
    fn shared(&self, tasks: &[Tasks], context: &Context) -> Vec<Entry> {
        let most = tasks.iter().map(Tasks::all).max();
        let placements = self.placements(most.unwrap_or(2), context);
        let apart = placements
            .into_iter()
            .filter(|word| *word != placement::SHARED);
        let apart: Vec<&str> = apart.collect();
        if apart.is_empty() {
            return Vec::new();
        }
        let of = |(victim, neighbour)| {
            Axes::default()
                .at("victim", word(victim))
                .at("neighbour", word(neighbour))
                .at("mm", word("separate"))
                .at("placement", words(apart.iter().copied()))
                .of(MATRIX)
        };
        let behind = Axes::default()
            .at("step", AxisText::List(STEPS.map(AxisText::Int).to_vec()))
            .at("method", words(METHODS))
            .of(LINE);
        TELLING.into_iter().map(of).chain([behind]).collect()
    }

    fn pair(&self, tasks: Tasks, context: &Context) -> Entry {
        self.common(tasks.all(), context)
            .at("a", self.a.clone())
            .at("b", self.b.clone())
            .at("a_tasks", AxisText::Int(tasks.a.into()))
            .at("b_tasks", AxisText::Int(tasks.b.into()))
            .of(PAIR)
    }

    /// What is not asked for is what the experiment has by itself.
    fn matrix(&self, context: &Context) -> Entry {
        let asked = |kinds: &AxisText| Some(kinds.clone()).filter(|kinds| !kinds.text().is_empty());
        self.common(2, context)
            .at_any("victim", asked(&self.a))
            .at_any("neighbour", asked(&self.b))
            .of(MATRIX)
    }

    fn host(&self) -> (&'static str, Host) {
        match self.arguments.same_mm {
            true => ("same", Host::Thread),
            false => ("separate", Host::Process),
        }
    }

    fn nearest(&self, tasks: usize, context: &Context) -> &'static str {
        placement::nearest(tasks, self.host().1, context)
    }

    fn placements(&self, tasks: usize, context: &Context) -> Vec<&'static str> {
        let asked = self.arguments.placement.iter();
        let named = asked.map(|word| match Placement::named(word) {
            Some(placement) => placement.word(),
            None => self.nearest(tasks, context),
        });
        named.collect()
    }

    fn common(&self, tasks: usize, context: &Context) -> Axes {
        let asked = self.arguments;
        let auto = asked.placement.iter().any(|word| word == AUTO);
        if auto && self.nearest(tasks, context) == placement::SHARED {
            placement::say_shared(tasks, context);
        }
        let ns = |n: Option<i64>, unit| n.map(|n| AxisText::Int(n * unit));
        Axes::default()
            .at("placement", words(self.placements(tasks, context)))
            .at("mm", word(self.host().0))
            .at_any("window", ns(asked.window, MILLISECOND))
            .at_any("deadline", ns(asked.deadline, SECOND))
    }
}
