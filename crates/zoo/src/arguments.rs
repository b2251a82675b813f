//! The command line of the zoo.

use zoo::conditions::{Condition, conditions};
use zoo::cores::{self, Core, UNTOUCHED};
use zoo::recipe;

/// What is run.
pub struct Arguments {
    pub cores: Vec<Core>,
    pub conditions: Vec<Condition>,
    pub seeds: u64,
    /// File that runs are kept in, so that they need not be run again.
    pub runs: String,
    /// Only what that file has is judged, and nothing is run.
    pub kept: bool,
    /// What methods say today of the points that file has is written there first.
    pub again: bool,
    /// Experiments of the recipe that are run.
    pub experiments: Vec<String>,
    /// Where the record of patterns is written: of what was run; what it has of others stays.
    pub keep: Option<String>,
    /// Folder with runs of a real machine, which are judged instead.
    pub here: Option<String>,
    /// Where the curves of the first of them are written.
    pub curves: Option<String>,
    /// Each finding that is wrong, with its methods.
    pub verbose: bool,
}

/// Runs of each core in each condition.
const SEEDS: u64 = 20;
/// Where runs are kept, from the root of the project.
const RUNS: &str = "crates/zoo/data/runs.jsonl";

const USAGE: &str = "zoo [--seeds N] [--cores NAME,..|untouched|all] \
                     [--conditions quiet,neighbour,stolen] [--only EXPERIMENT,..] \
                     [--runs FILE] [--again] [--kept] [--keep FILE] [--here FOLDER [--curves FILE]] [--verbose]";

impl Arguments {
    /// From the words of the command line. Without `--cores`, all that methods may be tuned
    /// on.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn parse(words: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let mut arguments = Arguments {
            cores: tuned(),
            conditions: conditions(),
            seeds: SEEDS,
            runs: RUNS.to_owned(),
            kept: false,
            again: false,
            experiments: recipe::experiments(),
            keep: None,
            here: None,
            curves: None,
            verbose: false,
        };
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value\n{USAGE}"));
            match word.as_str() {
                "--seeds" => {
                    let text = value()?;
                    arguments.seeds = text.parse().map_err(|_| format!("{text} is no number"))?;
                }
                "--cores" => arguments.cores = chosen(&value()?)?,
                "--conditions" => {
                    let wanted = value()?;
                    let is = |c: &Condition| wanted.split(',').any(|w| w == c.name);
                    arguments.conditions.retain(is);
                    if arguments.conditions.is_empty() {
                        return Err(format!("no condition is called {wanted}\n{USAGE}"));
                    }
                }
                "--again" => arguments.again = true,
                "--kept" => arguments.kept = true,
                "--only" => arguments.experiments = experiments(&value()?)?,
                "--runs" => arguments.runs = value()?,
                "--keep" => arguments.keep = Some(value()?),
                "--here" => arguments.here = Some(value()?),
                "--curves" => arguments.curves = Some(value()?),
                "--verbose" => arguments.verbose = true,
                _ => return Err(format!("unknown argument {word}\n{USAGE}")),
            }
        }
        arguments.complaint().map_or(Ok(arguments), Err)
    }

    /// What is asked for without that which it is of.
    fn complaint(&self) -> Option<String> {
        let lone = self.curves.is_some() && self.here.is_none();
        lone.then(|| format!("--curves needs --here FOLDER\n{USAGE}"))
    }
}

fn experiments(ids: &str) -> Result<Vec<String>, String> {
    let all: Vec<String> = ids.split(',').map(str::to_owned).collect();
    let known = recipe::experiments();
    match all.iter().find(|id| !known.contains(id)) {
        Some(id) => Err(format!("the recipe has no experiment {id}\n{USAGE}")),
        None => Ok(all),
    }
}

fn tuned() -> Vec<Core> {
    let all = cores::all().into_iter();
    all.filter(|core| !UNTOUCHED.contains(&core.name.as_str()))
        .collect()
}

fn chosen(names: &str) -> Result<Vec<Core>, String> {
    let named = |name: &str| cores::named(name).ok_or(format!("no core is called {name}"));
    match names {
        "all" => Ok(cores::all()),
        "untouched" => UNTOUCHED.iter().map(|name| named(name)).collect(),
        names => names.split(',').map(named).collect(),
    }
}
